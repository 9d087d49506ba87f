/**
 * Waits for what other threads and processes do in their own time. A test judges what happens, never how soon: the bound is only there so that
 * what never happens fails with words of its own, and is longer than any machine that is merely busy takes.
 */
import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { pauses } from './pauses.ts';

/** How long tests wait at most for what must come. Milliseconds. */
export const patienceMs = 60_000;
const turnsFirst = 10;

type Found<Value> = Exclude<Value, false | null | undefined>;

/**
 * Looks again and again until `look` gives something, and resolves with that: first at each turn, because most of what tests wait for is there
 * within a few, then more and more rarely. Fails after a minute with what `missing` says then, or with the words of `look` itself; an error of
 * `look` ends it at once.
 */
export async function eventually<Value>(
  look: () => Value | Promise<Value>, missing: string | (() => string) = () => `It was never so: ${String(look)}`,
): Promise<Found<Value>> {
  let turns = 0;
  const pause = pauses();
  for (const untilMs = performance.now() + patienceMs; ;) {
    const found = await look();
    if (found !== false && found !== null && found !== undefined) return found as Found<Value>;
    if (performance.now() >= untilMs) assert.fail(typeof missing === 'string' ? missing : missing());
    await (turns++ < turnsFirst ? turn() : pause());
  }
}

/**
 * Runs these assertions again and again until none of them fails. After a minute the last failure is thrown, with its comparison; an error that
 * is no failed assertion is thrown at once.
 */
export async function eventuallyHolds(assertions: () => void | Promise<void>): Promise<void> {
  let failure: unknown;
  await eventually(async () => {
    try {
      await assertions();
      return true;
    } catch (error) {
      if (!(error instanceof assert.AssertionError)) throw error;
      failure = error;
      return false;
    }
  }, () => { throw failure; });
}
