/** Grants on a node: only the very grant that was minted counts (spec: Run; rule 15). */
import assert from 'node:assert/strict';
import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { test } from 'node:test';
import type { OrganizationId } from '@metergate/core/id.ts';
import { nanoDollars } from '@metergate/core/money.ts';
import { grantText, signedGrant, type GrantKey, type GrantPayload } from '@metergate/core/run/grant.ts';
import { createGrantVerifier } from './verify-grant.ts';

const payload: GrantPayload = {
  organization: 'org_0123456789abcdefghij' as OrganizationId, run: 'r"1', max: nanoDollars(5_000_000_000n), expiresAtMs: 1000, key: 'gky_1',
  nonce: 'n',
};

function keyNamed(id: string): { readonly key: GrantKey; readonly privateKey: KeyObject } {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  return { key: { id, publicKey: String(publicKey.export({ format: 'jwk' }).x) }, privateKey };
}

function signed(privateKey: KeyObject, changes: Partial<GrantPayload> = {}): string {
  const text = grantText({ ...payload, ...changes });
  return signedGrant(text, sign(null, Buffer.from(text), privateKey));
}

const { key, privateKey } = keyNamed('gky_1');
const grant = signed(privateKey);

test('a minted grant verifies, the first time and from memory', () => {
  const verify = createGrantVerifier();
  assert.deepEqual(verify(grant, [key]), payload);
  assert.deepEqual(verify(grant, [key]), payload);
});

test('one flipped bit at any position is refused, also after the true one was seen', () => {
  const verify = createGrantVerifier();
  assert.ok(verify(grant, [key]));
  for (let at = 0; at < grant.length; at += 1) {
    for (let bit = 0; bit < 8; bit += 1) {
      const flipped = grant.slice(0, at) + String.fromCharCode(grant.charCodeAt(at) ^ (1 << bit)) + grant.slice(at + 1);
      assert.equal(verify(flipped, [key]), null, `bit ${bit} of character ${at}`);
      assert.equal(verify(flipped, [key]), null, `bit ${bit} of character ${at}, a second time`);
    }
  }
  assert.ok(verify(grant, [key]));
});

test('a bit of the payload or of the signature, put back into a well-formed grant, is refused', () => {
  const verify = createGrantVerifier();
  const [, body, signature] = grant.split('.') as [string, string, string];
  for (const part of [body, signature]) {
    const bytes = Buffer.from(part, 'base64url');
    for (let at = 0; at < bytes.length * 8; at += 1) {
      const flipped = Buffer.from(bytes);
      flipped[at >> 3]! ^= 1 << (at & 7);
      assert.equal(verify(grant.replace(part, flipped.toString('base64url')), [key]), null, `bit ${at}`);
    }
  }
});

test("another organization's key, another key under the same name, and none are refused", () => {
  const [other, namesake] = [keyNamed('gky_2'), keyNamed('gky_1')];
  for (const keys of [[], [other.key], [namesake.key]]) assert.equal(createGrantVerifier()(grant, keys), null);
  assert.equal(createGrantVerifier()(signed(other.privateKey), [key, other.key]), null, 'signed by another key than it names');
  assert.ok(createGrantVerifier()(grant, [other.key, key]));
});

test('memory never outlives a key: what verified is refused once the key is gone, and a key that comes is tried', () => {
  const verify = createGrantVerifier();
  const namesake = keyNamed('gky_1');
  assert.equal(verify(grant, []), null, 'the key is not known yet');
  assert.ok(verify(grant, [key]));
  assert.equal(verify(grant, [namesake.key]), null);
  assert.equal(verify(grant, []), null);
  assert.ok(verify(grant, [key]));
});

test('a text longer than any grant is not even hashed', () => {
  const verify = createGrantVerifier();
  assert.equal(verify(grant + 'A'.repeat(1024), [key]), null);
  assert.equal(verify('', [key]), null);
});
