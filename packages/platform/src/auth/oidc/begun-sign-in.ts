/**
 * The state of a started sign-in, which the browser carries to the callback. It is sealed, valid for ten minutes, and readable only by the
 * platform's processes. Design 3, row 16. The key is derived from the master key and stored nowhere.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { SignInChecks } from './identity-provider.ts';

export interface BegunSignIn {
  readonly checks: SignInChecks;
  /** A path of this site to go on to. */
  readonly to: string;
}

export const begunLifeMs = 600_000;
const nonceBytes = 12;
const tagBytes = 16;
const sealedMax = 4_096;

export interface BegunSignIns {
  seal(begun: BegunSignIn): string;
  /** Null: not ours, damaged, or too old. */
  open(sealed: string): BegunSignIn | null;
}

export function begunSignIns(masterKey: Uint8Array, clock: () => number): BegunSignIns {
  const key = new Uint8Array(hkdfSync('sha256', masterKey, new Uint8Array(0), 'metergate/v1/begun-sign-in', 32));
  return {
    seal(begun) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes });
      const text = JSON.stringify({ ...begun, untilMs: clock() + begunLifeMs });
      return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64url');
    },
    open(sealed) {
      if (sealed.length > sealedMax || !/^[\w-]+$/.test(sealed)) return null;
      const bytes = Buffer.from(sealed, 'base64url');
      if (bytes.length <= nonceBytes + tagBytes) return null;
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
      decipher.setAuthTag(bytes.subarray(-tagBytes));
      try {
        const text = Buffer.concat([decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()]).toString('utf8');
        // What opens was written above.
        const { untilMs, ...begun } = JSON.parse(text) as BegunSignIn & { readonly untilMs: number };
        return clock() < untilMs ? begun : null;
      } catch {
        return null;
      }
    },
  };
}

/** A path of this site, whatever was asked for; `/` in place of an address of another. */
export function ownPath(asked: string | undefined, publicUrl: string): string {
  if (asked === undefined || asked.length > 2_000 || !/^\/(?![/\\])[\x21-\x7e]*$/.test(asked) || asked.includes('\\')) return '/';
  const url = URL.parse(asked, publicUrl);
  return url !== null && url.origin === new URL(publicUrl).origin ? asked : '/';
}
