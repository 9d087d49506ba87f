/**
 * The ID token that a session began with, sealed in a cookie of the browser for signing out at the provider, which asks for it as a hint.
 * The cookie is sent to that one path alone; nothing of the token is kept on a server. Decision 75.
 */
import { sealedTexts } from './sealed-text.ts';

export interface KeptIdTokens {
  readonly lifeMs: number;
  /** A token that is too long for a cookie is left out: providers work without it, but may then ask the person. */
  seal(idToken: string): string;
  /** The token, empty if it was left out; null: the session was not begun by the provider, or long ago. */
  open(sealed: string): string | null;
}

export function keptIdTokens(masterKey: Uint8Array, clock: () => number, lifeMs: number): KeptIdTokens {
  const texts = sealedTexts(masterKey, clock, { purpose: 'id-token', lifeMs });
  return { lifeMs, seal: (idToken) => texts.seal(idToken) ?? texts.seal('')!, open: (sealed) => texts.open(sealed) };
}
