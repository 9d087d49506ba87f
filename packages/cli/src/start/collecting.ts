/**
 * How V8 collects young objects. By itself it parts each collection among its helper threads, which shortens the pause where there are processors
 * for them. With one processor they only take turns with the thread that waits for them.
 */
import { availableParallelism } from 'node:os';
import { setFlagsFromString } from 'node:v8';

/** Call this before threads are started. A V8 that knows no such flag says so in the log of the process and continues. */
export function collectOnOneThread(processors: number = availableParallelism(), setFlags: (flag: string) => void = setFlagsFromString): void {
  if (processors === 1) setFlags('--no-parallel-scavenge');
}
