/** The forms in which a status is asked for. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseStatus } from './call-search.ts';

test('a status is searched exactly, by its class, or as an error of the provider', () => {
  assert.deepEqual(parseStatus('429'), { from: 429, below: 430 });
  assert.deepEqual(parseStatus('4xx'), { from: 400, below: 500 });
  assert.equal(parseStatus('error'), 'error');
  for (const text of ['', '99', '600', '6xx', '4XX', '42', '4290', ' 429', 'errors']) assert.equal(parseStatus(text), null, text);
});
