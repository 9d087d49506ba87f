/**
 * A period and the one of the same length before it, each in two parts, so that the first parts can be compared. While the period is running, its
 * first part ends with the last full hour, because sums are kept by hour, and that of the period before has the same length.
 */
import { hourMs } from '@metergate/core/report/hour-sum.ts';

/** From an instant on, up to one that is excluded. Both are full hours. */
export interface HourSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

interface PeriodParts {
  readonly compared: HourSpan;
  /** What follows it; empty for a period that is over. */
  readonly rest: HourSpan;
}

/** `compared` is empty for a period that began in this hour or has not begun. */
export function comparedPeriods({ fromMs, toMs }: HourSpan, nowMs: number): { readonly now: PeriodParts; readonly before: PeriodParts } {
  const fullHourMs = Math.floor(nowMs / hourMs) * hourMs;
  const cutMs = Math.max(fromMs, Math.min(toMs, fullHourMs));
  const lengthMs = toMs - fromMs;
  const parts = (backMs: number): PeriodParts => ({
    compared: { fromMs: fromMs - backMs, toMs: cutMs - backMs }, rest: { fromMs: cutMs - backMs, toMs: toMs - backMs },
  });
  return { now: parts(0), before: parts(lengthMs) };
}

/** What a report shows for the parts that can be compared. */
export interface Comparison<Figures> {
  /** The end of the period or, while it is running, of its last full hour. */
  readonly until: string;
  readonly total: Figures;
  readonly before: Figures;
}
