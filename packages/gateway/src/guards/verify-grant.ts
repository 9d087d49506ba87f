/**
 * A run-budget grant as it came → its payload, if it was signed with a key of the organization (rule 15). Nodes hold
 * public keys only. Verified grants, good and bad, are remembered by hash, so that a grant on every call costs a look-up.
 * Whether the grant is for this organization and run is `grantBinds` in core.
 */
import { createPublicKey, hash, verify, type KeyObject } from 'node:crypto';
import { grantLengthMax, parseGrant, type GrantKey, type GrantPayload } from '@metergate/core/run/grant.ts';

/** Null: not a grant that one of these keys signed. */
export type VerifyGrant = (grant: string, keys: readonly GrantKey[]) => GrantPayload | null;

/**
 * How many grants of each kind are remembered; beyond it the oldest is forgotten. Good and bad ones are kept apart, so that whoever
 * keeps sending new bad ones does not push out the good ones.
 */
const rememberedMax = 10_000;
const publicKeysMax = 1_000;

/** What is known of a grant: its payload, signed by this public key, or that this key did not sign it. */
interface Known {
  readonly payload: GrantPayload | null;
  readonly publicKey: string;
}

export function createGrantVerifier(): VerifyGrant {
  const good = new Map<string, Known>();
  const bad = new Map<string, Known>();
  const publicKeys = new Map<string, KeyObject>();

  function publicKeyOf(text: string): KeyObject {
    let key = publicKeys.get(text);
    if (key === undefined) {
      key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: text }, format: 'jwk' });
      forgetOldest(publicKeys, publicKeysMax);
      publicKeys.set(text, key);
    }
    return key;
  }

  return (grant, keys) => {
    if (grant.length > grantLengthMax) return null;
    const digest = hash('sha256', grant, 'hex');
    const remembered = good.get(digest) ?? bad.get(digest);
    if (remembered !== undefined && keys.some(({ publicKey }) => publicKey === remembered.publicKey)) return remembered.payload;
    const parsed = parseGrant(grant);
    const signer = parsed === null ? undefined : keys.find(({ id }) => id === parsed.payload.key);
    if (parsed === null || signer === undefined) return null;
    const verified = verify(null, Buffer.from(parsed.signedText, 'latin1'), publicKeyOf(signer.publicKey), parsed.signature);
    const payload = verified ? parsed.payload : null;
    const known = verified ? good : bad;
    forgetOldest(known, rememberedMax);
    known.set(digest, { payload, publicKey: signer.publicKey });
    return payload;
  };
}

function forgetOldest(map: Map<string, unknown>, max: number): void {
  if (map.size >= max) map.delete(map.keys().next().value!);
}
