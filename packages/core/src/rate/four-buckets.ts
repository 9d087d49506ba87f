/**
 * The four buckets of a call: admitted by all or refused with nothing taken (spec: Limits 1 to 7; rule 9).
 * Decide, then take: deciding debits nothing, so nothing is ever rolled back. What a call took is corrected when it has ended. A broken
 * bucket throws out of every function here; the caller then lets the call pass and counts it (Limits 10).
 */
import { adjust, advance, capacityOf, changeFigure, covers, fullBucket, retryAfterSeconds, take, type Bucket } from './bucket.ts';
import type { RateFigures } from './tier.ts';

/** The two buckets of one key or one organization. */
export interface BucketPair {
  readonly requests: Bucket;
  readonly tokens: Bucket;
}

/** The buckets that bind one call. Make it once per key; the organization's pair is shared by all its keys. */
export interface CallBuckets {
  readonly key: BucketPair;
  readonly organization: BucketPair;
}

/** Why a call is refused: 429 with this `Retry-After`, 1 to 60 seconds. */
export interface RateRefusal {
  readonly retryAfterSeconds: number;
}

/** What the limiter learns from an ended call. */
export interface LimitedCall {
  /** What `takeRate` took, in tokens. */
  readonly estimate: number;
  /** Input plus output as the provider reported them; null: none. See `reportedTokens`. */
  readonly reported: number | null;
  readonly outcome: RateOutcome;
}

/** `answered`: a 2xx head came, even if the rest was cut. `failed`: no head, or another status. */
type RateOutcome = 'answered' | 'failed';

/** Two full buckets. */
export function fullPair(figures: RateFigures, nowMs: number): BucketPair {
  return { requests: fullBucket(figures.requestsPerMinute, nowMs), tokens: fullBucket(figures.tokensPerMinute, nowMs) };
}

/** Follows a change of plan; costs two comparisons if nothing changed. */
export function followFigures(pair: BucketPair, figures: RateFigures, nowMs: number): void {
  if (pair.requests.perMinute !== figures.requestsPerMinute) changeFigure(pair.requests, figures.requestsPerMinute, nowMs);
  if (pair.tokens.perMinute !== figures.tokensPerMinute) changeFigure(pair.tokens, figures.tokensPerMinute, nowMs);
}

/** The tokens that a call is estimated to need, from its declared Content-Length in bytes; null: none declared (Limits 4). At least 1. */
export function estimateTokens(contentLength: number | null): number {
  return contentLength !== null && contentLength >= 4 ? Math.floor(contentLength / 4) : 1;
}

/**
 * Null: all four cover the call. Otherwise the first that does not says when to retry. Nothing is taken either way; the
 * buckets are only brought to `nowMs`.
 * @throws RangeError if a bucket or the clock is broken: admit, count, replace the buckets, take nothing.
 */
export function decideRate(buckets: CallBuckets, estimate: number, nowMs: number): RateRefusal | null {
  const { key, organization } = buckets;
  // All buckets are brought to the present, so that a broken one is found before anything is taken.
  advance(key.requests, nowMs);
  advance(key.tokens, nowMs);
  advance(organization.requests, nowMs);
  advance(organization.tokens, nowMs);
  if (!covers(key.requests, 1)) return { retryAfterSeconds: retryAfterSeconds(key.requests, 1) };
  if (!covers(key.tokens, estimate)) return { retryAfterSeconds: retryAfterSeconds(key.tokens, estimate) };
  if (!covers(organization.requests, 1)) return { retryAfterSeconds: retryAfterSeconds(organization.requests, 1) };
  if (!covers(organization.tokens, estimate)) return { retryAfterSeconds: retryAfterSeconds(organization.tokens, estimate) };
  return null;
}

/** Takes what `decideRate` admitted in the same turn with the same estimate. */
export function takeRate(buckets: CallBuckets, estimate: number): void {
  take(buckets.key.requests, 1);
  take(buckets.key.tokens, estimate);
  take(buckets.organization.requests, 1);
  take(buckets.organization.tokens, estimate);
}

/**
 * Corrects the estimate once, after a call whose rate was taken (Limits 4; rule 9). Requests stay as they are.
 * A figure that is not a number from 0 counts as not reported.
 */
export function reconcileRate(buckets: CallBuckets, ended: LimitedCall, nowMs: number): void {
  reconcileTokens(buckets.key.tokens, ended, nowMs);
  reconcileTokens(buckets.organization.tokens, ended, nowMs);
}

/** Gives back all that `takeRate` took of a call that was not forwarded after all. */
export function giveBackRate({ key, organization }: CallBuckets, estimate: number, nowMs: number): void {
  for (const pair of [key, organization]) {
    advance(pair.requests, nowMs);
    adjust(pair.requests, 1);
    advance(pair.tokens, nowMs);
    adjust(pair.tokens, estimate);
  }
}

/** Whether the head that came makes the call an answered one; `status` null: none came. */
export function rateOutcomeOf(status: number | null): RateOutcome {
  return status !== null && status >= 200 && status <= 299 ? 'answered' : 'failed';
}

/** Input plus output as the wire names them; a single one counts by itself (embeddings report no output). Null: neither came. */
export function reportedTokens(tokens: { readonly input: number | null; readonly output: number | null }): number | null {
  if (tokens.input === null && tokens.output === null) return null;
  return (tokens.input ?? 0) + (tokens.output ?? 0);
}

function reconcileTokens(bucket: Bucket, ended: LimitedCall, nowMs: number): void {
  advance(bucket, nowMs);
  adjust(bucket, ended.estimate - tokensUsed(ended, 2 * capacityOf(bucket)));
}

/** What the call counts for; a reported figure at most `bound`, twice the bucket's capacity. */
function tokensUsed({ estimate, reported, outcome }: LimitedCall, bound: number): number {
  if (outcome === 'failed') return 0;
  if (reported === null || !(reported >= 0)) return estimate;
  return Math.min(Math.trunc(reported), bound);
}
