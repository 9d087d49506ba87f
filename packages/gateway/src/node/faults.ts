/**
 * Reports our own faults: each is counted, and the first at each place is logged as a warning. The thrown error may contain content of a
 * call, so only its name and the line of our source are logged.
 */
import type { GatewayCounters } from './counters.ts';

/** Where a fault was caught; the warning names it. */
export type FaultPlace = 'admission' | 'body' | 'start' | 'journal' | 'head' | 'data' | 'end' | 'failure' | 'settling' | 'caller' | 'clean-up';

export interface Faults {
  /** Counts it and, the first time at this place, warns. Never throws. */
  note(place: FaultPlace, cause: unknown): void;
}

/** `warn`: `process.emitWarning` by default. */
export function createFaults(
  counters: Pick<GatewayCounters, 'faults'>, warn: (message: string) => void = (message) => process.emitWarning(message, 'GatewayFault'),
): Faults {
  const warned = new Set<FaultPlace>();
  return {
    note(place, cause) {
      // Counted in place: the counters are one object for the life of the node.
      Object.assign(counters, { faults: counters.faults + 1 });
      if (warned.has(place)) return;
      warned.add(place);
      warn(`A call ended by a fault of the gateway (${place}): ${described(cause)}. Further ones there are only counted.`);
    },
  };
}

function described(cause: unknown): string {
  if (!(cause instanceof Error)) return typeof cause;
  const line = sourceLine(cause);
  return line === null ? errorName(cause) : `${errorName(cause)} at ${line}`;
}

/** The class, not the `name` property, which the thrower controls. */
function errorName(cause: Error): string {
  return /^[A-Za-z]{1,40}$/.exec(cause.constructor.name)?.[0] ?? 'Error';
}

/** File and line of the innermost frame. The message stands before the frames and is cut off whole. */
function sourceLine({ stack = '', message }: Error): string | null {
  const frames = stack.slice(stack.indexOf(message) + message.length);
  return /^ {4}at .*?([\w.-]{1,255}:\d{1,9}):\d{1,9}\)?$/m.exec(frames)?.[1] ?? null;
}
