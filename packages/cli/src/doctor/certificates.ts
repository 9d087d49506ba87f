/** The certificates of the store and of the public addresses: when they expire. Only a TLS handshake is sent. */
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { parseDatabaseUrl } from '@metergate/store/engine/database-url.ts';
import type { Config } from '../config/config.ts';
import { finding, type Finding } from './finding.ts';
import { dayName } from '@metergate/core/time/utc-day.ts';

const answerMs = 3_000;
const dayMs = 86_400_000;
const soonMs = 21 * dayMs;

/** The request that PostgreSQL expects before TLS begins: length 8, code 80877103. */
const sslRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

interface Place {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly postgres: boolean;
}

/** Empty if no connection uses TLS. */
export async function examineCertificates(config: Config, nowMs: number): Promise<Finding[]> {
  const found = await Promise.all(places(config).map(async (place) => {
    const untilMs = await heldUntil(place);
    return untilMs === null ? null : certificateFinding(place.name, untilMs, nowMs);
  }));
  return found.filter((each) => each !== null);
}

export function certificateFinding(name: string, untilMs: number, nowMs: number): Finding {
  const day = dayName(untilMs);
  if (untilMs < nowMs) return finding('certificate', 'fail', `The certificate of ${name} expired on ${day}. Renew it.`);
  if (untilMs - nowMs < soonMs) return finding('certificate', 'warn', `The certificate of ${name} expires on ${day}. Renew it.`);
  return finding('certificate', 'ok', `The certificate of ${name} is valid until ${day}.`);
}

function places(config: Config): Place[] {
  const store = parseDatabaseUrl(config.databaseUrl);
  const web = [config.publicGatewayUrl, config.publicPlatformUrl].filter((url) => url !== null).map((url) => new URL(url))
    .filter(({ protocol }) => protocol === 'https:')
    .map(({ hostname, port }) => ({ name: hostname, host: hostname, port: Number(port) || 443, postgres: false }));
  if (store.kind === 'sqlite') return web;
  const { hostname, port } = new URL(store.url);
  const hidden = hostname === '' || new URL(store.url).searchParams.has('host');
  return hidden ? web : [{ name: 'the store', host: hostname, port: Number(port) || 5432, postgres: true }, ...web];
}

/** Null: no TLS there, or no answer. Whether the certificate can be trusted is for the connection itself to decide. */
async function heldUntil(place: Place): Promise<number | null> {
  const socket = connectTcp({ host: place.host.replace(/^\[|\]$/g, ''), port: place.port });
  const { promise, resolve } = Promise.withResolvers<number | null>();
  socket.setTimeout(answerMs, () => resolve(null)).on('error', () => resolve(null)).on('close', () => resolve(null));
  const shake = (): void => {
    const tls = connectTls({ socket, servername: /^[\d.:]+$/.test(place.host) ? '' : place.host, rejectUnauthorized: false }, () => {
      const untilMs = Date.parse(tls.getPeerCertificate().valid_to);
      resolve(Number.isNaN(untilMs) ? null : untilMs);
    });
    tls.on('error', () => resolve(null));
  };
  socket.on('connect', () => (place.postgres ? offered(socket, shake, () => resolve(null)) : shake()));
  try {
    return await promise;
  } finally {
    socket.destroy();
  }
}

/** PostgreSQL answers one byte: `S` if TLS may begin. */
function offered(socket: Socket, yes: () => void, no: () => void): void {
  socket.write(sslRequest);
  socket.once('data', (answer) => (answer[0] === 0x53 ? yes() : no()));
}
