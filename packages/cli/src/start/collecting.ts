/**
 * How V8 collects young objects. By default it splits each collection among helper threads, which shortens the pause if there are processors
 * for them. With one processor they only take turns with the thread that waits for them.
 */
import { availableParallelism } from 'node:os';
import { setFlagsFromString } from 'node:v8';

/** Call this before threads are started. A V8 without this flag reports that on standard error and continues. */
export function collectOnOneThread(processors: number = availableParallelism(), setFlags: (flag: string) => void = setFlagsFromString): void {
  if (processors === 1) setFlags('--no-parallel-scavenge');
}
