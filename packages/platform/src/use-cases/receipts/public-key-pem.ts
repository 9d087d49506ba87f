/**
 * Ed25519 public keys: 32 raw bytes in base64, as receipts carry them ⇄ PEM, as other tools know them.
 */
import { createPublicKey, type KeyObject } from 'node:crypto';

/** What stands before the 32 bytes in SubjectPublicKeyInfo (RFC 8410). */
const publicKeyHead = Buffer.from('302a300506032b6570032100', 'hex');

/** The key of 32 raw bytes in base64; null: they are not 32. */
export function publicKeyOf(raw: string): KeyObject | null {
  const bytes = Buffer.from(raw, 'base64');
  if (bytes.length !== 32) return null;
  return createPublicKey({ key: Buffer.concat([publicKeyHead, bytes]), format: 'der', type: 'spki' });
}

/** A raw Ed25519 public key, base64, as PEM; empty if it is none. */
export function pemOf(raw: string): string {
  return publicKeyOf(raw)?.export({ format: 'pem', type: 'spki' }).toString() ?? '';
}

/** Every Ed25519 public key in the text, raw in base64; null: there is none, or one is of another kind. */
export function rawKeysIn(pem: string): string[] | null {
  const blocks = pem.match(/-----BEGIN PUBLIC KEY-----[\s\S]*?-----END PUBLIC KEY-----/g) ?? [];
  try {
    const keys = blocks.map((block) => createPublicKey(block));
    if (keys.length === 0 || keys.some((key) => key.asymmetricKeyType !== 'ed25519')) return null;
    return keys.map((key) => Buffer.from(String(key.export({ format: 'jwk' }).x), 'base64url').toString('base64'));
  } catch {
    return null;
  }
}
