/**
 * Two clocks → the one time that a node decides by (rule 5b): wall time as long as it moves with the monotonic
 * clock; across a step of the wall clock the time continues by the monotonic clock, and follows only a step that stays.
 * A shared store's time takes precedence over the wall clock, which is then only watched for steps. It never runs backwards, so nothing that
 * was expired or closed comes back. Nor does it stand still: ahead of the clock, it goes at half speed until the clock has caught up, so that a time
 * limit still passes and a window still ends.
 */

/** Changed in place, so that a reading allocates nothing. */
export interface NodeTime {
  /** Wall time less monotonic time, as followed. */
  offsetMs: number;
  /** The latest instant read, with its fraction; the next is never earlier. */
  lastMs: number;
  /** When that was, by the monotonic clock. */
  atMonotonicMs: number;
  /** It was raised since, so what has passed until the next reading does not count. */
  wasRaised: boolean;
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
  return {
    offsetMs: wallMs - monotonicMs, lastMs: Math.max(Math.floor(floorMs), 0), atMonotonicMs: monotonicMs, wasRaised: false,
    stepOffsetMs: null, stepSinceMonotonicMs: 0, byStore: false,
  };
}

/** The time of a shared store, received now: from here on the node's time is that plus the monotonic time since. */
export function followStoreTime(time: NodeTime, storeMs: number, monotonicMs: number): void {
  time.offsetMs = storeMs - monotonicMs;
  time.byStore = true;
}

/** The store has recorded this instant: the node's time must not be before it. */
export function raiseFloor(time: NodeTime, writtenMs: number): void {
  if (writtenMs <= time.lastMs) return;
  time.lastMs = Math.floor(writtenMs);
  time.wasRaised = true;
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
  const nowMs = followedMs(time, monotonicMs);
  if (nowMs > time.lastMs) time.lastMs = nowMs;
  else if (!time.wasRaised && monotonicMs > time.atMonotonicMs) time.lastMs += (monotonicMs - time.atMonotonicMs) / 2;
  time.atMonotonicMs = monotonicMs;
  time.wasRaised = false;
  return Math.floor(time.lastMs);
}

/** The time by the clock that is followed, whatever was written: for others, who do not know that. It may run backwards. */
export function followedMs(time: NodeTime, monotonicMs: number): number {
  return Math.round(monotonicMs + time.offsetMs);
}

/** How far the wall clock is from the time in force at the last reading, while a step is not followed or the clock is behind; 0 otherwise. */
export function stepMs(time: NodeTime): number {
  const stepMs = Math.round((time.stepOffsetMs ?? time.offsetMs) + time.atMonotonicMs - time.lastMs);
  return time.stepOffsetMs === null && stepMs >= -slewMaxMs ? 0 : stepMs;
}
