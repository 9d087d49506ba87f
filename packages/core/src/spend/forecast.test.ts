/** What a cap would have refused, and when it will be reached: plain rules, checked by hand. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '@metergate/testkit/drawn.ts';
import { nanoDollars } from '../money.ts';
import { CapTrial } from './cap-trial.ts';
import { forecastOf } from './forecast.ts';

const day = (text: string): number => Date.parse(`2026-11-${text}Z`);
const nano = (amount: number) => nanoDollars(BigInt(amount));

test('a trial refuses from the call after the one that reached the limit, window by window, and a refused call spends nothing', () => {
  const trial = new CapTrial('day', nano(10));
  for (const [at, cost] of [
    ['01T01:00', 4], ['01T02:00', 4], ['01T03:00', 4], ['01T04:00', 7], ['01T05:00', null], ['02T00:00', 3], ['03T00:00', 10], ['03T00:01', 5],
  ] as const) trial.take({ startedAtMs: day(at), cost: cost === null ? null : nano(cost) });
  assert.deepEqual(trial.windows(), [
    { startMs: day('01T00:00'), reachedAtMs: day('01T03:00'), refusedCalls: 2, refusedCost: 7n },
    { startMs: day('03T00:00'), reachedAtMs: day('03T00:00'), refusedCalls: 1, refusedCost: 5n },
  ]);
});

test('a limit of 0 refuses the first call; one that is never reached refuses nothing; a lifetime is one window', () => {
  const tried = (window: 'day' | 'lifetime', limit: number) => {
    const trial = new CapTrial(window, nano(limit));
    for (const at of ['01T00:00', '02T00:00', '03T00:00']) trial.take({ startedAtMs: day(at), cost: nano(2) });
    return trial.windows().map(({ refusedCalls }) => refusedCalls);
  };
  assert.deepEqual([tried('day', 0), tried('day', 2), tried('day', 3), tried('lifetime', 4)], [[1, 1, 1], [], [], [1]]);
  const zero = new CapTrial('day', nano(0));
  zero.take({ startedAtMs: day('01T07:00'), cost: nano(1) });
  assert.equal(zero.windows()[0]!.reachedAtMs, day('01T07:00'));
});

test('days taken together come to what calls taken one by one come to', () => {
  const [dayOf, minute] = [fc.integer({ min: 1, max: 28 }), fc.integer({ min: 0, max: 1_439 })];
  const call = fc.record({ dayOf, minute, cost: fc.option(fc.integer({ min: 0, max: 9 })) });
  fc.assert(fc.property(fc.array(call, { maxLength: 60 }), fc.constantFrom('day', 'week', 'month', 'lifetime'), fc.integer({ min: 0, max: 60 }),
    (drawn, window, limit) => {
      const calls = drawn.map(({ dayOf, minute, cost }) => ({
        startedAtMs: day(`${String(dayOf).padStart(2, '0')}T00:00`) + minute * 60_000, cost: cost === null ? null : nano(cost),
      })).toSorted((one, other) => one.startedAtMs - other.startedAtMs);
      const [each, together] = [new CapTrial(window, nano(limit)), new CapTrial(window, nano(limit))];
      for (const one of calls) each.take(one);
      for (const [dayMs, ofDay] of Map.groupBy(calls, ({ startedAtMs }) => Math.floor(startedAtMs / 86_400_000) * 86_400_000)) {
        const left = { atMs: dayMs, calls: ofDay.length, cost: ofDay.reduce((sum, { cost }) => sum + (cost ?? 0n), 0n) };
        if (together.takeTogether({ ...left, cost: nanoDollars(left.cost) })) continue;
        for (const one of ofDay) {
          together.take(one);
          left.calls -= 1;
          left.cost -= one.cost ?? 0n;
          if (together.reached) break;
        }
        assert.ok(together.takeTogether({ ...left, cost: nanoDollars(left.cost) }));
      }
      assert.deepEqual(together.windows(), each.windows());
    }));
});

const now = day('10T12:00');
const at = (spent: number, limit: number, endMs: number | null, days: readonly (readonly [string, number])[]) =>
  forecastOf(days.map(([text, each]) => ({ dayMs: day(text), spent: nano(each) })), { spent: nano(spent), limit: nano(limit), endMs, nowMs: now });

test('the pace is the spend since the first of the last seven days that has any, divided by the time since', () => {
  // 36 in a day and a half: 24 a day, one an hour.
  assert.deepEqual(at(36, 40, null, [['09T00:00', 24], ['10T00:00', 12]]), { atMs: now + 4 * 3_600_000, pacePerDay: 24n });
  assert.deepEqual(at(36, 40, null, [['01T00:00', 1_000], ['09T00:00', 24], ['10T00:00', 12]]).pacePerDay, 24n);
});

test('not at this pace: nothing was spent, or the window ends first; reached is now', () => {
  assert.equal(at(0, 40, null, []).atMs, null);
  assert.equal(at(36, 40, now + 4 * 3_600_000, [['09T00:00', 36]]).atMs, null);
  assert.notEqual(at(36, 40, now + 4 * 3_600_000 + 1, [['09T00:00', 36]]).atMs, null);
  assert.equal(at(40, 40, null, []).atMs, now);
  assert.equal(at(0, 2 ** 50, null, [['10T00:00', 1]]).atMs, null);
});

test('just after midnight the pace is that of an hour at least', () => {
  const early = forecastOf([{ dayMs: day('10T00:00'), spent: nano(6) }],
    { spent: nano(6), limit: nano(12), endMs: null, nowMs: day('10T00:00') + 60_000 });
  assert.deepEqual(early, { atMs: day('10T00:00') + 60_000 + 3_600_000, pacePerDay: 144n });
});
