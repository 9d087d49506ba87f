/** The garbage collector's helper threads are switched off if there is no processor for them, and only then. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collectOnOneThread } from './collecting.ts';

test('with one processor young objects are collected on one thread; with more, as V8 chooses', () => {
  const flagsOf = (processors: number): string[] => {
    const flags: string[] = [];
    collectOnOneThread(processors, (flag) => flags.push(flag));
    return flags;
  };
  assert.deepEqual([1, 2, 8].map(flagsOf), [['--no-parallel-scavenge'], [], []]);
});
