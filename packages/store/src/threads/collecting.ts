/**
 * How V8 collects. Young objects: by default it splits each collection among helper threads, which shortens the pause if there are processors
 * for them. With one processor they only take turns with the thread that waits for them.
 * The whole heap: by default V8 collects it when it has grown by eight megabytes or so, since that takes little of the processor. But every call
 * waits for it, and callers with many connections had the gateway thread collect twice a second. Decision 0281.
 */
import { availableParallelism } from 'node:os';
import { setFlagsFromString } from 'node:v8';

/** By how much the heaps of threads grow before V8 collects the whole of them, percent of what is alive. */
const growthPercent = 200;

/** Call this before threads are started. A V8 without one of these flags reports that on standard error and continues. */
export function setCollecting(processors: number = availableParallelism(), setFlags: (flag: string) => void = setFlagsFromString): void {
  if (processors === 1) setFlags('--no-parallel-scavenge');
  setFlags(`--heap-growing-percent=${growthPercent}`);
}
