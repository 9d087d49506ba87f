/**
 * Answers to calls of one key that were complete and told nothing of what they used, though their provider reports it: the net under the list of what
 * hides usage (`hidden-usage.ts`). Rule 6c; decision 323.
 */
import type { CallRecord } from './call-record.ts';
import type { UsageReason } from '../usage/reading.ts';

/** So many in one hour of the clock, and further calls that are metered count as hiding their usage until the hour is over. */
export const untoldCallsMax = 20;

const hourMs = 3_600_000;

/** Reasons that lie in the answer, which a caller may have asked for. Not those of a call that ended early, nor our own faults and delays. */
const untold: ReadonlySet<UsageReason | null> = new Set<UsageReason>(['absent', 'not_a_figure', 'not_readable', 'decode_failed', 'decode_limit']);

/** Whether a call told nothing of a usage that it must have had. */
export function isUntold({ status, outcome, usage, usageReason }: Pick<CallRecord, 'status' | 'outcome' | 'usage' | 'usageReason'>): boolean {
  return usage === 'unknown' && outcome === 'completed' && status !== null && status >= 200 && status < 300 && untold.has(usageReason);
}

/** The count of one key. */
export class UntoldCalls {
  #hour = 0;
  #count = 0;

  /** A call has ended. `nowMs`: milliseconds since the epoch. */
  ended(record: Parameters<typeof isUntold>[0], nowMs: number): void {
    if (record.usage !== 'unknown' || !isUntold(record)) return;
    const hour = Math.floor(nowMs / hourMs);
    this.#count = hour === this.#hour ? this.#count + 1 : 1;
    this.#hour = hour;
  }

  /** Whether this hour has as many as it may. */
  isFull(nowMs: number): boolean {
    return this.#count >= untoldCallsMax && this.#hour === Math.floor(nowMs / hourMs);
  }
}
