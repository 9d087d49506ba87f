/** Refused callers who send long bodies share two budgets of the node, one for strangers; each may send a mebibyte in any case. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { budgetBehind, budgetBytesMax, budgetBytesPerSecond, BytesBehindRefusals, noteStranger, ownBytesMax } from './bytes-behind-refusals.ts';

const piece = 64 * 1024;

test('a long body is read to its end while there is budget, then only its first mebibyte is, until the budget fills up again', () => {
  let nowMs = 0;
  const budget = new BytesBehindRefusals(() => nowMs);
  /** How many bytes of a body without end are read. */
  const read = (): number => {
    for (let sent = 0; ; sent += piece) if (sent >= 64 * 1024 * 1024 || !budget.came(piece, sent)) return sent;
  };
  const bodies = Array.from({ length: 10 }, read);
  assert.deepEqual(bodies.slice(0, 2), Array.from({ length: 2 }, () => 64 * 1024 * 1024));
  assert.equal(bodies.reduce((sum, bytes) => sum + bytes), budgetBytesMax + 10 * ownBytesMax);
  assert.deepEqual(bodies.slice(3), Array.from({ length: 7 }, () => ownBytesMax));
  nowMs += 1_000;
  assert.equal(read(), ownBytesMax + budgetBytesPerSecond);
  nowMs += 3_600_000;
  assert.equal(Array.from({ length: 10 }, read).reduce((sum, bytes) => sum + bytes), budgetBytesMax + 10 * ownBytesMax);
});

test('strangers use up their own budget, and no other', () => {
  const [stranger, known] = [{}, {}];
  noteStranger(stranger);
  assert.equal(budgetBehind(stranger).came(budgetBytesMax, ownBytesMax), true);
  assert.equal(budgetBehind(stranger).came(budgetBytesMax, ownBytesMax), false);
  assert.equal(budgetBehind(known).came(budgetBytesMax, ownBytesMax), true);
});
