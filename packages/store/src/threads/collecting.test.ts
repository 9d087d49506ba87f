/**
 * The garbage collector's helper threads are switched off if there is no processor for them, and only then; heaps grow further than V8 lets them by
 * itself, by flags that it knows.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { setCollecting } from './collecting.ts';

function flagsOf(processors: number): string[] {
  const flags: string[] = [];
  setCollecting(processors, (flag) => flags.push(flag));
  return flags;
}

test('with one processor young objects are collected on one thread; with more, as V8 chooses', () => {
  const growth = '--heap-growing-percent=200';
  assert.deepEqual([1, 2, 8].map(flagsOf), [['--no-parallel-scavenge', growth], [growth], [growth]]);
});

test('this V8 knows these flags', () => {
  const script = `for (const flag of ${JSON.stringify(flagsOf(1))}) require('node:v8').setFlagsFromString(flag)`;
  const { status, stderr } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' });
  assert.deepEqual([status, stderr], [0, '']);
});
