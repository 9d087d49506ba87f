/** Requested ranges of reports, and the defaults. Rules: `usage`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pastWeekUnless, rangeOf } from './time-range.ts';

const weekMs = 7 * 86_400_000;
const nowMs = Date.parse('2026-11-22T12:00:00Z');

test('the past week ends now, or at the requested end, and begins at the requested beginning', () => {
  const [sinceMs, untilMs] = [nowMs - 3 * weekMs, nowMs - 2 * weekMs];
  assert.deepEqual(pastWeekUnless({}, nowMs), { sinceMs: nowMs - weekMs, untilMs: nowMs });
  assert.deepEqual(pastWeekUnless({ untilMs }, nowMs), { sinceMs: untilMs - weekMs, untilMs });
  assert.deepEqual(pastWeekUnless({ sinceMs }, nowMs), { sinceMs, untilMs: nowMs });
  assert.deepEqual(pastWeekUnless({ sinceMs, untilMs }, nowMs), { sinceMs, untilMs });
});

test('a range that ends before it begins is not valid, and an empty one is', () => {
  const [earlier, later] = [{ kind: 'at', ms: nowMs - 1 }, { kind: 'at', ms: nowMs }] as const;
  assert.equal(rangeOf({ since: later, until: earlier }, nowMs), 'ends_before_it_begins');
  assert.deepEqual(rangeOf({ since: later, until: later }, nowMs), { sinceMs: nowMs, untilMs: nowMs });
});
