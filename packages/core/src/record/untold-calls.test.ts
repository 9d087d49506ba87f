/** Which calls told nothing of their usage, and how many of them an hour of a key may have. Rule 6c; decision 323. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { usageReasons } from '../usage/reading.ts';
import { isUntold, UntoldCalls, untoldCallsMax } from './untold-calls.ts';

const call = { status: 200, outcome: 'completed', usage: 'unknown', usageReason: 'absent' } as const;

test('only a complete and successful answer tells nothing; an end too early and our own faults are not counted', () => {
  const counted = usageReasons.filter((usageReason) => isUntold({ ...call, usageReason }));
  assert.deepEqual(new Set(counted), new Set(['absent', 'not_a_figure', 'not_readable', 'decode_failed', 'decode_limit']));
  for (const other of [{ status: 400 }, { status: null }, { status: 304 }, { outcome: 'caller_gone' }, { outcome: 'cut' }, { usage: 'reported' },
    { usage: 'partial' }, { usage: 'none' }] as const) assert.ok(!isUntold({ ...call, ...other }), JSON.stringify(other));
});

test('the hour is full with the last that it may have, and the next one is not', () => {
  const calls = new UntoldCalls();
  const hourMs = 3_600_000;
  const beginMs = 480_000 * hourMs;
  for (let at = 1; at < untoldCallsMax; at += 1) calls.ended(call, beginMs + at);
  assert.ok(!calls.isFull(beginMs));
  calls.ended({ ...call, usage: 'reported', usageReason: null }, beginMs);
  assert.ok(!calls.isFull(beginMs));
  calls.ended(call, beginMs);
  assert.ok(calls.isFull(beginMs + hourMs - 1));
  assert.ok(!calls.isFull(beginMs + hourMs));
  calls.ended(call, beginMs + hourMs);
  assert.ok(!calls.isFull(beginMs + hourMs));
});
