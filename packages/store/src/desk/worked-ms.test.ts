/** A thread that waits has not worked; one that computes has. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { workedMs } from './worked-ms.ts';

test('waiting does not count as work', () => {
  const before = workedMs();
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  assert.ok(workedMs() - before < 100);
});

test('computing counts as work', () => {
  const before = workedMs();
  for (let rounds = 0; workedMs() === before; rounds += 1) assert.ok(rounds < 1e9);
});
