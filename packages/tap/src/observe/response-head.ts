/**
 * What the head of a provider's response, or the error an SDK made of it, says: status, request id, rate limits.
 * Headers come as `Headers`, as a plain object or, where the SDK does not show them, not at all.
 */
import { at, methodOf } from './look.ts';
import type { Figures } from './reading.ts';

const figureMax = 1_000_000_000;
const limits = [['requests', 'limit'], ['requests', 'remaining'], ['tokens', 'limit'], ['tokens', 'remaining']] as const;

/**
 * Reads the head into the figures of its call; what it does not tell stays as it is. The rate limits are null where no such header is
 * there, and one of them is null where its header is no number from 0 to a milliard.
 */
export function readHead(holder: unknown, figures: Figures): void {
  const status = (at(holder, 'status') ?? at(holder, 'statusCode')) as number;
  if (Number.isInteger(status) && status >= 100 && status < 600) figures.status = status;
  const headers = at(holder, 'headers') ?? at(holder, 'responseHeaders');
  const header = (name: string): string | undefined => {
    const found = methodOf(headers, 'get') ? (headers as Headers).get(name) : at(headers, name);
    return typeof found === 'string' ? found : undefined;
  };
  figures.requestId ??= header('x-request-id') ?? header('request-id') ?? null;
  const texts = limits.map(([what, which]) => header(`x-ratelimit-${which}-${what}`) ?? header(`anthropic-ratelimit-${what}-${which}`));
  if (!texts.some((text) => text !== undefined)) return;
  const [requestsLimit = null, requestsRemaining = null, tokensLimit = null, tokensRemaining = null] = texts.map((text) => {
    const value = /^\s*\d+\s*$/.test(text ?? '') ? Number(text) : Infinity;
    return value <= figureMax ? value : null;
  });
  figures.rateLimit = { requestsLimit, requestsRemaining, tokensLimit, tokensRemaining };
}
