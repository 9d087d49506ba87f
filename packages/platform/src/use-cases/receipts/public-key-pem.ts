/**
 * Ed25519 public keys: 32 raw bytes in base64, as receipts carry them ⇄ PEM, as other tools know them.
 */
import { createPublicKey, type KeyObject } from 'node:crypto';

/** The bytes before the 32 in SubjectPublicKeyInfo (RFC 8410). */
const publicKeyHead = Buffer.from('302a300506032b6570032100', 'hex');

/** The key of 32 raw bytes in base64; null: they are not 32. */
export function publicKeyOf(raw: string): KeyObject | null {
  const bytes = Buffer.from(raw, 'base64');
  if (bytes.length !== 32) return null;
  return createPublicKey({ key: Buffer.concat([publicKeyHead, bytes]), format: 'der', type: 'spki' });
}

/** A raw Ed25519 public key, base64, as PEM; empty if it is not a key. */
export function pemOf(raw: string): string {
  return publicKeyOf(raw)?.export({ format: 'pem', type: 'spki' }).toString() ?? '';
}

/** Every Ed25519 public key in the text, raw in base64; null: there is none, or one is of another kind. */
export function rawKeysIn(pem: string): string[] | null {
  try {
    const keys = blocksIn(pem).map((block) => createPublicKey(block));
    if (keys.length === 0 || keys.some((key) => key.asymmetricKeyType !== 'ed25519')) return null;
    return keys.map((key) => Buffer.from(String(key.export({ format: 'jwk' }).x), 'base64url').toString('base64'));
  } catch {
    return null;
  }
}

const blockBegin = '-----BEGIN PUBLIC KEY-----';
const blockEnd = '-----END PUBLIC KEY-----';

/** The key blocks in the text, each from its first line to its last. After a block without an end, no further one is found. */
function blocksIn(pem: string): string[] {
  const blocks: string[] = [];
  for (let to = 0; ;) {
    const from = pem.indexOf(blockBegin, to);
    const end = from < 0 ? -1 : pem.indexOf(blockEnd, from + blockBegin.length);
    if (end < 0) return blocks;
    to = end + blockEnd.length;
    blocks.push(pem.slice(from, to));
  }
}
