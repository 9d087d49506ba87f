/**
 * Which service key a request presents, decided on the raw header lines. Spec: Authentication 1.
 * The first `Authorization: Bearer` line wins; `x-api-key` is read only where no bearer line is present.
 */
import type { HeaderPairs } from './header-pairs.ts';

/** The scheme and what parts it from its credential; no scheme has a case (RFC 9110, 11.1). */
const bearerScheme = /^bearer(?: +|$)/i;
const keyForm = /^svc_live_[0-9A-Za-z]{16,128}$/;

/** The presented key where it has the form of one, or null: nothing else is ever hashed or looked up. */
export function presentedServiceKey(headers: HeaderPairs): string | null {
  let apiKey: string | null = null;
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at]!;
    if (name.length === 13 && name.toLowerCase() === 'authorization') {
      const value = headers[at + 1]!;
      const scheme = bearerScheme.exec(value);
      if (scheme !== null) return keyOrNull(value.slice(scheme[0].length));
    } else if (apiKey === null && name.length === 9 && name.toLowerCase() === 'x-api-key') {
      apiKey = headers[at + 1]!;
    }
  }
  return apiKey === null ? null : keyOrNull(apiKey);
}

function keyOrNull(text: string): string | null {
  return keyForm.test(text) ? text : null;
}
