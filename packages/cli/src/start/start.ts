/**
 * `metergate start`: everything on one machine; `metergate gateway` and `metergate platform`: one part each, any number of them
 * on a shared store. Checks first, writes second, listens last; then one ready line. On SIGTERM
 * or SIGINT: not ready, calls finish within the grace, the journal ships, exit 0; a second signal ends at once.
 * Design 2, Processes; design 5.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { base62, idPrefix, type GatewayNodeId } from '@metergate/core/id.ts';
import type { LogLine } from '@metergate/gateway/log/call-log.ts';
import type { PlatformThreadData } from '@metergate/platform/platform-thread.ts';
import { StoreFault } from '@metergate/store/engine/fault.ts';
import { parseDatabaseUrl } from '@metergate/store/engine/database-url.ts';
import { openStore } from '@metergate/store/store.ts';
import { startSandboxProvider } from '@metergate/sandbox/sandbox-provider.ts';
import type { Config, ListenAddress } from '../config/config.ts';
import { masterKeyFile, masterKeyForStart } from '../config/master-key.ts';
import { withMasterKey } from '../config/pending-master-key.ts';
import { logLines } from '../log/call-lines.ts';
import { createLog, type Log } from '../log/log.ts';
import { runtimeBelowFloor } from '../runtime-floor.ts';
import { assertDirectoryFree, ensureDataDirectory, lockDataDirectory, removeMade, type DirectoryLock } from './data-directory.ts';
import { prepareFirstStart, type FirstStart } from './first-start.ts';
import { keptData } from './kept-data.ts';
import { assertAddressesFree, listenFault } from './free-port.ts';
import { startOps } from './ops.ts';
import { startPlatformThread, type PlatformThread } from './platform-thread.ts';
import { quickStartLines } from './quick-start.ts';
import { StartFault } from '../config/start-fault.ts';
import { startThreads, ThreadFault, type Threads } from './threads.ts';

/** What runs in this process. */
export type Part = 'all' | 'gateway' | 'platform';

export interface StartOptions {
  readonly config: Config;
  readonly part: Part;
  readonly sandbox: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Secrets are shown only to a terminal. */
  readonly isTerminal: boolean;
  /** For the ready line. */
  readonly stdout: (line: string) => void;
  /** For people. */
  readonly stderr: (line: string) => void;
}

/** Runs until a signal ends it. Resolves with the exit code: 0 after a clean stop, 1 with one sentence said. */
export async function startProduct(options: StartOptions): Promise<number> {
  try {
    return await run(options);
  } catch (error) {
    if (!(error instanceof StartFault || error instanceof StoreFault || error instanceof ThreadFault)) throw error;
    options.stderr(`metergate: ${error.message}`);
    return 1;
  }
}

async function run(options: StartOptions): Promise<number> {
  const { config, part, sandbox, stdout, stderr } = options;
  assertStoreFits(options);
  // Before the ports: a second start on one directory mostly finds the first one's ports taken, and should say why.
  if (part !== 'platform') assertDirectoryFree(config.dataDirectory);
  await assertAddressesFree(config, part === 'all' ? ['gateway', 'platform', 'ops'] : [part, 'ops']);
  const { lock, masterKey, firstStart } = part === 'all' ? await prepareData(options) : await preparePart(options, part);
  const provider = sandbox ? await startSandboxProvider() : null;
  // Before anything listens: whoever reads the ready line may signal in the same moment.
  const log = createLog({
    format: config.logFormat ?? (options.isTerminal ? 'text' : 'json'), level: config.logLevel, nowMs: Date.now, write: stderr,
  });
  const asked = stopAsked(log);
  let ready = false;
  const died = Promise.withResolvers<number>();
  const threads = part === 'platform' ? null : await startGateway(config, {
    masterKey, openaiUrl: provider?.url ?? config.openaiUrl, anthropicUrl: provider?.url ?? config.anthropicUrl,
    onFault: (sentence) => log('warn', sentence),
    onLines: (lines) => logLines(log, lines),
    onDeath: (sentence) => {
      ready = false;
      log('error', sentence);
      died.resolve(1);
    },
  });
  const gatewayUrl = config.publicGatewayUrl ?? urlOf(config.gateway.host, threads?.gatewayPort ?? config.gateway.port);
  const platform = part === 'gateway' ? null : await startPlatformBeside(config, {
    databaseUrl: config.databaseUrl, masterKey, ...config.platform, publicUrl: config.publicPlatformUrl, gatewayUrl, sandbox,
    providerUrls: { openai: provider?.url ?? config.openaiUrl, anthropic: provider?.url ?? config.anthropicUrl },
    upstreamAllow: config.upstreamAllow, trustedProxies: config.trustedProxies,
  }, (sentence) => log('warn', sentence));
  const ops = await startOps({
    address: config.ops, ready: () => ready,
    gateway: threads === null ? null : { metrics: () => threads.metrics(1_000), storeFigures: () => threads.storeFigures() },
    runtime: { version: process.version, belowFloor: runtimeBelowFloor(process.versions.node) },
  });
  const urls = {
    ...(threads === null ? {} : { gateway: urlOf(config.gateway.host, threads.gatewayPort) }),
    ...(platform === null ? {} : { platform: urlOf(config.platform.host, platform.port) }),
    ops: urlOf(config.ops.host, ops.port),
  };
  if (firstStart !== null) {
    const platformUrl = config.publicPlatformUrl ?? urls.platform!;
    const place = keptData(config, process.cwd());
    for (const line of quickStartLines({ gatewayUrl, platformUrl, place, sandbox, alone: part === 'all', firstStart })) stderr(line);
  }
  ready = true;
  stdout(`metergate ready ${Object.entries(urls).map(([name, url]) => `${name}=${url}`).join(' ')}`);
  const outcome = await Promise.race([asked.then(() => 'asked' as const), died.promise]);
  if (outcome !== 'asked') return outcome;
  ready = false;
  await threads?.stop();
  await Promise.all([platform?.stop(), ops.close(), provider?.close()]);
  lock?.release();
  return 0;
}

interface PreparedData {
  /** Null: this part keeps nothing on this machine. */
  readonly lock: DirectoryLock | null;
  readonly masterKey: Uint8Array;
  /** Null: this part makes nothing in the store. */
  readonly firstStart: FirstStart | null;
}

/** One part alone needs a store that the other parts reach. */
function assertStoreFits({ config, part }: StartOptions): void {
  if (part === 'all' || parseDatabaseUrl(config.databaseUrl).kind === 'postgres') return;
  throw new StartFault(`metergate ${part} needs a PostgreSQL store that all parts share. Set SVC_DATABASE_URL to its address, `
    + 'or run everything on this machine with metergate start.');
}

/** A platform makes the schema and keeps nothing here. A gateway finds the schema, and keeps its journal in the data directory. */
async function preparePart(options: StartOptions, part: 'gateway' | 'platform'): Promise<PreparedData> {
  const { config } = options;
  if (part === 'platform') {
    const { masterKey, opened } = await withMasterKey(config, masterKeyForStart(config), (key) => prepareStore(options, key));
    return { lock: null, masterKey, firstStart: opened };
  }
  const { masterKey } = await withMasterKey(config, masterKeyForStart(config), (key) => findStore(config, key));
  ensureDataDirectory(config.dataDirectory);
  return { lock: lockDataDirectory(config.dataDirectory), masterKey, firstStart: null };
}

/** @throws StoreFault where there is no store yet, or an older one, or one with another master key. */
async function findStore({ databaseUrl }: Config, masterKey: Uint8Array): Promise<void> {
  const store = await openStore({ url: databaseUrl, masterKey, clock: Date.now, randomBytes: (n) => randomBytes(n), create: false });
  await store.close();
}

/** Data directory, lock, master key, store. Where one of them cannot be had, what this start made before it goes again. */
async function prepareData(options: StartOptions): Promise<PreparedData> {
  const { config } = options;
  const made = ensureDataDirectory(config.dataDirectory);
  const lock = lockDataDirectory(config.dataDirectory);
  const keyFile = masterKeyFile(config);
  const keyThere = existsSync(keyFile);
  try {
    const { masterKey, opened: firstStart } = await withMasterKey(config, masterKeyForStart(config), (key) => prepareStore(options, key));
    return { lock, masterKey, firstStart };
  } catch (error) {
    const place = parseDatabaseUrl(config.databaseUrl);
    const storeThere = place.kind === 'sqlite' && existsSync(place.path);
    // A store file that came to be keeps its key: without it the next start could not go on from there.
    if (!keyThere && !storeThere) rmSync(keyFile, { force: true });
    removeMade(config.dataDirectory, made);
    lock.release();
    throw error;
  }
}

/** Opens or makes the store, sets up what a first start does, and closes it: from then on the store thread has it. */
async function prepareStore({ config, env, isTerminal, sandbox }: StartOptions, masterKey: Uint8Array): Promise<FirstStart> {
  const bytes = (n: number): Uint8Array => randomBytes(n);
  const store = await openStore({ url: config.databaseUrl, masterKey, clock: Date.now, randomBytes: bytes, create: true });
  try {
    const acting = store.acting({ actor: { kind: 'system', id: null, name: null }, detail: {} });
    return await prepareFirstStart({ store: acting, env, isTerminal, sandbox, randomBytes: bytes, nowMs: Date.now() });
  } finally {
    await store.close();
  }
}

interface GatewayNeeds {
  readonly masterKey: Uint8Array;
  readonly openaiUrl: string;
  readonly anthropicUrl: string;
  readonly onFault: (sentence: string) => void;
  readonly onLines: (lines: readonly LogLine[]) => void;
  readonly onDeath: (sentence: string) => void;
}

async function startGateway(config: Config, needs: GatewayNeeds): Promise<Threads> {
  try {
    return await startThreads({
      databaseUrl: config.databaseUrl,
      masterKey: needs.masterKey,
      gateway: {
        host: config.gateway.host, port: config.gateway.port,
        nodeId: (idPrefix.node + base62(randomBytes(40), 20)) as GatewayNodeId,
        journalDirectory: join(config.dataDirectory, 'journal'), journalSync: config.journalSync,
        openaiUrl: needs.openaiUrl, anthropicUrl: needs.anthropicUrl,
        upstreamAllow: config.upstreamAllow, heldBodiesMb: config.heldBodiesMb, graceSeconds: config.graceSeconds,
        accessLog: config.accessLog, runRegistryMax: config.runRegistryMax, sharedStore: parseDatabaseUrl(config.databaseUrl).kind === 'postgres',
      },
      onFault: needs.onFault,
      onLines: needs.onLines,
      onDeath: needs.onDeath,
    });
  } catch (error) {
    if (error instanceof ThreadFault && error.ofAddress) {
      throw listenFault(error.code, config.gateway, 'SVC_GATEWAY_PORT', 'SVC_HOST');
    }
    throw error;
  }
}

async function startPlatformBeside(config: Config, data: PlatformThreadData, onFault: (sentence: string) => void): Promise<PlatformThread> {
  try {
    return await startPlatformThread(data, onFault);
  } catch (error) {
    if (error instanceof ThreadFault && error.ofAddress) {
      throw listenFault(error.code, config.platform, 'SVC_PLATFORM_PORT', 'SVC_PLATFORM_HOST');
    }
    throw error;
  }
}

/**
 * npm hands a terminal's interrupt on to a child that the terminal has interrupted already: what comes within this time of
 * the first signal is the first signal again.
 */
const sameSignalMs = 300;

/** Resolves at the first SIGTERM or SIGINT; the second ends the process at once. */
function stopAsked(log: Log): Promise<void> {
  return new Promise((resolve) => {
    let askedAtMs: number | null = null;
    const onSignal = (): void => {
      if (askedAtMs !== null && performance.now() - askedAtMs >= sameSignalMs) process.exit(1);
      if (askedAtMs !== null) return;
      askedAtMs = performance.now();
      log('info', 'stopping; open calls may finish. Signal again to end at once.');
      resolve();
    };
    process.on('SIGTERM', onSignal);
    process.on('SIGINT', onSignal);
  });
}

function urlOf(host: ListenAddress['host'], port: number): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
