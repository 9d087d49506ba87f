/**
 * The time between a stop signal and the first refused connection: `/readyz` already says no, and calls are still served. A proxy polls only
 * now and then, and until it has seen the 503 it keeps sending calls here.
 */
import { setTimeout as pass } from 'node:timers/promises';

export interface Readers {
  /** Somebody polled, at this moment of a clock that never steps back. */
  asked(atMs: number): void;
  /** Resolves when the pollers have seen the 503; at once if nobody polled lately. */
  haveSeen(nowMs: number): Promise<void>;
}

/** Whoever polls at least this often is watching. */
const watchingMs = 10_000;
/** A proxy may need to see it more than once before it acts. */
const answersEnough = 3;
/** Time for the last poller to act on it. */
const actMs = 200;

/** `atMostMs`: whatever readers do. */
export function createReaders(atMostMs: number): Readers {
  let lastMs = -Infinity;
  let answers = 0;
  let enough: (() => void) | null = null;
  return {
    asked(atMs) {
      lastMs = atMs;
      answers += 1;
      if (answers >= answersEnough) enough?.();
    },
    async haveSeen(nowMs) {
      if (nowMs - lastMs > watchingMs || atMostMs === 0) return;
      answers = 0;
      const heard = new Promise<void>((resolve) => { enough = resolve; });
      const given = new AbortController();
      await Promise.race([heard, pass(atMostMs, undefined, { signal: given.signal }).catch(() => {})]);
      given.abort();
      await pass(Math.min(actMs, atMostMs));
    },
  };
}
