/**
 * Plaintext ⇄ sealed bytes: AES-256-GCM with a fresh random 96-bit nonce and a 128-bit tag, bound to its place.
 * Sealed form: version byte 1 ‖ nonce (12) ‖ ciphertext ‖ tag (16). The additional data names purpose, organization,
 * record and version, each with its length before it, so that no sealed value can stand in for another one.
 * A value that does not unseal is null, never an error: it was moved, altered, cut, or sealed under another key.
 */
import { createCipheriv, createDecipheriv, type KeyObject } from 'node:crypto';

const sealedFormVersion = 1;
/** Length of the random nonce of each seal. */
export const nonceBytes = 12;
const tagBytes = 16;

/** Where a sealed value belongs. It unseals nowhere else. */
export interface SealPlace {
  /** What the value is, e.g. `provider-key`. */
  readonly purpose: string;
  readonly organization: string;
  /** Which one of that purpose, e.g. `openai`. */
  readonly record: string;
  /** Changes each time the record is rewritten. */
  readonly version: bigint;
}

export interface Sealing {
  readonly key: KeyObject;
  readonly place: SealPlace;
}

/** The sealed form of `plaintext`. `nonce`: 12 random bytes, never used before under this key. */
export function seal(plaintext: Uint8Array, nonce: Uint8Array, { key, place }: Sealing): Uint8Array {
  if (nonce.length !== nonceBytes) throw new RangeError('a seal takes a nonce of 12 bytes');
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes });
  cipher.setAAD(additionalData(place));
  return Buffer.concat([Uint8Array.of(sealedFormVersion), nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}

/** The plaintext, or null if the bytes were not sealed with this key for this place. */
export function unseal(sealed: Uint8Array, { key, place }: Sealing): Uint8Array | null {
  if (sealed.length < 1 + nonceBytes + tagBytes || sealed[0] !== sealedFormVersion) return null;
  const nonce = sealed.subarray(1, 1 + nonceBytes);
  const ciphertext = sealed.subarray(1 + nonceBytes, sealed.length - tagBytes);
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes });
    decipher.setAAD(additionalData(place));
    decipher.setAuthTag(sealed.subarray(sealed.length - tagBytes));
    return Buffer.concat([decipher.update(ciphertext), decipher.final()]);
  } catch {
    return null;
  }
}

function additionalData({ purpose, organization, record, version }: SealPlace): Uint8Array {
  const parts: Uint8Array[] = [];
  for (const text of [purpose, organization, record, version.toString()]) {
    const bytes = Buffer.from(text, 'utf8');
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    parts.push(length, bytes);
  }
  return Buffer.concat(parts);
}
