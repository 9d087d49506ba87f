/**
 * Runs as the store keeps them: made once with the exposure they take, confirmed, closed, swept, and never begun again.
 * Spec: Run; rules 12 and 13. The spend of calls and the events of runs come with the records (`apply-to-runs.ts`). Exposure taken
 * is the sum, over live runs, of the budget not yet spent: kept to the nano-dollar in every transaction that changes a run, and never above
 * the limit when a run is made.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { OrganizationId, ServiceKeyId } from '@metergate/core/id.ts';
import { nanoDollars, type NanoDollars } from '@metergate/core/money.ts';
import { clampToExposure, type PolicyBudget } from '@metergate/core/run/clamp.ts';
import { endedAs, type EndedState, type Run } from '@metergate/core/run/run.ts';
import { CompiledQuery, sql } from 'kysely';
import type { ChangeName } from '../engine/change.ts';
import { erasedAmong, holdOffErasures } from '../operation/erased.ts';
import { sendingIn } from '../engine/send.ts';
import { onBoth } from '../engine/texts.ts';
import { refuse, type StoreRefusal } from '../engine/refusal.ts';
import { lastCallGrainMs, takenBy } from './apply-to-runs.ts';
import { lockExposure, nextRunChange, type LockedExposure } from './run-exposure.ts';
import {
  insertRuns, nothingBefore, runNameText, runOf, selectRuns, spentBefore, storedRunOf, updateRuns, type RunName, type SpentBefore,
  type StoredRun,
} from './run-rows.ts';
import type { StoreContext } from '../sealing/context.ts';

/** A run to be made, unless it exists. The policy has already set its budget; the exposure is decided here. */
export interface NewRun extends PolicyBudget {
  readonly organization: OrganizationId;
  readonly id: string;
  readonly startedAtMs: number;
  readonly expiresAtMs: number | null;
  /** The organization's `runExposure`; null: no bound. */
  readonly exposureLimit: NanoDollars | null;
  /** False: an existing run is looked up, and none is made. */
  readonly mayCreate: boolean;
  /** The key of the call that asks. */
  readonly key?: ServiceKeyId;
}

export type RunAnswer =
  /** The run as it is: made now, or the one that exists, whatever its state. `confirmed`: it does not vanish any more. */
  | { readonly kind: 'run'; readonly run: Run; readonly created: boolean; readonly confirmed: boolean }
  /** There is no such run, and none may be made. */
  | { readonly kind: 'absent' }
  | { readonly kind: 'run_exposure_exhausted' };

export interface RunList {
  readonly organization: OrganizationId;
  /** At most this many, newest first. */
  readonly limit: number;
  /** Continues after this run of the list. */
  readonly after?: { readonly startedAtMs: number; readonly id: string };
}

/** Runs that changed after a number of the feed, up to `through`. */
export interface RunChanges {
  readonly through: number;
  /** True: there are later changes still. */
  readonly more: boolean;
  readonly runs: Run[];
}

export interface StoredRuns {
  /**
   * Answers in the order of the questions, all in one transaction. If two questions name the same run, the first makes it. An erased
   * organization has no exposure left.
   */
  open(wanted: readonly NewRun[]): Promise<RunAnswer[]>;
  /** Null: there is no such run. The embedded store says so only after a node's beginning of the run has had time to arrive. */
  get(run: RunName): Promise<Run | null>;
  /** Newest first. */
  list(query: RunList): Promise<Run[]>;
  /**
   * Closes a live run; one that has ended stays as it ended. An end that happened before and is shipped later counts instead. Refuses
   * `unknown_run`.
   */
  close(run: RunName): Promise<Run | StoreRefusal>;
  /** Notes that a call of each was opened: they cannot vanish. Runs that vanished meanwhile are put back, unless their organization is erased. */
  confirm(runs: readonly Run[]): Promise<void>;
  /**
   * Ends runs that are over: unconfirmed runs older than 10 s vanish, runs past their time limit expire, and runs without a time limit
   * and without a call for 24 h are closed. Returns how many.
   */
  sweep(nowMs: number): Promise<number>;
  /** Names of all runs, at most `limit` at a time, in a fixed order; continues after a name. */
  names(after: RunName | null, limit: number): Promise<RunName[]>;
  /** The number of the latest change that nodes must learn of. */
  feed(): Promise<number>;
  /** Ends and tightenings committed after `since`. */
  changes(since: number): Promise<RunChanges>;
}

const confirmWithinMs = 10_000;
/** The last call may be later than noted by up to the grain, and a run must never be closed early. */
const idleMs = 24 * 3_600_000 + lastCallGrainMs;
/** Runs of one slice of a sweep, and numbers of the feed in one answer. */
const sliceRuns = 500;
const sliceChanges = 16;
/** How often, and how far apart, to look for a run that its node may have begun just now. */
const soonLooks = 12;
const soonPauseMs = 30;

export function runsIn(context: StoreContext): StoredRuns {
  const { engine } = context;
  return {
    open: (wanted) => openRuns(context, wanted),
    get: (name) => runSoon(context, name),
    names: (after, limit) => runNames(context, after, limit),
    list: (query) => listRuns(context, query),
    close: (name) => closeRun(context, name),
    confirm: (runs) => confirmRuns(context, runs),
    sweep: (nowMs) => sweepRuns(context, nowMs),
    feed: () => feedOf(context),
    async changes(since) {
      // The number first: a change that commits after it is read belongs to the next question.
      const latest = await feedOf(context);
      const through = Math.min(latest, since + sliceChanges);
      // Below it if the store was restored to an earlier moment: changes from here on reuse numbers that were given out before.
      if (through <= since) return { through, more: false, runs: [] };
      const rows = await engine.read((db) => db.selectFrom('run').selectAll().where('change', '>', sql.lit(0n))
        .where('change', '>', BigInt(since)).where('change', '<=', BigInt(through)).orderBy('change').execute());
      return { through, more: through < latest, runs: rows.map((row) => runOf(storedRunOf(row))) };
    },
  };
}

function feedOf({ engine }: StoreContext): Promise<number> {
  // A fixed text, since it runs twenty times a second.
  return engine.read(async (db) =>
    Number((await db.executeQuery<{ value: bigint }>(CompiledQuery.raw('select value from run_feed'))).rows[0]!.value));
}

async function runNamed({ engine }: StoreContext, { organization, id }: RunName): Promise<Run | null> {
  if (id.includes('\0')) return null;
  const row = await engine.read((db) => db.selectFrom('run').selectAll()
    .where('organization', '=', organization).where('id', '=', id).executeTakeFirst());
  return row === undefined ? null : runOf(storedRunOf(row));
}

/**
 * The node of an embedded store begins runs by itself, and its journal is shipped some twenty times a second: whoever asks for a run right after its
 * first call must not get the answer that there is none.
 */
async function runSoon(context: StoreContext, name: RunName): Promise<Run | null> {
  for (let looks = context.engine.kind === 'sqlite' ? soonLooks : 1; ; looks -= 1) {
    const found = await runNamed(context, name);
    if (found !== null || looks <= 1) return found;
    await pause(soonPauseMs);
  }
}

async function runNames({ engine }: StoreContext, after: RunName | null, limit: number): Promise<RunName[]> {
  const { organization, id } = after ?? { organization: '', id: '' };
  const { rows } = await engine.read((db) => db.executeQuery<RunName>(CompiledQuery.raw(namesText[engine.kind], [organization, id, limit])));
  return rows;
}

const namesText = onBoth('select organization, id from run where (organization, id) > ($1, $2) order by organization, id limit $3');

async function listRuns({ engine }: StoreContext, { organization, limit, after }: RunList): Promise<Run[]> {
  const rows = await engine.read((db) => {
    let query = db.selectFrom('run').selectAll().where('organization', '=', organization);
    if (after !== undefined) query = query.where(sql<boolean>`(started_at_ms, id) < (${BigInt(after.startedAtMs)}, ${after.id})`);
    return query.orderBy('started_at_ms', 'desc').orderBy('id', 'desc').limit(limit).execute();
  });
  return rows.map((row) => runOf(storedRunOf(row)));
}

async function closeRun(context: StoreContext, name: RunName): Promise<Run | StoreRefusal> {
  const found = await runSoon(context, name);
  if (found !== null && found.state !== 'live') return found;
  if (found !== null) await endRuns(context, [name], () => ({ state: 'closed', atMs: context.clock() }), closedRun(name));
  return (found === null ? null : await runNamed(context, name))
    ?? refuse('unknown_run', 'There is no run with this id.');
}

/** A run that ended meanwhile was not closed by this change. */
function closedRun({ organization, id }: RunName): ChangeName<Run[]> {
  return (ended) => (ended.length === 0 ? null : { action: 'closeRun', organization, subject: id });
}

/** Existing runs are found without a lock, since every node asks once for every run that it does not hold. */
async function openRuns({ engine }: StoreContext, wanted: readonly NewRun[]): Promise<RunAnswer[]> {
  const found = await engine.read((db) => selectRuns(engine.kind, sendingIn(db).send, wanted));
  const missing = wanted.filter((run) => run.mayCreate && !found.has(runNameText(run)));
  const made = missing.length === 0 ? null : await makeRuns(engine, missing);
  return wanted.map((run) => {
    const known = found.get(runNameText(run));
    if (known !== undefined) return existing(known);
    return made?.get(run) ?? { kind: 'absent' };
  });
}

function existing(run: StoredRun): RunAnswer {
  return { kind: 'run', run: runOf(run), created: false, confirmed: run.confirmed };
}

/** What a run is made from, read while its organization's exposure is locked. */
interface Makings {
  readonly erased: ReadonlySet<string>;
  readonly exposure: LockedExposure;
  readonly found: Map<string, StoredRun>;
  readonly spent: ReadonlyMap<string, SpentBefore>;
}

function makeRuns({ kind, transact }: StoreContext['engine'], wanted: readonly NewRun[]): Promise<Map<NewRun, RunAnswer>> {
  const organizations = wanted.map(({ organization }) => organization);
  return transact(async (send): Promise<Makings> => {
    holdOffErasures(kind, send);
    const [erased, exposure, found, spent] = await Promise.all([
      erasedAmong(kind, send, organizations), lockExposure(kind, send, organizations), selectRuns(kind, send, wanted),
      spentBefore(kind, send, wanted),
    ]);
    return { erased, exposure, found, spent };
  }, (send, makings) => {
    const { answers, made } = madeOf(wanted, makings);
    insertRuns(kind, send, made);
    makings.exposure.write(kind, send);
    return answers;
  });
}

function madeOf(
  wanted: readonly NewRun[], { erased, exposure, found, spent }: Makings,
): { readonly answers: Map<NewRun, RunAnswer>; readonly made: readonly StoredRun[] } {
  const answers = new Map<NewRun, RunAnswer>();
  const made: StoredRun[] = [];
  for (const run of wanted) {
    if (erased.has(run.organization)) {
      answers.set(run, { kind: 'run_exposure_exhausted' });
      continue;
    }
    const name = runNameText(run);
    const known = found.get(name);
    const begun = known ?? beginRun(run, exposure, spent.get(name));
    if (begun === null) {
      answers.set(run, { kind: 'run_exposure_exhausted' });
    } else if (known !== undefined) {
      answers.set(run, existing(known));
    } else {
      exposure.shift(run.organization, takenBy(begun));
      found.set(name, begun);
      made.push(begun);
      answers.set(run, { kind: 'run', run: runOf(begun), created: true, confirmed: false });
    }
  }
  return { answers, made };
}

/** Null: the organization has no exposure left for it. */
function beginRun(
  run: NewRun, exposure: LockedExposure, before: SpentBefore | undefined,
): StoredRun | null {
  const left = run.exposureLimit === null ? null : nanoDollars(run.exposureLimit - exposure.taken(run.organization));
  const budget = clampToExposure(run, left);
  if ('kind' in budget) return null;
  const { organization, id, declared, startedAtMs, expiresAtMs } = run;
  return {
    organization, id, state: 'live', declared, effective: budget.effective, clampReason: budget.clampReason,
    ...before ?? nothingBefore, startedAtMs, expiresAtMs, endedAtMs: null, confirmed: false, lastCallAtMs: startedAtMs, change: 0n,
    beganBy: run.key ?? null,
  };
}

async function confirmRuns({ engine }: StoreContext, all: readonly Run[]): Promise<void> {
  if (all.length === 0) return;
  const { kind } = engine;
  await engine.transact(async (send) => {
    holdOffErasures(kind, send);
    const [erased, exposure, found] = await Promise.all([
      erasedAmong(kind, send, all.map(({ organization }) => organization)),
      lockExposure(kind, send, all.map(({ organization }) => organization)), selectRuns(kind, send, all),
    ]);
    const runs = all.filter(({ organization }) => !erased.has(organization));
    const gone = new Map(runs.filter((run) => !found.has(runNameText(run))).map((run) => [runNameText(run), run]));
    return { exposure, found, gone, spent: await spentBefore(kind, send, [...gone.values()]) };
  }, (send, { exposure, found, gone, spent }) => {
    updateRuns(kind, send, [...found.values()].filter((run) => !run.confirmed).map((run) => ({ ...run, confirmed: true })));
    const back = [...gone].map(([name, run]): StoredRun => ({
      ...run, ...spent.get(name) ?? nothingBefore, confirmed: true, lastCallAtMs: run.startedAtMs, change: 0n, beganBy: null,
    }));
    for (const run of back) exposure.shift(run.organization, takenBy(run));
    insertRuns(kind, send, back);
    exposure.write(kind, send);
  });
}

/** How a live run ends; null: it stays live. `vanished`: it leaves nothing behind. */
type End = { readonly state: EndedState; readonly atMs: number } | 'vanished' | null;

/** Looks at each run again in one transaction, with its exposure locked. Returns those that ended. */
async function endRuns(
  { engine }: StoreContext, names: readonly RunName[], endOf: (run: StoredRun) => End, name?: ChangeName<Run[]>,
): Promise<Run[]> {
  return engine.write(async (transaction) => {
    const { send, all } = sendingIn(transaction);
    const change = await nextRunChange(send);
    const exposure = await lockExposure(engine.kind, send, names.map(({ organization }) => organization));
    const ended: StoredRun[] = [];
    for (const run of (await selectRuns(engine.kind, send, names)).values()) {
      const end = run.state === 'live' ? endOf(run) : null;
      if (end === null) continue;
      exposure.shift(run.organization, -takenBy(run));
      if (end === 'vanished') {
        await transaction.deleteFrom('run').where('organization', '=', run.organization).where('id', '=', run.id).execute();
      } else {
        ended.push({ ...endedAs(run, end.state, end.atMs), change });
      }
    }
    updateRuns(engine.kind, send, ended);
    exposure.write(engine.kind, send);
    await all();
    return ended.map(runOf);
  }, name);
}

async function sweepRuns(context: StoreContext, nowMs: number): Promise<number> {
  const now = Math.floor(nowMs);
  const endOf = (run: StoredRun): End => {
    if (!run.confirmed && run.startedAtMs <= now - confirmWithinMs) return 'vanished';
    if (run.expiresAtMs !== null) return run.expiresAtMs <= now ? { state: 'expired', atMs: now } : null;
    return run.lastCallAtMs <= now - idleMs ? { state: 'closed', atMs: now } : null;
  };
  let swept = 0;
  for (;;) {
    const due = await dueRuns(context, now);
    if (due.length === 0) return swept;
    await endRuns(context, due, endOf);
    swept += due.length;
  }
}

/** The conditions are written as the partial indexes have them, so that the engine uses those. */
function dueRuns({ engine }: StoreContext, now: number): Promise<RunName[]> {
  return engine.read(async (db) => {
    const live = () => db.selectFrom('run').select(['organization', 'id']).where('state', '=', sql.lit('live')).limit(sliceRuns);
    const unconfirmed = await live().where('confirmed', '=', sql.lit(0n)).where('started_at_ms', '<=', BigInt(now - confirmWithinMs)).execute();
    const expired = await live().where('expires_at_ms', 'is not', null).where('expires_at_ms', '<=', BigInt(now)).execute();
    const idle = await live().where('expires_at_ms', 'is', null).where('last_call_at_ms', '<=', BigInt(now - idleMs)).execute();
    return [...unconfirmed, ...expired, ...idle].slice(0, sliceRuns) as RunName[];
  });
}
