/** Sealing: any changed bit, owner or purpose makes a secret unreadable. */
import assert from 'node:assert/strict';
import { createSecretKey, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { seal, unseal, type SealPlace } from './seal.ts';

const key = createSecretKey(randomBytes(32));
const place: SealPlace = { purpose: 'provider-key', organization: 'org_a', record: 'openai', version: 3n };
const plaintext = Buffer.from('sk-secret');

test('a sealed text unseals in its place, the empty text included', () => {
  for (const text of ['', 'x', 'sk-secret', '🔑'.repeat(1_000)]) {
    const sealed = seal(Buffer.from(text), randomBytes(12), { key, place });
    assert.equal(Buffer.from(unseal(sealed, { key, place })!).toString(), text);
  }
});

test('a sealed value unseals in no other place: purpose, organization, record, version and their borders all count (K6)', () => {
  const sealed = seal(plaintext, randomBytes(12), { key, place });
  const others: Partial<SealPlace>[] = [
    { purpose: 'upstream-credential' }, { organization: 'org_b' }, { record: 'anthropic' }, { version: 4n },
    { purpose: 'provider-keyo', organization: 'rg_a' }, { organization: 'org_aopenai', record: '' },
  ];
  for (const other of others) {
    assert.equal(unseal(sealed, { key, place: { ...place, ...other } }), null, JSON.stringify(Object.keys(other)));
  }
  assert.equal(unseal(sealed, { key: createSecretKey(randomBytes(32)), place }), null);
});

test('any flipped bit and any cut make it unreadable (K6)', () => {
  const sealed = seal(plaintext, randomBytes(12), { key, place });
  for (let bit = 0; bit < sealed.length * 8; bit++) {
    const flipped = Uint8Array.from(sealed);
    flipped[bit >> 3]! ^= 1 << (bit & 7);
    assert.equal(unseal(flipped, { key, place }), null, `bit ${bit}`);
  }
  for (let length = 0; length < sealed.length; length++) assert.equal(unseal(sealed.subarray(0, length), { key, place }), null);
});

test('a tag cut to four bytes is refused, although those are right (K6)', () => {
  const sealed = seal(Buffer.alloc(64, 1), randomBytes(12), { key, place });
  assert.equal(unseal(sealed.subarray(0, sealed.length - 12), { key, place }), null);
});

test('a nonce of another length is a defect, not a seal', () => {
  assert.throws(() => seal(plaintext, randomBytes(16), { key, place }), RangeError);
});
