/**
 * The Baseline's life as days pass: waiting, seven whole days, closing at sixty, re-admission by plan, retirement. Spec: Baseline;
 * rule 20.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plans } from '../rate/plan.ts';
import { dayLengthMs, dayOf } from '../time/utc-day.ts';
import { baselinePeriod, baselineStanding, closedUnbegun, firstDayAfter, tapAdmission, type BaselineLife } from './baseline.ts';
import type { TapEvent } from './event.ts';
import { understoodEvent } from './test-support/sample-event.ts';

const createdAtMs = Date.UTC(2026, 2, 4, 12);
const fifth = Date.UTC(2026, 2, 5);
const fresh: BaselineLife = { createdAtMs, firstDayMs: null, retiredAtMs: null, replacedAtMs: null };
const at = (dayMsAt: number, id = 'a') => understoodEvent({ timestampMs: dayMsAt, requestId: id });
interface When { readonly nowMs?: number; readonly isPriced?: (event: TapEvent) => boolean }
const firstDay = (life: BaselineLife, events: readonly TapEvent[], { nowMs = fifth + dayLengthMs, isPriced = () => true }: When = {}) =>
  firstDayAfter(life, { events, isPriced, nowMs });

test('it waits for a day that began at or after its making, whatever comes before', () => {
  assert.equal(firstDay(fresh, [at(createdAtMs), at(fifth - 1), at(createdAtMs - 86_400_000)]), null);
  assert.equal(firstDay(fresh, [at(fifth)]), fifth);
  assert.equal(firstDay(fresh, [at(fifth + dayLengthMs - 1)]), fifth);
  const atMidnight = { ...fresh, createdAtMs: fifth };
  assert.equal(firstDay(atMidnight, [at(fifth)]), fifth);
});

test('only a priced event begins the days, the earliest whole day of a batch counts, and the first that was found stays', () => {
  assert.equal(firstDay(fresh, [at(fifth)], { isPriced: () => false }), null);
  const three = [at(fifth + 2 * dayLengthMs), at(fifth + dayLengthMs, 'b'), at(fifth, 'c')];
  assert.equal(firstDay(fresh, three, { isPriced: ({ requestId }) => requestId !== 'c', nowMs: fifth + 2 * dayLengthMs }), fifth + dayLengthMs);
  assert.equal(firstDay({ ...fresh, firstDayMs: fifth + dayLengthMs }, [at(fifth)], { nowMs: fifth + dayLengthMs }), fifth + dayLengthMs);
});

test('it reports from that day on and closes at 00:00 UTC seven days after that day began', () => {
  const life = { ...fresh, firstDayMs: fifth };
  const closesAtMs = fifth + 7 * dayLengthMs;
  assert.deepEqual(baselineStanding(life, 'free', fifth), { state: 'reporting', closesAtMs, readmitted: false });
  assert.equal(baselineStanding(life, 'free', closesAtMs - 1).state, 'reporting');
  assert.deepEqual(baselineStanding(life, 'free', closesAtMs), { state: 'closed', closesAtMs, readmitted: false });
  assert.equal(tapAdmission(life, 'free', closesAtMs - 1), 'admitted');
  assert.equal(tapAdmission(life, 'free', closesAtMs), 'baseline_closed');
});

test('without such a day it closes after sixty days, and only then may another take its place', () => {
  const closesAtMs = createdAtMs + 60 * dayLengthMs;
  assert.deepEqual(baselineStanding(fresh, 'free', closesAtMs - 1), { state: 'waiting', closesAtMs, readmitted: false });
  assert.equal(baselineStanding(fresh, 'free', closesAtMs).state, 'closed');
  assert.equal(tapAdmission(fresh, 'free', closesAtMs), 'baseline_closed');
  assert.deepEqual([closedUnbegun(fresh, closesAtMs - 1), closedUnbegun(fresh, closesAtMs)], [false, true]);
  assert.equal(closedUnbegun({ ...fresh, firstDayMs: fifth }, closesAtMs), false);
});

test('closed on any plan but Free, its key is admitted again; back on Free it is closed again', () => {
  const life = { ...fresh, firstDayMs: fifth };
  const later = fifth + 30 * dayLengthMs;
  for (const plan of plans) {
    const expected = plan === 'free' ? ['closed', false, 'baseline_closed'] : ['reporting', true, 'admitted'];
    const { state, readmitted, closesAtMs } = baselineStanding(life, plan, later);
    assert.deepEqual([state, readmitted, tapAdmission(life, plan, later)], expected, plan);
    assert.equal(closesAtMs, plan === 'free' ? fifth + 7 * dayLengthMs : null, 'nothing closes it on a plan that admits it');
  }
});

test('a retired or replaced one stays closed on every plan, and a retired one shows it', () => {
  for (const plan of plans) {
    const gone = { ...fresh, firstDayMs: fifth, retiredAtMs: fifth };
    assert.deepEqual([baselineStanding(gone, plan, fifth).state, tapAdmission(gone, plan, fifth)], ['closed', 'tap_retired']);
    const replaced = { ...fresh, replacedAtMs: fifth };
    assert.deepEqual([baselineStanding(replaced, plan, fifth).state, tapAdmission(replaced, plan, fifth)], ['closed', 'baseline_closed']);
  }
});

test('an event that comes more than two days late begins nothing; one that comes within them does', () => {
  const late = at(fifth + 10);
  const on = (lateMs: number) => firstDay(fresh, [late], { nowMs: late.timestampMs + lateMs });
  assert.deepEqual([on(2 * dayLengthMs), on(2 * dayLengthMs + 1)], [fifth, null]);
  assert.equal(firstDay(fresh, [late, at(fifth + 12 * dayLengthMs, 'b')], { nowMs: fifth + 12 * dayLengthMs }), fifth + 12 * dayLengthMs);
});

test('a day still to come begins the count when it comes, and gives way to an earlier one until then', () => {
  const eve = fifth - 60_000;
  const ahead = { ...fresh, firstDayMs: firstDay(fresh, [at(fifth + 30_000)], { nowMs: eve }) };
  assert.equal(ahead.firstDayMs, fifth);
  assert.deepEqual([baselineStanding(ahead, 'free', eve).state, baselinePeriod(ahead, eve)], ['waiting', null]);
  assert.deepEqual([baselineStanding(ahead, 'free', fifth).state, baselinePeriod(ahead, fifth)!.toMs], ['reporting', fifth + 7 * dayLengthMs]);
  const sixth = fifth + dayLengthMs;
  const nextEve = { ...fresh, firstDayMs: sixth };
  assert.equal(firstDay(nextEve, [at(sixth - 30_000)], { nowMs: sixth - 20_000 }), fifth);
  assert.equal(firstDay(nextEve, [at(sixth - 30_000)], { nowMs: sixth }), sixth);
});

test('a day after the wait begins nothing', () => {
  const end = createdAtMs + 60 * dayLengthMs;
  assert.equal(firstDay(fresh, [at(dayOf(end) + dayLengthMs)], { nowMs: end - 1 }), null);
});
