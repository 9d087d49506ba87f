/** What loading an overlay changes of the listed models, before it does. Rule 6. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseOverlay } from './overlay.ts';
import { createPriceBook, type PriceBook } from './price-book.ts';
import { priceChanges } from './price-changes.ts';
import { priceList } from './price-list.ts';

const atMs = Date.parse('2026-09-23T12:00:00Z');

function bookOf(prices: readonly object[]): PriceBook {
  const parsed = parseOverlay(JSON.stringify({ prices }));
  assert.ok('overlay' in parsed);
  return createPriceBook({ list: priceList, overlay: { overlay: parsed.overlay, hash: 'ab'.repeat(32) } });
}

const changes = (before: readonly object[], after: readonly object[]) =>
  priceChanges(bookOf(before), bookOf(after), atMs).map(({ provider, model, from, to }) => [provider, model, from?.input ?? null, to?.input ?? null]);

test('a whole name changes what it names, a beginning changes no name that the list has', () => {
  const own = { provider: 'openai', model: 'gpt-4o', input: '7', output: '8' };
  assert.deepEqual(changes([], [own]), [['openai', 'gpt-4o', '2.5', '7']]);
  assert.deepEqual(changes([own], []), [['openai', 'gpt-4o', '7', '2.5']], 'taking it back is a change too');
  assert.deepEqual(changes([own], [own]), []);
  assert.deepEqual(changes([], [{ provider: 'openai', model: 'gpt-5*', input: '1.10', output: '8.80' }]), [], "the documents' old example");
  assert.deepEqual(changes([], [{ host: 'llm.example.com', model: '*', input: '1', output: '1' }]), []);
});

test('the same price is no change; another fee or factor is one', () => {
  const listed = { provider: 'openai', model: 'gpt-4o', input: '2.5', cached: '1.25', output: '10', webSearch: '10', fileSearch: '2.5' };
  assert.deepEqual(changes([], [listed]), []);
  assert.deepEqual(changes([], [{ ...listed, webSearch: '11' }]).length, 1);
  assert.deepEqual(changes([], [{ ...listed, serviceTiers: { flex: '0.5' } }]).length, 1);
});
