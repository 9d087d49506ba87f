/**
 * Held: the Baseline's life as days pass: waiting, seven whole days, closing at sixty, re-admission by plan, retirement. Spec: Baseline;
 * design 3, row 20.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plans } from '../rate/plan.ts';
import { dayLengthMs } from '../time/utc-day.ts';
import { baselineStanding, closedUnbegun, firstDayAfter, tapAdmission, type BaselineLife } from './baseline.ts';
import { understoodEvent } from './test-support/sample-event.ts';

const createdAtMs = Date.UTC(2026, 2, 4, 12);
const fifth = Date.UTC(2026, 2, 5);
const fresh: BaselineLife = { createdAtMs, firstDayMs: null, retiredAtMs: null, replacedAtMs: null };
const at = (dayMsAt: number, id = 'a') => understoodEvent({ timestampMs: dayMsAt, requestId: id });
const priced = (): boolean => true;

test('it waits for a day that began at or after its making, whatever comes before', () => {
  assert.equal(firstDayAfter(fresh, [at(createdAtMs), at(fifth - 1), at(createdAtMs - 86_400_000)], priced), null);
  assert.equal(firstDayAfter(fresh, [at(fifth)], priced), fifth);
  assert.equal(firstDayAfter(fresh, [at(fifth + dayLengthMs - 1)], priced), fifth);
  const atMidnight = { ...fresh, createdAtMs: fifth };
  assert.equal(firstDayAfter(atMidnight, [at(fifth)], priced), fifth);
});

test('only a priced event begins the days, the earliest whole day of a batch counts, and the first that was found stays', () => {
  assert.equal(firstDayAfter(fresh, [at(fifth)], () => false), null);
  const three = [at(fifth + 2 * dayLengthMs), at(fifth + dayLengthMs, 'b'), at(fifth, 'c')];
  assert.equal(firstDayAfter(fresh, three, ({ requestId }) => requestId !== 'c'), fifth + dayLengthMs);
  assert.equal(firstDayAfter({ ...fresh, firstDayMs: fifth + dayLengthMs }, [at(fifth)], priced), fifth + dayLengthMs);
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
    const { state, readmitted } = baselineStanding(life, plan, later);
    assert.deepEqual([state, readmitted, tapAdmission(life, plan, later)], expected, plan);
  }
});

test('retired or replaced it stays closed on every plan, and a retired one says so', () => {
  for (const plan of plans) {
    const gone = { ...fresh, firstDayMs: fifth, retiredAtMs: fifth };
    assert.deepEqual([baselineStanding(gone, plan, fifth).state, tapAdmission(gone, plan, fifth)], ['closed', 'tap_retired']);
    const replaced = { ...fresh, replacedAtMs: fifth };
    assert.deepEqual([baselineStanding(replaced, plan, fifth).state, tapAdmission(replaced, plan, fifth)], ['closed', 'baseline_closed']);
  }
});
