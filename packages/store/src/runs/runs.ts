/**
 * Runs as the store keeps them, for the nodes and the platform. Spec: Run; rules 12 and 13. How they are made is `make-runs.ts`, how they end
 * `end-runs.ts`. The spend of calls and the events of runs come with the records (`apply-to-runs.ts`).
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { OrganizationId } from '@metergate/core/id.ts';
import type { Run } from '@metergate/core/run/run.ts';
import { CompiledQuery, sql } from 'kysely';
import type { ChangeName } from '../engine/change.ts';
import { onBoth } from '../engine/texts.ts';
import { refuse, type StoreRefusal } from '../engine/refusal.ts';
import type { StoreContext } from '../sealing/context.ts';
import { storyOf, type StoredStory } from './run-story.ts';
import { endRuns, sweepRuns } from './end-runs.ts';
import { confirmRuns, openRuns, type NewRun, type RunAnswer } from './make-runs.ts';
import { runOf, storedRunOf, type RunName } from './run-rows.ts';

interface RunList {
  readonly organization: OrganizationId;
  /** At most this many, newest first. */
  readonly limit: number;
  /** Continues after this run of the list. */
  readonly after?: { readonly startedAtMs: number; readonly id: string };
}

/** Runs that changed after a number of the feed, up to `through`. */
interface RunChanges {
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
  /** What happened in the run; null: there is no such run. */
  story(run: RunName): Promise<StoredStory | null>;
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

/** Numbers of the feed in one answer. */
const sliceChanges = 16;
/** How often, and how far apart, to look for a run that its node may have begun just now. */
const soonLooks = 12;
const soonPauseMs = 30;

export function runsIn(context: StoreContext): StoredRuns {
  const { engine } = context;
  return {
    open: (wanted) => openRuns(context, wanted),
    get: (name) => runSoon(context, name),
    story: (name) => storyOf(context, name),
    names: (after, limit) => runNames(context, after, limit),
    list: (query) => listRuns(context, query),
    close: (name) => closeRun(context, name),
    confirm: (runs) => confirmRuns(context, runs),
    sweep: (nowMs) => sweepRuns(context, nowMs),
    feed: () => context.feeds.read('runs'),
    async changes(since) {
      // The number first: a change that commits after it is read belongs to the next question.
      const latest = await context.feeds.read('runs');
      const through = Math.min(latest, since + sliceChanges);
      // Below it if the store was restored to an earlier moment: changes from here on reuse numbers that were given out before.
      if (through <= since) return { through, more: false, runs: [] };
      const rows = await engine.read((db) => db.selectFrom('run').selectAll().where('change', '>', sql.lit(0n))
        .where('change', '>', BigInt(since)).where('change', '<=', BigInt(through)).orderBy('change').execute());
      return { through, more: through < latest, runs: rows.map((row) => runOf(storedRunOf(row))) };
    },
  };
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
