/**
 * The time between a stop signal and the first refused connection: `/readyz` already says no, and calls are still served. A proxy polls only
 * now and then, and until it has seen the 503 it keeps sending calls here.
 */
import { setTimeout as pass } from 'node:timers/promises';

export interface Readers {
  /** A poller asked, at this moment of a clock that never steps back. `who`: its address and what it asks, to distinguish several. */
  asked(atMs: number, who: string): void;
  /** Whether anybody polled lately. */
  watch(nowMs: number): boolean;
  /** Resolves when each poller has seen the 503; at once if nobody polled lately. */
  haveSeen(nowMs: number): Promise<void>;
}

/** Whoever polls at least this often is watching. */
const watchingMs = 10_000;
/** A proxy may need to see it more than once before it acts. */
const answersEnough = 3;
/** Time for the last poller to act on it. */
const actMs = 200;
/** The most pollers to distinguish; beyond that, those that asked last. */
const pollersMax = 100;

interface Poller {
  readonly lastMs: number;
  /** Since the wait began. */
  readonly answers: number;
}

/** `atMostMs`: the longest wait, whatever pollers do. */
export function createReaders(atMostMs: number): Readers {
  /** The poller that asked last is last. */
  const pollers = new Map<string, Poller>();
  let enough: (() => void) | null = null;
  return {
    asked(atMs, who) {
      const answers = (pollers.get(who)?.answers ?? 0) + 1;
      pollers.delete(who);
      pollers.set(who, { lastMs: atMs, answers });
      if (pollers.size > pollersMax) pollers.delete(pollers.keys().next().value!);
      if (pollers.values().every((each) => each.answers >= answersEnough)) enough?.();
    },
    watch: (nowMs) => pollers.values().some(({ lastMs }) => nowMs - lastMs <= watchingMs),
    async haveSeen(nowMs) {
      for (const [who, { lastMs }] of pollers) {
        if (nowMs - lastMs > watchingMs) pollers.delete(who);
        else pollers.set(who, { lastMs, answers: 0 });
      }
      if (pollers.size === 0 || atMostMs === 0) return;
      const heard = new Promise<void>((resolve) => { enough = resolve; });
      const given = new AbortController();
      await Promise.race([heard, pass(atMostMs, undefined, { signal: given.signal }).catch(() => {})]);
      given.abort();
      await pass(Math.min(actMs, atMostMs));
    },
  };
}
