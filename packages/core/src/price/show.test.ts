/** What `prices show` prints. Rules: Interfaces. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseOverlay } from './overlay.ts';
import { createPriceBook } from './price-book.ts';
import { priceList } from './price-list.ts';
import { sampleList, sampleListId } from './test-support/sample-list.ts';
import { showPrices } from './show.ts';

const atMs = Date.parse('2026-09-23T12:00:00Z');
const book = createPriceBook({ list: sampleList, overlay: null });
const unknownRates = {
  reasoning: null, audioInput: null, audioOutput: null, cachedAudio: null, cachedImage: null, imageInput: null, imageOutput: null,
};

describe('prices show (rules: Interfaces)', () => {
  it('shows a price with its steps, for its seller and who borrows from it', () => {
    const shown = showPrices(book, 'long', atMs);
    const price = {
      host: null, listedAs: 'long', priceList: sampleListId, inForce: true, from: null, daily: null, perCall: null, perHour: null, perPage: null,
      perImage: null, perMillionCharacters: null,
      input: '1', cached: '0.1', cacheWrite: null, cacheWriteOneHour: null, output: '4', ...unknownRates,
      perThousandCalls: { webSearch: null, webFetch: null, fileSearch: null, codeInterpreter: null, otherTool: null }, serviceTiers: {}, regions: {},
      above: [
        { tokens: 200_000, input: '2', cached: '0.2', cacheWrite: null, cacheWriteOneHour: null, output: '6', ...unknownRates },
        { tokens: 500_000, input: '3', cached: '0.2', cacheWrite: null, cacheWriteOneHour: null, output: '6', ...unknownRates },
      ],
    };
    assert.deepEqual(shown, {
      model: 'long', unit: 'USD per million tokens', overlay: null,
      list: { id: sampleListId, source: 'sample 1.0.0', date: '2026-09-23', hash: sampleList.hash },
      prices: [{ provider: 'openai', ...price }, { provider: 'shop', ...price }],
    });
  });
  it('shows dated and daily prices and which one is in force', () => {
    const dated = (when: string): unknown[] => showPrices(book, 'dated', Date.parse(when)).prices.slice(0, 2)
      .map(({ input, from, inForce }) => [input, from, inForce]);
    assert.deepEqual(dated('2026-08-20T23:59:59Z'), [['5', null, true], ['4', '2026-08-21T00:00:00.000Z', false]]);
    assert.deepEqual(dated('2026-08-21T00:00:00Z'), [['5', null, false], ['4', '2026-08-21T00:00:00.000Z', true]]);
    assert.deepEqual(showPrices(book, 'nightly', atMs).prices[1]!.daily, { from: '23:00:00', to: '00:30:00' });
  });
  it('shows the price of the call itself in dollars', () => assert.equal(showPrices(book, 'asked', atMs).prices[0]!.perCall, '0.012'));
  it('an unknown model, and one listed without prices, has none', () => {
    assert.deepEqual(showPrices(book, 'nobody', atMs).prices, []);
    assert.deepEqual(showPrices(book, 'sound', atMs).prices, []);
  });
  it('shows the operator\'s prices first, and those that they override', () => {
    const parsed = parseOverlay(JSON.stringify({ prices: [
      { host: 'llm.example.com', model: 'pla*', input: '0.2', output: '0.25' },
      { provider: 'openai', model: 'plain', input: '1', output: '1' },
      { host: 'llm.example.com', model: 'other', input: '9', output: '9' },
    ] }));
    assert.ok('overlay' in parsed);
    const loaded = { overlay: parsed.overlay, hash: 'cd'.repeat(32) };
    const shown = showPrices(createPriceBook({ list: sampleList, overlay: loaded }), 'plain', atMs);
    assert.equal(shown.overlay, 'overlay/cdcdcdcdcdcdcdcd');
    assert.deepEqual(shown.prices.map(({ provider, host, input, priceList: list, inForce }) => [provider, host, input, list, inForce]), [
      [null, 'llm.example.com', '0.2', shown.overlay, true], ['openai', null, '1', shown.overlay, true],
      ['openai', null, '2.5', sampleListId, false], ['shop', null, '2.5', sampleListId, true],
    ]);
  });
  it('is plain JSON for every model of the frozen list', () => {
    const frozen = createPriceBook({ list: priceList, overlay: null });
    for (const { id } of priceList.providers.find(({ id }) => id === 'openai')!.models) {
      const shown = showPrices(frozen, id, atMs);
      assert.deepEqual(JSON.parse(JSON.stringify(shown)), shown);
    }
    const gpt4o = showPrices(frozen, 'gpt-4o', atMs).prices.find(({ provider }) => provider === 'openai');
    assert.deepEqual([gpt4o?.input, gpt4o?.cached, gpt4o?.output], ['2.5', '1.25', '10']);
  });
});
