/**
 * Raw request target → the route of a call, or null for a path outside every pattern (404 `unknown_url`).
 * Spec: Endpoints; design 3, row 2. Matched on the raw bytes of the path: nothing is decoded, normalised or resolved,
 * so what was matched is what is forwarded.
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

const firstWireEndpoints: ReadonlyMap<string, Endpoint> = new Map([
  ['/v1/chat/completions', 'chat.completions'],
  ['/v1/completions', 'completions'],
  ['/v1/embeddings', 'embeddings'],
  ['/v1/responses', 'responses'],
  ['/v1/models', 'models'],
]);

const secondWireEndpoints: ReadonlyMap<string, Endpoint> = new Map([
  ['/v1/messages', 'messages'],
  ['/v1/models', 'models'],
]);

/** Bytes that other servers read as something else: backslash, fragment, controls. */
const treacherousByte = /[\x00-\x20\x7f\\#]/;
/** A segment that decodes to `.` or `..`. */
const dotSegment = /(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i;

/** The path of a raw target: what stands before its query. */
export function pathOf(rawTarget: string): string {
  const query = rawTarget.indexOf('?');
  return query === -1 ? rawTarget : rawTarget.slice(0, query);
}

/** The route of `method rawTarget`, or null where no pattern of the specification fits. */
export function routeOf(method: string, rawTarget: string): Route | null {
  const path = pathOf(rawTarget);
  if (treacherousByte.test(rawTarget) || dotSegment.test(path)) return null;
  if (path === '/upstream/v1' || path.startsWith('/upstream/v1/')) {
    const target = rawTarget.slice('/upstream'.length);
    return { wire: 'upstream', endpoint: firstWireEndpoints.get(pathOf(target)) ?? 'other', path, target, bodyHeld: false };
  }
  if (path.startsWith('/alt/v1/')) {
    const target = rawTarget.slice('/alt'.length);
    return { wire: 'anthropic', endpoint: secondWireEndpoints.get(pathOf(target)) ?? 'other', path, target, bodyHeld: false };
  }
  if (path === '/v1/messages' || path.startsWith('/v1/messages/')) {
    return { wire: 'anthropic', endpoint: secondWireEndpoints.get(path) ?? 'other', path, target: rawTarget, bodyHeld: false };
  }
  if (!path.startsWith('/v1/')) return null;
  const endpoint = firstWireEndpoints.get(path) ?? 'other';
  return { wire: 'openai', endpoint, path, target: rawTarget, bodyHeld: endpoint === 'chat.completions' && method === 'POST' };
}

/** True where the provider reports usage for this operation at all (design 4: otherwise usage is `none`). */
export function reportsUsage(endpoint: Endpoint, method: string): boolean {
  return method === 'POST' && endpoint !== 'other' && endpoint !== 'models';
}
