/** The frozen list is what the script made from the package, unchanged since. Rule 6. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { calcPrice, waitForUpdate, type ModelPrice as PackagePrice } from '@pydantic/genai-prices';
import { readAmendments } from '../scripts/amend-price-list.ts';
import { buildPriceList, mendsText, priceListHash, priceListText } from '../scripts/generate-price-list.ts';
import { mended, shippedMends } from '@metergate/core/price/public-list/mends.ts';
import { createPriceBook } from '@metergate/core/price/price-book.ts';
import { priceList, priceListId, type NameRule } from '@metergate/core/price/price-list.ts';
import { listedPriceAt } from '@metergate/core/price/seller.ts';
import type { TokenRate } from '@metergate/core/price/rates.ts';

describe('the frozen list (rule 6)', () => {
  it('carries its source, its date and the SHA-256 of its content', () => {
    assert.deepEqual(priceList.source, { package: '@pydantic/genai-prices', version: '0.1.8' });
    assert.equal(priceList.date, '2026-09-23');
    assert.equal(priceList.hash, priceListHash(priceList));
    assert.equal(priceListId(priceList), `2026-09-23/${priceList.hash.slice(0, 16)}`);
  });
  it('a changed price changes the hash', () => {
    const [first, ...others] = priceList.providers;
    const [model, ...models] = first!.models;
    const changed = { ...priceList, providers: [{ ...first!, models: [{ ...model!, prices: [{ input: 1 }] }, ...models] }, ...others] };
    assert.notEqual(priceListHash(changed), priceList.hash);
  });
  it('is, byte for byte, what the script makes of the installed package', async () => {
    const file = readFileSync(new URL('../packages/core/price-list/price-list.json', import.meta.url), 'utf8');
    assert.equal(priceListText(await buildPriceList()), file);
  });
  it('holds the sellers that calls go to by name and by host', () => {
    const ids = priceList.providers.map(({ id }) => id);
    for (const id of ['openai', 'anthropic', 'google', 'x-ai', 'mistral', 'groq', 'deepseek', 'openrouter', 'cerebras', 'together']) {
      assert.ok(ids.includes(id), id);
    }
  });
  it('compares names in lower case: every rule is lower case already', () => {
    const texts = (rule: NameRule): string[] => ('any' in rule ? rule.any.flatMap(texts) : 'all' in rule ? rule.all.flatMap(texts)
      : 'regex' in rule ? [] : Object.values(rule));
    for (const provider of priceList.providers) {
      for (const text of provider.models.flatMap(({ rule }) => texts(rule))) assert.equal(text, text.toLowerCase());
    }
  });
});

/** Which of our rates is which of the package's prices. */
const pairs = [
  ['input', 'input_mtok'], ['cached', 'cache_read_mtok'], ['cacheWrite', 'cache_write_mtok'],
  ['cacheWriteOneHour', 'cache_write_1h_mtok'], ['output', 'output_mtok'], ['reasoning', 'output_reasoning_mtok'],
  ['audioInput', 'input_audio_mtok'], ['audioOutput', 'output_audio_mtok'], ['cachedAudio', 'cache_audio_read_mtok'],
  ['cachedImage', 'cache_image_read_mtok'], ['imageInput', 'input_image_mtok'], ['imageOutput', 'output_image_mtok'],
] as const;

function microDollars(price: number): bigint {
  return BigInt(Math.round(price * 1e6));
}

function assertSameRate(rate: TokenRate | null, price: PackagePrice[string], where: string): void {
  if (price === undefined) return assert.equal(rate, null, where);
  const expected = typeof price === 'number'
    ? { base: microDollars(price), above: [] }
    : { base: microDollars(price.base), above: price.tiers.map((tier) => ({ tokens: tier.start, rate: microDollars(tier.price) })) };
  assert.deepEqual(rate, expected, where);
}

describe('without our amendments every model of every seller has the price that the package gives it, at instants around each dated price', () => {
  const instants = ['2025-01-01T00:00:00Z', '2026-08-16T23:59:59Z', '2026-08-21T02:00:00Z', '2026-09-23T16:30:00Z', '2027-01-01T00:00:00Z']
    .map((text) => new Date(text));
  const unamended = buildPriceList([]).then((list) => createPriceBook({ list, overlay: null }));
  for (const { id: providerId } of priceList.providers) {
    it(providerId, async () => {
      const seller = (await unamended).listedSellers().find((each) => each.provider?.id === providerId)!;
      const provider = seller.provider!;
      const source = (await waitForUpdate())!.find(({ id }) => id === provider.id)!;
      assert.equal(source.models.length, provider.models.length);
      for (const { id } of source.models) {
        for (const timestamp of instants) {
          const theirs = calcPrice({ input_tokens: 1, output_tokens: 1 }, id, { providerId: provider.id, timestamp });
          const ours = listedPriceAt(seller.find(id).list, timestamp.getTime());
          assert.equal(ours?.listedAs, theirs?.model.id, id);
          if (theirs === null || ours === null) continue;
          for (const [name, key] of pairs) assertSameRate(ours.rates[name], theirs.model_price[key], `${id} ${key}`);
        }
      }
    });
  }
});

describe('amendments of the list', () => {
  it('are kept as models before and after, for lists that are imported', async () => {
    const kept = readFileSync(new URL('../packages/core/price-list/mends.json', import.meta.url), 'utf8');
    assert.equal(kept, await mendsText());
    assert.deepEqual(mended((await buildPriceList([])).providers), (await buildPriceList()).providers);
  });
  it('do not touch a model of which an imported list says something else', () => {
    const { provider, was } = shippedMends[0]!;
    const newer = { ...was, prices: [{ input: 1, output: 2 }] };
    const seller = { id: provider, name: 'Seller', host: 'a', models: [newer] };
    assert.deepEqual(mended([seller]), [seller]);
  });
  it('each says why, from where and since when, and changes the price that it names', () => {
    for (const { why, source, date } of readAmendments()) {
      assert.ok(why.length > 20, why);
      assert.match(source, /^https:\/\//);
      assert.match(date, /^\d{4}-\d\d-\d\d$/);
    }
  });
  it('one that changes nothing stops the generation', async () => {
    await assert.rejects(buildPriceList([...readAmendments(), readAmendments()[0]!]), /changes nothing/);
  });
});
