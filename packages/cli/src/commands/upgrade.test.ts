/** What `metergate upgrade --plan` prints. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planInWords } from './upgrade.ts';

test('what holds a cell up is named, also where the store itself is up to date', () => {
  const done = { from: 64, to: 64, records: 9, steps: [], seconds: 0, dependants: [] };
  assert.equal(planInWords(done), 'The store is up to date: schema 64.');
  const held = planInWords({ ...done, dependants: [{ what: 'view costs', table: 'east.word_sum' }] });
  assert.match(held, /^The store is up to date: schema 64\. A cell of it is not\. .*view costs \(on east\.word_sum\).*Keep its definition, drop it/);
});
