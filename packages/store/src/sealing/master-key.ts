/**
 * The master key as people keep it: 32 bytes in base64 ⇄ bytes. Rules: `SVC_MASTER_KEY`.
 * A text that is anything else is refused in a sentence that does not repeat it.
 */
import { refuse, type StoreRefusal } from '../engine/refusal.ts';

export const masterKeyBytes = 32;

/** The 32 bytes that `text` holds, or why it holds none. White space around it is not part of it. */
export function parseMasterKey(text: string): Uint8Array | StoreRefusal {
  const trimmed = text.trim();
  if (/^[A-Za-z0-9+/]{43}=?$/.test(trimmed)) {
    const bytes = Buffer.from(trimmed, 'base64');
    // Forty-three characters hold two bits more than 32 bytes do; set, they mean a mistyped key.
    if (bytes.toString('base64') === trimmed.padEnd(44, '=')) return new Uint8Array(bytes);
  }
  return refuse('invalid_master_key', 'The master key must be 32 bytes in base64 (44 characters). Make one with: openssl rand -base64 32');
}

/** The base64 text of a master key. A secret: for its file or the operator, never for a log. */
export function formatMasterKey(key: Uint8Array): string {
  if (key.length !== masterKeyBytes) throw new RangeError('a master key has 32 bytes');
  return Buffer.from(key).toString('base64');
}
