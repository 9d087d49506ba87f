/** When a cap will be reached, as far as the pace of a week says anything about it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foreseen } from '../src/pages/caps/cap-share.ts';

const now = Date.parse('2026-03-01T00:00:00Z');

test('a cap that would be reached in two hundred thousand years is not reached at this pace', () => {
  assert.equal(foreseen({ forecastAt: '+202026-03-01T00:00:00.000Z' }, now), null);
  assert.equal(foreseen({ forecastAt: '2036-03-02T00:00:00.000Z' }, now), null);
});

test('a time within ten years is shown', () => {
  assert.equal(foreseen({ forecastAt: '2035-12-01T00:00:00.000Z' }, now), '2035-12-01T00:00:00.000Z');
  assert.equal(foreseen({ forecastAt: null }, now), null);
});
