/**
 * Which service key a request presents, decided on the raw header lines. Spec: Authentication 1.
 * The first `Authorization: Bearer` line wins; `x-api-key` is read only where no bearer line is present, and a subprotocol where neither is.
 */
import { keyOrNull } from './key-form.ts';
import { allValues, type HeaderPairs } from './header-pairs.ts';

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

/** What a browser, which can send no header of its own, puts before its key in a WebSocket handshake. */
const subprotocolPrefix = 'openai-insecure-api-key.';

/** Read only where neither header presents a key. */
function keyInSubprotocol(headers: HeaderPairs): string | null {
  for (const offered of allValues(headers, 'sec-websocket-protocol').flatMap((line) => line.split(','))) {
    const name = offered.trim();
    if (name.startsWith(subprotocolPrefix)) return keyOrNull(name.slice(subprotocolPrefix.length));
  }
  return null;
}

/** The list without the subprotocols that hold a key: a destination is shown its credential in its own header. */
export function withoutKeySubprotocols(headers: HeaderPairs): string[] {
  const kept: string[] = [];
  for (let at = 0; at < headers.length; at += 2) {
    const [name, value] = [headers[at]!, headers[at + 1]!];
    if (name.toLowerCase() !== 'sec-websocket-protocol' || !value.includes(subprotocolPrefix)) {
      kept.push(name, value);
      continue;
    }
    const others = value.split(',').filter((offered) => !offered.trim().startsWith(subprotocolPrefix));
    if (others.some((offered) => offered.trim() !== '')) kept.push(name, others.join(',').trim());
  }
  return kept;
}
