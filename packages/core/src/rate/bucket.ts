/**
 * One token bucket, in whole numbers (spec: Limits 2, 4, 5 and 7; rule 22).
 * The level is kept in 1/60,000 of a request or token, so that one millisecond refills exactly `perMinute` units. Moving a bucket to the
 * present takes nothing and may be repeated; only `take` and `adjust` change what is owed. A bucket with broken numbers throws; the caller
 * then admits the call, counts the miss and replaces the bucket with a full one.
 */

/** Changed in place, so that a call allocates nothing. All three are safe integers. */
export interface Bucket {
  /** The plan's figure: 1 to `perMinuteMax` of tier.ts. */
  perMinute: number;
  /** In units, at `atMs`; at most the capacity, below zero while a debit forward is owed. */
  level: number;
  /** The instant the level was last brought to, in milliseconds of the clock the caller uses. */
  atMs: number;
}

/** Units in one request or token. */
const unitsEach = 60_000;
/** Capacity is two minutes of refill: two windows of 60,000 milliseconds at `perMinute` units each. */
const fillMs = 120_000;
const retryAfterMaxSeconds = 60;

/** An unused bucket. @throws RangeError if a number is not a safe integer. */
export function fullBucket(perMinute: number, nowMs: number): Bucket {
  const bucket = { perMinute, level: perMinute * fillMs, atMs: Math.floor(nowMs) };
  assertWhole(bucket);
  return bucket;
}

/** The capacity of the bucket, in whole requests or tokens. */
export function capacityOf(bucket: Bucket): number {
  return (bucket.perMinute * fillMs) / unitsEach;
}

/**
 * Brings the level to `nowMs`: refilled for the time that passed, and never above full.
 * If the clock stepped back, nothing is refilled and refill continues from the new time, so that nobody waits out the step.
 * @throws RangeError if the bucket or the clock is broken.
 */
export function advance(bucket: Bucket, nowMs: number): void {
  const instantMs = Math.floor(nowMs);
  if (!Number.isSafeInteger(instantMs)) throw new RangeError('a bucket was given a clock reading that is no number');
  assertWhole(bucket);
  const passedMs = instantMs - bucket.atMs;
  bucket.atMs = instantMs;
  if (passedMs <= 0) return;
  // `missing` is a safe integer (see `adjust`): if the product is too large to be exact, it is the larger one.
  const missing = bucket.perMinute * fillMs - bucket.level;
  const refilled = passedMs * bucket.perMinute;
  bucket.level += refilled < missing ? refilled : missing;
}

/** Whether the bucket holds `amount` whole requests or tokens at the instant it was brought to. Changes nothing. */
export function covers(bucket: Bucket, amount: number): boolean {
  return bucket.level >= amount * unitsEach;
}

/** Seconds until `amount` would be covered: deficit over refill, rounded up, 1 to 60, even if it never will be (Limits 5 and 7). */
export function retryAfterSeconds(bucket: Bucket, amount: number): number {
  const deficit = amount * unitsEach - bucket.level;
  const seconds = Math.ceil(deficit / (bucket.perMinute * 1000));
  return Math.min(retryAfterMaxSeconds, Math.max(1, seconds));
}

/** Takes `amount`, which `covers` has just admitted. */
export function take(bucket: Bucket, amount: number): void {
  bucket.level -= amount * unitsEach;
}

/**
 * Gives back (`amount` above zero) or debits forward (below zero), on a bucket brought to the present.
 * Never above full. Debt adds up over calls; it stops before the missing units would no longer be a safe integer.
 */
export function adjust(bucket: Bucket, amount: number): void {
  setLevel(bucket, bucket.level + amount * unitsEach);
}

/** Changes the plan's figure: what was consumed stays consumed (rule 22). Refill up to `nowMs` uses the old figure. */
export function changeFigure(bucket: Bucket, perMinute: number, nowMs: number): void {
  advance(bucket, nowMs);
  const consumed = bucket.perMinute * fillMs - bucket.level;
  bucket.perMinute = perMinute;
  setLevel(bucket, perMinute * fillMs - consumed);
}

function setLevel(bucket: Bucket, level: number): void {
  const full = bucket.perMinute * fillMs;
  bucket.level = Math.min(full, Math.max(full - Number.MAX_SAFE_INTEGER, level));
}

function assertWhole(bucket: Bucket): void {
  if (Number.isSafeInteger(bucket.level) && Number.isSafeInteger(bucket.atMs) && Number.isSafeInteger(bucket.perMinute)
    && bucket.perMinute > 0) return;
  throw new RangeError('a rate limit bucket holds something that is no whole number');
}
