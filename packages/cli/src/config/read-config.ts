/**
 * The environment → all settings, checked and with defaults, or the one sentence that says what is wrong. Rules: Interfaces.
 * Nothing is opened, made or resolved here except the files that hold secrets. A sentence never repeats a key, a password or a URL that may hold one.
 */
import { sessionHeadersDefault, sessionHeadersFault } from '@metergate/core/call/session.ts';
import { eachProvider, wires } from '@metergate/core/wire/wire.ts';
import { join, resolve } from 'node:path';
import { parseAddressRanges } from '@metergate/store/network/public-address.ts';
import { StoreFault } from '@metergate/store/engine/fault.ts';
import { isRefusal } from '@metergate/store/engine/refusal.ts';
import { trustedProxies } from '@metergate/platform/http/client-address.ts';
import { parseMasterKey } from '@metergate/store/sealing/master-key.ts';
import { parseDatabaseUrl } from '@metergate/store/engine/database-url.ts';
import type { Config, ListenAddress } from './config.ts';
import { priceFeedOf } from './price-feed-config.ts';
import { oidcOf } from './oidc-config.ts';
import { withSecretFiles } from './secret-files.ts';
import { tracesOf } from './traces.ts';
import { BadValue, listenHost, oneOf, originUrl, publicUrl, wholeNumber } from './values.ts';
import { providerUrlVariables, unknownVariable, valueOf, type Environment, type VariableName } from './variables.ts';

/** `cwd`: what relative paths are relative to, absolute itself. */
export function readConfig(env: Environment, cwd: string): { readonly config: Config } | { readonly refusal: string } {
  const unknown = unknownVariable(env);
  if (unknown !== null) return { refusal: unknown };
  try {
    return { config: configOf(withSecretFiles(env, cwd), cwd) };
  } catch (error) {
    if (error instanceof BadValue || error instanceof StoreFault) return { refusal: error.message };
    throw error;
  }
}

function configOf(env: Environment, cwd: string): Config {
  const dataDirectory = resolve(cwd, valueOf(env, 'SVC_DATA_DIR') ?? 'data');
  const databaseUrl = databaseUrlOf(env, cwd, dataDirectory);
  return {
    ...addressesOf(env),
    dataDirectory,
    databaseUrl,
    reportsDatabaseUrl: reportsDatabaseUrlOf(env, databaseUrl),
    masterKey: masterKeyOf(env, databaseUrl),
    providerUrls: eachProvider((provider) => originUrl(env, providerUrlVariables[provider], `https://${wires[provider].host}`)),
    upstreamAllow: upstreamAllowOf(env),
    trustedProxies: trustedProxiesOf(env),
    oidc: oidcOf(env),
    priceFeed: priceFeedOf(env),
    journalSync: oneOf(env, 'SVC_JOURNAL_SYNC', ['normal', 'full']),
    runRegistryMax: wholeNumber(env, 'SVC_RUN_REGISTRY_MAX', { min: 1, max: 10_000_000, fallback: 100_000 }),
    heldBodiesMb: wholeNumber(env, 'SVC_HELD_BODIES_MB', { min: 1, max: 1_048_576, fallback: 256 }),
    sessionHeaders: sessionHeadersOf(env),
    graceSeconds: wholeNumber(env, 'SVC_GRACE_SECONDS', { min: 0, max: 86_400, fallback: 30 }),
    logFormat: valueOf(env, 'SVC_LOG_FORMAT') === null ? null : oneOf<'json' | 'text'>(env, 'SVC_LOG_FORMAT', ['json', 'text']),
    logLevel: oneOf(env, 'SVC_LOG_LEVEL', ['info', 'error', 'warn', 'debug']),
    accessLog: oneOf(env, 'SVC_ACCESS_LOG', ['off', 'on']) === 'on',
    ownCalls: oneOf(env, 'SVC_OWN_CALLS', ['on', 'off']) === 'on',
    traces: tracesOf(env),
    publicGatewayUrl: publicUrl(env, 'SVC_PUBLIC_GATEWAY_URL'),
    publicPlatformUrl: publicUrl(env, 'SVC_PUBLIC_PLATFORM_URL'),
  };
}

const portVariables = {
  gateway: 'SVC_GATEWAY_PORT', platform: 'SVC_PLATFORM_PORT', ops: 'SVC_OPS_PORT',
} as const satisfies Record<string, VariableName>;

function addressesOf(env: Environment): Pick<Config, 'gateway' | 'platform' | 'ops'> {
  const port = (name: VariableName, fallback: number): number => wholeNumber(env, name, { min: 0, max: 65_535, fallback });
  const host = listenHost(env, 'SVC_HOST', '127.0.0.1');
  const addresses = {
    gateway: { host, port: port(portVariables.gateway, 8080) },
    platform: { host: listenHost(env, 'SVC_PLATFORM_HOST', host), port: port(portVariables.platform, 8081) },
    ops: { host: listenHost(env, 'SVC_OPS_HOST', host), port: port(portVariables.ops, 8082) },
  };
  assertApart(addresses, ['gateway', 'platform']);
  assertApart(addresses, ['gateway', 'ops']);
  assertApart(addresses, ['platform', 'ops']);
  return addresses;
}

type Listener = keyof typeof portVariables;

function assertApart(addresses: Readonly<Record<Listener, ListenAddress>>, [one, other]: readonly [Listener, Listener]): void {
  const { host, port } = addresses[one];
  const second = addresses[other];
  const overlap = host === second.host || [host, second.host].some((each) => each === '0.0.0.0' || each === '::');
  if (port === 0 || port !== second.port || !overlap) return;
  throw new BadValue(`${portVariables[one]} and ${portVariables[other]} are both ${port}. Give each a port of its own.`);
}

function databaseUrlOf(env: Environment, cwd: string, dataDirectory: string): string {
  const text = valueOf(env, 'SVC_DATABASE_URL');
  if (text === null) return `sqlite:${join(dataDirectory, 'metergate.db')}`;
  const place = parseDatabaseUrl(text);
  return place.kind === 'sqlite' ? `sqlite:${resolve(cwd, place.path)}` : text;
}

function reportsDatabaseUrlOf(env: Environment, databaseUrl: string): string | null {
  const text = valueOf(env, 'SVC_REPORTS_DATABASE_URL');
  if (text === null) return null;
  if (!/^postgres(ql)?:\/\//.test(text) || parseDatabaseUrl(databaseUrl).kind !== 'postgres') {
    throw new BadValue('SVC_REPORTS_DATABASE_URL must be postgres://…, a read replica of the PostgreSQL that SVC_DATABASE_URL names.');
  }
  parseDatabaseUrl(text);
  return text;
}

function masterKeyOf(env: Environment, databaseUrl: string): Uint8Array | null {
  const text = valueOf(env, 'SVC_MASTER_KEY');
  if (text === null) {
    if (databaseUrl.startsWith('sqlite:')) return null;
    throw new BadValue('SVC_MASTER_KEY must be set when SVC_DATABASE_URL is PostgreSQL. Make one with: openssl rand -base64 32');
  }
  const key = parseMasterKey(text);
  if (isRefusal(key)) {
    throw new BadValue('SVC_MASTER_KEY must be 32 bytes in base64 (44 characters). Make one with: openssl rand -base64 32');
  }
  return key;
}

/** `none`: no session is kept. */
function sessionHeadersOf(env: Environment): readonly string[] {
  const text = valueOf(env, 'SVC_SESSION_HEADERS');
  if (text === null) return sessionHeadersDefault;
  const names = text === 'none' ? [] : text.toLowerCase().split(',').map((name) => name.trim());
  const fault = sessionHeadersFault(names);
  if (fault !== null) throw new BadValue(`SVC_SESSION_HEADERS ${fault}, or none.`);
  return names;
}

function trustedProxiesOf(env: Environment): string[] {
  const entries = (valueOf(env, 'SVC_TRUSTED_PROXIES') ?? '').split(/[\s,]+/).filter((entry) => entry !== '');
  try {
    trustedProxies(entries);
  } catch (error) {
    if (error instanceof RangeError) throw new BadValue(`SVC_TRUSTED_PROXIES: ${error.message}`);
    throw error;
  }
  return entries;
}

function upstreamAllowOf(env: Environment): string[] {
  const entries = (valueOf(env, 'SVC_UPSTREAM_ALLOW') ?? '').split(/[\s,]+/).filter((entry) => entry !== '');
  try {
    parseAddressRanges(entries);
  } catch (error) {
    if (error instanceof RangeError) throw new BadValue(`SVC_UPSTREAM_ALLOW: ${error.message}`);
    throw error;
  }
  return entries;
}
