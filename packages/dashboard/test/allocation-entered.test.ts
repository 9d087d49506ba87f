/** Rules of allocation that a form was opened on and sent again are the same rules, whatever they say. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allocationOf, enteredOf, newRule, nobody, ruleSaid, twiceIn, type Rules } from '../src/pages/month/allocation-entered.ts';

const allocation: NonNullable<Rules['allocation']> = {
  rules: [
    { keys: ['ci', 'nightly, late'], team: 'platform' },
    { byLabel: 'team:*' },
    { projects: ['assistant'], models: ['gpt-5*'], labels: ['env:production'], split: { 'search: all': '2', ads: '1.5' } },
    { people: ['ada@example.com'], split: 'own-shares' },
  ],
  rest: { split: 'own-shares' }, markup: '5', currency: { code: 'EUR', rate: '0.9137', date: '2026-10-31' },
  accounts: [{ team: 'search', account: '6400', costCentre: 'CC-12' }, { team: null, account: '6999', costCentre: null }],
};

test('rules are sent as they were read', () => {
  assert.deepEqual(allocationOf(enteredOf({ allocation, hash: 'a' })), allocation);
  assert.deepEqual(allocationOf(enteredOf({ allocation: { rules: [], rest: { team: 'rest' } }, hash: 'a' })), { rules: [], rest: { team: 'rest' } });
  assert.deepEqual(allocationOf(enteredOf({ allocation: null, hash: null })), { rules: [] });
});

test('a condition without names is sent, so that it is refused: without it the rule would take every call', () => {
  const entered = { ...enteredOf({ allocation: null, hash: null }), rules: [newRule], rest: nobody };
  assert.deepEqual(allocationOf(entered), { rules: [{ projects: [], team: '' }] });
});

test('a team that stands twice in a split is found, and a rule is shown in one line', () => {
  assert.equal(twiceIn([{ team: 'a', weight: '1' }, { team: ' a ', weight: '2' }]), 'a');
  assert.equal(twiceIn([{ team: 'a', weight: '1' }, { team: 'b', weight: '2' }]), null);
  assert.deepEqual(enteredOf({ allocation, hash: 'a' }).rules.map(ruleSaid), [
    'service keys ci, nightly, late: platform', 'every call: team:*',
    'projects assistant and models gpt-5* and labels env:production: search: all 2, ads 1.5', 'people, by email ada@example.com: all teams',
  ]);
});
