/**
 * An answer of the ingestion endpoint, as the reporter needs it, and when a batch may be posted again.
 */
export interface Answer {
  /** The HTTP status; 0 if no answer came: no connection, no name, bad TLS, too slow. */
  readonly status: number;
  /** True for a 410 whose `error.code` says `baseline_closed`. */
  readonly closed: boolean;
}

/** Where no answer came. */
export const noAnswer: Answer = { status: 0, closed: false };

/**
 * What an answer means for its batch, posted so many times before: the milliseconds after which it is posted again, 0 if it is over
 * (delivered or dropped), undefined if it was posted often enough.
 */
export type Settle = (answer: Answer, attempt: number) => number | undefined;

/** At most three posts, so far apart (spec, Tap client wrapper 4); after these statuses only (design 3, row 29). */
export const retryWaitsMs: readonly number[] = [200, 800];
export const retried = /^(0|408|429|[5-9]..)$/;
