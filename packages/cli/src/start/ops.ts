/**
 * The operators' listener: `/healthz` (the process lives), `/readyz` (calls are served, or why not), `/metrics` (Prometheus). It runs on
 * the supervisor's thread and asks the gateway thread for its counters; a call never waits for it.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerUntilLeft } from '@metergate/store/network/leaving-server.ts';
import type { ListenAddress } from '../config/config.ts';
import { listenFault } from './free-port.ts';
import type { MetricsSources } from './metrics/metrics-text.ts';
import type { Unready } from './node-watch.ts';

interface OpsOptions extends MetricsSources {
  readonly address: ListenAddress;
  /** Empty: ready. */
  readonly unready: () => readonly Unready[];
  /** Called at each poll of readiness. `who`: the poller's address and what it asked. */
  readonly asked: (who: string) => void;
}

export interface Ops {
  readonly port: number;
  /** The process will stop: from now on a poller's connection ends with its answer. */
  leave(): void;
  close(): Promise<void>;
}

/** How long the last answers may take at the very end. */
const closeGraceMs = 100;

/** Listens. @throws StartFault if it cannot */
export async function startOps(options: OpsOptions): Promise<Ops> {
  // Loaded with the first request: without pollers of metrics, nothing that writes them is needed.
  const metricsText = async () => (await import('./metrics/metrics-text.ts')).metricsWriter(options)();
  const server = createServer();
  const leaving = answerUntilLeft(server, (request, response) => {
    const [path, query] = (request.url ?? '').split('?', 2);
    if (request.method !== 'GET' && request.method !== 'HEAD') return answer(response, 405, 'Only GET and HEAD are answered here.\n');
    if (path === '/healthz') return answer(response, 200, 'ok\n');
    if (path === '/readyz') {
      options.asked(`${request.socket.remoteAddress} ${query ?? ''}`);
      return answerReady(response, options.unready(), new URLSearchParams(query).getAll('ignore'));
    }
    if (path !== '/metrics') return answer(response, 404, 'This port serves /healthz, /readyz and /metrics.\n');
    metricsText().then(
      ({ type, text }) => answer(response, 200, text, type),
      () => answer(response, 500, 'The metrics cannot be read right now.\n'),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenFault(error.code, options.address, 'SVC_OPS_PORT', 'SVC_OPS_HOST')));
    server.listen(options.address.port, options.address.host, () => {
      server.removeAllListeners('error');
      resolve();
    });
  });
  return {
    port: (server.address() as AddressInfo).port,
    leave: () => leaving.leave(),
    close: () => leaving.close(closeGraceMs),
  };
}

/** `ignored`: causes that the poller asked to leave out. */
function answerReady(response: ServerResponse, unready: readonly Unready[], ignored: readonly string[]): void {
  const reasons = unready.filter(({ cause }) => !ignored.includes(cause));
  if (reasons.length === 0) return answer(response, 200, 'ready\n');
  answer(response, 503, ['not ready', ...reasons.map(({ cause, sentence }) => `${cause}: ${sentence}`)].map((line) => `${line}\n`).join(''));
}

function answer(response: ServerResponse, status: number, text: string, type = 'text/plain; charset=utf-8'): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text), 'cache-control': 'no-store' });
  response.end(text);
}
