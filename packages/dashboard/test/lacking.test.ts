/** When a page asks again for what the store is away for. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askAgainMs } from '../src/api/lacking.ts';

test('what the store is away for is asked again later each time, at least once a minute', () => {
  assert.deepEqual([0, 1, 2, 3, 4, 5, 60].map(askAgainMs), [2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
});
