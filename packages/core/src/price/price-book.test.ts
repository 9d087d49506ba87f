/** Finding a model's price: by seller, by host, by name, at an instant. Rules 6 and 7. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseOverlay } from './overlay.ts';
import { createPriceBook, pricesOf, type ModelPrice, type PriceBook, type PriceQuery } from './price-book.ts';
import { priceList } from './price-list.ts';
import { sampleList } from './test-support/sample-list.ts';

const atMs = Date.parse('2026-09-23T12:00:00Z');
const sample = createPriceBook({ list: sampleList, overlay: null });
const frozen = createPriceBook({ list: priceList, overlay: null });

function priceOf(book: PriceBook, query: PriceQuery): ModelPrice | null {
  const { overlay, list } = pricesOf(book, query);
  return overlay ?? list;
}

function named(book: PriceBook, provider: 'openai' | 'anthropic', model: string): string | null {
  return priceOf(book, { provider, upstreamHost: null, model, atMs })?.listedAs ?? null;
}

function sold(book: PriceBook, upstreamHost: string, model: string): string | null {
  return priceOf(book, { provider: null, upstreamHost, model, atMs })?.listedAs ?? null;
}

describe('a model by its name', () => {
  const rows: [string, string | null][] = [
    ['plain', 'plain'], ['PLAIN', 'plain'], [' plain ', 'plain'], ['plain2', null], ['', null], ['embedding-9', 'embedding'],
    ['release-20260305', 'release'], ['release-2026-03-05', 'release'], ['release-20261305', null], ['release-202603051', null],
    ['__proto__', null], ['constructor', null], [`plain${' '.repeat(300)}`, null],
  ];
  for (const [model, listedAs] of rows) {
    it(`${JSON.stringify(model.slice(0, 24))} → ${listedAs}`, () => {
      assert.equal(named(sample, 'openai', model), listedAs);
      assert.equal(named(sample, 'openai', model), listedAs, 'the second time too');
    });
  }
});

describe('the frozen list knows the models in use', () => {
  const rows: ['openai' | 'anthropic', string, string][] = [
    ['openai', 'gpt-4o-2024-08-06', 'gpt-4o'], ['openai', 'gpt-4o-mini-2024-07-18', 'gpt-4o-mini'],
    ['openai', 'gpt-5.6-sol', 'gpt-5.6-sol'],
    ['anthropic', 'claude-sonnet-4-5-20250929', 'claude-sonnet-4-5'], ['anthropic', 'claude-3-5-haiku-20241022', 'claude-3-5-haiku-latest'],
  ];
  for (const [provider, model, listedAs] of rows) {
    it(`${provider} ${model} is ${listedAs}`, () => assert.equal(named(frozen, provider, model), listedAs));
  }
  it('a model of one named provider is not priced on the other', () => assert.equal(named(frozen, 'anthropic', 'gpt-4o'), null));
});

describe('a declared upstream by its host (rule 6: where the list knows that host)', () => {
  const known = [
    'api.groq.com', 'API.GROQ.COM', 'api.groq.com.', 'api.groq.com:8443', 'https://api.groq.com', 'https://api.groq.com/openai',
  ];
  const model = 'llama-3.3-70b-versatile';
  for (const host of known) it(`${host} is known`, () => assert.equal(sold(frozen, host, model), model));
  const unknown = [
    'groq.com', 'xapi.groq.com', 'api.groq.com.example.net', 'example.net/api.groq.com', 'https://api.groq.com@example.net',
    '127.0.0.1', '[::1]', '',
  ];
  for (const host of unknown) it(`${JSON.stringify(host)} is not`, () => assert.equal(sold(frozen, host, model), null));
  for (const host of [
    'api.deepseek.com', 'openrouter.ai', 'api.cerebras.ai', 'api.mistral.ai', 'api.together.xyz', 'api.x.ai', 'api.openai.com',
    'generativelanguage.googleapis.com', 'my-name.openai.azure.com', 'api.moonshot.ai', 'api.moonshot.cn',
    'bedrock-runtime.eu-west-1.amazonaws.com',
  ]) {
    it(`${host} is known`, () => assert.notEqual(frozen.upstreamSeller(host).provider, null));
  }
  it('sellers that share a host are distinguished by the URL\'s path', () => {
    assert.equal(sold(sample, 'https://router.example/a/v1', 'own'), 'own');
    assert.equal(sold(sample, 'https://router.example/ab', 'own'), null);
    assert.equal(sold(sample, 'router.example', 'own'), null);
  });
  it('a seller sells what it borrows, its own models first', () => {
    assert.equal(sold(sample, 'shop.example', 'plain'), 'plain');
    assert.equal(sold(sample, 'shop.example', 'embedding-own'), 'own');
  });
  it('neither provider nor host: no price', () => {
    assert.equal(priceOf(sample, { provider: null, upstreamHost: null, model: 'plain', atMs }), null);
  });
});

describe('what is remembered stays within bounds', () => {
  it('ten thousand model names and hosts later, a price is still right', () => {
    for (let index = 0; index < 10_000; index++) assert.equal(sold(sample, `h${index % 3000}.example`, `m${index}`), null);
    for (let index = 0; index < 10_000; index++) assert.equal(named(sample, 'openai', `m${index}`), null);
    assert.equal(named(sample, 'openai', 'plain'), 'plain');
    assert.equal(sold(sample, 'shop.example', 'own'), 'own');
  });
});

describe('the operator\'s prices go before the list', () => {
  const parsed = parseOverlay(JSON.stringify({ prices: [
    { provider: 'openai', model: 'plain', input: 1, output: 1 },
    { provider: 'openai', model: 'pl*', input: 2, output: 1 },
    { provider: 'openai', model: 'p*', input: 3, output: 1 },
    { host: 'llm.example.com', model: '*', input: 4, output: 1 },
    { provider: 'groq', model: '*', input: 5, output: 1 },
    { provider: 'openai', model: 'gpt-5*', input: 7, output: 1 },
    { host: 'api.groq.com', model: 'llama*', input: 6, output: 1 },
  ] }));
  assert.ok('overlay' in parsed);
  const book = createPriceBook({ list: priceList, overlay: { overlay: parsed.overlay, hash: 'ab'.repeat(32) } });
  const rows: [{ provider: 'openai' } | { host: string }, string, string | null][] = [
    [{ provider: 'openai' }, 'Plain', 'plain'], [{ provider: 'openai' }, 'plate', 'pl*'], [{ provider: 'openai' }, 'pony', 'p*'],
    [{ provider: 'openai' }, 'gpt-4o', 'gpt-4o'],
    [{ host: 'LLM.example.com:8000' }, 'anything', '*'], [{ host: 'other.example.com' }, 'anything', null],
    [{ host: 'api.groq.com' }, 'llama-9-giant', 'llama*'], [{ host: 'api.groq.com' }, 'nobody/knows', '*'],
    // A name that the list has itself beats a beginning: gpt-5* must not reprice gpt-5-mini unseen.
    [{ host: 'api.groq.com' }, 'llama-3.3-70b-versatile', 'llama-3.3-70b-versatile'],
    [{ provider: 'openai' }, 'gpt-5-mini', 'gpt-5-mini'], [{ provider: 'openai' }, 'gpt-5-mini-2025-08-07', 'gpt-5-mini'],
    [{ provider: 'openai' }, 'gpt-5-new', 'gpt-5*'], [{ provider: 'openai' }, 'GPT-5-nano', 'gpt-5-nano'],
  ];
  for (const [seller, model, listedAs] of rows) {
    it(`${JSON.stringify(seller)} ${model} → ${listedAs}`, () => {
      assert.equal('provider' in seller ? named(book, seller.provider, model) : sold(book, seller.host, model), listedAs);
    });
  }
  it('the price names the overlay by its hash', () => {
    assert.equal(priceOf(book, { provider: 'openai', upstreamHost: null, model: 'plain', atMs })?.priceList, 'overlay/abababababababab');
  });
});
