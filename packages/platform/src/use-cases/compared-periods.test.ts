/** A period that is running is compared with the same length of the one before, to the hour; one that is over, with all of it. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { nanoDollars } from '@metergate/core/money.ts';
import { batchOf, sampleRecord } from '@metergate/store/test-support/contract-fixture.ts';
import { freshSqlite, granted, platformFixture, type PlatformFixture, type TestOrganization } from '../http/test-support/platform-fixture.ts';
import { comparedPeriods } from './compared-periods.ts';
import { showOverview } from './overview.ts';
import { showRefusals } from './refusals.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const nowMs = Date.UTC(2026, 10, 23, 14, 20);
const today = Date.UTC(2026, 10, 23);
const week = { sinceMs: today - 6 * dayMs, untilMs: today + dayMs };
const iso = (ms: number): string => new Date(ms).toISOString();

const place = freshSqlite();
let context: PlatformFixture;
let one: TestOrganization;
const useCases = (atMs = nowMs) => ({ store: context.store, randomBytes: context.parts.randomBytes, nowMs: atMs });

/**
 * One call and two refusals in every hour of the fifty days up to the end of today. The call costs as many nano-dollars as hours came before.
 * Records are removed up to a signed place of their chain, and there is one after the first thousand.
 */
const first = today - 49 * dayMs;
const hours = 50 * 24;

before(async () => {
  context = await platformFixture(place.url);
  one = await context.organization('one');
  const records = Array.from({ length: hours }, (_, hour) =>
    sampleRecord(one.id, { startedAtMs: first + hour * hourMs + 1_000, cost: nanoDollars(BigInt(hour)) }));
  await context.store.calls.ship(batchOf('seg_1', records.slice(0, 1_000)));
  await context.store.calls.ship(batchOf('seg_2', records.slice(1_000)));
  await context.store.refusalHours.add(records.map(({ startedAtMs }) => ({
    organization: one.id, key: null, code: 'rate_limit_exceeded', scope: null, window: null, hourMs: startedAtMs - 1_000, refusals: 2,
  })));
});
after(async () => {
  await context?.end();
  place.remove();
});

test('the parts that are compared are equally long, and end with a full hour while the period runs', () => {
  const [fromMs, toMs] = [week.sinceMs, week.untilMs];
  const cut = today + 14 * hourMs;
  assert.deepEqual(comparedPeriods({ fromMs, toMs }, nowMs), {
    now: { compared: { fromMs, toMs: cut }, rest: { fromMs: cut, toMs } },
    before: { compared: { fromMs: fromMs - 7 * dayMs, toMs: cut - 7 * dayMs }, rest: { fromMs: cut - 7 * dayMs, toMs: fromMs } },
  });
  const cutOf = (atMs: number) => comparedPeriods({ fromMs, toMs }, atMs).now.compared.toMs;
  assert.equal(cutOf(cut), cut, 'an hour that has just ended is full');
  assert.equal(cutOf(cut - 1), cut - hourMs);
  assert.equal(cutOf(toMs), toMs, 'over');
  assert.equal(cutOf(toMs + dayMs), toMs, 'long over');
  assert.equal(cutOf(fromMs + 1), fromMs, 'its first hour');
  assert.equal(cutOf(fromMs - dayMs), fromMs, 'not begun');
});

/** The figures of the calls in these hours, counted from the first. */
const sumOf = (from: number, to: number): string => {
  let sum = 0;
  for (let hour = from; hour < to; hour += 1) sum += hour;
  return `0.${String(sum).padStart(9, '0')}`;
};

test('the overview of a week up to today: its whole hours, and those of the week before, with nothing lost from its totals', async () => {
  const overview = granted(await showOverview(useCases(), { organization: one.id, ...week }));
  const { comparison, total } = overview;
  const start = 43 * 24;
  assert.equal(comparison?.until, iso(today + 14 * hourMs));
  assert.deepEqual([comparison.total.calls, comparison.total.cost], [6 * 24 + 14, sumOf(start, start + 6 * 24 + 14)]);
  assert.deepEqual([comparison.before.calls, comparison.before.cost], [6 * 24 + 14, sumOf(start - 168, start - 168 + 6 * 24 + 14)]);
  assert.deepEqual([total.calls, total.cost], [168, sumOf(start, start + 168)], 'what came after the last full hour is in the total');
  assert.deepEqual([overview.before.calls, overview.before.cost], [168, sumOf(start - 168, start)]);
  assert.deepEqual(overview.series.map(({ calls }) => calls), Array(7).fill(24), 'and in the day that runs');
  assert.equal(overview.series.at(-1)?.cost, sumOf(start + 6 * 24, start + 168));
});

test('a time that is over is compared whole, by hour and by day', async () => {
  for (const length of [2, 7]) {
    const range = { sinceMs: today - length * dayMs, untilMs: today };
    const { comparison, total, before: earlier, until } = granted(await showOverview(useCases(), { organization: one.id, ...range }));
    assert.deepEqual(comparison, { until, total, before: earlier });
    assert.deepEqual([total.calls, earlier.calls], [24 * length, 24 * length]);
  }
});

test('the last 24 hours, by hour: the hour that runs is in neither part', async () => {
  const range = { sinceMs: nowMs - 23 * hourMs - 20 * 60_000, untilMs: nowMs };
  const { comparison, total, series } = granted(await showOverview(useCases(), { organization: one.id, ...range }));
  assert.deepEqual([series.length, total.calls], [24, 24]);
  assert.deepEqual([comparison?.until, comparison?.total.calls, comparison?.before.calls], [iso(today + 14 * hourMs), 23, 23]);
});

test('refusals are compared in the same way', async () => {
  const report = granted(await showRefusals(useCases(), { organization: one.id, ...week }));
  assert.deepEqual(report.comparison, { until: iso(today + 14 * hourMs), total: 2 * (6 * 24 + 14), before: 2 * (6 * 24 + 14) });
  assert.deepEqual([report.total, report.before], [336, 336]);
  assert.deepEqual(report.byCode, [{ code: 'rate_limit_exceeded', refusals: 336 }]);
  assert.deepEqual(report.series.map(({ byCode }) => byCode['rate_limit_exceeded']), Array(7).fill(48), 'the day that runs has both its parts');
});

test('nothing is compared with a time of which counts or records are gone', async () => {
  const quarter = { sinceMs: today - 89 * dayMs, untilMs: today + dayMs };
  assert.equal(granted(await showRefusals(useCases(), { organization: one.id, ...quarter })).comparison, null, 'kept for ninety days');
  const month = { sinceMs: today - 29 * dayMs, untilMs: today + dayMs };
  assert.notEqual(granted(await showRefusals(useCases(), { organization: one.id, ...month })).comparison, null);
  assert.notEqual(granted(await showOverview(useCases(), { organization: one.id, ...quarter })).comparison, null);
  granted(await context.store.organizations.set(one.id, { keepRecordsDays: 31 }));
  while ((await context.store.retention.removeSlice(one.id, { nowMs: today + 30 * dayMs, rowsMax: 500 })).more);
  assert.equal(granted(await showOverview(useCases(), { organization: one.id, ...week })).comparison, null);
  const days = { sinceMs: today - 2 * dayMs, untilMs: today + dayMs };
  assert.equal(granted(await showOverview(useCases(), { organization: one.id, ...days })).comparison?.before.calls, 2 * 24 + 14);
});
