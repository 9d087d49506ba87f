/** Whatever a name is, a link to it leads to it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addressWith, searchIn } from '../src/app/address-words.ts';

test('every text comes back as it was, also one that looks like a number, JSON or a part of an address', () => {
  const hard = ['true', 'null', '1.0', '007', '{"a":1}', '"quoted"', '"', 'a&b=c', '+', ' ', '%20', '#'];
  const text = fc.oneof(fc.constantFrom(...hard), fc.string({ unit: 'grapheme' }));
  fc.assert(fc.property(text, text, (label, run) => {
    assert.deepEqual(searchIn(addressWith({ label, run, key: undefined })), { label, run });
  }));
});

test('nothing set is no search, and an address as it was written before is read', () => {
  assert.equal(addressWith({ by: undefined }), '');
  assert.deepEqual(searchIn('?run=%22123%22&since=2026-10-01T00:00:00Z&label=true'), { run: '123', since: '2026-10-01T00:00:00Z', label: 'true' });
});
