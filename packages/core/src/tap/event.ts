/**
 * One tap event `svc-tap-v1` as the server understands it, and its fifteen field rules. Spec: Tap event; rules 27, 30, 30a.
 * A rule turns a JSON value into the field's value or into a refusal from a fixed list; a refusal never holds what was sent.
 */
import { JsonNumber, JsonObject, wholeNumberOf, type StrictJson } from '../json/strict-json.ts';
import { dayLengthMs } from '../time/utc-day.ts';
import { timestampMs } from '../time/timestamp.ts';

const tapSchema = 'svc-tap-v1';
export const tapProviders = ['openai', 'anthropic', 'google', 'xai', 'mistral', 'other'] as const;
export type TapProvider = (typeof tapProviders)[number];
export const tapStopReasons = ['stop', 'length', 'tool_calls', 'content_filter', 'error', 'other'] as const;
export type TapStopReason = (typeof tapStopReasons)[number];

/** What a provider reported about its rate limits; null if nothing. */
interface TapRateLimit {
  readonly requestsLimit: number | null;
  readonly requestsRemaining: number | null;
  readonly tokensLimit: number | null;
  readonly tokensRemaining: number | null;
}

/** One provider call, as the client reported it. Figures are whole numbers within the ranges of the spec. */
export interface TapEvent {
  readonly provider: TapProvider;
  readonly model: string;
  readonly requestId: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens: number;
  readonly stopReason: TapStopReason;
  readonly toolCalls: number;
  /** The provider's HTTP status; 599: the call failed with no HTTP response. */
  readonly status: number;
  readonly retries: number;
  readonly latencyMs: number;
  readonly rateLimit: TapRateLimit | null;
  readonly timestampMs: number;
  readonly tag: string;
}

/** All reasons, each as the end of a sentence that begins with a path. */
export const tapReason = {
  notJson: 'is not valid JSON',
  tooDeep: 'is nested deeper than any event',
  unknownField: 'has a field that is not of the published form',
  repeated: 'is given more than once',
  missing: 'is missing',
  notAnObject: 'is not an object',
  notAnObjectOrNull: 'is neither an object nor null',
  notAnArray: 'is not an array',
  notAString: 'is not a string',
  notAnInteger: 'is not an integer',
  notAnIntegerOrNull: 'is neither an integer nor null',
  notATimestamp: 'is not an RFC 3339 timestamp with an offset',
  outsideRange: 'is outside its published range',
  outsideSet: 'has a character outside its published set',
  outsideValues: 'is not one of its published values',
} as const;
export type TapReason = (typeof tapReason)[keyof typeof tapReason];

/** Why a value is refused; `inside` is the path from the value on, `.tokens_limit` or empty. */
export class TapRefusal {
  readonly inside: string;
  readonly reason: TapReason;

  constructor(inside: string, reason: TapReason) {
    this.inside = inside;
    this.reason = reason;
  }
}

/** Names of the fields on the wire, in the order of the spec. */
export const tapFields = [
  'schema', 'provider', 'model', 'request_id', 'input_tokens', 'output_tokens', 'cached_tokens', 'stop_reason', 'tool_calls', 'status',
  'retries', 'latency_ms', 'rate_limit', 'timestamp', 'tag',
] as const;
type TapField = (typeof tapFields)[number];
const rateLimitFields = ['requests_limit', 'requests_remaining', 'tokens_limit', 'tokens_remaining'] as const;

const tapTokensMax = 1_000_000_000;
const tapFutureMsMax = 5 * 60_000;
const tapPastMsMax = 30 * dayLengthMs;

type Rule<Value> = (value: StrictJson, nowMs: number) => Value | TapRefusal;

const refusals = Object.fromEntries(Object.values(tapReason).map((reason) => [reason, new TapRefusal('', reason)])) as
  Readonly<Record<TapReason, TapRefusal>>;
const refuse = (reason: TapReason): TapRefusal => refusals[reason];

function oneOf<const Values extends readonly string[]>(values: Values): Rule<Values[number]> {
  return (value) => {
    if (typeof value !== 'string') return refuse(tapReason.notAString);
    return values.includes(value) ? value : refuse(tapReason.outsideValues);
  };
}

function text(lengthMax: number, set: RegExp): Rule<string> {
  return (value) => {
    if (typeof value !== 'string') return refuse(tapReason.notAString);
    if (value.length < 1 || value.length > lengthMax) return refuse(tapReason.outsideRange);
    return set.test(value) ? value : refuse(tapReason.outsideSet);
  };
}

function integer(min: number, max: number): Rule<number> {
  return (value) => {
    const whole = value instanceof JsonNumber ? wholeNumberOf(value) : null;
    if (whole === null) return refuse(tapReason.notAnInteger);
    return whole >= min && whole <= max ? whole : refuse(tapReason.outsideRange);
  };
}

const tokens = integer(0, tapTokensMax);
const orNull: Rule<number | null> = (value, nowMs) => {
  if (value === null) return null;
  return value instanceof JsonNumber ? tokens(value, nowMs) : refuse(tapReason.notAnIntegerOrNull);
};

const timestamp: Rule<number> = (value, nowMs) => {
  if (typeof value !== 'string') return refuse(tapReason.notAString);
  const atMs = timestampMs(value);
  if (atMs === null) return refuse(tapReason.notATimestamp);
  return atMs > nowMs + tapFutureMsMax || atMs < nowMs - tapPastMsMax ? refuse(tapReason.outsideRange) : atMs;
};

const rateLimitRules = new Map<string, Rule<number | null>>(rateLimitFields.map((name) => [name, orNull]));

const rateLimit: Rule<TapRateLimit | null> = (value, nowMs) => {
  if (value === null) return null;
  if (!(value instanceof JsonObject)) return refuse(tapReason.notAnObjectOrNull);
  const fields = readFields(value, { rules: rateLimitRules, optional: null, nowMs });
  if (fields instanceof TapRefusal) return fields;
  const [requestsLimit, requestsRemaining, tokensLimit, tokensRemaining] = rateLimitFields.map((name) => fields.get(name) as number | null);
  return {
    requestsLimit: requestsLimit ?? null, requestsRemaining: requestsRemaining ?? null,
    tokensLimit: tokensLimit ?? null, tokensRemaining: tokensRemaining ?? null,
  };
};

const identifierSet = /^[A-Za-z0-9._:-]*$/;
const eventRules = new Map<string, Rule<unknown>>(Object.entries({
  schema: oneOf([tapSchema]),
  provider: oneOf(tapProviders),
  model: text(128, /^[A-Za-z0-9._:/-]*$/),
  request_id: text(128, identifierSet),
  input_tokens: tokens,
  output_tokens: tokens,
  cached_tokens: tokens,
  stop_reason: oneOf(tapStopReasons),
  tool_calls: integer(0, 10_000),
  status: integer(100, 599),
  retries: integer(0, 100),
  latency_ms: integer(0, 3_600_000),
  rate_limit: rateLimit,
  timestamp,
  tag: text(64, identifierSet),
} satisfies Readonly<Record<TapField, Rule<unknown>>>));

/** The event in a JSON value, or the first offence in it, in the order written. */
export function readTapEvent(value: StrictJson, nowMs: number): TapEvent | TapRefusal {
  if (!(value instanceof JsonObject)) return refuse(tapReason.notAnObject);
  const fields = readFields(value, { rules: eventRules, optional: 'cached_tokens', nowMs });
  if (fields instanceof TapRefusal) return fields;
  const field = <Value>(name: TapField): Value => fields.get(name) as Value;
  return {
    provider: field('provider'), model: field('model'), requestId: field('request_id'),
    inputTokens: field('input_tokens'), outputTokens: field('output_tokens'), cachedTokens: field<number | undefined>('cached_tokens') ?? 0,
    stopReason: field('stop_reason'), toolCalls: field('tool_calls'), status: field('status'), retries: field('retries'),
    latencyMs: field('latency_ms'), rateLimit: field('rate_limit'), timestampMs: field('timestamp'), tag: field('tag'),
  };
}

interface FieldReading {
  readonly rules: ReadonlyMap<string, Rule<unknown>>;
  readonly optional: string | null;
  readonly nowMs: number;
}

/** Fields by name. An unknown one names the object it is in, a missing one itself; the first offence in the order written counts. */
function readFields(object: JsonObject, { rules, optional, nowMs }: FieldReading): Map<string, unknown> | TapRefusal {
  const fields = new Map<string, unknown>();
  const { names, values } = object;
  for (let i = 0; i < names.length; i++) {
    const name = names[i]!;
    const rule = rules.get(name);
    if (rule === undefined) return refuse(tapReason.unknownField);
    if (fields.has(name)) return new TapRefusal(`.${name}`, tapReason.repeated);
    const value = rule(values[i]!, nowMs);
    if (value instanceof TapRefusal) return new TapRefusal(`.${name}${value.inside}`, value.reason);
    fields.set(name, value);
  }
  if (fields.size === rules.size) return fields;
  for (const name of rules.keys()) {
    if (!fields.has(name) && name !== optional) return new TapRefusal(`.${name}`, tapReason.missing);
  }
  return fields;
}
