/** Every part of a price that differs is named, also those of tiers, steps and tools. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPriceBook } from '../price-book.ts';
import { priceList } from '../price-list.ts';
import { showPrices, type ShownPrice } from '../show.ts';
import { changedRates } from './changed-rates.ts';

test('parts that differ are named, and no others', () => {
  const [price] = showPrices(createPriceBook({ list: priceList, overlay: null }), 'gpt-4o', Date.parse('2026-10-01')).prices;
  const step = { ...price!, tokens: 200_000, output: '30' };
  const was: ShownPrice = { ...price!, above: [step], serviceTiers: { batch: '0.5' } };
  assert.deepEqual(changedRates(was, { ...was, priceList: 'another/one', listedAs: 'another' }), []);
  const is: ShownPrice = {
    ...was, output: '11', audioInput: '40', above: [{ ...step, output: '31' }], serviceTiers: { batch: '0.4', flex: '0.5' },
    perThousandCalls: { ...was.perThousandCalls, webSearch: '7' },
  };
  const named = changedRates(was, is).map(({ name, to }) => [name, to]);
  for (const each of [
    ['output', '11'], ['audioInput', '40'], ['above 200000 output', '31'], ['serviceTiers batch', '0.4'], ['serviceTiers flex', '0.5'],
    ['perThousandCalls webSearch', '7'],
  ]) {
    assert.ok(named.some(([name, to]) => name === each[0] && to === each[1]), JSON.stringify(named));
  }
  assert.equal(named.length, 6);
  assert.equal(changedRates(was, null).every(({ to }) => to === null), true);
});
