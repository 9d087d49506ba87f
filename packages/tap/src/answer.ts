/**
 * What an answer of the ingestion endpoint means for the batch and for the reporter (spec, Tap reporter; design 3, row 29). Pure.
 */

/** An answer as the reporter needs it. */
export interface Answer {
  /** The HTTP status; 0 where no answer came: no connection, no name, bad TLS, too slow. */
  readonly status: number;
  /** The `error.code` of a 410; null for any other answer and where it cannot be read. */
  readonly code: string | null;
}

/** Where no answer came. */
export const noAnswer: Answer = { status: 0, code: null };

/**
 * `delivered`: taken. `retry`: may be posted again. `drop`: never will be. `unauthorized`: dropped, and counted.
 * `closed`: the Baseline has closed, it may open again. `retired`: it will not.
 */
export type Verdict = 'delivered' | 'retry' | 'drop' | 'unauthorized' | 'closed' | 'retired';

export function verdictOf({ status, code }: Answer): Verdict {
  if (status >= 200 && status < 300) return 'delivered';
  if (status === 401) return 'unauthorized';
  if (status === 410) return code === 'baseline_closed' ? 'closed' : 'retired';
  return status < 100 || status === 408 || status === 429 || status >= 500 ? 'retry' : 'drop';
}
