/**
 * The clock of a node: its wall time is the time it decides by (core/src/time/node-time.ts), whatever the system's clock does.
 */
import { readNodeTime, startNodeTime, stepMs } from '@metergate/core/time/node-time.ts';
import type { Clock } from './gateway-node.ts';

export interface NodeClock extends Clock {
  /** How far the system's wall clock is from the time in force, while its step is not followed; 0 otherwise. */
  stepMs(): number;
}

/** `floorMs`: the latest instant that was ever written down. */
export function createNodeClock(system: Clock, floorMs: number = 0): NodeClock {
  const time = startNodeTime(system.wallMs(), system.monotonicMs(), floorMs);
  return {
    wallMs: () => readNodeTime(time, system.wallMs(), system.monotonicMs()),
    monotonicMs: () => system.monotonicMs(),
    stepMs: () => stepMs(time),
  };
}
