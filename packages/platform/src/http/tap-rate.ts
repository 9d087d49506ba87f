/**
 * How often one tap key may post: 100 batches a second after a burst of 3,000, on each platform process. Rule 8a. Only keys that the
 * store knows are counted, and a key with a full burst is forgotten, so the table holds only busy keys.
 */

const batchesPerSecond = 100;
const burst = 3_000;
/** After this long without a post the burst is full again. */
const wholeAgainMs = (burst / batchesPerSecond) * 1_000;
const sweepEach = 10_000;

export interface TapRate {
  /** Counts one batch. Null: taken. Else the whole seconds to wait, at least 1. */
  take(keyHash: string): number | null;
}

export function createTapRate(clock: () => number): TapRate {
  const levels = new Map<string, { level: number; atMs: number }>();
  let taken = 0;
  const sweep = (now: number): void => {
    for (const [key, { atMs }] of levels) if (now - atMs >= wholeAgainMs) levels.delete(key);
  };
  return {
    take(keyHash) {
      const now = clock();
      if ((taken += 1) % sweepEach === 0) sweep(now);
      const bucket = levels.get(keyHash) ?? { level: burst, atMs: now };
      const passedMs = Math.max(0, now - bucket.atMs);
      const level = Math.min(burst, bucket.level + (passedMs * batchesPerSecond) / 1_000);
      levels.set(keyHash, { level: level >= 1 ? level - 1 : level, atMs: now });
      return level >= 1 ? null : Math.max(1, Math.ceil((1 - level) / batchesPerSecond));
    },
  };
}
