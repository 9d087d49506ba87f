/** `instantText` writes what `Date` writes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '@metergate/testkit/drawn.ts';
import { instantText } from './instant-text.ts';

test('writes each instant as Date does, in any order', () => {
  const instants = fc.integer({ min: 0, max: Date.UTC(9999, 11, 31) });
  fc.assert(fc.property(fc.array(fc.tuple(instants, fc.integer({ min: 0, max: 3_000 }))), (pairs) => {
    for (const [instantMs, laterMs] of pairs) {
      assert.equal(instantText(instantMs), new Date(instantMs).toISOString());
      assert.equal(instantText(instantMs + laterMs), new Date(instantMs + laterMs).toISOString());
    }
  }));
});

test('cuts a fraction of a millisecond', () => {
  assert.equal(instantText(1_999.9), '1970-01-01T00:00:01.999Z');
});
