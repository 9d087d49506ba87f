/**
 * Which service key a request presents, decided on the raw header lines. Spec: Authentication 1.
 * The first `Authorization: Bearer` line wins; `x-api-key` is read only where no bearer line is present, and a subprotocol where neither is.
 */
import { keyOrNull } from './key-form.ts';
import { allValues, type HeaderPairs } from './header-pairs.ts';
import { keyAmong } from './key-subprotocols.ts';

/** The scheme and what parts it from its credential; no scheme has a case (RFC 9110, 11.1). */
const bearerScheme = /^bearer(?: +|$)/i;

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
  return apiKey === null ? keyInSubprotocol(headers) : keyOrNull(apiKey);
}

/** A key in a browser's handshake. Read only if neither header presents one. */
function keyInSubprotocol(headers: HeaderPairs): string | null {
  const key = keyAmong(allValues(headers, 'sec-websocket-protocol').join(','));
  return key === null ? null : keyOrNull(key);
}
