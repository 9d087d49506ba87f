/** The hash that identifies secrets, price lists and bills. */
import { createHash } from 'node:crypto';

/** SHA-256 in lower-case hexadecimal; of a text, that of its UTF-8 bytes. */
export function sha256Of(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
