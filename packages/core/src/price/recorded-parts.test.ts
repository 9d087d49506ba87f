/** A recorded cost taken apart: exact or not at all. Rules 5, 6 and 25. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '@metergate/testkit/drawn.ts';
import { nanoDollars } from '../money.ts';
import type { TokenFigures } from '../usage/reading.ts';
import { costOf } from './cost.ts';
import { createPriceBook } from './price-book.ts';
import { recordedParts, recordedTokens, type DeclaredSeller, type PricingRecord, type RecordedPriceSource } from './recorded-parts.ts';
import { sampleList, sampleReading } from './test-support/sample-list.ts';

const startedAtMs = Date.parse('2026-09-23T12:00:00Z');
const book = createPriceBook({ list: sampleList, overlay: null });
const by: RecordedPriceSource = { book, upstreamUrl: null, listedAs: null };

/** A call as it is recorded; to the first wire, or to the upstream that is declared. */
function recorded(model: string, tokens: Partial<TokenFigures>, { upstreamUrl, listedAs }: DeclaredSeller = by): PricingRecord {
  const reading = sampleReading(tokens, { model });
  const provider = upstreamUrl === null ? 'openai' : null;
  const cost = costOf({ reading, provider, upstreamHost: upstreamUrl, listedAs, book, fallback: null, atMs: startedAtMs });
  return {
    wire: provider ?? 'upstream', endpoint: 'chat.completions', path: '/v1/chat/completions', model, usage: 'reported',
    inputTokens: reading.tokens.input, outputTokens: reading.tokens.output,
    cachedTokens: reading.tokens.cached, cacheWriteTokens: reading.tokens.cacheWrite, reasoningTokens: reading.tokens.reasoning,
    audioInputTokens: reading.tokens.audioInput, audioOutputTokens: reading.tokens.audioOutput, serviceTier: null,
    toolCalls: null, units: reading.units, requestedModel: null, ...cost, startedAtMs,
  };
}

test('each kind of token with its own cost', () => {
  assert.deepEqual(recordedParts(recorded('plain', { input: 1_000, cached: 400, output: 200, reasoning: 50 }), by), {
    tokens: { input: 600, cached: 400, cacheWrite: 0, cacheWriteOneHour: 0, output: 150, reasoning: 50 },
    costs: { input: 1_500_000n, cached: 500_000n, cacheWrite: 0n, output: 1_500_000n, reasoning: 500_000n },
  });
});

test('the parts add up to the cost, whatever was rounded, and no token is in two of them', () => {
  const figure = fc.integer({ min: 0, max: 900_000 });
  const model = fc.constantFrom('plain', 'half', 'writes', 'thinker', 'long', 'no-cached');
  fc.assert(fc.property(fc.record({ model, input: figure, cached: figure, output: figure, reasoning: figure }),
    ({ model: name, input, cached, output, reasoning }) => {
      const call = recorded(name, { input, cached: Math.min(cached, input), output, reasoning: Math.min(reasoning, output) });
      const { tokens, costs } = recordedParts(call, by)!;
      assert.equal(Object.values(costs!).reduce((sum, cost) => sum + cost, 0n), call.cost);
      assert.ok(Object.values(costs!).every((cost) => cost >= 0n));
      assert.equal(Object.values(tokens).reduce((sum, count) => sum + count, 0), input + output);
    }));
});

test('a cost that the prices at hand did not make stays whole', () => {
  const call = recorded('plain', { input: 1_000, output: 200 });
  const whole = (changes: Partial<PricingRecord>): boolean => recordedParts({ ...call, ...changes }, by)!.costs === null;
  assert.equal(whole({}), false);
  assert.ok(whole({ cost: nanoDollars(call.cost! + 1n) }), 'another price');
  assert.ok(whole({ priceList: '2025-01-01/0123456789abcdef' }), 'another list');
  assert.ok(whole({ costSource: 'fallback', priceList: null }), "the organization's own price");
  assert.ok(whole({ wire: 'upstream', costSource: 'upstream' }), "the upstream's own cost");
  assert.ok(whole({ cost: null, costSource: 'unpriced', priceList: null }), 'no price');
  assert.ok(recordedParts(recorded('asked', { input: 10, output: 1 }), by)!.costs === null, 'a price for the call itself');
  assert.ok(recordedParts(call, { ...by, book: null })!.costs === null, 'its prices are gone');
  assert.equal(recordedParts(recorded('plain', {}), by), null, 'no figure at all');
});

test('the cost of a call to a declared upstream is split by the prices of its URL, or of the provider that it is declared to be', () => {
  const costsOf = (call: PricingRecord, declared: DeclaredSeller) => recordedParts(call, { book, ...declared })!.costs;
  const byHost = { upstreamUrl: 'https://eu.shop.example/v1', listedAs: null };
  const declaredAs = { upstreamUrl: 'https://proxy.example/v1', listedAs: 'shop' };
  for (const declared of [byHost, declaredAs]) {
    const call = recorded('own', { input: 1_000, output: 200 }, declared);
    assert.equal(call.costSource, 'priced');
    assert.deepEqual(costsOf(call, declared), { input: 1_000_000n, cached: 0n, cacheWrite: 0n, output: 400_000n, reasoning: 0n });
    assert.equal(costsOf(call, { upstreamUrl: null, listedAs: null }), null, 'it is declared no more');
    assert.equal(costsOf(call, { upstreamUrl: 'https://router.example/a', listedAs: null }), null, 'it is another one now');
  }
});

test('on a named upstream, the dialect of its path says whether cached tokens are a part of the input or come on top of it', () => {
  const inputOf = (endpoint: PricingRecord['endpoint'], path: string) => recordedTokens({
    ...recorded('gpt-5-mini', { input: 500, output: 10, cached: 400 }), wire: 'upstream', endpoint, path,
  })!.input;
  for (const path of ['/upstreams/a/v1beta/models/m:generateContent', '/upstreams/a/v2/chat', '/upstream/v1/other']) {
    assert.equal(inputOf('other', path), 100, path);
  }
  for (const path of [
    '/upstreams/a/model/m/converse', '/upstreams/a/model/m/invoke-with-response-stream',
    '/upstreams/a/v1/projects/p/locations/l/publishers/anthropic/models/m:streamRawPredict',
  ]) assert.equal(inputOf('other', path), 500, path);
  assert.equal(inputOf('messages', '/upstreams/a/v1/messages'), 500);
  assert.equal(inputOf('chat.completions', '/upstreams/a/openai/v1/chat/completions'), 100);
});
