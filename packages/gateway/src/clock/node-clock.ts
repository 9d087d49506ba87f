/** The clock of a node: its wall time is the decision time of core/src/time/node-time.ts, whatever the system's clock does. */
import { followedMs, followStoreTime, raiseFloor, readNodeTime, startNodeTime, stepMs } from '@metergate/core/time/node-time.ts';
import type { Clock } from './clock.ts';

export interface NodeClock extends Clock {
  /** The time as others have it, to whom it is shown: it does not wait for what was written. */
  followedMs(): number;
  /** How far the system's wall clock is from the time in force, while its step is not followed or the clock is behind; 0 otherwise. */
  stepMs(): number;
  /** The shared store's time, and when it was that by `monotonicMs`. */
  follow(storeMs: number, atMonotonicMs: number): void;
  /** The store has written of this instant: time does not lie before it. */
  notBefore(writtenMs: number): void;
}

/** `floorMs`: the latest instant that was ever written down. */
export function createNodeClock(system: Clock, floorMs: number = 0): NodeClock {
  const time = startNodeTime(system.wallMs(), system.monotonicMs(), floorMs);
  const wallMs = (): number => readNodeTime(time, system.wallMs(), system.monotonicMs());
  return {
    wallMs,
    followedMs() {
      wallMs();
      return followedMs(time, system.monotonicMs());
    },
    monotonicMs: () => system.monotonicMs(),
    stepMs: () => stepMs(time),
    follow: (storeMs, atMonotonicMs) => followStoreTime(time, storeMs, atMonotonicMs),
    notBefore: (writtenMs) => raiseFloor(time, writtenMs),
  };
}
