/**
 * The state of a Baseline (waiting, reporting or closed), from its stored values, its organization's plan and the present moment.
 * Spec: Baseline; rule 20. Nothing runs when time passes: every answer is computed from the same few values.
 */
import type { Plan } from '../rate/plan.ts';
import { dayLengthMs, dayOf } from '../time/utc-day.ts';
import type { TapEvent } from './event.ts';

/** Calendar days that a Baseline reports for. */
const baselineDays = 7;
/** Days after which a Baseline that never began to report closes. */
const baselineWaitDays = 60;
/** An event that arrives later than this after its timestamp does not begin the count. */
const beginningLateMs = 2 * dayLengthMs;

export type BaselineState = 'waiting' | 'reporting' | 'closed';

/** The stored instants of a Baseline's life. Milliseconds since the epoch; null: has not happened. */
export interface BaselineLife {
  readonly createdAtMs: number;
  /** 00:00 UTC of the first whole day with a priced event; a day that has not begun begins the count when it does. */
  readonly firstDayMs: number | null;
  /** An operator ended the tap for good. */
  readonly retiredAtMs: number | null;
  /** A later Baseline of the organization took its place. */
  readonly replacedAtMs: number | null;
}

interface BaselineStanding {
  readonly state: BaselineState;
  /** When its days or its wait end; in the past if it is closed. Null: its days are over and nothing closes it. */
  readonly closesAtMs: number | null;
  /** Its days are over and the organization's plan admits its key again. */
  readonly readmitted: boolean;
}

/** The days that are reported on, `[fromMs, toMs)`; null: the count has not begun. */
export interface BaselinePeriod {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The seven whole days that are counted; null before the first of them has begun. */
export function baselinePeriod({ firstDayMs }: Pick<BaselineLife, 'firstDayMs'>, nowMs: number): BaselinePeriod | null {
  return firstDayMs === null || nowMs < firstDayMs ? null : { fromMs: firstDayMs, toMs: firstDayMs + baselineDays * dayLengthMs };
}

/** Its state at `nowMs`. */
export function baselineStanding(life: BaselineLife, plan: Plan, nowMs: number): BaselineStanding {
  const { retiredAtMs, replacedAtMs } = life;
  const period = baselinePeriod(life, nowMs);
  const closesAtMs = period === null ? waitEndMs(life) : period.toMs;
  if (retiredAtMs !== null || replacedAtMs !== null) return { state: 'closed', closesAtMs, readmitted: false };
  if (nowMs < closesAtMs) return { state: period === null ? 'waiting' : 'reporting', closesAtMs, readmitted: false };
  return plan === 'free' ? { state: 'closed', closesAtMs, readmitted: false } : { state: 'reporting', closesAtMs: null, readmitted: true };
}

/** Whether a post is accepted, and if not, which 410 it gets. */
export function tapAdmission(life: BaselineLife, plan: Plan, nowMs: number): 'admitted' | 'baseline_closed' | 'tap_retired' {
  if (life.retiredAtMs !== null) return 'tap_retired';
  return baselineStanding(life, plan, nowMs).state === 'closed' ? 'baseline_closed' : 'admitted';
}

/** Whether a new one may take its place: it closed because no whole day of priced calls came in sixty days. */
export function closedUnbegun(life: BaselineLife, nowMs: number): boolean {
  return life.firstDayMs === null && nowMs >= waitEndMs(life);
}

function waitEndMs({ createdAtMs }: Pick<BaselineLife, 'createdAtMs'>): number {
  return createdAtMs + baselineWaitDays * dayLengthMs;
}

/**
 * The day from which the seven are counted, once these events are stored: the one already found, else the earliest whole
 * day with a priced event among them. A day is whole if it began after the Baseline was made. An event that arrives more than two days after
 * its timestamp begins nothing, and neither does a day beyond the wait. A day still to come gives way to an earlier one.
 * Null: still none.
 */
export function firstDayAfter(
  life: Pick<BaselineLife, 'createdAtMs' | 'firstDayMs'>,
  { events, isPriced, nowMs }: { readonly events: readonly TapEvent[]; readonly isPriced: (event: TapEvent) => boolean; readonly nowMs: number },
): number | null {
  let first = life.firstDayMs;
  if (first !== null && first <= nowMs) return first;
  for (const event of events) {
    const day = dayOf(event.timestampMs);
    const counts = day >= life.createdAtMs && day < waitEndMs(life) && nowMs - event.timestampMs <= beginningLateMs;
    if (counts && (first === null || day < first) && isPriced(event)) first = day;
  }
  return first;
}
