/** What bounds keys that members make for themselves. Decision 195. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { areWithin } from '../call/allowed-models.ts';
import { nanoDollars } from '../money.ts';
import { areOwnKeyTerms, beyondTerms, durationWords, withTerms, type OwnKeyTerms } from './own-keys.ts';

const terms: OwnKeyTerms = { keysMax: 2, models: ['gpt-5*', 'claude-*-4'], lifetimeMsMax: 86_400_000, cap: null, personCap: null };
const key = { models: null, createdAtMs: 1_000, expiresAtMs: null, maxRunBudget: null };

test('what is not asked for comes from the terms, and is then within them', () => {
  const made = withTerms(key, terms);
  assert.deepEqual([made.models, made.expiresAtMs], [['gpt-5*', 'claude-*-4'], 86_401_000]);
  assert.equal(beyondTerms(made, terms), null);
  assert.equal(withTerms(key, { ...terms, lifetimeMsMax: null, models: null }).expiresAtMs, null);
});

test('beyond them are other models, all models, a longer life, a life without end, and a run budget of its own', () => {
  const made = withTerms(key, terms);
  for (const models of [['gpt-4'], ['*'], ['gpt-*'], ['claude-*'], ['gpt-5*', 'o3'], null]) {
    assert.match(beyondTerms({ ...made, models }, terms)!, /gpt-5\*, claude-\*-4/, String(models));
  }
  for (const models of [['gpt-5'], ['gpt-5-*'], ['gpt-5*'], ['claude-x*-4', 'gpt-5.2']]) assert.equal(beyondTerms({ ...made, models }, terms), null);
  for (const expiresAtMs of [null, 86_401_001]) assert.match(beyondTerms({ ...made, expiresAtMs }, terms)!, /1 day after/);
  assert.match(beyondTerms({ ...made, maxRunBudget: nanoDollars(1n) }, terms)!, /admin/);
});

test('a pattern is within another only if it allows nothing more', () => {
  assert.ok(areWithin(['a*c'], ['a*']) && areWithin(['a*', 'b'], null) && areWithin(['a*b*'], ['a*']));
  assert.ok(!areWithin(['a*'], ['a*c']) && !areWithin(['*a'], ['a*']) && !areWithin(['a*b'], ['ab']));
});

test('terms are refused whole where a part is out of range', () => {
  assert.ok(areOwnKeyTerms(terms));
  for (const wrong of [{ keysMax: 0 }, { keysMax: 101 }, { keysMax: 1.5 }, { models: [] }, { models: ['a b'] }, { lifetimeMsMax: 0 },
    { cap: { window: 'hour' as 'day', limit: nanoDollars(1n) } }, { personCap: { window: 'hour' as 'day', limit: nanoDollars(1n) } },
    { cap: { window: 'day' as const, limit: -1n as OwnKeyTerms['keysMax'] & never } }]) {
    assert.equal(areOwnKeyTerms({ ...terms, ...wrong } as OwnKeyTerms), false, JSON.stringify(Object.keys(wrong)));
  }
  assert.deepEqual([86_400_000, 90 * 60_000, 1_500, 7_200_000].map(durationWords), ['1 day', '90 minutes', '1 second', '2 hours']);
});
