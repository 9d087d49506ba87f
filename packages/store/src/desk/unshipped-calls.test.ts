/** A call of an earlier month is reported until its record is in the store, however long that takes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { earlierCallsOf, hasCallBefore, type EarlierCalls } from '@metergate/core/books/month/earlier-calls.ts';
import type { OrganizationId } from '@metergate/core/id.ts';
import { UnshippedCalls } from './unshipped-calls.ts';

const november = Date.UTC(2026, 10, 1);
const acme = 'org_acme' as OrganizationId;
const open = earlierCallsOf([{ organization: acme, beganMs: november - 1 }], november + 3_600_000);
const none = earlierCallsOf([], november + 3_600_000);
const waits = (told: EarlierCalls) => hasCallBefore(told, acme, november);

test('a call that has ended is reported until what ended since the look before is shipped', () => {
  const calls = new UnshippedCalls();
  assert.equal(waits(calls.look(open, 5_000, 4_900)), true);
  assert.equal(waits(calls.look(none, 10_000, 4_900)), true, 'it ended, and nothing was shipped since');
  assert.equal(waits(calls.look(none, 15_000, 9_999)), true, 'it may have ended just before the look');
  assert.equal(waits(calls.look(none, 20_000, 10_001)), false);
});

test('a store that was away for an hour hides no call, and looks are not kept without bound', () => {
  const calls = new UnshippedCalls();
  calls.look(open, 5_000, 4_900);
  for (let atMs = 10_000; atMs < 3_600_000; atMs += 5_000) assert.equal(waits(calls.look(none, atMs, 4_900)), true);
  assert.equal(waits(calls.look(none, 3_600_000, 3_500_000)), true, 'looks that were added up are gone only with the last of them');
  assert.equal(waits(calls.look(none, 3_605_000, 3_600_001)), false);
});
