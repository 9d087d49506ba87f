/**
 * A short text that a browser carries and only the platform's processes can read, for a while. The key is derived from the master key by
 * what it is for, and stored nowhere.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const nonceBytes = 12;
const tagBytes = 16;
/** Browsers keep about four kilobytes of a cookie, its name included. */
export const sealedMax = 3_900;

export interface SealedTexts {
  /** Null: it would be too long for a cookie. */
  seal(text: string): string | null;
  /** Null: not ours, damaged, or too old. */
  open(sealed: string): string | null;
}

export function sealedTexts(
  masterKey: Uint8Array, clock: () => number, { purpose, lifeMs }: { readonly purpose: string; readonly lifeMs: number },
): SealedTexts {
  const key = new Uint8Array(hkdfSync('sha256', masterKey, new Uint8Array(0), `metergate/v1/${purpose}`, 32));
  return {
    seal(text) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes });
      const whole = `${clock() + lifeMs} ${text}`;
      const sealed = Buffer.concat([nonce, cipher.update(whole, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64url');
      return sealed.length <= sealedMax ? sealed : null;
    },
    open(sealed) {
      if (sealed.length > sealedMax || !/^[\w-]+$/.test(sealed)) return null;
      const bytes = Buffer.from(sealed, 'base64url');
      if (bytes.length <= nonceBytes + tagBytes) return null;
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
      decipher.setAuthTag(bytes.subarray(-tagBytes));
      try {
        const text = Buffer.concat([decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()]).toString('utf8');
        const space = text.indexOf(' ');
        return clock() < Number(text.slice(0, space)) ? text.slice(space + 1) : null;
      } catch {
        return null;
      }
    },
  };
}
