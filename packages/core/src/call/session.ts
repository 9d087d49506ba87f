/**
 * The headers in which agents tell their session → the session of a call. Rule 31a. Opaque: bounded, never interpreted, forwarded as it came.
 * Nothing here can refuse a call.
 */
import { charactersIn, headerText } from './labels.ts';
import { HeaderNames } from './header-names.ts';
import type { HeaderPairs } from './header-pairs.ts';

/** What agents send by themselves: Claude Code, Codex, and what others have taken over. The first of the list that a call carries counts. */
export const sessionHeadersDefault: readonly string[] = [
  'x-claude-code-session-id', 'session-id', 'session_id', 'thread-id', 'thread_id', 'x-session-id',
];

/** In characters. A longer session is dropped whole: two that begin alike would become one. */
export const sessionCharactersMax = 256;

/** Headers that carry a credential; their values are never kept. */
const credentialNames = new Set([
  'authorization', 'proxy-authorization', 'cookie', 'x-api-key', 'api-key', 'x-goog-api-key', 'x-svc-key', 'x-amz-security-token',
]);

/** Headers of a body's framing, which name no conversation; a head that comes again may differ in its length alone. */
const framingNames = new Set(['content-length', 'transfer-encoding']);

/** Why these cannot be names of session headers, as the end of a sentence; null: they can. In lower case. */
export function sessionHeadersFault(names: readonly string[]): string | null {
  const wrong = names.find((name) => !/^[!#$%&'*+.^_`|~0-9a-z-]{1,64}$/.test(name));
  if (wrong !== undefined) return 'must be names of headers, separated by commas';
  if (names.some((name) => credentialNames.has(name))) return 'must not name a header that carries a credential';
  return names.some((name) => framingNames.has(name)) ? 'must not name a header that says where a body ends' : null;
}

/** Finds the session of each call. */
export class SessionHeaders {
  readonly #names: readonly string[];
  readonly #any: HeaderNames;

  /** @param names in lower case, the one that counts first first */
  constructor(names: readonly string[]) {
    this.#names = names;
    this.#any = new HeaderNames(names);
  }

  /** Null: the call names none, or one that is longer than is kept. */
  of(pairs: HeaderPairs): string | null {
    let found: string | null = null;
    let place = this.#names.length;
    for (let at = 0; at < pairs.length; at += 2) {
      if (!this.#any.has(pairs[at]!)) continue;
      const here = this.#names.indexOf(pairs[at]!.toLowerCase());
      if (here >= place) continue;
      const text = headerText(pairs[at + 1]!).trim();
      if (text === '') continue;
      found = text;
      place = here;
    }
    return found === null || charactersIn(found) > sessionCharactersMax ? null : found;
  }
}
