/** Only an organization's own calls of a month hold up its closing, however many others have some, and whenever they were seen. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OrganizationId } from '../../id.ts';
import { earlierCallsOf, earlierCallsTogether, hasCallBefore, type BegunCall } from './earlier-calls.ts';

const november = Date.UTC(2026, 10, 1);
const [hourMs, dayMs] = [3_600_000, 86_400_000];
const whose = (number: number): OrganizationId => `org_${number}` as OrganizationId;
const call = (number: number, beganMs: number): BegunCall => ({ organization: whose(number), beganMs });

test('an organization with a call from before the end of the month has one, others have none, whatever they have open since', () => {
  const told = earlierCallsOf([call(1, november - 1), call(1, november - dayMs), call(2, november + hourMs), call(2, november + 2 * hourMs)],
    november + 3 * hourMs);
  assert.deepEqual(told.oldestMs, { org_1: november - dayMs });
  assert.deepEqual([1, 2, 3].map((number) => hasCallBefore(told, whose(number), november)), [true, false, false]);
  assert.equal(hasCallBefore(told, whose(1), Date.UTC(2026, 9, 1)), false, 'it is not of September');
});

test('a clock that is a minute ahead hides no call, and a report from before the end of a month says nothing of it', () => {
  const told = earlierCallsOf([call(1, november + 59_000)], november + 61_000);
  assert.equal(hasCallBefore(told, whose(1), november), true);
  assert.equal(hasCallBefore(earlierCallsOf([], november - 1), whose(1), november), null);
});

test('where too many organizations have calls, the others wait as long as the oldest of those that found no place', () => {
  const calls = Array.from({ length: 600 }, (_, index) => call(index, november - (600 - index) * 1_000 - (index < 500 ? 30 * dayMs : 0)));
  const told = earlierCallsOf(calls, november + dayMs);
  assert.equal(Object.keys(told.oldestMs).length, 500);
  assert.equal(told.othersMs, november - 100_000);
  assert.deepEqual([whose(0), whose(599), whose(1_000)].map((each) => hasCallBefore(told, each, november)), [true, true, true]);
  assert.deepEqual([whose(0), whose(599)].map((each) => hasCallBefore(told, each, Date.UTC(2026, 9, 1) + dayMs)), [true, false]);
});

test('of several reports, what one of them has is reported, and no more than the earliest of them knows', () => {
  const [first, second] = [
    earlierCallsOf([call(1, november - hourMs)], november + hourMs), earlierCallsOf([call(2, november - 2 * hourMs)], november + 2 * hourMs),
  ];
  const together = earlierCallsTogether([first, second]);
  assert.deepEqual([1, 2, 3].map((number) => hasCallBefore(together, whose(number), november)), [true, true, false]);
  assert.equal(hasCallBefore(earlierCallsTogether([earlierCallsOf([], november - 1), second]), whose(3), november), null);
});
