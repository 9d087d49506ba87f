/** Running sums of spend, against a model that keeps every call and adds up only on request. Rule 5a. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { draws, fc } from '@metergate/testkit/drawn.ts';
import { nanoDollars, nanoDollarsMax, type NanoDollars } from '../money.ts';
import { addCall, emptySums, resetsAtMs, showSpent, spentAt, type WindowSums } from './spend-sum.ts';
import { calendarWindows, windowAt } from './window.ts';

const nano = (amount: number): NanoDollars => nanoDollars(BigInt(amount));
const dayMs = 86_400_000;
/** A Wednesday. */
const noonMs = Date.UTC(2026, 8, 23, 12);
/** Those whose sums are written out here. */
const fiveWindows = ['day', 'week', 'month', 'year', 'lifetime'] as const;
const spent = (sums: WindowSums, nowMs: number): bigint[] => fiveWindows.map((window) => spentAt(sums[window], nowMs));

describe('sums of windows (rule 5a)', () => {
  it('a call is in every window that holds its start', () => {
    const sums = emptySums(noonMs);
    addCall(sums, noonMs, nano(5));
    addCall(sums, noonMs - dayMs, nano(7));
    addCall(sums, noonMs - 4 * dayMs, nano(11));
    addCall(sums, noonMs - 30 * dayMs, nano(13));
    addCall(sums, noonMs - 365 * dayMs, nano(17));
    assert.deepEqual(spent(sums, noonMs), [5n, 12n, 23n, 36n, 53n]);
  });

  it('a window that is over counts nothing, without anyone having reset it', () => {
    const sums = emptySums(noonMs);
    addCall(sums, noonMs, nano(5));
    assert.deepEqual(spent(sums, Date.UTC(2026, 8, 24) - 1), [5n, 5n, 5n, 5n, 5n]);
    assert.deepEqual(spent(sums, Date.UTC(2026, 8, 24)), [0n, 5n, 5n, 5n, 5n]);
    assert.deepEqual(spent(sums, Date.UTC(2027, 0, 1)), [0n, 0n, 0n, 0n, 5n]);
  });

  it('a call that started before midnight and ended after it belongs to the day before', () => {
    const sums = emptySums(noonMs);
    addCall(sums, noonMs + dayMs, nano(3));
    addCall(sums, noonMs, nano(5));
    assert.deepEqual(spent(sums, noonMs + dayMs), [3n, 8n, 8n, 8n, 8n]);
  });

  it('a clock that steps back finds what the later window held, and loses none of it', () => {
    const sums = emptySums(noonMs);
    addCall(sums, noonMs + dayMs, nano(3));
    assert.equal(spentAt(sums.day, noonMs), 3n);
    assert.equal(resetsAtMs(sums.day, noonMs), Date.UTC(2026, 8, 25));
    assert.equal(resetsAtMs(sums.day, noonMs + 2 * dayMs), Date.UTC(2026, 8, 26));
    assert.equal(resetsAtMs(sums.lifetime, noonMs), null);
  });

  it('a cost that is not known adds nothing', () => {
    const sums = emptySums(noonMs);
    addCall(sums, noonMs, null);
    assert.deepEqual(sums, emptySums(noonMs));
  });

  it('stops at the bound and never wraps into a credit', () => {
    const sums = emptySums(noonMs);
    addCall(sums, noonMs, nanoDollarsMax);
    addCall(sums, noonMs, nanoDollarsMax);
    assert.equal(spentAt(sums.lifetime, noonMs), nanoDollarsMax);
  });

  it('no difference from the model under any order of calls and steps of the clock', () => {
    const call = fc.record({
      aheadMs: fc.oneof(fc.integer({ min: -10 * dayMs, max: 10 * dayMs }), fc.integer({ min: -800 * dayMs, max: 800 * dayMs })),
      cost: fc.option(fc.integer({ min: 0, max: 1_000 })),
    });
    fc.assert(fc.property(fc.array(call, { maxLength: 60 }), fc.integer({ min: -800 * dayMs, max: 800 * dayMs }), (calls, askedMs) => {
      const sums = emptySums(noonMs);
      for (const { aheadMs, cost } of calls) addCall(sums, noonMs + aheadMs, cost === null ? null : nano(cost));
      for (const window of calendarWindows) {
        const counted = calls.filter(({ cost }) => (cost ?? 0) > 0);
        const latestMs = Math.max(noonMs, ...counted.map(({ aheadMs }) => noonMs + aheadMs));
        const nowMs = noonMs + askedMs;
        const held = windowAt(window, latestMs);
        const inForce = held.endMs === null || nowMs < held.endMs;
        const within = inForce ? counted.filter(({ aheadMs }) => windowAt(window, noonMs + aheadMs).startMs === held.startMs) : [];
        assert.equal(spentAt(sums[window], nowMs), within.reduce((sum, { cost }) => sum + BigInt(cost ?? 0), 0n));
        assert.equal(resetsAtMs(sums[window], nowMs), (inForce ? held : windowAt(window, nowMs)).endMs);
      }
    }), { numRuns: draws(500) });
  });
});

describe('what a shared store reports about a window', () => {
  it('is in the sum of that window or of a later one that has begun, and never of an earlier one', () => {
    const sums = emptySums(noonMs);
    addCall(sums, noonMs, nano(5));
    showSpent(sums.day, windowAt('day', noonMs), { spent: nano(80), nowMs: noonMs });
    showSpent(sums.day, windowAt('day', noonMs + dayMs), { spent: nano(3), nowMs: noonMs });
    assert.equal(spentAt(sums.day, noonMs), 80n);
    showSpent(sums.day, windowAt('day', noonMs + dayMs), { spent: nano(3), nowMs: noonMs + dayMs });
    showSpent(sums.day, windowAt('day', noonMs), { spent: nano(90), nowMs: noonMs + dayMs });
    assert.equal(spentAt(sums.day, noonMs + dayMs), 3n);
    addCall(sums, noonMs + dayMs, nano(4));
    assert.equal(spentAt(sums.day, noonMs + dayMs), 7n);
  });
});
