/** What a reader must know about one API: which places to watch, and what they mean. Framing (one JSON body, or events) is handled elsewhere. */
import type { WatchedValue } from '../json/watched-value.ts';
import type { FoundUsage } from './found-usage.ts';
import { nothingFurther, type FurtherUsage, type ToolCalls } from './reading.ts';

/** What has been read so far. */
export interface Findings {
  model: string | null;
  finishReason: string | null;
  usage: FoundUsage | null;
  /** Whether `usage` is final, not a running figure that a later event would have replaced. */
  usageFinal: boolean;
  /** Cached and written tokens are parts of the input. */
  cachedInInput: boolean;
  serviceTier: string | null;
  region: string | null;
  toolCalls: ToolCalls | null;
  further: readonly FurtherUsage[];
  /** The answer says that its work is still to be done. */
  deferred: boolean;
  /** The answer has the form of an API that reports usage. */
  metered: boolean;
  previewSearch: boolean;
  /** See `Reading.work`. */
  work: string | null;
}

/** One API, for one response: holds the watched places and what was found. */
export interface Dialect {
  readonly findings: Findings;
  /** The places of a JSON body. */
  readonly body: WatchedValue;
  /** The places of one event's data. */
  readonly event: WatchedValue;
  /** The streamed dialogue ends with the data line `[DONE]`. */
  readonly endsWithDone: boolean;
  /** A running figure is worth keeping when the call is cut (`partial`). Asked at the end. */
  readonly keepsPartial: boolean;
  /** Takes over the values in `body`. On a cut body, only complete values. */
  takeBody(): void;
  /** Takes over the values in `event`, a whole event. */
  takeEvent(): void;
  /** Whether the event in `event` ends the dialogue. */
  endsDialogue(): boolean;
  /** Forgets, for the next response, what it knows besides `findings`, `body` and `event`. */
  clear?(): void;
}

/** Makes it ready for the next response. */
export function resetDialect(dialect: Dialect): void {
  const { findings, body, event } = dialect;
  forgetFindings(findings);
  event.forget();
  if (body !== event) body.forget();
  dialect.clear?.();
}

function forgetFindings(findings: Findings): void {
  findings.model = null;
  findings.finishReason = null;
  findings.usage = null;
  findings.usageFinal = false;
  findings.serviceTier = null;
  findings.region = null;
  findings.toolCalls = null;
  findings.further = nothingFurther;
  findings.deferred = false;
  findings.metered = false;
  findings.previewSearch = false;
  findings.work = null;
}

/** Nothing found yet. */
export function nothingFound(cachedInInput: boolean): Findings {
  return {
    model: null, finishReason: null, usage: null, usageFinal: false, cachedInInput,
    serviceTier: null, region: null, toolCalls: null, further: nothingFurther, deferred: false, metered: false,
    previewSearch: false, work: null,
  };
}
