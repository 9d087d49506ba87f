/**
 * A seen call → the tap event and its JSON, or nothing (spec, Tap event; design 3, rows 27 and 30b).
 * An event the server would refuse is null here, so it is never queued, sent or printed. Pure: time and ids are passed in.
 * What passes the rules holds no character that JSON escapes, so the JSON is joined by hand and no patched serialiser is met.
 */
import type { Provider, RateLimit, SeenCall, StopReason } from './seen-call.ts';

/** The fifteen fields, in the order they are sent. */
export interface TapEvent {
  readonly schema: 'svc-tap-v1';
  readonly provider: Provider;
  readonly model: string;
  readonly request_id: string;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cached_tokens: number;
  readonly stop_reason: StopReason;
  readonly tool_calls: number;
  readonly status: number;
  /** Always 0: the clients that are observed do not show their own retries. */
  readonly retries: number;
  readonly latency_ms: number;
  readonly rate_limit: EventRateLimit | null;
  /** UTC, milliseconds, `Z`: the one form of RFC 3339 that this package writes. */
  readonly timestamp: string;
  readonly tag: string;
}

export interface EventRateLimit {
  readonly requests_limit: number | null;
  readonly requests_remaining: number | null;
  readonly tokens_limit: number | null;
  readonly tokens_remaining: number | null;
}

/** What an event needs besides the seen call. */
export interface EventGround {
  readonly tag: string;
  /** Wall time, milliseconds since the epoch. */
  readonly nowMs: number;
  /** Makes the id of a call whose provider gave none that can be sent. */
  readonly uuid: () => string;
}

const tokensMax = 1_000_000_000;
const word = /^[A-Za-z0-9._:-]+$/;
const modelWord = /^[A-Za-z0-9._:/-]+$/;
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const providers: readonly Provider[] = ['openai', 'anthropic', 'google', 'xai', 'mistral', 'other'];
const stopReasons: readonly StopReason[] = ['stop', 'length', 'tool_calls', 'content_filter', 'error', 'other'];
const NativeDate = Date;

/** The rule of each field; the reader of an event that a server would take finds every one of them true. */
const rules: { readonly [Field in keyof TapEvent]: (value: unknown, nowMs: number) => boolean } = {
  schema: (value) => value === 'svc-tap-v1',
  provider: (value) => providers.includes(value as Provider),
  model: (value) => isWord(value, modelWord, 128),
  request_id: (value) => isWord(value, word, 128),
  input_tokens: (value) => isWhole(value, 0, tokensMax),
  output_tokens: (value) => isWhole(value, 0, tokensMax),
  cached_tokens: (value) => isWhole(value, 0, tokensMax),
  stop_reason: (value) => stopReasons.includes(value as StopReason),
  tool_calls: (value) => isWhole(value, 0, 10_000),
  status: (value) => isWhole(value, 100, 599),
  retries: (value) => isWhole(value, 0, 100),
  latency_ms: (value) => isWhole(value, 0, 3_600_000),
  rate_limit: (value) => value === null || isRateLimit(value),
  timestamp: (value, nowMs) => isInstant(value, nowMs),
  tag: isTag,
};

/** True for a tag: 1 to 64 characters from `[A-Za-z0-9._:-]`. */
export function isTag(value: unknown): value is string {
  return isWord(value, word, 64);
}

/** The JSON of the event of a seen call; null where a server would refuse it. */
export function eventJson(seen: SeenCall, ground: EventGround): string | null {
  const event = eventOf(seen, ground);
  return refusedField(event, ground.nowMs) === null ? jsonOf(event) : null;
}

/**
 * The event of a seen call, not yet held against the rules.
 * An id that cannot be sent gives way to a UUID, a rate-limit figure that cannot be sent to null; no other figure is mended.
 */
export function eventOf(seen: SeenCall, ground: EventGround): TapEvent {
  return {
    schema: 'svc-tap-v1',
    provider: seen.provider,
    model: seen.model as string,
    request_id: isWord(seen.requestId, word, 128) ? seen.requestId : ground.uuid(),
    input_tokens: seen.inputTokens,
    output_tokens: seen.outputTokens,
    cached_tokens: seen.cachedTokens,
    stop_reason: seen.stopReason,
    tool_calls: seen.toolCalls,
    status: seen.status,
    retries: 0,
    latency_ms: Math.round(seen.latencyMs),
    rate_limit: seen.rateLimit === null ? null : eventRateLimit(seen.rateLimit),
    timestamp: new NativeDate(ground.nowMs).toISOString(),
    tag: ground.tag,
  };
}

/** The first field a server would refuse; null where it would take the event. */
export function refusedField(event: TapEvent, nowMs: number): keyof TapEvent | null {
  for (const field of Object.keys(rules) as (keyof TapEvent)[]) {
    if (!rules[field](event[field], nowMs)) return field;
  }
  return null;
}

function eventRateLimit(seen: RateLimit): EventRateLimit {
  const figure = (value: number | null): number | null => (isWhole(value, 0, tokensMax) ? value : null);
  return {
    requests_limit: figure(seen.requestsLimit),
    requests_remaining: figure(seen.requestsRemaining),
    tokens_limit: figure(seen.tokensLimit),
    tokens_remaining: figure(seen.tokensRemaining),
  };
}

function isRateLimit(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const figures = value as Record<string, unknown>;
  const names = ['requests_limit', 'requests_remaining', 'tokens_limit', 'tokens_remaining'];
  return Object.keys(figures).length === names.length
    && names.every((name) => figures[name] === null || isWhole(figures[name], 0, tokensMax));
}

function isWord(value: unknown, pattern: RegExp, lengthMax: number): value is string {
  return typeof value === 'string' && value.length <= lengthMax && pattern.test(value);
}

function isWhole(value: unknown, min: number, max: number): value is number {
  return Number.isInteger(value) && (value as number) >= min && (value as number) <= max;
}

/** Not past 5 minutes ahead, not more than 30 days back. */
function isInstant(value: unknown, nowMs: number): boolean {
  if (typeof value !== 'string' || !instant.test(value)) return false;
  const aheadMs = NativeDate.parse(value) - nowMs;
  return aheadMs <= 300_000 && aheadMs >= -2_592_000_000;
}

/** Only for an event that passed the rules. One flat string, so that a full queue holds no pieces. */
function jsonOf(event: TapEvent): string {
  const parts: string[] = [];
  for (const field of Object.keys(rules) as (keyof TapEvent)[]) {
    const value = event[field];
    parts.push(parts.length === 0 ? '{"' : ',"', field, '":');
    if (typeof value === 'string') parts.push('"', value, '"');
    else if (typeof value === 'number' || value === null) parts.push(`${value}`);
    else parts.push(figuresJson(value));
  }
  parts.push('}');
  return parts.join('');
}

function figuresJson(figures: EventRateLimit): string {
  return `{"requests_limit":${figures.requests_limit},"requests_remaining":${figures.requests_remaining}`
    + `,"tokens_limit":${figures.tokens_limit},"tokens_remaining":${figures.tokens_remaining}}`;
}
