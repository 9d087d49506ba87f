/** Every form of a time and the instant it means, invalid times, and which range a report is about. Rules: Interfaces. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rangeOf, rangeOrThisMonth, type RangeWords } from './time-range.ts';
import { momentOf, parseMonth, parseTime } from './time-word.ts';
import { monthAfter, monthName, monthOf } from './utc-month.ts';

const nowMs = Date.UTC(2026, 10, 1, 13, 20, 5, 7);
const iso = (text: string): string | null => {
  const word = parseTime(text);
  return word === null ? null : new Date(momentOf(word, nowMs)).toISOString();
};

test('an instant carries its offset, in either letter case, with seconds or without', () => {
  for (const text of ['2026-09-23T14:00:00Z', '2026-09-23t16:00+02:00', '2026-09-23T14:00z', '2026-09-23T09:30:00.000-04:30']) {
    assert.equal(iso(text), '2026-09-23T14:00:00.000Z', text);
  }
});

test('a date and a month mean their first instant, in UTC', () => {
  assert.equal(iso('2026-09-23'), '2026-09-23T00:00:00.000Z');
  assert.equal(iso('2028-02-29'), '2028-02-29T00:00:00.000Z');
  assert.equal(iso('2026-12'), '2026-12-01T00:00:00.000Z');
  assert.equal(iso('0099-12'), '0099-12-01T00:00:00.000Z');
});

test('today, yesterday and a duration ago depend on the moment', () => {
  assert.equal(iso('today'), '2026-11-01T00:00:00.000Z');
  assert.equal(iso('yesterday'), '2026-10-31T00:00:00.000Z');
  assert.equal(iso('7d'), '2026-10-25T13:20:05.007Z');
  assert.equal(iso('90s'), '2026-11-01T13:18:35.007Z');
  assert.equal(iso('36500d'), '1926-11-26T13:20:05.007Z');
});

test('everything else is not a time', () => {
  const wrong = [
    '', ' ', '2026', '2026-13', '2026-00', '2026-1', '2026-02-30', '2026-02-29', '2026-9-23', '20260923', '2026-W03', '1790000000', '-7d', '0d', '7',
    '7w', '7 d', '1.5h', '36526d', '999999999d', 'Today', 'tomorrow', 'now', '2026-09-23T14:00:00', '2026-09-23T25:00Z', '2026-09-23 14:00Z',
    '2026-09-23T14:00+2:00', '2026-09-23T14Z', '2026-11-01\n', '２０２６-11-01', '+2026-11-01',
  ];
  for (const text of wrong) assert.equal(parseTime(text), null, text);
  for (const text of ['2026-11-01', 'today', '7d', '2026-13', '']) assert.equal(parseMonth(text), null, text);
});

test('months begin and end at their boundaries, also over the turn of a year', () => {
  assert.equal(monthOf(nowMs), Date.UTC(2026, 10));
  assert.equal(monthAfter(Date.UTC(2026, 11, 31)), Date.UTC(2027, 0));
  assert.equal(monthName(Date.UTC(2026, 11, 31)), '2026-12');
});

test('a range is a month, or from one time to another, or open; this month by default', () => {
  const [oct, nov, dec] = [9, 10, 11].map((month) => Date.UTC(2026, month)) as [number, number, number];
  const words = (since: string | null, until: string | null): RangeWords =>
    ({ since: since === null ? undefined : parseTime(since)!, until: until === null ? undefined : parseTime(until)! });
  assert.deepEqual(rangeOf({ monthMs: oct }, nowMs), { sinceMs: oct, untilMs: nov });
  assert.deepEqual(rangeOf(words('2026-10', '2026-11'), nowMs), { sinceMs: oct, untilMs: nov });
  assert.deepEqual(rangeOf(words('2026-10', null), nowMs), { sinceMs: oct });
  assert.deepEqual(rangeOf(words(null, 'today'), nowMs), { untilMs: nov });
  assert.deepEqual(rangeOf({}, nowMs), {});
  assert.deepEqual(rangeOrThisMonth({}, nowMs), { sinceMs: nov, untilMs: dec });
  assert.deepEqual(rangeOrThisMonth(words('7d', null), nowMs), { sinceMs: nowMs - 7 * 86_400_000 });
});

test('a month beside a range is a fault, and so is an end before the beginning; an empty range is not', () => {
  const since = parseTime('today')!;
  assert.equal(rangeOf({ monthMs: 0, since }, nowMs), 'month_and_range');
  assert.equal(rangeOf({ monthMs: 0, until: since }, nowMs), 'month_and_range');
  assert.equal(rangeOf({ since, until: parseTime('yesterday')! }, nowMs), 'ends_before_it_begins');
  assert.deepEqual(rangeOf({ since, until: since }, nowMs), { sinceMs: Date.UTC(2026, 10, 1), untilMs: Date.UTC(2026, 10, 1) });
});
