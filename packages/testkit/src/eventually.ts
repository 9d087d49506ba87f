/**
 * Waits for what other threads and processes do in their own time. A test judges what happens, never how soon: the bound is only there so that
 * what never happens fails with words of its own, and is longer than any machine that is merely busy takes.
 */
import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { pauses } from './pauses.ts';

const patienceMs = 60_000;
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
    assert.ok(performance.now() < untilMs, typeof missing === 'string' ? missing : missing());
    await (turns++ < turnsFirst ? turn() : pause());
  }
}
