/** Recorded calls by other prices: exact, or not at all. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nanoDollars } from '../money.ts';
import { costOf } from './cost.ts';
import { parseOverlay } from './overlay.ts';
import { createPriceBook, type PriceBook } from './price-book.ts';
import { priceList } from './price-list.ts';
import { recordedReading, type RecordedCall } from './recorded-parts.ts';
import { reprice } from './reprice.ts';

const own = createPriceBook({ list: priceList, overlay: null });
const atMs = Date.UTC(2026, 8, 1);

function bookOf(prices: readonly object[]): PriceBook {
  const parsed = parseOverlay(JSON.stringify({ prices }));
  assert.ok(!('refusal' in parsed));
  return createPriceBook({ list: priceList, overlay: { overlay: parsed.overlay, hash: 'ab'.repeat(32) } });
}

const unpriced: RecordedCall = {
  wire: 'openai', model: 'gpt-5-mini', usage: 'reported', inputTokens: 1_000, outputTokens: 100, cachedTokens: 400, cacheWriteTokens: null,
  reasoningTokens: 50, audioInputTokens: null, audioOutputTokens: null, serviceTier: null, toolCalls: null, requestedModel: null,
  units: null, cost: null, costSource: 'unpriced',
  priceList: null, startedAtMs: atMs,
};
const found = costOf({ reading: recordedReading(unpriced), provider: 'openai', upstreamHost: null, book: own, fallback: null, atMs });
const call: RecordedCall = { ...unpriced, cost: found.cost, costSource: found.costSource, priceList: found.priceList };

test('the prices that made a cost give it again', () => {
  assert.deepEqual(reprice(call, { book: own, own }), { kind: 'repriced', cost: call.cost, gap: false });
});

test('other prices give the result of a hand calculation: cached tokens are part of the input, reasoning of the output', () => {
  const book = bookOf([{ provider: 'openai', model: 'gpt-5-mini', input: '2', cached: '0.5', output: '10' }]);
  // 600 x 2 + 400 x 0.5 + 100 x 10 millionths of a dollar.
  assert.deepEqual(reprice(call, { book, own }), { kind: 'repriced', cost: nanoDollars(2_400_000n), gap: false });
});

test('something without a price is a gap of the new cost too', () => {
  const book = bookOf([{ provider: 'openai', model: 'gpt-5-mini', input: '2', output: '10' }]);
  const toolCalls = { webSearch: 1, webFetch: 0, fileSearch: 0, codeInterpreter: 0 };
  const searched = { ...call, cost: null, costSource: 'unpriced' as const, priceList: null, toolCalls };
  assert.equal((reprice(searched, { book, own }) as { gap: boolean }).gap, true);
});

test('a call is not repriced if its price, its host or the origin of its cost is unknown', () => {
  assert.deepEqual(reprice({ ...call, model: 'house-model-1' }, { book: own, own }), { kind: 'not_repriced' });
  assert.deepEqual(reprice({ ...call, wire: 'upstream' }, { book: own, own }), { kind: 'not_repriced' });
  assert.deepEqual(reprice({ ...call, cost: nanoDollars(call.cost! + 1n) }, { book: own, own }), { kind: 'not_repriced' });
});

test('calls without usage have nothing to be priced', () => {
  for (const usage of ['none', 'unknown'] as const) assert.deepEqual(reprice({ ...call, usage }, { book: own, own }), { kind: 'nothing' });
});
