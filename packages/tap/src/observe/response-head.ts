/**
 * The head of a provider's response, or the SDK's error made from it → status, request id, rate limits. Headers come as `Headers`, as a plain
 * object or, if the SDK does not show them, not at all.
 */
import { at, isThere, methodOf } from './look.ts';
import { figureRule, keeps } from '../tap-event.ts';
import type { SeenFigures, SeenRateLimit } from '../seen-call.ts';

/**
 * Reads the head into the figures of its call; a figure that the head does not contain keeps its value. The rate limits are null if there
 * is no such header, and one of them is null if its header is not a number that an event can hold.
 */
export function readHead(holder: unknown, figures: SeenFigures): void {
  const isStatus = (found: unknown): boolean => /^[1-5]\d\d$/.test(found as string);
  figures.status = Number(at(holder, 'status statusCode', isStatus) ?? figures.status);
  const headers = at(holder, 'headers responseHeaders') as Headers & Record<string, string>;
  const header = (name: string): string | null | undefined => (methodOf(headers, 'get') ? headers.get(name) : at(headers, name)) as string;
  figures.request_id ??= header('x-request-id') ?? header('request-id') ?? null;
  let told = false;
  const limits = ['requests', 'tokens'].flatMap((what) => ['limit', 'remaining'].map((which) => {
    const text = header(`x-ratelimit-${which}-${what}`) ?? header(`anthropic-ratelimit-${what}-${which}`);
    told ||= isThere(text);
    const value = /^\s*\d+\s*$/.test(text!) && Number(text);
    return [`${what}_${which}`, keeps(value, figureRule) ? value : null] as const;
  }));
  if (told) figures.rate_limit = Object.fromEntries(limits) as unknown as SeenRateLimit;
}
