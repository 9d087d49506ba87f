/**
 * Figures of a report carry their label and none is measured; breakdowns add up to the total; costs are the list's alone, with
 * each provider's meaning of cached tokens and each call's price step; no price is null, never 0. Spec: Figure labels; rule 20 and 27.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '@metergate/testkit/drawn.ts';
import { nanoDollars } from '../money.ts';
import { createPriceBook } from '../price/price-book.ts';
import type { PriceList } from '../price/price-list.ts';
import { sampleList } from '../price/test-support/sample-list.ts';
import { dayLengthMs, dayOf } from '../time/utc-day.ts';
import type { TapEvent } from './event.ts';
import type { Declared, Modeled, Reported } from './figure.ts';
import { bucketEndMs, latencyAtShare, latencyBucket } from './latency-bucket.ts';
import { isPriced, priceSteps } from './modeled-cost.ts';
import { tapReport, type TapReport } from './report.ts';
import { rollUp } from './rollup.ts';
import { sampleNowMs, understoodEvent } from './test-support/sample-event.ts';

const book = createPriceBook({ list: sampleList, overlay: null });
const steps = priceSteps(sampleList);

function reportOn(events: readonly Partial<TapEvent>[], list: PriceList = sampleList): TapReport {
  const rollup = rollUp(events.map((event) => understoodEvent({ model: 'plain', ...event })), priceSteps(list));
  return tapReport({ book: createPriceBook({ list, overlay: null }), period: null, ...rollup, declared: [] });
}

// The compiler holds this: a measured figure cannot come from a tap event, nor a reported one passed off as modeled.
type TapFigure = Reported<number | null> | Modeled | Declared;
type IsNever<T> = [T] extends [never] ? true : false;
const noMeasuredLabel: IsNever<Extract<TapFigure['label'], 'measured'>> = true;
// @ts-expect-error a tap figure is never labelled measured
const measured: TapFigure = { value: 1, label: 'measured' };
// @ts-expect-error a cost is modeled, not reported
const cost: Modeled = { value: '1.000000000', label: 'reported' };
// @ts-expect-error tokens are reported, not modeled
const tokens: Reported = { value: 1, label: 'modeled' };

test('every figure of a report carries its label, and none is measured', () => {
  assert.deepEqual([noMeasuredLabel, measured.label, cost.label, tokens.label], [true, 'measured', 'reported', 'modeled']);
  const report = tapReport({
    book, period: null,
    ...rollUp([understoodEvent({ rateLimit: { requestsLimit: 10, requestsRemaining: 1, tokensLimit: 5, tokensRemaining: 5 } })], steps),
    declared: [{ name: 'seats', amount: nanoDollars(12_500_000_000n) }],
  });
  const labels = new Set<string>();
  const walk = (value: unknown, path: string): void => {
    if (typeof value !== 'object' || value === null) {
      const bare = /^\.(?:priceList|tagsOmitted|from|to|outside)$|\.(?:model|provider|tag|day|kind|at|name)$/.test(path);
      assert.ok(bare, `${path} has no label`);
    } else if ('label' in value) labels.add(String(value.label));
    else for (const [name, inner] of Object.entries(value)) walk(inner, `${path}.${name}`);
  };
  walk(report, '');
  assert.deepEqual([...labels].toSorted(), ['declared', 'modeled', 'reported']);
  assert.deepEqual(report.declared, [{ name: 'seats', amount: { value: '12.500000000', label: 'declared' } }]);
});

test("cached tokens are part of the input, except Anthropic's, which come on top", () => {
  const figures = { inputTokens: 1_000_000, cachedTokens: 400_000, outputTokens: 100_000 };
  assert.equal(reportOn([{ provider: 'openai', model: 'plain', ...figures }]).total.cost.value, '3.000000000'); // 0.6 × 2.5 + 0.4 × 1.25 + 1
  assert.equal(reportOn([{ provider: 'anthropic', model: 'claude', ...figures }]).total.cost.value, '4.620000000'); // 3 + 0.12 + 1.5
  const moreThanAll = { inputTokens: 10, cachedTokens: 20, outputTokens: 0 };
  assert.equal(reportOn([{ provider: 'openai', model: 'plain', ...moreThanAll }]).total.cost.value, '0.000025000');
});

test('each call pays the step of its size, however many are summed', () => {
  const small = { model: 'long', inputTokens: 200_000, outputTokens: 0 };
  const large = { model: 'long', inputTokens: 200_001, outputTokens: 0 };
  assert.equal(reportOn([small, small, small, small]).total.cost.value, '0.800000000');
  assert.equal(reportOn([small, large]).total.cost.value, '0.600002000');
  assert.equal(reportOn([{ ...large, inputTokens: 500_001 }]).total.cost.value, '1.500003000');
});

test('the price of the day is paid', () => {
  const call = { model: 'dated', inputTokens: 1_000_000, outputTokens: 0 };
  assert.equal(reportOn([{ ...call, timestampMs: Date.UTC(2026, 7, 20, 23) }]).total.cost.value, '5.000000000');
  assert.equal(reportOn([{ ...call, timestampMs: Date.UTC(2026, 7, 21) }]).total.cost.value, '4.000000000');
});

test('a model without a listed price has a cost of null, never 0, and its calls are counted as unpriced', () => {
  const known = { model: 'plain', inputTokens: 1_000_000, outputTokens: 0 };
  const report = reportOn([{ model: 'nobody-knows' }, { provider: 'other', model: 'plain' }, known]);
  assert.deepEqual([report.total.cost.value, report.total.unpricedCalls.value], ['2.500000000', 2]);
  const unknown = report.byModel.find(({ model }) => model === 'nobody-knows')!;
  assert.deepEqual([unknown.cost, unknown.unpricedCalls.value], [{ value: null, label: 'modeled' }, 1]);
  assert.equal(reportOn([]).total.cost.value, null);
  assert.equal(reportOn([{ model: 'free' }]).total.cost.value, '0.000000000');
  assert.equal(reportOn([{ model: 'embedding-1', outputTokens: 1 }]).total.cost.value, null);
});

test('a call begins the days if it has tokens and a listed price', () => {
  const day = dayOf(sampleNowMs);
  const rows = [
    [{}, true], [{ inputTokens: 0, outputTokens: 0 }, false], [{ model: 'nobody-knows' }, false], [{ provider: 'other' as const }, false],
  ] as const;
  for (const [changes, expected] of rows) assert.equal(isPriced(book, understoodEvent({ model: 'plain', ...changes }), day), expected);
});

test('failures, retries, stop reasons and rate limits are counted as reported', () => {
  const limits = (requestsRemaining: number, requestsLimit = 100) =>
    ({ rateLimit: { requestsLimit, requestsRemaining, tokensLimit: null, tokensRemaining: 1 } });
  const { total, headroom } = reportOn([
    { status: 200, ...limits(40) }, { status: 429, stopReason: 'error', retries: 2, ...limits(3, 10) }, { status: 503, stopReason: 'error' },
    { status: 599, stopReason: 'error' }, { status: 200, stopReason: 'error' }, { status: 204, stopReason: 'tool_calls', toolCalls: 3 },
    { status: 200, ...limits(0, 0) },
  ]);
  assert.deepEqual([total.calls, total.failures, total.rateLimited, total.serverErrors, total.noResponse].map(({ value }) => value), [7, 4, 1, 1, 1]);
  assert.deepEqual([total.retries.value, total.toolCalls.value], [2, 3]);
  const reasons = Object.fromEntries(Object.entries(total.stopReasons).map(([name, { value }]) => [name, value]));
  assert.deepEqual(reasons, { stop: 2, length: 0, tool_calls: 1, content_filter: 0, error: 4, other: 0 });
  assert.deepEqual(headroom.map(({ kind, remaining, limit }) => [kind, remaining.value, limit.value]), [['requests', 3, 10]]);
});

test('percentiles of latency are at most an eighth above the exact ones, and never below', () => {
  const latency = fc.integer({ min: 0, max: 3_600_000 });
  const latencies = fc.array(latency, { minLength: 1, maxLength: 200 });
  fc.assert(fc.property(latencies, fc.double({ min: 0, max: 1, noNaN: true }), (all, share) => {
    const counts = new Map<number, number>();
    for (const each of all) counts.set(latencyBucket(each), (counts.get(latencyBucket(each)) ?? 0) + 1);
    const exact = all.toSorted((a, b) => a - b)[Math.max(1, Math.ceil(all.length * share)) - 1]!;
    const shown = latencyAtShare(counts, share)!;
    assert.ok(shown >= exact && shown <= exact + exact / 8, `${shown} for ${exact}`);
  }));
  for (let bucket = 1; bucket < 200; bucket++) {
    assert.deepEqual([latencyBucket(bucketEndMs(bucket)), latencyBucket(bucketEndMs(bucket - 1) + 1)], [bucket, bucket]);
  }
  assert.equal(latencyAtShare(new Map(), 0.5), null);
});

test('every breakdown adds up to the total, whatever was reported', () => {
  const event = fc.record({
    provider: fc.constantFrom('openai' as const, 'anthropic' as const, 'other' as const),
    model: fc.constantFrom('plain', 'half', 'claude', 'nobody-knows', 'long'),
    tag: fc.constantFrom('a', 'b', 'c'),
    timestampMs: fc.integer({ min: sampleNowMs, max: sampleNowMs + 3 * dayLengthMs }),
    inputTokens: fc.integer({ min: 0, max: 1_000_000_000 }), outputTokens: fc.integer({ min: 0, max: 1_000_000_000 }),
    cachedTokens: fc.integer({ min: 0, max: 1_000_000_000 }), latencyMs: fc.integer({ min: 0, max: 3_600_000 }),
  });
  fc.assert(fc.property(fc.array(event, { maxLength: 40 }), (events) => {
    const report = reportOn(events);
    for (const parts of [report.byModel, report.byProvider, report.byTag, report.byDay]) {
      for (const name of ['calls', 'inputTokens', 'outputTokens', 'cachedTokens', 'unpricedCalls'] as const) {
        assert.equal(parts.reduce((sum, part) => sum + part[name].value, 0), report.total[name].value);
      }
      const nano = (value: string | null): bigint => BigInt((value ?? '0').replace('.', ''));
      assert.equal(parts.reduce((sum, { cost: { value } }) => sum + nano(value), 0n), nano(report.total.cost.value));
    }
  }));
});

test('sums do not depend on how events were cut into batches', () => {
  const events = Array.from({ length: 40 }, (_, index) => ({ inputTokens: index * 9_999, tag: `t${index % 3}`, latencyMs: index * 100 }));
  const whole = reportOn(events);
  const halves = [events.slice(0, 17), events.slice(17)]
    .map((part) => rollUp(part.map((each) => understoodEvent({ model: 'plain', ...each })), steps));
  const cells = halves.flatMap((half) => half.cells);
  const { total } = tapReport({ book, period: null, cells, latencies: [], headroom: [], declared: [] });
  assert.deepEqual([total.calls, total.inputTokens, total.cost], [whole.total.calls, whole.total.inputTokens, whole.total.cost]);
});

test('the figures are those of the seven days; events outside are shown separately, latencies included', () => {
  const first = dayOf(sampleNowMs);
  const at = (day: number, more: Partial<TapEvent> = {}) => understoodEvent({ model: 'plain', timestampMs: first + day * dayLengthMs, ...more });
  const slow = { latencyMs: 100_000 };
  const events = [at(-1, slow), at(0, { latencyMs: 10 }), at(6, { latencyMs: 10, tag: 'x' }), at(7, { ...slow, tag: 'x' })];
  const report = tapReport({ book, period: { fromMs: first, toMs: first + 7 * dayLengthMs }, ...rollUp(events, steps), declared: [] });
  const isoDay = (day: number): string => new Date(first + day * dayLengthMs).toISOString().slice(0, 10);
  assert.deepEqual([report.from, report.to, report.total.calls.value, report.outside!.calls.value], [isoDay(0), isoDay(7), 2, 2]);
  assert.deepEqual(report.byDay.map(({ day }) => day), [isoDay(0), isoDay(6)]);
  for (const part of [report.total, ...report.byModel, ...report.byProvider, ...report.byTag, ...report.byDay]) {
    assert.ok(part.latencyMs.p99.value! < 20, 'latencies of other days are in none of them');
  }
  assert.ok(report.outside!.latencyMs.p50.value! >= 100_000);
  const whole = tapReport({ book, period: null, ...rollUp(events, steps), declared: [] });
  assert.deepEqual([whole.total.calls.value, whole.outside], [4, null]);
});
