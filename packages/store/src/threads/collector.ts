/** V8's collector, for a thread that knows better than V8 when to collect. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { mayUseInternals } from './node-internals.ts';

let collector: (() => void) | null = null;

/** Collects the whole heap of the calling thread. False if another thread was at the flag: it is done the next time. */
export function collect(): boolean {
  collector ??= findCollector();
  collector?.();
  return collector !== null;
}

/**
 * Node has V8's collector only behind a flag; a context made while that is set has it. Unset again, because kept code depends on the flags. They
 * are those of the whole process: null if another thread unset them in between.
 */
export function findCollector(setFlags: (flags: string) => void = setFlagsFromString): (() => void) | null {
  if (!mayUseInternals) return null;
  setFlags('--expose-gc');
  const found = runInNewContext('globalThis.gc') as (() => void) | undefined;
  setFlags('--no-expose-gc');
  return found ?? null;
}
