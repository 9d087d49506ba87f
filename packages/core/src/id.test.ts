/** Ids and secrets: their form, that every character is equally likely, and that too few random bytes are a fault and no short secret. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { idPrefix, newId, newSecret, newTimedId } from './id.ts';

test('an id is its prefix and 20 characters, a secret as many as are wanted, and no two are alike', () => {
  const ids = Array.from({ length: 1_000 }, () => newId(idPrefix.cap, randomBytes));
  for (const id of ids) assert.match(id, /^cap_[0-9A-Za-z]{20}$/);
  assert.equal(new Set(ids).size, ids.length);
  assert.match(newSecret('svc_live_', 43, randomBytes), /^svc_live_[0-9A-Za-z]{43}$/);
  assert.match(newSecret('', 10, randomBytes), /^[0-9A-Za-z]{10}$/);
});

test('bytes that would make some characters likelier than others are passed over', () => {
  const given = Uint8Array.of(248, 255, 0, 61, 62, 247, 250);
  assert.equal(newSecret('', 4, () => given), '0z0z');
});

test('too few random bytes are a fault', () => {
  assert.throws(() => newSecret('', 4, () => new Uint8Array(3)), RangeError);
  assert.throws(() => newSecret('', 4, () => new Uint8Array(8).fill(255)), RangeError);
});

test('timed ids have the form of all ids, sort by the millisecond in which they were made, and differ within one', () => {
  const moments = [0, 1, 61, 62, 3_843.9, 1_790_000_000_000, 1_790_000_000_001, 62 ** 8 - 1];
  const ids = moments.map((nowMs) => newTimedId(idPrefix.serviceKey, nowMs, randomBytes));
  for (const id of ids) assert.match(id, /^key_[0-9A-Za-z]{20}$/);
  assert.deepEqual(ids.toSorted(), ids);
  assert.equal(new Set(Array.from({ length: 1_000 }, () => newTimedId(idPrefix.serviceKey, 5, randomBytes))).size, 1_000);
});
