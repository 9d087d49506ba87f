/** Reading a master key: its one form, and clear refusals of all others. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { isRefusal } from '../engine/refusal.ts';
import { formatMasterKey, parseMasterKey } from './master-key.ts';
import { createVault } from './vault.ts';

test('32 bytes in base64 are a master key, with or without its padding and the end of its line', () => {
  const key = new Uint8Array(randomBytes(32));
  const text = formatMasterKey(key);
  for (const given of [text, `${text}\n`, text.slice(0, 43), ` ${text} `]) assert.deepEqual(parseMasterKey(given), key);
});

test('anything else is refused in one sentence that does not repeat it (rules: SVC_MASTER_KEY)', () => {
  const wrong = [
    '', 'secret', 'a'.repeat(64), randomBytes(31).toString('base64'), randomBytes(33).toString('base64'),
    `${'A'.repeat(42)}B=`, `${'A'.repeat(42)}-=`, `${'A'.repeat(20)} ${'A'.repeat(22)}=`,
  ];
  for (const text of wrong) {
    const refusal = parseMasterKey(text);
    assert.ok(isRefusal(refusal), text);
    assert.equal(refusal.refused.code, 'invalid_master_key');
    assert.ok(text === '' || !refusal.refused.message.includes(text));
  }
});

test('fingerprint and key id differ by key and salt, and hold nothing of the key', () => {
  const key = new Uint8Array(32).fill(9);
  const [one, two] = [createVault(key, randomBytes), createVault(new Uint8Array(32).fill(10), randomBytes)];
  const salt = new Uint8Array(16);
  const seen = new Set([
    one.fingerprint(salt), one.fingerprint(new Uint8Array(16).fill(1)), two.fingerprint(salt), one.wrappingKeyId, two.wrappingKeyId,
  ]);
  assert.equal(seen.size, 5);
  assert.equal(createVault(key, randomBytes).fingerprint(salt), one.fingerprint(salt));
  for (const text of seen) assert.ok(!text.includes('09090909'));
});
