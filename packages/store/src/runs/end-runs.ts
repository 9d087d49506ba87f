/** How runs end: closed, or swept once they are over. A run that has ended never begins again. Rules 12 and 13. */
import { endedAs, type EndedState, type Run } from '@metergate/core/run/run.ts';
import type { ChangeName } from '../engine/change.ts';
import { sendingIn } from '../engine/send.ts';
import { onBoth } from '../engine/texts.ts';
import type { StoreContext } from '../sealing/context.ts';
import { lastCallGrainMs, takenBy } from './apply-to-runs.ts';
import { lockExposure, nextRunChange } from './run-exposure.ts';
import { runOf, selectRuns, updateRuns, type RunName, type StoredRun } from './run-rows.ts';

const confirmWithinMs = 10_000;
/** The last call may be later than noted by up to the grain, and a run must never be closed early. */
const idleMs = 24 * 3_600_000 + lastCallGrainMs;
/** Runs of one slice of a sweep. */
const sliceRuns = 500;

/** How a live run ends; null: it stays live. `vanished`: it leaves nothing behind. */
type End = { readonly state: EndedState; readonly atMs: number } | 'vanished' | null;

/** Looks at each run again in one transaction, with its exposure locked. Returns those that ended. */
export async function endRuns(
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

/** Ends runs that are over; returns how many. See `StoredRuns.sweep`. */
export async function sweepRuns(context: StoreContext, nowMs: number): Promise<number> {
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
const isDue = ['confirmed = 0 and started_at_ms <= $1', 'expires_at_ms is not null and expires_at_ms <= $2',
  'expires_at_ms is null and last_call_at_ms <= $3'];
const dueText = onBoth(isDue.map((condition) =>
  `select * from (select organization, id from run where state = 'live' and ${condition} limit ${sliceRuns}) as d`).join(' union all '));

/** Asked for again and again, whether there are runs or not: by one fixed text, which costs next to nothing. */
async function dueRuns({ engine }: StoreContext, now: number): Promise<RunName[]> {
  const bounds = [now - confirmWithinMs, now, now - idleMs].map(BigInt);
  const [due = []] = await engine.look<RunName>(dueText[engine.kind], [bounds]);
  return due.slice(0, sliceRuns);
}
