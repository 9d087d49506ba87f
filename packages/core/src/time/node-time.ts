/**
 * Two clocks → the one time that a node decides by (rule 5b): wall time as long as it moves with the monotonic
 * clock; across a step of the wall clock the time continues by the monotonic clock, and follows only a step that stays.
 * A shared store's time takes precedence over the wall clock, which is then only watched for steps. It never runs backwards, so nothing that
 * was expired or closed comes back.
 */

/** Changed in place, so that a reading allocates nothing. */
export interface NodeTime {
  /** Wall time less monotonic time, as followed. */
  offsetMs: number;
  /** The latest instant read; the next is never earlier. */
  lastMs: number;
  /** Where the wall clock stepped to, and since when by the monotonic clock; null: it has not. */
  stepOffsetMs: number | null;
  stepSinceMonotonicMs: number;
  /** The store has reported its time. Then only that and monotonic time are used, and the wall clock is only compared. */
  byStore: boolean;
}

/** A difference up to this is an ordinary correction of the clock, which is followed at once. */
export const slewMaxMs = 2_000;
/** How long a step must stay before it is followed. */
export const steadyMs = 60_000;

/** `floorMs`: the latest instant ever recorded; time begins there if the wall clock is behind it. */
export function startNodeTime(wallMs: number, monotonicMs: number, floorMs: number = 0): NodeTime {
  return { offsetMs: wallMs - monotonicMs, lastMs: Math.max(Math.floor(floorMs), 0), stepOffsetMs: null, stepSinceMonotonicMs: 0, byStore: false };
}

/** The time of a shared store, received now: from here on the node's time is that plus the monotonic time since. */
export function followStoreTime(time: NodeTime, storeMs: number, monotonicMs: number): void {
  time.offsetMs = storeMs - monotonicMs;
  time.byStore = true;
}

/** The store has recorded this instant: the node's time must not be before it. */
export function raiseFloor(time: NodeTime, writtenMs: number): void {
  if (writtenMs > time.lastMs) time.lastMs = Math.floor(writtenMs);
}

/** The time now, whole milliseconds since the epoch. */
export function readNodeTime(time: NodeTime, wallMs: number, monotonicMs: number): number {
  const offsetMs = wallMs - monotonicMs;
  if (Math.abs(offsetMs - time.offsetMs) <= slewMaxMs) {
    if (!time.byStore) time.offsetMs = offsetMs;
    time.stepOffsetMs = null;
  } else if (time.stepOffsetMs === null || Math.abs(offsetMs - time.stepOffsetMs) > slewMaxMs) {
    time.stepOffsetMs = offsetMs;
    time.stepSinceMonotonicMs = monotonicMs;
  } else if (!time.byStore && monotonicMs - time.stepSinceMonotonicMs >= steadyMs) {
    time.offsetMs = offsetMs;
    time.stepOffsetMs = null;
  }
  const nowMs = Math.round(monotonicMs + time.offsetMs);
  if (nowMs > time.lastMs) time.lastMs = nowMs;
  return time.lastMs;
}

/** How far the wall clock is from the time in force, while a step is not followed; 0 otherwise. */
export function stepMs(time: NodeTime): number {
  return time.stepOffsetMs === null ? 0 : Math.round(time.stepOffsetMs - time.offsetMs);
}
