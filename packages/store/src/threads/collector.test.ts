/** That the collector is found without changing what kept code relies on. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCollector } from './collector.ts';

test('if another thread unset the flag in between, there is no collector this time, and no fault', () => {
  assert.equal(findCollector(() => {}), null);
  assert.equal(typeof findCollector(), 'function');
});
