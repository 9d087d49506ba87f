/**
 * `metergate start`: everything on one machine; `metergate gateway` and `metergate platform`: one part each, any number of them
 * on a shared store. Checks first, writes second, listens last; then one ready line. On SIGTERM
 * or SIGINT: not ready, calls finish within the grace, the journal ships, exit 0; a second signal ends at once.
 * Rules: Processes; rules: Interfaces.
 */
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as pass } from 'node:timers/promises';
import { idPrefix, newId, type GatewayNodeId } from '@metergate/core/id.ts';
import { eachProvider } from '@metergate/core/wire/wire.ts';
import { limitRepeats } from '@metergate/platform/faults/limited-repeats.ts';
import { oldPagesSentence, pagesAreOld } from '@metergate/platform/http/pages/old-pages.ts';
import { StoreFault } from '@metergate/store/engine/fault.ts';
import { createNameResolver, type NameResolver } from '@metergate/store/network/name-resolver.ts';
import { countCollectionsTogether, giveBackWhenIdle } from '@metergate/store/threads/idle-memory.ts';
import { parseDatabaseUrl } from '@metergate/store/engine/database-url.ts';
import { setCollecting } from '@metergate/store/threads/collecting.ts';
import { helpersBehind } from '@metergate/store/threads/thread-priority.ts';
import type { SandboxProvider } from '@metergate/sandbox/sandbox-provider.ts';
import type { Config, ListenAddress } from '../config/config.ts';
import manifest from '../../package.json' with { type: 'json' };
import { logLines } from '../log/call-lines.ts';
import { createLog, type Log } from '../log/log.ts';
import { createTraceExporter, type TraceExporter } from '../traces/trace-exporter.ts';
import { runtimeBelowFloor } from '../config/runtime-floor.ts';
import { assertDirectoryFree, type DirectoryLock } from './data-directory.ts';
import { keptData } from './kept-data.ts';
import { assertAddressesFree, listenFault } from './free-port.ts';
import { gatewaySource } from './metrics/gateway-source.ts';
import { createHeldFiles, lockFileOf, storeFile, type HeldFiles } from './held-files.ts';
import { longJournal } from './journal-disk.ts';
import { createReaders, type Readers } from './leave-taking.ts';
import { startOwnCalls, type RunningOwnCalls } from './own-calls.ts';
import { startNodeReporter } from './node-reporter.ts';
import { createNodeWatch, type NodeWatch } from './node-watch.ts';
import { startOps, type Ops } from './ops.ts';
import { startPlatformThread, type PlatformLog, type PlatformNeeds, type PlatformThread } from './platform-process.ts';
import { asSentences, quickStartLines } from './quick-start.ts';
import { assertStoreFits, prepareData, preparePart, type Part, type PreparedData, type Waiting } from './prepare-data.ts';
import { prepareOnThread } from './store-preparer.ts';
import { StartFault } from '../config/start-fault.ts';
import { stopAsked } from './stop-asked.ts';
import { silentThreads, watchPulses, type ThreadPulses } from './thread-pulse.ts';
import { upgradeWatchOf } from './upgrade-watch.ts';
import { startThreads, ThreadFault, type Threads, type ThreadsOptions } from './threads.ts';

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

/** How often it is checked whether there is anything to report. */
const lookMs = 1_000;
/** Pollers of readiness are waited for at most this long, and at most a third of the grace. */
const leaveTakingMsMax = 5_000;
/** How long the store thread may take for what a dead gateway thread left. Calls are refused meanwhile, and the next start does the rest. */
const lastShippingMsMax = 10_000;
/** The platform's requests may last this long, even if the gateway's calls took all of the grace. */
const platformGraceMsMin = 1_000;

/** Runs until a signal ends it. Resolves with the exit code: 0 after a clean stop, 1 after one sentence that says why. */
export async function startProduct(options: StartOptions): Promise<number> {
  try {
    return await run(options);
  } catch (error) {
    if (!(error instanceof StartFault || error instanceof StoreFault || error instanceof ThreadFault)) throw error;
    const { config: { logFormat, logLevel: level }, stderr: write } = options;
    createLog({ format: logFormat === 'json' ? 'json' : 'text', level, nowMs: Date.now, write })('error', error.message);
    return 1;
  }
}

async function run(given: StartOptions): Promise<number> {
  const { config, part, sandbox } = given;
  // With JSON output no prose is printed, so no secret is made that only prose could show.
  const options = { ...given, isTerminal: given.isTerminal && config.logFormat !== 'json' };
  assertStoreFits(config, part);
  // Before the ports: a second start on one directory mostly finds the first one's ports taken, and should say why.
  if (part !== 'platform') assertDirectoryFree(config.dataDirectory);
  await assertAddressesFree(config, part === 'all' ? ['gateway', 'platform', 'ops'] : [part, 'ops']);
  const log = createLog({
    format: config.logFormat ?? (options.isTerminal ? 'text' : 'json'), level: config.logLevel, nowMs: Date.now, write: options.stderr,
  });
  // Before anything listens: whoever reads the ready line may send a signal in the same moment.
  const asked = stopAsked(log);
  countCollectionsTogether();
  const names = createNameResolver({ monotonicMs: () => performance.now(), say: limitRepeats(Date.now, (sentence) => log('warn', sentence)) });
  const running: Running = { names, lock: null, traces: null, threads: null, platform: null, provider: null, ops: null, ownCalls: null };
  const pulses = (): ThreadPulses => pulsesOf(running);
  const monotonicMs = (): number => performance.now();
  const watch = createNodeWatch({
    directory: part === 'platform' ? null : config.dataDirectory, tell: log, monotonicMs, silent: () => silentThreads(pulses()),
    forwards: () => running.ownCalls?.figures()?.isTrusted ?? true,
  });
  const watchingPulses = watchPulses(pulses, monotonicMs);
  const readers = createReaders(Math.min(leaveTakingMsMax, config.graceSeconds * 1_000 / 3));
  try {
    // First of all, so that a readiness check is answered from here on, with what the process waits for.
    running.ops = await startOps({
      address: config.ops, unready: () => watch.unready(), asked: (who) => readers.asked(monotonicMs(), who),
      gateway: () => gatewaySource(running.threads, join(config.dataDirectory, 'journal')),
      traces: () => running.traces?.counters ?? null, caps: () => running.platform?.caps() ?? null,
      retention: () => running.platform?.retention() ?? null, proofs: () => running.platform?.proofs() ?? null,
      prices: () => running.platform?.prices() ?? null,
      settling: () => running.platform?.settling() ?? null, platformBytes: () => running.platform?.residentBytes() ?? null,
      ownCalls: () => running.ownCalls?.figures() ?? null, threads: pulses,
      runtime: { version: process.version, belowFloor: runtimeBelowFloor(process.versions.node) },
    });
    const upgrade = upgradeWatchOf(log, (phase) => { watch.phase = phase; });
    const prepared = await prepareOnThread((preparer) => part === 'all' ? prepareData(options, preparer)
      : preparePart(options, part, { log, watch, asked, preparer }), (progress) => upgrade.progressed(progress)).finally(() => upgrade.ended());
    if (prepared === null) return 0;
    running.lock = prepared.lock;
    running.provider = sandbox ? await (await import('@metergate/sandbox/sandbox-provider.ts')).startSandboxProvider() : null;
    return await serve(options, { log, watch, asked, running, prepared, readers });
  } finally {
    await stopAll(running, config.graceSeconds * 1_000);
    watchingPulses.stop();
  }
}

/** The gateway first. The platform gets what is left of the grace. */
async function stopAll(running: Running, graceMs: number): Promise<void> {
  const beganMs = performance.now();
  running.ownCalls?.stop();
  await running.threads?.stop();
  const restMs = Math.max(platformGraceMsMin, graceMs - (performance.now() - beganMs));
  await Promise.all([running.traces?.end(), running.platform?.stop(restMs), running.provider?.close()]);
  await running.ops?.close();
  running.names.close();
  running.lock?.release();
}

function pulsesOf({ threads, platform }: Running): ThreadPulses {
  const pulse = platform?.pulse() ?? null;
  return { ...threads?.pulses(), ...(pulse === null ? {} : { platform: pulse }) };
}

/** The parts to stop, those that were started. */
interface Running {
  /** Kept until everything that writes there has ended. */
  lock: DirectoryLock | null;
  traces: TraceExporter | null;
  threads: Threads | null;
  platform: PlatformThread | null;
  provider: SandboxProvider | null;
  ops: Ops | null;
  ownCalls: RunningOwnCalls | null;
  /** Resolves names that organizations chose. */
  readonly names: NameResolver;
}

/** Starts the parts, reports that they are ready, and runs until a signal comes (0) or a thread dies (1). */
async function serve(options: StartOptions, { log, watch, asked, running, prepared, readers }: Waiting & {
  readonly running: Running; readonly prepared: PreparedData; readonly readers: Readers;
}): Promise<number> {
  const [{ config, part, sandbox, stdout }, { masterKey, firstStart }] = [options, prepared];
  const died = Promise.withResolvers<'gateway' | 'store'>();
  const simulated = running.provider?.url;
  const providerUrls = simulated === undefined ? config.providerUrls : eachProvider(() => simulated);
  if (config.traces !== null && part !== 'platform') {
    const tell = (sentence: string): void => log('warn', sentence);
    running.traces = createTraceExporter({ settings: config.traces, version: manifest.version, providerUrls, tell });
  }
  const node = newId(idPrefix.node, randomBytes) as GatewayNodeId;
  const left = part === 'platform' ? null : longJournal(join(config.dataDirectory, 'journal'));
  if (left !== null) {
    watch.phase = { cause: 'starting', sentence: left };
    log('info', left);
  }
  running.ownCalls = part === 'platform' || !config.ownCalls ? null : await startOwnCalls();
  running.threads = part === 'platform' ? null : await startGateway(config, {
    node, names: running.names, masterKey, providerUrls, ownCalls: running.ownCalls,
    onFault: (sentence) => log('warn', sentence),
    onLines: (lines) => logLines(log, lines),
    onSpans: (spans) => running.traces?.add(spans),
    onCondition: (condition) => watch.update(condition),
    onDeath: (thread, sentence) => {
      watch.phase = { cause: 'stopping', sentence };
      log('error', sentence);
      died.resolve(thread);
    },
  });
  const gatewayUrl = config.publicGatewayUrl ?? urlOf(config.gateway.host, running.threads?.gatewayPort ?? config.gateway.port);
  running.platform = part === 'gateway' ? null : await startPlatformBeside(config, { names: running.names, data: {
    databaseUrl: config.databaseUrl, reportsDatabaseUrl: config.reportsDatabaseUrl, masterKey, besideCalls: part === 'all',
    ...config.platform, publicUrl: config.publicPlatformUrl, gatewayUrl, sandbox,
    providerUrls, upstreamAllow: config.upstreamAllow, trustedProxies: config.trustedProxies, oidc: config.oidc, priceFeed: config.priceFeed,
  } }, { log: (level, sentence) => log(level, sentence), asked });
  const urls = {
    ...(running.threads === null ? {} : { gateway: urlOf(config.gateway.host, running.threads.gatewayPort) }),
    ...(running.platform === null ? {} : { platform: urlOf(config.platform.host, running.platform.port) }),
    ops: urlOf(config.ops.host, running.ops!.port),
  };
  if (firstStart !== null) {
    const platformUrl = config.publicPlatformUrl ?? urls.platform!;
    const place = keptData(config, process.cwd());
    const gatewayUnknown = running.threads === null && config.publicGatewayUrl === null;
    const lines = quickStartLines({ gatewayUrl, platformUrl, place, sandbox, alone: part === 'all', gatewayUnknown, firstStart });
    sayLines(options, lines, log);
  }
  watch.phase = null;
  const heldFiles = heldFilesOf(config, prepared, log);
  const looking = setInterval(() => {
    watch.look();
    heldFiles.look();
  }, lookMs);
  const reporter = running.threads === null ? null : startNodeReporter({
    facts: { node, host: hostname(), version: manifest.version, runtime: process.version, startedAtMs: Date.now() },
    journalDirectory: join(config.dataDirectory, 'journal'), unready: () => watch.unready(), threads: running.threads,
  });
  giveBackWhenIdle();
  stdout(`metergate ready ${Object.entries(urls).map(([name, url]) => `${name}=${url}`).join(' ')}`);
  const outcome = await Promise.race([aborted(asked), died.promise]);
  clearInterval(looking);
  reporter?.stop();
  if (outcome === 0) {
    await takeLeave(running, watch, readers);
    return 0;
  }
  await afterDeath(running, outcome);
  return 1;
}

/** A process with a dead thread is not drained: what it journalled is recovered by its store thread, or at its next start. */
async function afterDeath(running: Running, died: 'gateway' | 'store'): Promise<void> {
  if (died === 'gateway') await Promise.race([running.threads?.stop(), pass(lastShippingMsMax)]);
  running.threads = running.platform = null;
}

/**
 * From the first moment on, every answer of every listener says that the process stops. If no poller is waited for, the first listener is closed
 * at once and its server says so itself: callers who learned it earlier would connect again while it closes.
 */
async function takeLeave({ threads, platform, ops, ownCalls }: Running, watch: NodeWatch, readers: Readers): Promise<void> {
  ownCalls?.stop();
  const nowMs = performance.now();
  const closesAtOnce = readers.watch(nowMs) ? null : threads ?? platform;
  await Promise.all([threads, platform].map((each) => (each === closesAtOnce ? null : each?.leave())));
  // Only now, so that whoever has seen the 503 finds every answer saying the same.
  watch.phase = { cause: 'stopping', sentence: 'Stopping: open calls are finishing.' };
  ops?.leave();
  await readers.haveSeen(nowMs);
}

/** What to do next: prose, or log messages if the log must contain nothing else. */
function sayLines({ config, stderr }: StartOptions, lines: readonly string[], log: Log): void {
  if (config.logFormat === 'json') for (const sentence of asSentences(lines)) log('info', sentence);
  else for (const line of lines) stderr(line);
}

function aborted(signal: AbortSignal): Promise<0> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(0);
    else signal.addEventListener('abort', () => resolve(0), { once: true });
  });
}

/** The embedded store belongs to the process that has its lock. */
function heldFilesOf({ databaseUrl }: Config, { lock }: PreparedData, log: Log): HeldFiles {
  const place = parseDatabaseUrl(databaseUrl);
  const files = [...(place.kind === 'sqlite' ? [storeFile(place.path)] : []), ...(lock?.files ?? []).map(lockFileOf)];
  return createHeldFiles(files, { tell: log, monotonicMs: () => performance.now() });
}

interface GatewayNeeds extends Omit<ThreadsOptions, 'databaseUrl' | 'gateway'> {
  readonly node: GatewayNodeId;
  readonly ownCalls: RunningOwnCalls | null;
  readonly providerUrls: Config['providerUrls'];
}

async function startGateway(config: Config, needs: GatewayNeeds): Promise<Threads> {
  // Before threads are started.
  setCollecting();
  helpersBehind();
  try {
    const threads = await startThreads({
      databaseUrl: config.databaseUrl,
      masterKey: needs.masterKey,
      names: needs.names,
      gateway: {
        host: config.gateway.host, port: config.gateway.port,
        nodeId: needs.node,
        journalDirectory: join(config.dataDirectory, 'journal'), journalSync: config.journalSync,
        providerUrls: needs.providerUrls, upstreamAllow: config.upstreamAllow, heldBodiesMb: config.heldBodiesMb,
        sessionHeaders: config.sessionHeaders, graceSeconds: config.graceSeconds,
        accessLog: config.accessLog, ownCalls: needs.ownCalls?.settings ?? null, traceSampling: config.traces?.sampling ?? null,
        runRegistryMax: config.runRegistryMax,
        sharedStore: parseDatabaseUrl(config.databaseUrl).kind === 'postgres',
      },
      onFault: needs.onFault,
      onLines: needs.onLines,
      onSpans: needs.onSpans,
      onCondition: needs.onCondition,
      onDeath: needs.onDeath,
    });
    needs.ownCalls?.begin({ host: threads.gatewayHost, port: threads.gatewayPort });
    return threads;
  } catch (error) {
    if (error instanceof ThreadFault && error.ofAddress) {
      throw listenFault(error.code, config.gateway, 'SVC_GATEWAY_PORT', 'SVC_HOST');
    }
    throw error;
  }
}

interface PlatformWatch { readonly log: PlatformLog; readonly asked: AbortSignal }

/** Null: it was told to end before it was there, by a signal to the whole group. */
async function startPlatformBeside(config: Config, needs: PlatformNeeds, { log, asked }: PlatformWatch): Promise<PlatformThread | null> {
  try {
    const platform = await startPlatformThread(needs, log);
    if (pagesAreOld()) log('warn', oldPagesSentence);
    return platform;
  } catch (error) {
    if (error instanceof ThreadFault && error.code === 'thread_ended' && asked.aborted) return null;
    if (error instanceof ThreadFault && error.ofAddress) {
      throw listenFault(error.code, config.platform, 'SVC_PLATFORM_PORT', 'SVC_PLATFORM_HOST');
    }
    throw error;
  }
}

function urlOf(host: ListenAddress['host'], port: number): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
