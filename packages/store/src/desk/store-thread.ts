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
import type { GatewayNodeId, OrganizationId } from '@metergate/core/id.ts';
import { followStoreTime, readNodeTime, startNodeTime } from '@metergate/core/time/node-time.ts';
import { giveWayEvery } from '../threads/give-way.ts';
import type { StoreCell } from '../operation/cells/one-store.ts';
import type { CallSink } from '../journal/call-sink.ts';
import { JournalParts } from '../journal/journal-parts.ts';
import { giveBackWhenIdle } from '../threads/idle-memory.ts';
import { openWithCells, type Store } from '../store.ts';
import { assertRunsNowhereElse } from './copied-home.ts';
import { startCellDesks, startCellShipping, type CellDesks, type PollStep } from './cell-desks.ts';
import { cellJournal, type CellJournal } from './cell-journal.ts';
import { gathered } from './gathered-port.ts';
import { homeOf } from './home.ts';
import type { NodeReport } from '../operation/node-reports.ts';
import { createCappedNews, noCappedNews } from './capped-news.ts';
import { processMs } from './lease-desk.ts';
import { knownInAll, OtherCells, type OtherCell } from './other-cells.ts';
import type { FromStore, KeyAnswer, ToStore } from './protocol.ts';
import { shippingPaces } from './shipping-pace.ts';
import { repeat, type Repeat } from './repeat.ts';
import { ReportOfCells, type MadeReport, type ShippedCells } from './report-of-cells.ts';
import { sayingKept, type Shipping, type ShippingFigures } from './shipping.ts';

/** What the parent passes. The gateway thread is at the other end of `gatewayPort`. */
interface StoreThreadData {
  readonly databaseUrl: string;
  readonly masterKey: Uint8Array;
  readonly journalDirectory: string;
  readonly gatewayPort: MessagePort;
  readonly nodeId: GatewayNodeId;
}

/** With one processor, calls would have to wait for this thread's work. */
const workedAtOnceMs = 0.3;
/** The one data directory of an embedded store. */
const embeddedHome = 'embedded';
const failurePauseMsMax = 2000;
const awayLookMs = 1_000;

const data = workerData as StoreThreadData;
const parent = parentPort!;

/** What `/metrics` shows of this thread. */
export interface StoreThreadFigures extends ShippingFigures {
  /** Records set aside since the start, because the store refused them. */
  readonly recordsSetAside: number;
  /** Whose refused records lie in the journal; null: of some it cannot be read. */
  readonly setAsideOf: readonly OrganizationId[] | null;
  /** Sums of spend that differed from their records at the last comparison. */
  readonly spendDifferences: number;
  /** Cells besides the default one that do not answer. */
  readonly cellsAway: number;
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
  const warnings = warningsFromReady();
  const { warn } = warnings;
  const lost = lostNames(warn);
  const { store: whole, cells } = await openWithCells({
    url: data.databaseUrl, masterKey: data.masterKey, clock: Date.now, randomBytes, create: false, namesLost: lost.note,
  });
  const store = await cells.home.store();
  const { tell, shippedMs } = tellingFigures();
  const time = startNodeTime(Date.now(), performance.now());
  const nowMs = (): number => readNodeTime(time, Date.now(), performance.now());
  const gateway = gathered(data.gatewayPort);
  const post = (message: FromStore): void => gateway.postMessage(message);
  const capped = store.engine === 'sqlite' ? createCappedNews({ spend: store.spend, clock: nowMs, post }) : noCappedNews;
  const parts = new JournalParts((organization) => others.cellOf(organization));
  const sayKept = sayingKept(store.engine, post);
  const journalAt = (cell: StoreCell, sink: CallSink): CellJournal => cellJournal({
    directory: data.journalDirectory, sink, distant: store.engine === 'postgres', warn, taken: sayKept,
    setAside: (recordsSetAside, setAsideOf) => tell(cell, { recordsSetAside, setAsideOf }),
    ...(store.engine === 'sqlite' ? {} : { part: parts.of(cell.number), known: knownInAll(cells) }),
    ...(cell === cells.home ? {} : { refusedIn: cell.name }),
  });
  const paceOfCell = shippingPaces(store.engine, processMs);
  const shipFrom = (cell: StoreCell, journal: CellJournal): Shipping => startCellShipping(journal, {
    engine: store.engine, pace: paceOfCell(), told: start, passed: sayKept, tell: (figures) => tell(cell, figures),
  });
  let home = embeddedHome;
  const beginAt = async (cell: StoreCell, at: Store, journal: CellJournal): Promise<CellDesks> => {
    if (cell !== cells.home) {
      await journal.calls.offerAgain();
      await journal.shipper.pass();
    }
    // Only after the journal is shipped: what the last process here held is returned once all its spend has arrived.
    if (at.engine === 'postgres') await at.leases.begin(data.nodeId, home);
    return startCellDesks({
      store: at, journal, capped, node: data.nodeId, home, nowMs, warn, repeats: { told: start, quiet: quietly },
      post: cell === cells.home ? post : ofCell(cell.number, post, others),
      differ: (spendDifferences) => tell(cell, { spendDifferences }),
      follow: cell === cells.home ? ({ nowMs: storeMs, hrMs }) => followStoreTime(time, storeMs, performance.now() - (processMs() - hrMs)) : () => {},
      changed: (organizations) => { if (cell === cells.home) void others.lookAndTry(organizations).catch(() => {}); },
    });
  };
  let desks: CellDesks | null = null;
  const others = new OtherCells({
    cells, post, told: start, begin: beginAt, home: () => desks!, journalOf: journalAt, ship: shipFrom,
  });
  const journal = journalAt(cells.home, capped.hearing(store.calls));
  try {
    if (store.engine === 'postgres') home = homeOf(data.journalDirectory, randomBytes);
    if (store.engine === 'postgres') await assertRunsNowhereElse(store.leases, home, pause);
    await journal.calls.offerAgain();
    // Before anything of the journal is read: whose rows they are decides where they go.
    await others.look();
    await journal.shipper.recover();
    desks = await beginAt(cells.home, store, journal);
    await others.begin();
  } catch (error) {
    journal.shipper.close();
    await whole.close();
    throw error;
  }
  const first: OtherCell = { cell: cells.home, journal, shipping: shipFrom(cells.home, journal), desks, bringing: null, trying: null };
  setInterval(() => { if (cells.several) tell(cells.home, { cellsAway: others.away }); }, awayLookMs).unref();
  const ofCells = new ReportOfCells({ shippedMs, cellOf: (organization) => others.cellOf(organization) });
  hear({ whole, gateway, first, others, reportOf: (made) => lost.in(ofCells.of(made)) });
  giveBackWhenIdle();
  parent.postMessage({ ready: true });
  warnings.ready();
}

/** Says once when names of statements are no longer of use, and then in each report. Decision 373. */
function lostNames(warn: (sentence: string) => void): {
  readonly note: (code: string) => void; readonly in: (report: NodeReport) => NodeReport;
} {
  let areLost = false;
  return {
    note(code) {
      if (areLost) return;
      areLost = true;
      warn(`Statements are sent to the store without names from now on, and PostgreSQL plans each every time (${code}). 26000 and 42P05 come from a `
        + 'pooler that gives sessions to other clients: pgbouncer passes names on from version 1.21, with max_prepared_statements.');
    },
    in: (report) => (areLost ? { ...report, namesLost: true } : report),
  };
}

/** Passes on what the gateway thread, the parent and the store's notices say. */
function hear({ whole, gateway, first, others, reportOf }: {
  readonly whole: Store; readonly gateway: ReturnType<typeof gathered>; readonly first: OtherCell; readonly others: OtherCells;
  readonly reportOf: (made: MadeReport) => NodeReport;
}): void {
  const notices = whole.listen((notice) => {
    first.desks!.nudge(notice);
    others.nudge(notice);
  });
  gateway.on('message', (message: ToStore) => {
    if (message.kind === 'nudge') first.shipping!.look(null);
    if (message.kind === 'ship_now' && message.cell === first.cell.number) first.shipping!.look(0);
    others.hear(message);
  });
  parent.on('message', (message: { alive?: boolean; stop?: boolean; report?: MadeReport }) => {
    if (message.alive === true) return parent.postMessage(message);
    if (message.report !== undefined) first.desks!.report(reportOf(message.report));
    if (message.stop !== true) return;
    void notices.close();
    void stop(whole, [first, ...others.all]);
  });
}

/**
 * Says of what a cell tells whose it is. Prices, the store's time and the age of settings are the default cell's. Before the gateway thread can
 * journal a call of an organization, it is noted where its rows go.
 */
function ofCell(cell: number, post: (message: FromStore) => void, others: OtherCells): (message: FromStore) => void {
  const noted = <Found extends KeyAnswer>(found: Found): Found => {
    others.note({ organization: found.organization.id, cell });
    return { ...found, cell };
  };
  return (message) => {
    switch (message.kind) {
      case 'prices': case 'time': case 'heartbeat': return;
      case 'answer': return post(message.found === null ? message : { ...message, found: noted(message.found) });
      case 'ahead': return post({ ...message, found: noted(message.found) });
      case 'confirm_leases': case 'runs_current': return post({ ...message, cell });
      default: return post(message);
    }
  };
}

interface TellingFigures extends Pick<ShippedCells, 'shippedMs'> {
  readonly tell: (cell: StoreCell, changed: Partial<StoreThreadFigures>) => void;
}

/** Sends the parent what changed: the sums of all cells, and since when the one waits that waits the longest. */
function tellingFigures(): TellingFigures {
  const byCell = new Map<number, StoreThreadFigures>();
  let told = '';
  const tell: TellingFigures['tell'] = ({ number }, changed) => {
    const known = byCell.get(number)
      ?? { recordsSetAside: 0, setAsideOf: [], spendDifferences: 0, cellsAway: 0, rowsShipped: 0, recordsShipped: 0, shippedMs: processMs() };
    byCell.set(number, { ...known, ...changed });
    const all = [...byCell.values()];
    const sum = (name: Exclude<keyof StoreThreadFigures, 'shippedMs' | 'setAsideOf'>): number => all.reduce((whole, each) => whole + each[name], 0);
    const figures: StoreThreadFigures = {
      recordsSetAside: sum('recordsSetAside'), setAsideOf: inAny(all.map(({ setAsideOf }) => setAsideOf)),
      spendDifferences: sum('spendDifferences'), cellsAway: sum('cellsAway'),
      rowsShipped: sum('rowsShipped'), recordsShipped: sum('recordsShipped'), shippedMs: Math.min(...all.map(({ shippedMs }) => shippedMs)),
    };
    const text = JSON.stringify(figures);
    if (text === told) return;
    told = text;
    parent.postMessage({ figures });
  };
  return { tell, shippedMs: () => new Map([...byCell].map(([cell, figures]) => [cell, figures.shippedMs])) };
}

/** All together; null where one is. */
function inAny(lists: readonly (readonly OrganizationId[] | null)[]): readonly OrganizationId[] | null {
  return lists.includes(null) ? null : [...new Set(lists.flatMap((list) => list ?? []))];
}

/** Repeats a task whose failures are reported elsewhere. */
function quietly(task: () => Promise<unknown>, pauseMs: number, failurePauseMax: number, step: PollStep = {}): Repeat {
  return repeat({ task, pauseMs, failurePauseMsMax: failurePauseMax, after, report: () => {}, ...step });
}

function start(task: () => Promise<unknown>, pauseMs: number, step: PollStep = {}): Repeat {
  return repeat({
    task, pauseMs, failurePauseMsMax, after, ...step,
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
async function stop(whole: Store, all: readonly OtherCell[]): Promise<void> {
  // The gateway thread's last messages may arrive after the request to stop, which came another way.
  await turn();
  await Promise.all(all.flatMap(({ desks, shipping, trying }) => [desks?.stop(), shipping?.stop(), trying?.stop()]));
  const faults = new Map<number, Error>();
  const each = (work: (one: OtherCell) => Promise<unknown>): Promise<unknown> => Promise.all(all.map(async (one) => {
    const { number } = one.cell;
    if (!faults.has(number)) await work(one).catch((error: unknown) => void faults.set(number, error as Error));
  }));
  await each(({ journal: { shipper } }) => shipper.pass());
  // The gateway thread has ended: calls it left open are closed as interrupted now rather than at the next start.
  const [first, ...others] = all as [OtherCell, ...OtherCell[]];
  for (const { journal: { shipper } } of all) shipper.close();
  await first.journal.shipper.recover().catch((error: unknown) => void faults.set(first.cell.number, error as Error));
  await each((one) => (others.includes(one) ? one.journal.shipper.pass() : Promise.resolve()));
  await each(async ({ cell, desks }) => {
    await desks?.last(new Set(faults.keys()));
    // All its spend has arrived: what it still held can go to other nodes.
    if (desks !== null) await (await cell.store()).leases.end(data.nodeId);
  });
  for (const { journal: { shipper } } of all) shipper.close();
  await whole.close();
  const [fault] = faults.values();
  if (fault !== undefined) parent.postMessage({ fault: { code: 'journal_not_shipped', message: fault.message } });
  parent.postMessage({ stopped: true });
  data.gatewayPort.close();
  parent.close();
}
