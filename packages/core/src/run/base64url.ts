/**
 * Bytes ⇄ base64url without padding (RFC 4648, section 5), strictly: one text for the same bytes, so that no second spelling
 * of a signed token verifies. Characters outside the alphabet, a lone last character and stray trailing bits are null.
 */

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const valueOf = new Int8Array(128).fill(-1);
for (let value = 0; value < 64; value += 1) valueOf[alphabet.charCodeAt(value)] = value;

/** Without padding. */
export function toBase64url(bytes: Uint8Array): string {
  let text = '';
  let held = 0;
  let bits = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    bits += 8;
    while (bits >= 6) {
      bits -= 6;
      text += alphabet[(held >> bits) & 63];
    }
    held &= (1 << bits) - 1;
  }
  return bits === 0 ? text : text + alphabet[(held << (6 - bits)) & 63];
}

/** The bytes, or null if the text is not their only valid spelling. */
export function fromBase64url(text: string): Uint8Array | null {
  if (text.length % 4 === 1) return null;
  const bytes = new Uint8Array(Math.floor(text.length * 6 / 8));
  let held = 0;
  let bits = 0;
  let at = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    const value = code < 128 ? valueOf[code]! : -1;
    if (value < 0) return null;
    held = (held << 6) | value;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes[at] = held >> bits;
    at += 1;
    held &= (1 << bits) - 1;
  }
  return held === 0 ? bytes : null;
}
