/**
 * All that the store thread does for one cell: answers the gateway thread's questions, follows the cell's feeds, claims leases, compares spend with
 * its records. A store without cells is one cell.
 */
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import type { GatewayNodeId, OrganizationId } from '@metergate/core/id.ts';
import type { NodeReport } from '../operation/node-reports.ts';
import type { NodeSettings } from '../settings/node-settings.ts';
import type { Store } from '../store.ts';
import { bestEffortWritesTo } from './best-effort-writes.ts';
import type { CappedNews } from './capped-news.ts';
import type { CellJournal } from './cell-journal.ts';
import { createLeaseDesk, processMs, type LeaseDesk, type StoreTime } from './lease-desk.ts';
import type { FromStore, ToStore } from './protocol.ts';
import type { Repeat, RepeatOptions } from './repeat.ts';
import { createRunDesk } from './run-desk.ts';
import type { ShippingPace } from './shipping-pace.ts';
import { createSettingsDesk } from './settings-desk.ts';
import { keepEnded, startShipping, type Shipping, type ShippingFigures } from './shipping.ts';
import { createSpendWatch, spendWatchPauseMs } from './spend-watch.ts';
import { createSpentNews, noSpentNews } from './spent-news.ts';

interface CellDesksOptions {
  readonly store: Store;
  readonly journal: CellJournal;
  readonly capped: CappedNews;
  readonly node: GatewayNodeId;
  /** Name of the data directory. */
  readonly home: string;
  /** The node's time. */
  readonly nowMs: () => number;
  readonly post: (message: FromStore) => void;
  readonly warn: (sentence: string) => void;
  /** Called with the number of sums that differ from their records. */
  readonly differ: (differences: number) => void;
  /** Called with the store's time. */
  readonly follow: (time: StoreTime) => void;
  /** Called when anything of the cell's settings was changed, with the organizations in which it was. */
  readonly changed: (organizations: readonly OrganizationId[]) => void;
  readonly repeats: Repeating;
}

/** How tasks are repeated on this thread. */
interface Repeating {
  /** Reports when it begins to fail, and when it works again. */
  readonly told: (task: () => Promise<unknown>, pauseMs: number, step?: PollStep) => Repeat;
  /** Its failures are reported elsewhere. */
  readonly quiet: (task: () => Promise<unknown>, pauseMs: number, failurePauseMsMax: number, step?: PollStep) => Repeat;
}

export type PollStep = Pick<RepeatOptions, 'inStep'>;

export interface CellDesks {
  /** A message of the gateway thread that is for this cell. */
  hear(message: ToStore): void;
  report(report: NodeReport): void;
  /** Whether the cell answered when it was last asked for changes. */
  readonly answers: boolean;
  /** Looks for changes now: somebody made one. */
  nudge(what: 'runs' | 'settings'): void;
  /** No task begins any more; resolves when those under way have ended. */
  stop(): Promise<void>;
  /** Everything of the journal is in the store, but rows of these cells: says so, and writes what waits. @throws StoreFault */
  last(unshippedCells: ReadonlySet<number>): Promise<void>;
}

/**
 * How often changes of settings and runs are polled. A change must be in force within 1 s, and a run that was closed must end at once: both engines
 * announce what others change (`Engine.listen`), and that brings the next poll forward. On SQLite no announcement is lost.
 */
const changesPauseMs = 500;
/** Polls of one server that begin together ask it together: see `feed-numbers.ts`. */
const pollStep: PollStep = { inStep: processMs };
/** All that is repeated on an embedded store begins together too, so that an idle thread wakes once for it. Nodes of a server write when they may. */
const workSteps: Readonly<Record<Store['engine'], PollStep>> = { sqlite: pollStep, postgres: {} };
const sweepPauseMs = { sqlite: 500, postgres: 1_000 };
/** While a lease may be held; every second of them is one with a poll of changes. */
const leasePauseMs = 250;
/** Once the store is back, a node should get its leases as soon as possible. */
const leaseFailurePauseMsMax = 500;
const nodeSweepPauseMs = 5_000;
const leaseTidyPauseMs = 600_000;
const refusalsPauseMs = 2_000;
const refusalsFailurePauseMs = 30_000;
const spendFailurePauseMs = 60_000;

export async function startCellDesks(options: CellDesksOptions): Promise<CellDesks> {
  const { store, journal: { shipper }, capped, home, nowMs, post, warn, differ, changed, repeats: { told, quiet } } = options;
  const settled = store.engine === 'sqlite' ? await createSpentNews([store.settlements, store.correctedSpend], post) : noSpentNews;
  const desk = createSettingsDesk({
    settled, capped, settings: tellingOfChanges(store.settings, changed), prices: store.prices, spend: store.spend, post, clock: nowMs,
  });
  const runDesk = createRunDesk({
    runs: store.runs, post, settled, keepEnded: () => keepEnded(shipper), clock: () => performance.now(), pause, embedded: store.engine === 'sqlite',
  });
  const leasing = await startLeasing(options);
  let answers = true;
  const feed = told(async () => {
    try {
      await desk.poll();
      await settled.look();
      answers = true;
    } catch (error) {
      answers = false;
      throw error;
    }
  }, changesPauseMs, pollStep);
  const runFeed = told(async () => {
    const [hrMs, wallMs] = [processMs(), Date.now()];
    await runDesk.poll();
    await runDesk.sendKnownRuns();
    if (store.engine === 'postgres') post({ kind: 'runs_current', hrMs, wallMs });
  }, changesPauseMs, pollStep);
  const sweeping = told(async () => {
    // Messages that the gateway thread has already sent go first: after a long stop, a timer fires before them.
    await turn();
    await runDesk.sweep(nowMs());
  }, sweepPauseMs[store.engine], workSteps[store.engine]);
  const bestEffort = bestEffortWritesTo(store, { home, nowMs });
  const writingRefusals = quiet(() => bestEffort.writeRefusals(), refusalsPauseMs, refusalsFailurePauseMs, workSteps[store.engine]);
  const spend = createSpendWatch({ reconciler: store.spendReconciler, warn, found: differ });
  // Whoever needs the store reports at once that it is away.
  const comparing = quiet(() => spend.look(), spendWatchPauseMs, spendFailurePauseMs);
  const repeats = [feed, runFeed, sweeping, comparing, writingRefusals, ...leasing.repeats];
  return {
    hear(message) {
      switch (message.kind) {
        case 'ask': return void desk.ask(message.number, message.hash);
        case 'open_run': return runDesk.open(message.number, message.run);
        case 'confirm_run': return runDesk.confirm(message);
        case 'claim': return void leasing.desk.claim(message.number, message.batch, message.claims);
        case 'refusals': return bestEffort.refused(message.counts, message.entries);
      }
    },
    get answers() {
      return answers;
    },
    report: (report) => bestEffort.report(report),
    nudge: (what) => (what === 'runs' ? runFeed : feed).nudge(0),
    async stop() {
      spend.stop();
      await Promise.all(repeats.map((each) => each.stop()));
    },
    async last(unshippedCells) {
      bestEffort.allShipped(unshippedCells);
      await bestEffort.last();
    },
  };
}

function tellingOfChanges(settings: NodeSettings, changed: CellDesksOptions['changed']): NodeSettings {
  return { ...settings, async changedSince(since) {
    const found = await settings.changedSince(since);
    if (found.revision !== since) changed(found.organizations);
    return found;
  } };
}

/** Ships what is closed, again and again. It begins before the cell is there, since segments without its rows may go. */
export function startCellShipping(
  { shipper, progress, sinceNow }: CellJournal,
  { engine, pace, told, tell, passed }: {
    readonly engine: Store['engine']; readonly pace: ShippingPace; readonly tell: (figures: ShippingFigures) => void; readonly passed: () => void;
  } & Pick<Repeating, 'told'>,
): Shipping {
  return startShipping(shipper, {
    taken: sinceNow(), progress, tell, passed, pace, repeated: (task, pauseMs) => told(task, pauseMs, workSteps[engine]),
  });
}

interface Leasing {
  readonly desk: LeaseDesk;
  readonly repeats: readonly Repeat[];
}

/** Sends the node's time before anything else, then again and again. On the embedded store only the first message is sent. */
async function startLeasing({ store, node, post, warn, follow, repeats: { quiet } }: CellDesksOptions): Promise<Leasing> {
  const desk = createLeaseDesk({ leases: store.leases, node, hrMs: processMs, post, warn });
  post({ kind: 'written', untilMs: await store.calls.writtenUntilMs() });
  if (store.engine === 'sqlite') return { desk, repeats: [] };
  const beat = async (): Promise<void> => {
    const time = await desk.poll();
    if (time !== null) follow(time);
  };
  await beat();
  return { desk, repeats: [
    quiet(beat, leasePauseMs, leaseFailurePauseMsMax, pollStep), quiet(() => store.leases.sweep(), nodeSweepPauseMs, nodeSweepPauseMs),
    quiet(() => store.leases.tidy(), leaseTidyPauseMs, leaseTidyPauseMs),
  ] };
}
