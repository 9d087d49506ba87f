/** What `metergate upgrade --plan` prints. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { upgradeStep } from '@metergate/store/schema/migrations/upgrade-steps.ts';
import { planInWords } from './upgrade.ts';

test('what holds a cell up is named, also where the store itself is up to date', () => {
  const done = { from: 64, to: 64, records: 9, steps: [], seconds: 0, dependants: [], cells: [] };
  assert.equal(planInWords(done), 'The store is up to date: schema 64.');
  const held = planInWords({ ...done, dependants: [{ what: 'view costs', table: 'east.word_sum' }] });
  assert.match(held, /^The store is up to date: schema 64\. A cell of it is not\. .*view costs \(on east\.word_sum\).*Keep its definition, drop it/);
});

test('cells are named with what their upgrade reads, also where the default one is up to date; one that is away is named as that', () => {
  const cells = [{ name: 'east', plan: { from: 63, records: 2_000_000, steps: [upgradeStep(64)], seconds: 200 } }, { name: 'west', plan: null }];
  const said = ['  east  from schema 63: 1 step, 2,000,000 records, about 4 minutes', '  west  does not answer; a platform upgrades it once it does'];
  const done = { from: 64, to: 64, records: 9, steps: [], seconds: 0, dependants: [], cells };
  assert.deepEqual(planInWords(done).split('\n').slice(1), ['Of its cells these are not; the next start upgrades them:', ...said]);
  const lines = planInWords({ ...done, from: 63, steps: [upgradeStep(64)], seconds: 1 }).split('\n');
  assert.deepEqual(lines.slice(lines.indexOf('Then its cells, several at once:') + 1).slice(0, 2), said);
});
