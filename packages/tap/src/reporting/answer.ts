/**
 * An answer of the ingestion endpoint, as the reporter needs it, and when a batch may be posted again.
 */
export interface EndpointAnswer {
  /** The HTTP status; 0 if no answer came: no connection, no name, bad TLS, too slow. */
  readonly status: number;
  /** True for a 410 whose `error.code` says `baseline_closed`. */
  readonly closed: boolean;
}

/** Stands for an answer that never came. */
export const noEndpointAnswer: EndpointAnswer = { status: 0, closed: false };

/**
 * What an answer means for its batch after `attempt` earlier posts: the milliseconds after which it is posted again, 0 if the batch is
 * finished (delivered or dropped), undefined if there are no attempts left.
 */
export type Settle = (answer: EndpointAnswer, attempt: number) => number | undefined;

/** The waits between at most three posts (spec, Tap client wrapper 4); only these statuses are retried (rule 29). */
export const retryWaitsMs: readonly number[] = [200, 800];
export const retried = /^(0|408|429|[5-9]..)$/;
