/**
 * A seen call → the JSON of its tap event, or nothing (spec, Tap event; design 3, rows 27 and 30b).
 * An event the server would refuse is null here, so it is never queued, sent or printed. Pure: time and ids are passed in.
 */
import type { SeenCall } from './seen-call.ts';

/** What an event needs besides the seen call. */
export interface EventGround {
  /** A tag that `isTag` takes. */
  readonly tag: string;
  /** Wall time, milliseconds since the epoch. */
  readonly nowMs: number;
  /** Makes the id of a call whose provider gave none that can be sent. */
  readonly uuid: () => string;
}

const stringify = JSON.stringify;
const NativeDate = Date;

const id = /^[\w.:-]{1,128}$/;
const tag = /^[\w.:-]{1,64}$/;

/**
 * The rules of what comes from outside: a form, or the least and the greatest whole number. Everything else is right as it is built;
 * provider and stop reason are the observers' own words.
 */
const rules: Readonly<Record<string, RegExp | readonly [number, number]>> = {
  model: /^[\w.:/-]{1,128}$/,
  input_tokens: [0, 1e9],
  output_tokens: [0, 1e9],
  cached_tokens: [0, 1e9],
  tool_calls: [0, 1e4],
  status: [100, 599],
  latency_ms: [0, 36e5],
};

/** True for a tag: 1 to 64 characters from `[A-Za-z0-9._:-]`. */
export function isTag(value: unknown): value is string {
  return keeps(value, tag);
}

/**
 * The JSON of the event of a seen call; null where a server would refuse it.
 * An id that cannot be sent gives way to a UUID, a rate-limit figure that cannot be sent to null; no other figure is mended.
 */
export function eventJson(seen: SeenCall, ground: EventGround): string | null {
  const limit = seen.rateLimit;
  const event: Record<string, unknown> = {
    schema: 'svc-tap-v1',
    provider: seen.provider,
    model: seen.model,
    request_id: keeps(seen.requestId, id) ? seen.requestId : ground.uuid(),
    input_tokens: seen.inputTokens,
    output_tokens: seen.outputTokens,
    cached_tokens: seen.cachedTokens,
    stop_reason: seen.stopReason,
    tool_calls: seen.toolCalls,
    status: seen.status,
    // The clients that are observed do not show their own retries.
    retries: 0,
    latency_ms: Math.round(seen.latencyMs),
    rate_limit: limit && {
      requests_limit: figure(limit.requestsLimit),
      requests_remaining: figure(limit.requestsRemaining),
      tokens_limit: figure(limit.tokensLimit),
      tokens_remaining: figure(limit.tokensRemaining),
    },
    timestamp: new NativeDate(ground.nowMs).toISOString(),
    tag: ground.tag,
  };
  return Object.keys(rules).every((field) => keeps(event[field], rules[field]!)) ? stringify(event) : null;
}

function figure(value: number | null): number | null {
  return keeps(value, [0, 1e9]) ? value : null;
}

function keeps(value: unknown, rule: RegExp | readonly [number, number]): boolean {
  if (rule instanceof RegExp) return typeof value === 'string' && rule.test(value);
  return Number.isInteger(value) && (value as number) >= rule[0] && (value as number) <= rule[1];
}
