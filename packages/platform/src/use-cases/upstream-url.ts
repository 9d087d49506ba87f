/**
 * The URL that someone declares as their upstream → its normalized form, or a sentence that says why it is refused. Rule 19.
 */
import { withoutEnding } from '@metergate/core/json/without-ending.ts';
import { whyNotCalled, type OutwardRules } from './outward-url.ts';

const urlLengthMax = 2048;

/** What the operator allows. */
export type UpstreamUrlRules = OutwardRules;

/** A URL, or the sentence that says why it is none. */
type ParsedUpstreamUrl = { readonly url: string } | { readonly refusal: string };

/** A path in another version's place, as Google's chat-compatible one (`/v1beta/openai`). */
const ownVersion = /\/v\d[a-z0-9]*\/openai\/*$/;

/** Scheme, host, port and path in WHATWG form, without trailing slashes and one trailing `/v1`; or the sentence. */
export function parseUpstreamUrl(text: string, rules: UpstreamUrlRules): ParsedUpstreamUrl {
  const parsed = checked(text, rules);
  if ('refusal' in parsed) return parsed;
  if (ownVersion.test(parsed.pathname)) {
    return invalid('Calls to /upstream/v1 go to this URL with /v1 behind it, and it has a version of its own. Declare it with a name: '
      + 'calls to /upstreams/NAME go to it with nothing in between.');
  }
  return { url: parsed.origin + withoutEnding(withoutEnding(parsed.pathname, '/').replace(/\/v1$/, ''), '/') };
}

/** As above, with its whole path: behind a name stands all that follows it. */
export function parseNamedUpstreamUrl(text: string, rules: UpstreamUrlRules): ParsedUpstreamUrl {
  const parsed = checked(text, rules);
  return 'refusal' in parsed ? parsed : { url: parsed.origin + withoutEnding(parsed.pathname, '/') };
}

function checked(text: string, rules: UpstreamUrlRules): URL | { readonly refusal: string } {
  const trimmed = text.trim();
  const url = /^https?:\/\/[^/\\]/i.test(trimmed) && !/[\s\\]/.test(trimmed) && trimmed.length <= urlLengthMax ? URL.parse(trimmed) : null;
  if (url === null) {
    return invalid('The URL must begin with https://, name a host, and have no spaces, such as https://llm.example.com/base.');
  }
  if (url.username !== '' || url.password !== '') {
    return invalid('The URL must not carry a user name or password; give the credential on standard input.');
  }
  if (/[?#]/.test(trimmed)) return invalid('The URL must not have a query or a fragment.');
  const why = whyNotCalled(url, rules);
  if (why !== null) return invalid(why);
  return url;
}

function invalid(refusal: string): { readonly refusal: string } {
  return { refusal };
}
