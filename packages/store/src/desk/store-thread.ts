/**
 * Entry of the store thread: opens the store, recovers the journal, then answers the gateway thread and ships.
 * It is the only thread of a server that opens the store for settings and for shipping; the gateway thread never does.
 * `{ready: true}` goes to the parent when every leftover segment is recovered and shipped; `{failed: {code, message}}` if
 * that is not possible; `{fault: {code, message} | null}` when shipping or the feed begins to fail, and null once it works again;
 * `{warning}`, one sentence, when an operator must act; `{figures}` for `/metrics` whenever they change; `{alive: true}` in reply to the same.
 * On `{stop: true}`, sent after the gateway thread has ended, all that is closed is shipped; then `{stopped: true}`.
 */
import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { performance } from 'node:perf_hooks';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import type { GatewayNodeId } from '@metergate/core/id.ts';
import { followStoreTime, readNodeTime, startNodeTime } from '@metergate/core/time/node-time.ts';
import { giveWayEvery } from '../threads/give-way.ts';
import { settingRefusedRowsAside } from '../journal/refused-rows.ts';
import { ShipProgress } from '../journal/ship-progress.ts';
import { createShipper, type Shipper, type ShipperOptions } from '../journal/shipper.ts';
import { giveBackWhenIdle } from '../threads/idle-memory.ts';
import { openStore, type Store } from '../store.ts';
import { assertRunsNowhereElse } from './copied-home.ts';
import { countingRows } from './counted-rows.ts';
import { gathered } from './gathered-port.ts';
import { homeOf } from './home.ts';
import type { NodeReport } from '../operation/node-reports.ts';
import { createCappedNews, noCappedNews } from './capped-news.ts';
import { createLeaseDesk, processMs, type LeaseDesk, type StoreTime } from './lease-desk.ts';
import type { FromStore, ToStore } from './protocol.ts';
import { repeat, type Repeat } from './repeat.ts';
import { createRunDesk, type RunDesk, type RunDeskOptions } from './run-desk.ts';
import { bestEffortWritesTo, type BestEffortWrites } from './best-effort-writes.ts';
import { createSpentNews, noSpentNews, type SpentNews } from './spent-news.ts';
import { createSettingsDesk } from './settings-desk.ts';
import { keepEnded, sayingKept, startShipping, type Shipping, type ShippingFigures } from './shipping.ts';
import { createSpendWatch, spendWatchPauseMs } from './spend-watch.ts';
import { workedMs } from './worked-ms.ts';

/** What the parent passes. The gateway thread is at the other end of `gatewayPort`. */
export interface StoreThreadData {
  readonly databaseUrl: string;
  readonly masterKey: Uint8Array;
  readonly journalDirectory: string;
  readonly gatewayPort: MessagePort;
  readonly nodeId: GatewayNodeId;
}

/**
 * How often changes of settings and runs are polled. A change must be in force within 1 s. PostgreSQL announces changes of runs by itself; on SQLite
 * a poll is one short read, and a run that was closed must end at once.
 */
const settingsPauseMs = 200;
const runPauseMs = { sqlite: 50, postgres: 200 };
const sweepPauseMs = 500;
const leasePauseMs = 200;
/** Once the store is back, a node should get its leases as soon as possible. */
const leaseFailurePauseMsMax = 500;
const nodeSweepPauseMs = 5_000;
const leaseTidyPauseMs = 600_000;
/** With one processor, calls would have to wait for this thread's work. */
const workedAtOnceMs = 0.3;
const refusalsPauseMs = 2_000;
const refusalsFailurePauseMs = 30_000;
/** The one data directory of an embedded store. */
const embeddedHome = 'embedded';
const failurePauseMsMax = 2000;
const spendFailurePauseMs = 60_000;

const data = workerData as StoreThreadData;
const parent = parentPort!;

/** What `/metrics` shows of this thread. */
export interface StoreThreadFigures extends ShippingFigures {
  /** Records set aside since the start, because the store refused them. */
  readonly recordsSetAside: number;
  /** Sums of spend that differed from their records at the last comparison. */
  readonly spendDifferences: number;
}

if (availableParallelism() === 1) giveWayEvery(workedAtOnceMs);
try {
  await serve();
} catch (error) {
  parent.postMessage({ failed: faultMessage(error as Error) });
  data.gatewayPort.close();
  parent.close();
}

async function serve(): Promise<void> {
  const store = await openStore({
    url: data.databaseUrl, masterKey: data.masterKey, clock: Date.now, randomBytes, create: false,
  });
  const warnings = warningsFromReady();
  const tell = tellingFigures();
  const time = startNodeTime(Date.now(), performance.now());
  const nowMs = (): number => readNodeTime(time, Date.now(), performance.now());
  const gateway = gathered(data.gatewayPort);
  const post = (message: FromStore): void => gateway.postMessage(message);
  const capped = store.engine === 'sqlite' ? createCappedNews({ spend: store.spend, clock: nowMs, post }) : noCappedNews;
  const kept = countingRows(capped.hearing(store.calls));
  const calls = settingRefusedRowsAside({
    directory: data.journalDirectory, calls: kept.sink,
    warn(sentence) {
      warnings.warn(sentence);
      tell({ recordsSetAside: calls.setAside });
    },
  });
  const sayKept = sayingKept(store.engine, post);
  const progress = new ShipProgress(processMs);
  const shipper = shipperTo(store, { calls, warn: warnings.warn, taken: sayKept, progress });
  let home: string | null = null;
  try {
    if (store.engine === 'postgres') home = homeOf(data.journalDirectory, randomBytes);
    if (home !== null) await assertRunsNowhereElse(store.leases, home, pause);
    await calls.offerAgain();
    await shipper.recover();
    // Only after the journal is shipped: what the last process here held is returned once all its spend has arrived.
    if (home !== null) await store.leases.begin(data.nodeId, home);
  } catch (error) {
    shipper.close();
    await store.close();
    throw error;
  }
  const settled = await spentNewsOf(store, post);
  const desk = createSettingsDesk({ settled, capped, settings: store.settings, prices: store.prices, spend: store.spend, post, clock: nowMs });
  const runDesk = runDeskOf(store, { post, settled, keepEnded: () => keepEnded(shipper) });
  const leasing = await startLeasing(store, { post, warn: warnings.warn, follow: ({ nowMs: storeMs, hrMs }) => {
    followStoreTime(time, storeMs, performance.now() - (processMs() - hrMs));
  } });
  const feed = start(() => desk.poll().then(() => settled.look()), settingsPauseMs);
  const runFeed = start(async () => {
    const [hrMs, wallMs] = [processMs(), Date.now()];
    await runDesk.poll();
    await runDesk.sendKnownRuns();
    if (store.engine === 'postgres') post({ kind: 'runs_current', hrMs, wallMs });
  }, runPauseMs[store.engine]);
  const notices = store.listen((notice) => (notice === 'runs' ? runFeed : feed).nudge(0));
  const sweeping = start(async () => {
    // Messages that the gateway thread has already sent go first: after a long stop, a timer fires before them.
    await turn();
    await runDesk.sweep(nowMs());
  }, sweepPauseMs);
  const shipping = startShipping(shipper, { taken: kept.sinceNow(), progress, tell, passed: sayKept, engine: store.engine, repeated: start });
  const bestEffort = bestEffortWritesTo(store, { home: home ?? embeddedHome, nowMs });
  const writingRefusals = quietly(() => bestEffort.writeRefusals(), refusalsPauseMs, refusalsFailurePauseMs);
  const spend = createSpendWatch({ reconciler: store.spendReconciler, warn: warnings.warn, found: (spendDifferences) => tell({ spendDifferences }) });
  // Whoever needs the store reports at once that it is away.
  const comparing = quietly(() => spend.look(), spendWatchPauseMs, spendFailurePauseMs);
  gateway.on('message', hearing({ desk, runDesk, leasing, bestEffort, shipping }));
  parent.on('message', (message: { alive?: boolean; stop?: boolean; report?: NodeReport }) => {
    if (message.alive === true) return parent.postMessage(message);
    if (message.report !== undefined) bestEffort.report(message.report);
    if (message.stop !== true) return;
    spend.stop();
    void notices.close();
    void stop({ store, shipper, bestEffort, repeats: [feed, runFeed, sweeping, shipping, comparing, writingRefusals, ...leasing.repeats] });
  });
  giveBackWhenIdle();
  parent.postMessage({ ready: true });
  warnings.ready();
}

async function spentNewsOf({ engine, settlements, correctedSpend }: Store, post: (message: FromStore) => void): Promise<SpentNews> {
  return engine === 'sqlite' ? createSpentNews([settlements, correctedSpend], post) : noSpentNews;
}

function runDeskOf({ engine, runs }: Store, parts: Pick<RunDeskOptions, 'post' | 'settled' | 'keepEnded'>): RunDesk {
  return createRunDesk({ runs, ...parts, clock: () => performance.now(), pause, embedded: engine === 'sqlite' });
}

function shipperTo({ engine }: Store, told: Pick<ShipperOptions, 'calls' | 'warn' | 'taken' | 'progress'>): Shipper {
  const place = randomBytes(2).readUInt16BE();
  return createShipper({ directory: data.journalDirectory, clock: workedMs, distant: engine === 'postgres', place, ...told });
}

interface Desks {
  readonly desk: ReturnType<typeof createSettingsDesk>;
  readonly runDesk: ReturnType<typeof createRunDesk>;
  readonly leasing: Leasing;
  readonly bestEffort: BestEffortWrites;
  readonly shipping: Shipping;
}

/** Passes each message of the gateway thread to the desk that it is for. */
function hearing({ desk, runDesk, leasing, bestEffort, shipping }: Desks): (message: ToStore) => void {
  return (message) => {
    switch (message.kind) {
      case 'ask': return void desk.ask(message.number, message.hash);
      case 'open_run': return runDesk.open(message.number, message.run);
      case 'confirm_run': return runDesk.confirm(message);
      case 'claim': return void leasing.desk.claim(message.number, message.batch, message.claims);
      case 'refusals': return bestEffort.refused(message.counts, message.entries);
      case 'nudge': return shipping.look(message.now ? 0 : null);
    }
  };
}

/** Sends the parent what changed. */
function tellingFigures(): (changed: Partial<StoreThreadFigures>) => void {
  let figures: StoreThreadFigures = { recordsSetAside: 0, spendDifferences: 0, rowsShipped: 0, recordsShipped: 0, shippedMs: processMs() };
  return (changed) => {
    const before = figures;
    figures = { ...before, ...changed };
    const names = Object.keys(figures) as (keyof StoreThreadFigures)[];
    if (names.some((name) => figures[name] !== before[name])) parent.postMessage({ figures });
  };
}

interface Leasing {
  readonly desk: LeaseDesk;
  readonly repeats: readonly Repeat[];
}

/** Sends the node's time before anything else, then again and again. On the embedded store only the first message is sent. */
async function startLeasing(store: Store, { post, warn, follow }: {
  readonly post: (message: FromStore) => void; readonly warn: (sentence: string) => void; readonly follow: (time: StoreTime) => void;
}): Promise<Leasing> {
  const desk = createLeaseDesk({ leases: store.leases, node: data.nodeId, hrMs: processMs, post, warn });
  post({ kind: 'written', untilMs: await store.calls.writtenUntilMs() });
  if (store.engine === 'sqlite') return { desk, repeats: [] };
  const beat = async (): Promise<void> => {
    const time = await desk.poll();
    if (time !== null) follow(time);
  };
  await beat();
  return { desk, repeats: [
    quietly(beat, leasePauseMs, leaseFailurePauseMsMax), quietly(() => store.leases.sweep(), nodeSweepPauseMs, nodeSweepPauseMs),
    quietly(() => store.leases.tidy(), leaseTidyPauseMs, leaseTidyPauseMs),
  ] };
}

/** Repeats a task whose failures are reported elsewhere. */
function quietly(task: () => Promise<unknown>, pauseMs: number, failurePauseMax: number): Repeat {
  return repeat({ task, pauseMs, failurePauseMsMax: failurePauseMax, after, report: () => {} });
}

function start(task: () => Promise<unknown>, pauseMs: number): Repeat {
  return repeat({
    task, pauseMs, failurePauseMsMax, after,
    report: (failure) => parent.postMessage({ fault: failure === null ? null : faultMessage(failure) }),
  });
}

function after(delayMs: number, run: () => void): () => void {
  const handle = setTimeout(run, delayMs);
  return () => clearTimeout(handle);
}

/** Sentences for the operator; those from before `ready` wait for it, because nobody listens earlier. */
function warningsFromReady(): { readonly warn: (sentence: string) => void; readonly ready: () => void } {
  let early: string[] | null = [];
  const say = (sentence: string): void => parent.postMessage({ warning: sentence });
  return {
    warn: (sentence) => (early === null ? say(sentence) : void early.push(sentence)),
    ready() {
      early?.forEach(say);
      early = null;
    },
  };
}

function faultMessage({ code = 'store_failed', message }: Error & { readonly code?: unknown }): { code: string; message: string } {
  return { code: String(code), message };
}

/** What cannot be shipped now stays in its segments until the next start. */
async function stop({ store, shipper, bestEffort, repeats }: {
  readonly store: Store; readonly shipper: Shipper; readonly bestEffort: BestEffortWrites; readonly repeats: readonly Pick<Repeat, 'stop'>[];
}): Promise<void> {
  // The gateway thread's last messages may arrive after the request to stop, which came another way.
  await turn();
  await Promise.all(repeats.map((each) => each.stop()));
  let fault: Error | null = null;
  try {
    await shipper.pass();
    // The gateway thread has ended: calls it left open are closed as interrupted now rather than at the next start.
    shipper.close();
    await shipper.recover();
    bestEffort.allShipped();
    await bestEffort.last();
    // All its spend has arrived: what it still held can go to other nodes.
    await store.leases.end(data.nodeId);
  } catch (error) {
    fault = error as Error;
  }
  shipper.close();
  await store.close();
  if (fault !== null) parent.postMessage({ fault: { code: 'journal_not_shipped', message: fault.message } });
  parent.postMessage({ stopped: true });
  data.gatewayPort.close();
  parent.close();
}
