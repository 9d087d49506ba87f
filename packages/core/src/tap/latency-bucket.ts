/**
 * Latencies counted in buckets, so that percentiles over millions of calls need a few hundred numbers. Below 16 ms a bucket is
 * one millisecond; above, each doubling has eight buckets: a percentile is at most an eighth too high.
 */

const exactBelow = 16;
const stepsPerDoubling = 8;

/** The bucket of a latency in whole milliseconds from 0. Buckets ascend with latencies. */
export function latencyBucket(latencyMs: number): number {
  if (latencyMs < exactBelow) return latencyMs;
  const doubling = 31 - Math.clz32(latencyMs);
  return exactBelow + (doubling - 4) * stepsPerDoubling + ((latencyMs >>> (doubling - 3)) & (stepsPerDoubling - 1));
}

/** The longest latency in a bucket, milliseconds. */
export function bucketEndMs(bucket: number): number {
  if (bucket < exactBelow) return bucket;
  const doubling = 4 + Math.floor((bucket - exactBelow) / stepsPerDoubling);
  const step = (bucket - exactBelow) % stepsPerDoubling;
  return (stepsPerDoubling + step + 1) * 2 ** (doubling - 3) - 1;
}

/** Calls by bucket. */
export type LatencyCounts = ReadonlyMap<number, number>;

/** Both together. */
export function latencyCountsTogether(counts: LatencyCounts, more: LatencyCounts): LatencyCounts {
  const sum = new Map(counts);
  for (const [bucket, calls] of more) sum.set(bucket, (sum.get(bucket) ?? 0) + calls);
  return sum;
}

/** Counts as text, `bucket:calls` in rising order; `latencyCountsFrom` reads it back. */
export function latencyCountsText(counts: LatencyCounts): string {
  return [...counts].toSorted(([a], [b]) => a - b).map(([bucket, calls]) => `${bucket}:${calls}`).join(' ');
}

/** Reads stored counts: `bucket:calls`, separated by spaces. */
export function latencyCountsFrom(text: string): LatencyCounts {
  return new Map(text === '' ? [] : text.split(' ').map((entry): [number, number] => {
    const [bucket, calls] = entry.split(':');
    return [Number(bucket), Number(calls)];
  }));
}

/** The end of the bucket that holds the call at `share` (0 to 1) of all, the fastest first; null if there are none. */
export function latencyAtShare(counts: LatencyCounts, share: number): number | null {
  const buckets = [...counts].toSorted(([a], [b]) => a - b);
  const whole = buckets.reduce((sum, [, calls]) => sum + calls, 0);
  if (whole === 0) return null;
  const rank = Math.max(1, Math.ceil(whole * share));
  let passed = 0;
  for (const [bucket, calls] of buckets) {
    passed += calls;
    if (passed >= rank) return bucketEndMs(bucket);
  }
  return null;
}
