/**
 * What one response reported: model, finish reason, usage. Spec: Usage fields read from forwarded responses; rules: Record. A reading never holds
 * a guess: what the provider did not report is null, and `usage` says why.
 */
import type { Endpoint, Wire } from '../wire/wire.ts';
import type { OwnDialect } from './dialect-names.ts';
import type { Units } from './units.ts';

/**
 * `reported`: the provider's figures, complete. `partial`: what the second wire had reported before the call was cut.
 * `unknown`: usage was due and did not come, or could not be read. `none`: nothing was due.
 */
export const usageStates = ['reported', 'partial', 'unknown', 'none'] as const;
export type UsageState = (typeof usageStates)[number];

/** Why usage is `partial` or `unknown`. */
export const usageReasons = [
  'absent', //            the response ended whole and reported none
  'cut', //               the provider's response ended early
  'caller_gone', //       the caller left and what was read after that held none
  'interrupted', //       the gateway process ended with the call open
  'not_a_figure', //      a figure that is not a whole number from 0 to 2^53 − 1
  'not_readable', //      the body is neither JSON nor an event stream of the expected form
  'decode_failed', //     the compressed copy could not be decoded, or its coding is not known
  'decode_limit', //      the decoded copy passed its bound
  'decode_late', //       the copy was not decoded in time
  'deferred', //          the work is done and paid for later: a batch, a background response
  'not_reported', //      the provider charges for this operation and reports no usage in its answer
  'reader_fault', //      the reader itself broke
  'body_over_bound', //   the request was too large to hold, went out untouched, and no usage came back
] as const;
export type UsageReason = (typeof usageReasons)[number];

/** Token figures as the wire names them; null if not reported. Whole numbers from 0 to 2^53 − 1. */
export interface TokenFigures {
  readonly input: number | null;
  readonly output: number | null;
  /** Part of `input` or on top of it: `cachedInInput` of the reading says which. */
  readonly cached: number | null;
  /** All cache writes, part of `input` or on top of it, like `cached`. */
  readonly cacheWrite: number | null;
  /** The part of `cacheWrite` that was written to live longer, one hour or twelve, priced higher; null if not reported separately. */
  readonly cacheWriteOneHour: number | null;
  /** Part of `output`. */
  readonly reasoning: number | null;
  /** Part of `input`. */
  readonly audioInput: number | null;
  /** Part of `output`. */
  readonly audioOutput: number | null;
}

/** Calls of tools that the provider itself ran and charges for. Whole numbers from 0, at least one above it. */
export interface ToolCalls {
  readonly webSearch: number;
  readonly webFetch: number;
  readonly fileSearch: number;
  readonly codeInterpreter: number;
}

/** What a response reports beside its own figures: the work of another model, or work that its figures leave out. */
export interface FurtherUsage {
  /** Null: the response's own model. */
  readonly model: string | null;
  /** Null: reported, but not readable. */
  readonly tokens: TokenFigures | null;
}

/** What one response reported. */
export interface Reading {
  readonly model: string | null;
  readonly finishReason: string | null;
  readonly usage: UsageState;
  readonly usageReason: UsageReason | null;
  readonly tokens: TokenFigures;
  /** `usage.cost`, else `usage.total_cost`, as the JSON number was written; read on the declared upstream only. */
  readonly reportedCost: string | null;
  /** Cached and written tokens are parts of the input; otherwise they are added to it. */
  readonly cachedInInput: boolean;
  /** Tokens that the reported total counts beyond input and output: some sellers leave reasoning out of the output. Whole, from 0. */
  readonly outputBeside: number;
  /** The tier that served the call, in the provider's word. */
  readonly serviceTier: string | null;
  /** Where the call was served, in the provider's word. */
  readonly region: string | null;
  readonly toolCalls: ToolCalls | null;
  readonly further: readonly FurtherUsage[];
  /** Null: none was reported. */
  readonly units: Units | null;
  /** The answer says what kinds of tokens the cached ones were. */
  readonly cachedSplit: boolean;
  /** Tokens were cached, and the answer says so only in a member that its wire does not have. */
  readonly cachedBeside: boolean;
  /** The provider's id of work that goes on after the answer, or, if the answer tells how it ended, of that work; null: there is none. */
  readonly work: string | null;
  /** Its web searches were of the preview tool, whose fee is another one for some models. */
  readonly previewSearch: boolean;
}

/** The reason if an answer ended complete and reported no usage. `none`: its operation reports none and costs nothing. */
export type WithoutUsage = 'absent' | 'deferred' | 'not_reported' | 'none';

/** What the reader must know about the call before the first byte. */
export interface ReadingContext {
  readonly wire: Wire;
  readonly endpoint: Endpoint;
  /** The response is a stream of events, or of what stands for them. */
  readonly streamed: boolean;
  /** Of a named upstream: the dialect with its own reader; null or absent: that of the endpoint, or any. */
  readonly dialect?: OwnDialect | null;
  /** The path suggests that dialect, and other providers have such a path: the answer may be in words that are known by their form. */
  readonly dialectIsSuggested?: boolean;
  /** It is streamed as lines of JSON, not as events. */
  readonly inLines?: boolean;
  /** `absent` by default. `not_read`: nobody reads its messages, however it ends. */
  readonly without?: WithoutUsage | 'not_read';
}

/** Watches the decoded bytes of one response go by, in constant memory. Never throws. */
export interface UsageReader {
  /** The next bytes, cut anywhere. The reader keeps no reference to `chunk`. */
  push(chunk: Uint8Array): void;
  /** True from the line that ends the dialogue on (`[DONE]`, `message_stop`, `response.completed|incomplete|failed`); false on JSON bodies. */
  readonly dialogueEnded: boolean;
  /** What was read, now that the body ended whole or was cut. Call once; the reader must not be touched afterwards. */
  finish(ending: 'whole' | 'cut'): Reading;
}

/** No figure at all. */
export const noTokens: TokenFigures = Object.freeze({
  input: null, output: null, cached: null, cacheWrite: null, cacheWriteOneHour: null, reasoning: null, audioInput: null, audioOutput: null,
});

/** Nothing further. */
export const nothingFurther: readonly FurtherUsage[] = Object.freeze([]);

/** Something further, without a readable figure. */
export const unreadFurther: readonly FurtherUsage[] = Object.freeze([Object.freeze({ model: null, tokens: null })]);

/** Nothing was due: not 2xx, no response, or an operation that reports none. */
export const nothingDue: Reading = Object.freeze({
  model: null, finishReason: null, usage: 'none', usageReason: null, tokens: noTokens, reportedCost: null,
  cachedInInput: true, outputBeside: 0, serviceTier: null, region: null, toolCalls: null, further: nothingFurther,
  units: null, cachedSplit: false, cachedBeside: false, previewSearch: false, work: null,
});

/** Usage was due and cannot come any more. */
export function usageUnknown(usageReason: UsageReason): Reading {
  return { ...nothingDue, usage: 'unknown', usageReason };
}
