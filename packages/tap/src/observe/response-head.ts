/**
 * What the head of a provider's response, or the error an SDK made of it, says: status, request id, rate limits.
 * Headers come as `Headers`, as a plain object or, where the SDK does not show them, not at all.
 */
import { at, methodOf } from './look.ts';
import type { RateLimit } from '../seen-call.ts';

const figureMax = 1_000_000_000;

/** The request id in the headers. */
export function requestIdIn(headers: unknown): string | undefined {
  return header(headers, 'x-request-id') || header(headers, 'request-id');
}

/** The rate limits in the headers; null where none of them is there, a null figure where one is no number from 0 to a milliard. */
export function rateLimitIn(headers: unknown): RateLimit | null {
  const texts = ['requests', 'tokens'].flatMap((what) => ['limit', 'remaining'].map((which) =>
    header(headers, `x-ratelimit-${which}-${what}`) ?? header(headers, `anthropic-ratelimit-${what}-${which}`)));
  if (texts.every((text) => text === undefined)) return null;
  const [requestsLimit = null, requestsRemaining = null, tokensLimit = null, tokensRemaining = null] = texts.map(figure);
  return { requestsLimit, requestsRemaining, tokensLimit, tokensRemaining };
}

/** A number that can be an HTTP status, or undefined. */
export function statusIn(holder: unknown): number | undefined {
  const told = (at(holder, 'status') ?? at(holder, 'statusCode')) as number;
  return Number.isInteger(told) && told >= 100 && told < 600 ? told : undefined;
}

/** The headers that a response or an SDK's error carries. */
export function headersIn(holder: unknown): unknown {
  return at(holder, 'headers') ?? at(holder, 'responseHeaders');
}

function header(headers: unknown, name: string): string | undefined {
  const found = methodOf(headers, 'get') ? (headers as Headers).get(name) : at(headers, name);
  return typeof found === 'string' ? found : undefined;
}

function figure(text: string | undefined): number | null {
  const value = /^\s*\d+\s*$/.test(text ?? '') ? Number(text) : Infinity;
  return value <= figureMax ? value : null;
}
