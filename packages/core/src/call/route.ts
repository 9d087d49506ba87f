/**
 * Raw request target → the route of a call, or null for a path outside every pattern (404 `unknown_url`).
 * Spec: Endpoints; design 3, row 2. Matched on the raw bytes of the path: nothing is decoded, normalised or resolved.
 */

/** Which dialect is spoken and to whom: the first provider, the second, or the organization's declared upstream. */
export type Wire = 'openai' | 'anthropic' | 'upstream';

/** The metered name of an operation; both spellings of messages are one. `other` is any further path. */
export type Endpoint = 'chat.completions' | 'completions' | 'embeddings' | 'responses' | 'models' | 'messages' | 'other';

/** Where a call goes and what it is called. */
export interface Route {
  readonly wire: Wire;
  readonly endpoint: Endpoint;
  /** Path as the caller sent it, without the query. */
  readonly path: string;
  /** What is asked of the destination: from `/v1` on, with the query, bytes unchanged. */
  readonly target: string;
  /** True where the body is held to look for `stream` (spec: Streaming rule 1): `/v1/chat/completions` under POST alone. */
  readonly bodyHeld: boolean;
}
