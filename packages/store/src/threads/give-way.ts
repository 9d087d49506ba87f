/**
 * Where the threads of a process share one processor, one that wakes for a call waits until the one that works has had its slice of time, several
 * milliseconds. A thread that sleeps for a moment within its work is waited for no longer than that. Each thread decides for itself; by default
 * nothing gives way. Decision 0012.
 */

/** The shortest sleep there is; the system makes some 70 microseconds of it. */
const momentMs = 0.01;

/** What it depends on; given in tests. */
interface GivingWayBy {
  readonly monotonicMs: () => number;
  readonly sleep: (ms: number) => void;
}

const cell = new Int32Array(new SharedArrayBuffer(4));
const byThisThread: GivingWayBy = { monotonicMs: () => performance.now(), sleep: (ms) => void Atomics.wait(cell, 0, 0, ms) };

let way: (() => void) | null = null;

/** From now on this thread gives way after each stretch of work of this length. Null: never. */
export function giveWayEvery(everyMs: number | null, { monotonicMs, sleep }: GivingWayBy = byThisThread): void {
  if (everyMs === null) {
    way = null;
    return;
  }
  let sinceMs = monotonicMs();
  way = () => {
    if (monotonicMs() - sinceMs < everyMs) return;
    sleep(momentMs);
    sinceMs = monotonicMs();
  };
}

/** Call this between pieces of long work, each of some ten microseconds. Nothing else of this thread runs meanwhile. */
export function giveWay(): void {
  way?.();
}
