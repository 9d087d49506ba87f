/** An hour's figures equal those of its calls, and percentiles read from its buckets are near the true ones. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nanoDollars } from '../money.ts';
import { percentileOf, reportHourFigures, type HourRecord } from './hour-sum.ts';

const call: HourRecord = {
  organization: 'org_1' as HourRecord['organization'], startedAtMs: 0, outcome: 'completed', status: 200, inputTokens: 10, cachedTokens: null,
  cacheWriteTokens: 0, outputTokens: 5, reasoningTokens: 2, usage: 'reported', cost: nanoDollars(7n), costGaps: [], costSource: 'priced',
  firstByteMs: 20, durationMs: 100,
};

function summed(records: readonly HourRecord[]): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const record of records) reportHourFigures(record, (figure, amount) => sums.set(figure, (sums.get(figure) ?? 0n) + BigInt(amount)));
  return sums;
}

test('a call counts with its figures, and zeros are left out', () => {
  const { calls, cost, input, output, reasoning, ...rest } = Object.fromEntries(summed([call]));
  assert.deepEqual([calls, cost, input, output, reasoning], [1n, 7n, 10n, 5n, 2n]);
  assert.deepEqual(Object.keys(rest).map((name) => name[0]).sort(), ['d', 'f'], 'and one bucket of each latency');
});

test('what ended badly is an error and has no latency; a refusal of the provider is throttled', () => {
  for (const bad of [{ outcome: 'failed', status: null }, { outcome: 'cut' }, { status: 503 }] as const) {
    const sums = summed([{ ...call, ...bad }]);
    assert.equal(sums.get('errors'), 1n);
    assert.ok(![...sums.keys()].some((figure) => /^[df]\d/.test(figure)));
  }
  const throttled = summed([{ ...call, status: 429 }]);
  assert.deepEqual([throttled.get('throttled'), throttled.get('errors')], [1n, undefined]);
});

test('percentiles are within a tenth of the true ones', () => {
  const durations = Array.from({ length: 5_000 }, (_, index) => 5 + ((index * 7_919) % 20_000));
  const sums = summed(durations.map((durationMs) => ({ ...call, durationMs })));
  const sorted = durations.toSorted((one, other) => one - other);
  for (const share of [0.5, 0.95, 0.99]) {
    const true_ = sorted[Math.ceil(share * sorted.length) - 1]!;
    const read = percentileOf(sums, 'd', share)!;
    assert.ok(Math.abs(read - true_) / true_ < 0.1, `${share}: ${read} of ${true_}`);
  }
  assert.equal(percentileOf(new Map([['calls', 3n]]), 'd', 0.5), null);
});
