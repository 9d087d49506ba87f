/**
 * Signing out at the identity provider after signing out here: the browser keeps what that needs in a cookie, which goes to the one path that
 * ends a session. Rule 16; decision 75.
 */
import { parse, serialize } from 'hono/utils/cookie';
import { apiRoot } from './describe.ts';
import type { PlatformParts } from './parts.ts';

export const signOutPath = '/auth/sign-out';

/** The cookie's line. */
export function keptIdToken(publicUrl: string, sealed: string, lifeMs: number): string {
  return serialize(cookieName(publicUrl), sealed, {
    httpOnly: true, sameSite: 'Strict', secure: publicUrl.startsWith('https:'), path: apiRoot + signOutPath, maxAge: Math.floor(lifeMs / 1_000),
  });
}

/** Where the browser must go to sign out at the provider too; null: nowhere. `answerHeaders` removes the cookie. */
export async function signOutThere(request: Headers, answerHeaders: Headers, { publicUrl, oidc }: PlatformParts): Promise<string | null> {
  const name = cookieName(publicUrl);
  const kept = parse(request.get('cookie') ?? '', name)[name];
  if (kept === undefined) return null;
  answerHeaders.append('set-cookie', keptIdToken(publicUrl, '', 0));
  const idToken = oidc?.idTokens.open(kept) ?? null;
  return oidc === null || idToken === null ? null : oidc.provider.signOut(idToken, `${publicUrl}/sign-in`);
}

function cookieName(publicUrl: string): string {
  return publicUrl.startsWith('https:') ? '__Secure-metergate_id_token' : 'metergate_id_token';
}
