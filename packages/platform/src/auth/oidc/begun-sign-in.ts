/**
 * The state of a started sign-in, which the browser carries to the callback. It is sealed, valid for ten minutes, and readable only by the
 * platform's processes. Rule 16.
 */
import type { SignInChecks } from './identity-provider.ts';
import { sealedTexts } from './sealed-text.ts';

export interface BegunSignIn {
  readonly checks: SignInChecks;
  /** A path of this site to continue to. */
  readonly to: string;
}

export const begunLifeMs = 600_000;

/** How many callbacks a process remembers; beyond that, the oldest are forgotten first. */
const answeredMax = 20_000;

export interface BegunSignIns {
  seal(begun: BegunSignIn): string;
  /** Null: not ours, damaged, or too old. */
  open(sealed: string): BegunSignIn | null;
  /** False: this process has already answered a callback of this sign-in. A failed callback uses up its own sign-in and no other. */
  answer(begun: BegunSignIn): boolean;
}

export function begunSignIns(masterKey: Uint8Array, clock: () => number): BegunSignIns {
  const texts = sealedTexts(masterKey, clock, { purpose: 'begun-sign-in', lifeMs: begunLifeMs });
  const answered = new Set<string>();
  return {
    // A path that makes it too long for a cookie is left out.
    seal: (begun) => texts.seal(JSON.stringify(begun)) ?? texts.seal(JSON.stringify({ ...begun, to: '/' }))!,
    open(sealed) {
      const text = texts.open(sealed);
      // It opens, because it was sealed above.
      return text === null ? null : JSON.parse(text) as BegunSignIn;
    },
    answer({ checks: { state } }) {
      if (answered.has(state)) return false;
      if (answered.size >= answeredMax) answered.delete(answered.values().next().value!);
      answered.add(state);
      return true;
    },
  };
}

/** A path of this site, whatever was requested; `/` in place of an address elsewhere. */
export function ownPath(asked: string | undefined, publicUrl: string): string {
  if (asked === undefined || asked.length > 2_000 || !/^\/(?![/\\])[\x21-\x7e]*$/.test(asked) || asked.includes('\\')) return '/';
  const url = URL.parse(asked, publicUrl);
  return url !== null && url.origin === new URL(publicUrl).origin ? asked : '/';
}
