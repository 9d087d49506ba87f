/** Which calls did not report their usage, and how many of them a caller may have in an hour. Rule 6c; decision 323. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OrganizationId, PersonId, ServiceKeyId } from '../id.ts';
import { usageReasons } from '../usage/reading.ts';
import { countedCallersMax, isUntold, UntoldCalls, untoldCallsMax, type CallingKey } from './untold-calls.ts';

const call = { status: 200, outcome: 'completed', usage: 'unknown', usageReason: 'absent' } as const;
const hourMs = 3_600_000;
const beginMs = 480_000 * hourMs;
const keyOf = (id: string, person: string | null = null, organization: string = 'org_a'): CallingKey =>
  ({ id: id as ServiceKeyId, organization: organization as OrganizationId, person: person as PersonId | null });

test('only a complete and successful answer tells nothing; an end too early and our own faults are not counted', () => {
  const counted = usageReasons.filter((usageReason) => isUntold({ ...call, usageReason }));
  assert.deepEqual(new Set(counted), new Set(['absent', 'not_a_figure', 'not_readable', 'decode_failed', 'decode_limit']));
  for (const other of [{ status: 400 }, { status: null }, { status: 304 }, { outcome: 'caller_gone' }, { outcome: 'cut' }, { usage: 'reported' },
    { usage: 'partial' }, { usage: 'none' }] as const) assert.ok(!isUntold({ ...call, ...other }), JSON.stringify(other));
});

test('the hour is full with the last that it may have, and the next one is not', () => {
  const calls = new UntoldCalls();
  const key = keyOf('key_a');
  for (let at = 1; at < untoldCallsMax; at += 1) calls.ended(key, call, beginMs + at);
  assert.ok(!calls.isFull(key, beginMs));
  calls.ended(key, { ...call, usage: 'reported', usageReason: null }, beginMs);
  assert.ok(!calls.isFull(key, beginMs));
  calls.ended(key, call, beginMs);
  assert.ok(calls.isFull(key, beginMs + hourMs - 1));
  assert.ok(!calls.isFull(keyOf('key_b'), beginMs), 'another key goes on');
  assert.ok(!calls.isFull(key, beginMs + hourMs));
  calls.ended(key, call, beginMs + hourMs);
  assert.ok(!calls.isFull(key, beginMs + hourMs));
});

test('a person has one count for all keys, also for those that are made later', () => {
  const calls = new UntoldCalls();
  for (let made = 0; made < untoldCallsMax; made += 1) calls.ended(keyOf(`key_${made}`, 'per_a'), call, beginMs);
  assert.ok(calls.isFull(keyOf('key_new', 'per_a'), beginMs));
  assert.ok(!calls.isFull(keyOf('key_other', 'per_b'), beginMs));
});

test('an organization has so many counts; those for whom there is none share one, and other organizations have their own', () => {
  const calls = new UntoldCalls();
  for (let made = 0; made < countedCallersMax; made += 1) calls.ended(keyOf(`key_${made}`), call, beginMs);
  const late = (at: number): CallingKey => keyOf(`key_late_${at}`);
  for (let at = 1; at < untoldCallsMax; at += 1) calls.ended(late(at), call, beginMs);
  assert.ok(!calls.isFull(late(0), beginMs));
  calls.ended(late(0), call, beginMs);
  assert.ok(calls.isFull(late(999), beginMs));
  assert.ok(!calls.isFull(keyOf('key_0'), beginMs), 'who has a count of its own goes on');
  assert.ok(!calls.isFull(keyOf('key_late_0', null, 'org_b'), beginMs));
  assert.ok(!calls.isFull(late(999), beginMs + hourMs));
});
