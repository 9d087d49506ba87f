/**
 * Where a Baseline stands: waiting, reporting or closed, from what is kept of it, its organization's plan and the moment asked.
 * Spec: Baseline; design 3, row 20. Nothing runs when time passes: every answer is computed from the same few values.
 */
import type { Plan } from '../rate/plan.ts';
import { dayLengthMs, dayOf } from '../time/utc-day.ts';
import type { TapEvent } from './event.ts';

/** Calendar days that a Baseline reports for. */
const baselineDays = 7;
/** Days after which one that never began to report closes. */
const baselineWaitDays = 60;

export type BaselineState = 'waiting' | 'reporting' | 'closed';

/** What is kept of a Baseline's life. Milliseconds since the epoch; null: has not happened. */
export interface BaselineLife {
  readonly createdAtMs: number;
  /** 00:00 UTC of the first whole day with a priced event. */
  readonly firstDayMs: number | null;
  /** An operator ended the tap for good. */
  readonly retiredAtMs: number | null;
  /** A later Baseline of the organization took its place. */
  readonly replacedAtMs: number | null;
}

export interface BaselineStanding {
  readonly state: BaselineState;
  /** When its days, or its wait, are over; passed already where it is closed or was admitted again. */
  readonly closesAtMs: number;
  /** Its days are over and the organization's plan admits its key again. */
  readonly readmitted: boolean;
}

/** Where it stands at `nowMs`. */
export function baselineStanding(life: BaselineLife, plan: Plan, nowMs: number): BaselineStanding {
  const { createdAtMs, firstDayMs, retiredAtMs, replacedAtMs } = life;
  const closesAtMs = firstDayMs === null ? createdAtMs + baselineWaitDays * dayLengthMs : firstDayMs + baselineDays * dayLengthMs;
  if (retiredAtMs !== null || replacedAtMs !== null) return { state: 'closed', closesAtMs, readmitted: false };
  if (nowMs < closesAtMs) return { state: firstDayMs === null ? 'waiting' : 'reporting', closesAtMs, readmitted: false };
  const readmitted = plan !== 'free';
  return { state: readmitted ? 'reporting' : 'closed', closesAtMs, readmitted };
}

/** Whether a post is taken, and if not, which 410 it is. */
export function tapAdmission(life: BaselineLife, plan: Plan, nowMs: number): 'admitted' | 'baseline_closed' | 'tap_retired' {
  if (life.retiredAtMs !== null) return 'tap_retired';
  return baselineStanding(life, plan, nowMs).state === 'closed' ? 'baseline_closed' : 'admitted';
}

/** Whether a new one may take its place: it closed because no whole day of priced calls came in sixty days. */
export function closedUnbegun(life: BaselineLife, nowMs: number): boolean {
  return life.firstDayMs === null && nowMs >= life.createdAtMs + baselineWaitDays * dayLengthMs;
}

/**
 * The day from which the seven are counted, once these events are stored: the one that was found before, else the earliest whole
 * day with a priced event among them. A day is whole that began when the Baseline was there. Null: still none.
 */
export function firstDayAfter(
  life: Pick<BaselineLife, 'createdAtMs' | 'firstDayMs'>, events: readonly TapEvent[], isPriced: (event: TapEvent) => boolean,
): number | null {
  if (life.firstDayMs !== null) return life.firstDayMs;
  let first: number | null = null;
  for (const event of events) {
    const day = dayOf(event.timestampMs);
    if (day >= life.createdAtMs && (first === null || day < first) && isPriced(event)) first = day;
  }
  return first;
}
