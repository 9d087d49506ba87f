/** Recorded calls by other prices: exact, or not at all. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nanoDollars } from '../money.ts';
import { costOf } from './cost.ts';
import { parseOverlay } from './overlay.ts';
import { createPriceBook, type PriceBook } from './price-book.ts';
import { priceList } from './price-list.ts';
import { recordedReading, type PricingRecord } from './recorded-parts.ts';
import { repricedCall, type PricesAgain } from './reprice.ts';

const own = createPriceBook({ list: priceList, overlay: null });
const atMs = Date.UTC(2026, 8, 1);

function bookOf(prices: readonly object[]): PriceBook {
  const parsed = parseOverlay(JSON.stringify({ prices }));
  assert.ok(!('refusal' in parsed));
  return createPriceBook({ list: priceList, overlay: { overlay: parsed.overlay, hash: 'ab'.repeat(32) } });
}

const unpriced: PricingRecord = {
  wire: 'openai', endpoint: 'chat.completions', path: '/v1/chat/completions', model: 'gpt-5-mini',
  usage: 'reported', inputTokens: 1_000, outputTokens: 100, cachedTokens: 400, cacheWriteTokens: null,
  reasoningTokens: 50, audioInputTokens: null, audioOutputTokens: null, serviceTier: null, toolCalls: null, requestedModel: null,
  units: null, cost: null, costGaps: [], costSource: 'unpriced',
  priceList: null, startedAtMs: atMs,
};
const found = costOf({ reading: recordedReading(unpriced), provider: 'openai', upstreamHost: null, book: own, fallback: null, atMs });
const call: PricingRecord = { ...unpriced, cost: found.cost, costSource: found.costSource, priceList: found.priceList };

test('the prices that made a cost give it again', () => {
  assert.deepEqual(repricedCall(call, { book: own, own }), {
    kind: 'repriced', cost: call.cost, gap: false, costGaps: [], priceList: call.priceList,
  });
});

test('other prices give the result of a hand calculation: cached tokens are part of the input, reasoning of the output', () => {
  const book = bookOf([{ provider: 'openai', model: 'gpt-5-mini', input: '2', cached: '0.5', output: '10' }]);
  // 600 x 2 + 400 x 0.5 + 100 x 10 millionths of a dollar.
  assert.deepEqual(repricedCall(call, { book, own }), {
    kind: 'repriced', cost: nanoDollars(2_400_000n), gap: false, costGaps: [], priceList: 'overlay/abababababababab',
  });
});

test('something without a price is a gap of the new cost too', () => {
  const book = bookOf([{ provider: 'openai', model: 'gpt-5-mini', input: '2', output: '10' }]);
  const toolCalls = { webSearch: 1, webFetch: 0, fileSearch: 0, codeInterpreter: 0 };
  const searched = { ...call, cost: null, costSource: 'unpriced' as const, priceList: null, toolCalls };
  assert.equal((repricedCall(searched, { book, own }) as { gap: boolean }).gap, true);
});

test('a call is not repriced if its price, its host or the origin of its cost is unknown', () => {
  assert.deepEqual(repricedCall({ ...call, model: 'house-model-1' }, { book: own, own }), { kind: 'not_repriced', why: 'unknown_model' });
  assert.deepEqual(repricedCall({ ...call, wire: 'upstream' }, { book: own, own }), { kind: 'not_repriced', why: 'upstream' });
  assert.deepEqual(repricedCall({ ...call, cost: nanoDollars(call.cost! + 1n) }, { book: own, own }), { kind: 'not_repriced', why: 'own_prices' });
  assert.deepEqual(repricedCall({ ...call, costSource: 'upstream' }, { book: own, own }), { kind: 'not_repriced', why: 'reported' });
});

test('calls without usage have nothing to be priced', () => {
  for (const usage of ['none', 'unknown'] as const) assert.deepEqual(repricedCall({ ...call, usage }, { book: own, own }), { kind: 'nothing' });
});

test('what a record does not keep stays a gap, and writes to a cache count only while its own prices can be asked', () => {
  const book = bookOf([{ provider: 'openai', model: 'gpt-5-mini', input: '2', cached: '0.5', output: '10' }]);
  const regional = { ...call, costGaps: ['region'] as const };
  assert.deepEqual((repricedCall(regional, { book, own }) as { costGaps: unknown }).costGaps, ['region']);
  const written: PricingRecord = { ...unpriced, wire: 'anthropic', model: 'claude-sonnet-4-5', cacheWriteTokens: 500, cachedTokens: 0 };
  const priced = costOf({ reading: recordedReading(written), provider: 'anthropic', upstreamHost: null, book: own, fallback: null, atMs });
  const record: PricingRecord = { ...written, cost: priced.cost, costSource: 'priced', priceList: priced.priceList };
  assert.equal(repricedCall(record, { book: own, own, strict: true }).kind, 'repriced');
  assert.equal(repricedCall(record, { book: own, own: null, strict: true }).kind, 'not_repriced');
  assert.equal(repricedCall({ ...call, priceList: '2020-01-01/0' }, { book: own, own: null, strict: true }).kind, 'repriced');
});

test('a declared upstream\'s calls count if the one that is declared now gives their recorded cost', () => {
  const host = bookOf([{ host: 'llm.example.com', model: '*', input: '1', output: '2' }]);
  const dearer = bookOf([{ host: 'llm.example.com', model: '*', input: '2', output: '2' }]);
  const record: PricingRecord = { ...call, wire: 'upstream', cost: nanoDollars(1_200_000n), priceList: 'overlay/abababababababab' };
  const upstreamUrl = 'https://llm.example.com/v1';
  const found = repricedCall(record, { book: dearer, own: host, upstreamUrl });
  assert.deepEqual(found.kind === 'repriced' ? found.cost : found, nanoDollars(2_200_000n));
  const elsewhere = repricedCall(record, { book: dearer, own: host, upstreamUrl: 'https://other.example.com' });
  assert.deepEqual(elsewhere, { kind: 'not_repriced', why: 'own_prices' });
});

test('an upstream that is declared to be a provider of the list counts by that provider\'s prices', () => {
  const upstreamUrl = 'https://proxy.example.com/v1';
  const { cost, priceList: list } = costOf({ reading: recordedReading(unpriced), provider: null, upstreamHost: upstreamUrl, listedAs: 'openai',
    book: own, fallback: null, atMs });
  const record: PricingRecord = { ...call, wire: 'upstream', cost, priceList: list };
  const dearer = bookOf([{ host: 'proxy.example.com', model: 'gpt-5-mini', input: '2', output: '2' }]);
  const again = repricedCall(record, { book: dearer, own, upstreamUrl, listedAs: 'openai' });
  assert.deepEqual(again.kind === 'repriced' ? again.cost : again, nanoDollars(2_200_000n));
  assert.deepEqual(repricedCall(record, { book: dearer, own, upstreamUrl }), { kind: 'not_repriced', why: 'own_prices' });
});

test('where nothing is written, a declared upstream\'s calls count as long as their own prices do not show that they went elsewhere', () => {
  const host = bookOf([{ host: 'llm.example.com', model: '*', input: '2', output: '2' }]);
  const there = { book: host, upstreamUrl: 'https://llm.example.com/v1' };
  const costs = (record: PricingRecord, given: Pick<PricesAgain, 'own' | 'strict' | 'declaredAtMs'>) => {
    const again = repricedCall({ ...record, wire: 'upstream' }, { ...there, ...given });
    return again.kind === 'repriced' ? again.cost : again;
  };
  const cost = nanoDollars(2_200_000n);
  assert.deepEqual(costs(unpriced, { own: null }), cost, 'it had no price');
  const byFallback: PricingRecord = { ...unpriced, cost: nanoDollars(9n), costSource: 'fallback' };
  assert.deepEqual(costs(byFallback, { own: null }), cost, 'it had the price of models without one');
  const gone: PricingRecord = { ...call, priceList: 'overlay/0000000000000000' };
  assert.deepEqual(costs(gone, { own: null }), cost, 'its own prices are gone');
  assert.deepEqual(costs(call, { own }), { kind: 'not_repriced', why: 'own_prices' }, 'its own prices give none to this host');
  for (const record of [unpriced, byFallback]) {
    assert.deepEqual(costs(record, { own: null, strict: true }), { kind: 'not_repriced', why: 'upstream' });
    // One that began before every node knew the declaration may have gone elsewhere.
    assert.deepEqual(costs(record, { own: null, strict: true, declaredAtMs: atMs - 59_999 }), { kind: 'not_repriced', why: 'upstream' });
    assert.deepEqual(costs(record, { own: null, strict: true, declaredAtMs: atMs - 60_000 }), cost, 'nothing else was declared when it began');
  }
  assert.deepEqual(costs(gone, { own: null, strict: true }), { kind: 'not_repriced', why: 'own_prices' });
});

test('what is counted in units alone is priced again', () => {
  const record: PricingRecord = {
    ...unpriced, model: null, requestedModel: 'speaker', inputTokens: null, outputTokens: null, cachedTokens: null, reasoningTokens: null,
    units: { seconds: 10 },
  };
  const found = repricedCall(record, { book: bookOf([{ provider: 'openai', model: 'speaker', second: '0.01' }]), own });
  assert.deepEqual(found.kind === 'repriced' ? found.cost : found, nanoDollars(100_000_000n));
});

test('the settlement of a batch keeps its cost where the prices depend on the length of each request', () => {
  const settled = { ...call, path: '/v1/files/file-1/content' };
  const flat = bookOf([{ provider: 'openai', model: 'gpt-5-mini', input: '2', cached: '0.5', output: '10' }]);
  const above = [{ tokens: 500, input: '4' }];
  const stepped = bookOf([{ provider: 'openai', model: 'gpt-5-mini', input: '2', cached: '0.5', output: '10', above }]);
  const kinds = (book: PriceBook) => [call, settled].map((each) => repricedCall(each, { book, own }).kind);
  assert.deepEqual([kinds(flat), kinds(stepped)], [['repriced', 'repriced'], ['repriced', 'not_repriced']]);
  assert.deepEqual(repricedCall({ ...settled, cost: null, costSource: 'unpriced', priceList: null }, { book: stepped, own: null }),
    { kind: 'not_repriced', why: 'own_prices' });
});
