/**
 * One observed call, as the observers pass it to the reporter: plain figures, never content, each under the name of its field in the event.
 * Figures are as the client reported them; `tap-event.ts` decides whether they make a valid event.
 */

/** The provider, by the public host of the client's base URL; `other` for every other host. */
export type SeenProvider = 'openai' | 'anthropic' | 'google' | 'xai' | 'mistral' | 'other';

/** How the answer ended, in the event's own words (spec, Tap event). */
export type StopReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'error' | 'other';

/** The provider's rate-limit headers; a figure is null if its header is absent or not a number that an event can hold. */
export interface SeenRateLimit {
  readonly requests_limit: number | null;
  readonly requests_remaining: number | null;
  readonly tokens_limit: number | null;
  readonly tokens_remaining: number | null;
}

/** What an observer saw of one provider call; plain figures, no content. */
export interface SeenCall {
  readonly provider: SeenProvider;
  /** The model the provider says it served, else the requested one; null if neither is known. */
  readonly model: string | null;
  /** The provider's response id or request-id header; null if it gave neither. */
  readonly request_id: string | null;
  /** Tokens as the provider's usage names them; 0 if the response carries no usage. */
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cached_tokens: number;
  readonly stop_reason: StopReason;
  /** How many tools the answer called. */
  readonly tool_calls: number;
  /** The provider's HTTP status; 200 if the client returned without one, 599 if no response came. */
  readonly status: number;
  /** From the call to its end, milliseconds, not necessarily whole. */
  readonly latency_ms: number;
  /** Null if the client does not show the headers. */
  readonly rate_limit: SeenRateLimit | null;
}

/** A seen call that is still being filled in. */
export type SeenFigures = { -readonly [Name in keyof SeenCall]: SeenCall[Name] };

/** Takes a seen call; never throws, never blocks. */
export type Sink = (seen: SeenCall) => void;
