/** The note of a known browser in a cookie, which goes to the one path where passwords are tried. Decision 171. */
import { parse, serialize } from 'hono/utils/cookie';
import type { KnownBrowser } from '../auth/known-browsers.ts';
import { apiRoot } from './describe.ts';
import type { PlatformParts } from './parts.ts';

export const signInPath = '/auth/sign-in/email';
const idBytes = 16;

type Parts = Pick<PlatformParts, 'publicUrl' | 'browsers' | 'randomBytes'>;

/** Null: it is new, or its note is too old. */
export function knownBrowserOf(request: Headers, { publicUrl, browsers }: Parts): KnownBrowser | null {
  const name = cookieName(publicUrl);
  const kept = parse(request.get('cookie') ?? '', name)[name];
  return kept === undefined ? null : browsers.open(kept);
}

/** Somebody's password was right there, or was set: the browser keeps a note of it from now on. */
export function knowBrowser(
  { email, person }: Omit<KnownBrowser, 'id'>, parts: Parts, { request, answer }: { readonly request: Headers; readonly answer: Headers },
): void {
  const { publicUrl, browsers } = parts;
  const id = knownBrowserOf(request, parts)?.id ?? Buffer.from(parts.randomBytes(idBytes)).toString('base64url');
  answer.append('set-cookie', serialize(cookieName(publicUrl), browsers.seal({ id, email: email.trim().toLowerCase(), person }), {
    httpOnly: true, sameSite: 'Strict', secure: publicUrl.startsWith('https:'), path: apiRoot + signInPath, maxAge: browsers.lifeMs / 1_000,
  }));
}

function cookieName(publicUrl: string): string {
  return publicUrl.startsWith('https:') ? '__Secure-metergate_known' : 'metergate_known';
}
