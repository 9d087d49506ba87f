/** What the pages say of a figure against the time before: which time that was, and how much of it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeAlone, comparedTime, comparedWith, refusalsCompared, timesCompared } from '../src/shown/comparison.ts';
import { utcHour } from '../src/shown/moments.ts';
import { comparedSpans, searchedRange, timeBefore } from '../src/shown/ranges.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const nowMs = Date.UTC(2026, 10, 23, 14, 20, 30);
const today = Date.UTC(2026, 10, 23);
const cutMs = today + 14 * hourMs;
const week = { sinceMs: today - 6 * dayMs, untilMs: today + dayMs };
const iso = (ms: number): string => new Date(ms).toISOString();
const said = (now: number, before: number, time: Parameters<typeof comparedWith>[1]) => comparedWith({ now, before, of: 'calls' }, time);

test('a time that is over is compared whole', () => {
  const over = { ...week, comparedUntilMs: week.untilMs };
  assert.equal(said(95, 100, over), '−5% against the 7 days before');
  assert.equal(said(100, 100, over), '±0% against the 7 days before');
  assert.equal(said(7, 0, over), 'no calls in the 7 days before');
});

test('a period that is still running shows up to when both are compared', () => {
  const running = { ...week, comparedUntilMs: cutMs };
  assert.equal(said(95, 100, running), `−5% against the 7 days before, both up to ${utcHour(cutMs)}`);
  assert.equal(said(95, 0, running), `no calls in the 7 days before, up to ${utcHour(cutMs)}`, 'there may have been some later');
  assert.equal(said(0, 0, { ...week, comparedUntilMs: week.sinceMs }), 'not compared in its first hour');
});

test('the hour is one of UTC', () => {
  assert.match(utcHour(cutMs), /^(?:14:00|02:00 PM) UTC$/);
});

test('refusals: as their report says, unless the earlier ones are no longer kept', () => {
  const report = { since: iso(week.sinceMs), until: iso(week.untilMs), comparison: { until: iso(cutMs), total: 3, before: 2 } };
  assert.deepEqual(comparedTime(report), { ...week, comparedUntilMs: cutMs });
  assert.equal(refusalsCompared(report), `+50% against the 7 days before, both up to ${utcHour(cutMs)}`);
  assert.equal(refusalsCompared({ ...report, comparison: { ...report.comparison, before: 0 } }),
    `no refusals in the 7 days before, up to ${utcHour(cutMs)}`);
  assert.equal(refusalsCompared({ ...report, comparison: null }), 'those before are no longer kept');
});

test('filtered figures: equally long times, whose end is the last full hour while the later one runs', () => {
  assert.deepEqual(comparedSpans(week, nowMs), {
    now: { sinceMs: week.sinceMs, untilMs: cutMs }, before: { sinceMs: week.sinceMs - 7 * dayMs, untilMs: cutMs - 7 * dayMs },
  });
  const day = searchedRange({ range: '24h' }, nowMs);
  assert.deepEqual(comparedSpans(day, nowMs), {
    now: { sinceMs: cutMs - 23 * hourMs, untilMs: cutMs }, before: { sinceMs: cutMs - 47 * hourMs, untilMs: cutMs - dayMs },
  }, 'the same hours of the day before');
  const over = { sinceMs: today - 90 * 60_000, untilMs: today };
  assert.deepEqual(comparedSpans(over, nowMs), { now: over, before: { sinceMs: today - 180 * 60_000, untilMs: over.sinceMs } }, 'to the minute');
  const justBegun = comparedSpans({ sinceMs: cutMs, untilMs: today + dayMs }, nowMs).now;
  assert.deepEqual(justBegun, { sinceMs: cutMs, untilMs: cutMs }, 'nothing yet');
  const ahead = { sinceMs: today + dayMs, untilMs: today + 2 * dayMs };
  assert.equal(comparedSpans(ahead, nowMs).now.untilMs, ahead.sinceMs);
});

test('the time before has the length of the chosen one', () => {
  const named = (range: string) => timeBefore(searchedRange({ range }, nowMs));
  assert.deepEqual(['24h', '7d', '30d', '90d', 'month', 'last-month'].map(named), [
    'the 24 hours before', 'the 7 days before', 'the 30 days before', 'the 90 days before', 'the 23 days before', 'the 31 days before',
  ]);
  assert.equal(timeBefore({ sinceMs: today, untilMs: today + 10 * 60_000 }), 'the hour before');
});

test('where the times are named once, a figure says only how much it changed', () => {
  const running = { ...week, comparedUntilMs: cutMs };
  assert.equal(changeAlone({ now: 95, before: 100, of: 'calls' }, running), '−5%');
  assert.equal(changeAlone({ now: 95, before: 0, of: 'calls' }, running), 'no calls before');
  assert.deepEqual(timesCompared(running), { earlier: 'the 7 days before', cut: `both up to ${utcHour(cutMs)}` });
  assert.equal(timesCompared({ ...week, comparedUntilMs: week.untilMs }).cut, 'the whole of both');
  const begun = { ...week, comparedUntilMs: week.sinceMs };
  assert.deepEqual([changeAlone({ now: 0, before: 0, of: 'calls' }, begun), timesCompared(begun).earlier], [' ', 'nothing yet']);
});
