/** Searches of calls: the forms of a status, which calls match it, and whose cost is incomplete. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { costLacks, hasStatus, lacksCost, parseStatus } from './call-search.ts';

test('a status is searched exactly, by its class, or as an error of the provider', () => {
  assert.deepEqual(parseStatus('429'), { from: 429, below: 430 });
  assert.deepEqual(parseStatus('4xx'), { from: 400, below: 500 });
  assert.equal(parseStatus('error'), 'error');
  for (const text of ['', '99', '600', '6xx', '4XX', '42', '4290', ' 429', 'errors']) assert.equal(parseStatus(text), null, text);
});

test('errors are calls that were cut or not reached, and answers 5xx and 429', () => {
  const ended = (outcome: 'completed' | 'cut' | 'caller_gone' | 'failed', status: number | null): boolean => hasStatus({ outcome, status }, 'error');
  assert.deepEqual([ended('completed', 200), ended('completed', 404), ended('caller_gone', 200)], [false, false, false]);
  assert.deepEqual([ended('completed', 503), ended('completed', 429), ended('cut', 200), ended('failed', null)], [true, true, true, true]);
  assert.equal(hasStatus({ outcome: 'failed', status: null }, { from: 100, below: 600 }), false);
});

test('a cost is incomplete if it is unknown, unpriced or has a gap', () => {
  const whole = { usage: 'reported', costSource: 'priced', costGaps: [] } as const;
  const lacks = (change: object): boolean[] => costLacks.map((lack) => lacksCost({ ...whole, ...change }, lack));
  assert.deepEqual(lacks({}), [false, false, false, false]);
  assert.deepEqual(lacks({ usage: 'partial' }), [true, false, false, true]);
  assert.deepEqual(lacks({ costSource: 'unpriced' }), [false, true, false, true]);
  assert.deepEqual(lacks({ costGaps: ['service_tier'] }), [false, false, true, true]);
});
