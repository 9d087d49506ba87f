/**
 * A browser in which somebody signed in with a password keeps a sealed note of it, and shows it where passwords are tried. Strangers can use up the
 * tries at an account, and at an address that many share; those of such a browser they cannot. Decision 171. The note opens nothing by itself.
 */
import { sealedTexts } from './oidc/sealed-text.ts';

export interface KnownBrowser {
  /** Its own, for counting. */
  readonly id: string;
  /** The account as it was typed there, in lower case. */
  readonly email: string;
  /** Whose password was right. */
  readonly person: string;
}

export interface KnownBrowsers {
  readonly lifeMs: number;
  seal(browser: KnownBrowser): string;
  /** Null: not ours, damaged, or too old. */
  open(sealed: string): KnownBrowser | null;
}

const lifeMs = 180 * 86_400_000;

export function knownBrowsers(masterKey: Uint8Array, clock: () => number): KnownBrowsers {
  const texts = sealedTexts(masterKey, clock, { purpose: 'known-browser', lifeMs });
  return {
    lifeMs,
    // An email has at most 320 characters, so it fits.
    seal: ({ id, email, person }) => texts.seal(JSON.stringify([id, email, person]))!,
    open(sealed) {
      const text = texts.open(sealed);
      if (text === null) return null;
      // It was sealed above.
      const [id, email, person] = JSON.parse(text) as [string, string, string];
      return { id, email, person };
    },
  };
}
