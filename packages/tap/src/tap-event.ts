/**
 * A seen call → the JSON of its tap event, or nothing (spec, Tap event; rules 27 and 30b).
 * An event the server would refuse is null here, so it is never queued, sent or printed. Pure: time and ids are passed in.
 */
import type { SeenCall } from './seen-call.ts';

/** What an event needs besides the seen call. */
export interface EventContext {
  /** A tag that fits `tagRule`. */
  readonly tag: string;
  /** Wall time, milliseconds since the epoch. */
  readonly nowMs: number;
  /** Makes the id for a call whose provider gave none that can be sent. */
  readonly uuid: () => string;
}

/** A pattern for text, or the smallest and the largest whole number. */
type Rule = RegExp | readonly [number, number];

const stringify = JSON.stringify;
const NativeDate = Date;

/** A tag: 1 to 64 characters from `[A-Za-z0-9._:-]`. */
export const tagRule: Rule = /^[\w.:-]{1,64}$/;
/** The largest figures of tokens and of rate limits that an event can hold. */
export const figureRule: Rule = [0, 1e9];
const id = /^[\w.:-]{1,128}$/;

/** The fields that come from outside, and their rules. Nothing else gets into an event. */
const rules: Readonly<Record<string, Rule>> = {
  provider: tagRule,
  model: /^[\w.:/-]{1,128}$/,
  request_id: id,
  input_tokens: figureRule,
  output_tokens: figureRule,
  cached_tokens: figureRule,
  stop_reason: tagRule,
  tool_calls: [0, 1e4],
  status: [100, 599],
  retries: figureRule,
  latency_ms: [0, 36e5],
};

/** The JSON of a seen call's event; null if a server would refuse it. An id that cannot be sent is replaced by a UUID. */
export function eventJson(seen: SeenCall, { tag, nowMs, uuid }: EventContext): string | null {
  const given: Record<string, unknown> = {
    ...seen,
    request_id: keeps(seen.request_id, id) ? seen.request_id : uuid(),
    // The observed clients do not show their own retries.
    retries: 0,
    latency_ms: Math.round(seen.latency_ms),
  };
  const event: Record<string, unknown> = { schema: 'svc-tap-v1' };
  for (const [field, rule] of Object.entries(rules)) {
    if (!keeps(given[field], rule)) return null;
    event[field] = given[field];
  }
  return stringify({ ...event, rate_limit: seen.rate_limit, timestamp: new NativeDate(nowMs).toISOString(), tag });
}

/** True for a value that fits the rule. */
export function keeps(value: unknown, rule: Rule): boolean {
  if (rule instanceof RegExp) return typeof value === 'string' && rule.test(value);
  return Number.isInteger(value) && (value as number) >= rule[0] && (value as number) <= rule[1];
}
