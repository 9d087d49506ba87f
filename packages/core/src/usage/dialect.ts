/**
 * What a reader must know of one API: which places to watch, and what they mean. The framing (one JSON body, or events)
 * is not its business.
 */
import type { WatchedValue } from '../json/watched-value.ts';
import type { FoundUsage } from './found-usage.ts';

/** What has been read so far. */
export interface Findings {
  model: string | null;
  finishReason: string | null;
  usage: FoundUsage | null;
  /** Whether `usage` is the last word, not a running figure that a later event would have replaced. */
  usageFinal: boolean;
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
  /** A running figure is worth keeping when the call is cut (`partial`). */
  readonly keepsPartial: boolean;
  /** Takes over what stands in `body`. On a cut body, only what was seen to its end. */
  takeBody(): void;
  /** Takes over what stands in `event`, a whole event. */
  takeEvent(): void;
  /** Whether the event in `event` ends the dialogue. */
  endsDialogue(): boolean;
  /** As new, for the next response. */
  clear(): void;
}

/** Back to nothing found. */
export function forgetFindings(findings: Findings): void {
  findings.model = null;
  findings.finishReason = null;
  findings.usage = null;
  findings.usageFinal = false;
}

/** Nothing found yet. */
export function nothingFound(): Findings {
  return { model: null, finishReason: null, usage: null, usageFinal: false };
}
