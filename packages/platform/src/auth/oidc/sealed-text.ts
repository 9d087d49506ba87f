/**
 * A short text that a browser carries for a while and only the platform's processes can read. The key is derived from the master key and
 * the text's purpose, and stored nowhere.
 */
import { createSecretKey, hkdfSync, randomBytes } from 'node:crypto';
import { nonceBytes, seal, unseal, type Sealing } from '@metergate/store/sealing/seal.ts';

/** Browsers keep about four kilobytes of a cookie, its name included. */
const sealedMax = 3_900;

interface SealedTexts {
  /** Null: it would be too long for a cookie. */
  seal(text: string): string | null;
  /** Null: not ours, damaged, or too old. */
  open(sealed: string): string | null;
}

export function sealedTexts(
  masterKey: Uint8Array, clock: () => number, { purpose, lifeMs }: { readonly purpose: string; readonly lifeMs: number },
): SealedTexts {
  const sealing: Sealing = {
    key: createSecretKey(new Uint8Array(hkdfSync('sha256', masterKey, new Uint8Array(0), `metergate/v1/${purpose}`, 32))),
    // A browser carries one for each purpose, not yet bound to a person.
    place: { purpose, organization: '', record: '', version: 0n },
  };
  return {
    seal(text) {
      const whole = Buffer.from(`${clock() + lifeMs} ${text}`, 'utf8');
      const sealed = Buffer.from(seal(whole, randomBytes(nonceBytes), sealing)).toString('base64url');
      return sealed.length <= sealedMax ? sealed : null;
    },
    open(sealed) {
      if (sealed.length > sealedMax || !/^[\w-]+$/.test(sealed)) return null;
      const whole = unseal(Buffer.from(sealed, 'base64url'), sealing);
      if (whole === null) return null;
      const text = Buffer.from(whole).toString('utf8');
      const space = text.indexOf(' ');
      return clock() < Number(text.slice(0, space)) ? text.slice(space + 1) : null;
    },
  };
}
