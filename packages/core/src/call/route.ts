/**
 * Raw request target → the route of a call, or null for a path outside every pattern (404 `unknown_url`).
 * Spec: Endpoints; rules 2 and 6a. The family is matched on the raw bytes of the path, the endpoint on its plain spelling
 * (`plain-path.ts`), so that no other spelling of a metered path escapes metering. The raw target is forwarded unchanged.
 */
import { wires, type Endpoint, type Wire } from '../wire/wire.ts';
import { asFirstWirePath, behindName, upstreamNameOf, withoutKeyInQuery } from './named-upstream.ts';
import { plainPathOf } from './plain-path.ts';

/** Where a call goes and what it is called. */
export interface Route {
  readonly wire: Wire;
  readonly endpoint: Endpoint;
  /** Path as the caller sent it, without the query. */
  readonly path: string;
  /** The name of the declared upstream that it leads to; null for every other path. */
  readonly upstream: string | null;
  /** The target at the destination: from `/v1` on, with the query, bytes unchanged. Of a named upstream: what follows the name. */
  readonly target: string;
  /** True if the body is held to look for `stream` (spec: Streaming rule 1): the first wire's chat completions under POST only. */
  readonly bodyHeld: boolean;
}

/** Bytes that other servers read as something else: backslash, fragment, controls. */
const unsafeByte = /[\x00-\x20\x7f\\#]/;

/** The path of a raw target: what stands before its query. */
export function pathOf(rawTarget: string): string {
  const query = rawTarget.indexOf('?');
  return query === -1 ? rawTarget : rawTarget.slice(0, query);
}

/** Paths as clients spell them: their routes are made once. */
const ordinaryRoutes = { posted: ordinaryRoutesOf('POST'), other: ordinaryRoutesOf('GET') } as const;

/** The route of `method rawTarget`, or null if no pattern of the specification fits. */
export function routeOf(method: string, rawTarget: string): Route | null {
  // The destination would answer with the request it was sent, its credential in it (RFC 9110, 9.3.8).
  if (method === 'TRACE') return null;
  const path = pathOf(rawTarget);
  const ordinary = (method === 'POST' ? ordinaryRoutes.posted : ordinaryRoutes.other).get(path);
  if (ordinary !== undefined && path === rawTarget) return ordinary;
  if (unsafeByte.test(rawTarget)) return null;
  if (ordinary !== undefined) return withTarget(ordinary, ordinary.target + rawTarget.slice(path.length));
  return routeAsSpelled(method, path, rawTarget);
}

function withTarget({ wire, endpoint, path, upstream, bodyHeld }: Route, target: string): Route {
  return { wire, endpoint, path, upstream, target, bodyHeld };
}

function ordinaryRoutesOf(method: string): ReadonlyMap<string, Route> {
  const firstWire = [...wires.openai.endpoints.keys()];
  const secondWire = [...wires.anthropic.endpoints.keys()];
  const paths = [...firstWire, '/v1/messages', ...secondWire.map((path) => `/alt${path}`), ...firstWire.map((path) => `/upstream${path}`)];
  return new Map(paths.map((path) => [path, Object.freeze(routeAsSpelled(method, path, path)!)]));
}

function routeAsSpelled(method: string, path: string, rawTarget: string): Route | null {
  const plain = plainPathOf(path);
  if (plain === null) return null;
  if (path === '/upstream/v1' || path.startsWith('/upstream/v1/')) {
    const endpoint = endpointOf('upstream', plain.slice('/upstream'.length));
    return { wire: 'upstream', endpoint, path, upstream: null, target: rawTarget.slice('/upstream'.length), bodyHeld: false };
  }
  if (path.startsWith('/alt/v1/')) {
    const endpoint = endpointOf('anthropic', plain.slice('/alt'.length));
    return { wire: 'anthropic', endpoint, path, upstream: null, target: rawTarget.slice('/alt'.length), bodyHeld: false };
  }
  if (!path.startsWith('/v1/')) return namedUpstreamRoute(path, plain, rawTarget);
  if (plain === '/v1/messages' || plain.startsWith('/v1/messages/')) {
    return { wire: 'anthropic', endpoint: endpointOf('anthropic', plain), path, upstream: null, target: rawTarget, bodyHeld: false };
  }
  const endpoint = endpointOf('openai', plain);
  return { wire: 'openai', endpoint, path, upstream: null, target: rawTarget, bodyHeld: endpoint === 'chat.completions' && method === 'POST' };
}

/** The endpoint's name is that of the first wire's path with the same ending: providers differ in what stands before it. */
function namedUpstreamRoute(path: string, plain: string, rawTarget: string): Route | null {
  const upstream = upstreamNameOf(path);
  if (upstream === null) return null;
  const operation = asFirstWirePath(behindName(plain, upstream));
  // What is only begun there has no usage in its answer.
  const endpoint = operation.includes('/async/') ? 'other' : namedEndpoints.find(([ending]) => operation.endsWith(ending))?.[1] ?? 'other';
  return { wire: 'upstream', endpoint, path, upstream, target: withoutKeyInQuery(behindName(rawTarget, upstream)), bodyHeld: false };
}

/** The longer one first where one ends in the other. */
const namedEndpoints: readonly (readonly [ending: string, endpoint: Endpoint])[] = [
  ['/chat/completions', 'chat.completions'], ['/completions', 'completions'], ['/embeddings', 'embeddings'], ['/responses', 'responses'],
  ['/v1/messages', 'messages'], ['/v1/models', 'models'],
];

function endpointOf(wire: Wire, plainPath: string): Endpoint {
  return wires[wire].endpoints.get(plainPath) ?? 'other';
}

/** Whose path it is, for any method; null for one outside every pattern. */
export function wireOf(rawTarget: string): Wire | null {
  return routeOf('POST', rawTarget)?.wire ?? null;
}
