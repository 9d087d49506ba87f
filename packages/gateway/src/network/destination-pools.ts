/**
 * Where calls go: one pool for each named provider, and one for each organization and version of its declared upstream, so
 * that no connection is ever shared between organizations or across a declaration. Pools of upstreams are opened by the
 * first call, closed when idle for minutes, when replaced, and, least recently used first, above a bound; calls under way
 * on a closed pool run to their end. Design 2, Forwarding.
 */
import type { Provider } from '@metergate/core/settings.ts';
import { NotPublicFault, type AddressGuard } from './address-guard.ts';
import type { Destination, DestinationTimeouts, Exchange, ExchangeObserver, OutboundRequest } from './destination.ts';
import { createDestination, type DestinationOptions, type DispatchIn } from './undici-destination.ts';

/** Defaults of design 3, row 10. */
const defaultTimeouts: DestinationTimeouts = { connectMs: 10_000, headMs: 900_000, idleBodyMs: 900_000 };

/** The named providers sit behind balancers that keep idle connections for longer than this. */
const providerKeepAliveMs = 30_000;

export interface DestinationPoolsOptions {
  /** Base URLs: scheme, host, port. */
  readonly urls: Readonly<Record<Provider, string>>;
  /** Judges every address of every declared upstream. */
  readonly guard: AddressGuard;
  readonly timeouts?: DestinationTimeouts;
  readonly monotonicMs: () => number;
  /** See `DestinationOptions`. */
  readonly dispatchIn?: DispatchIn;
  /** A pool of a declared upstream unused for this long is closed. */
  readonly idleMs?: number;
  readonly upstreamPoolsMax?: number;
}

/** Whose declaration, and which one. */
export interface UpstreamOwner {
  readonly organization: string;
  readonly version: number;
  /** Scheme, host, port and perhaps a path, which is not used here. */
  readonly url: string;
}

export interface DestinationPools {
  provider(provider: Provider): Destination;
  /** Holds no connection by itself: the pool is found or opened at each `send`. */
  upstream(owner: UpstreamOwner): Destination;
  /** Closes what has been idle too long. Called by a timer of its own; here for tests. */
  sweep(): void;
  /** Pools of declared upstreams that are open. */
  readonly upstreamPools: number;
  close(): Promise<void>;
}

interface UpstreamPool {
  readonly version: number;
  readonly url: string;
  readonly destination: Destination;
  usedAtMs: number;
}

export function createDestinationPools(options: DestinationPoolsOptions): DestinationPools {
  const { guard, monotonicMs, dispatchIn, timeouts = defaultTimeouts, idleMs = 300_000, upstreamPoolsMax = 1_024 } = options;
  const named: Record<Provider, Destination> = {
    openai: createDestination({ origin: options.urls.openai, timeouts, guard: null, keepAliveMs: providerKeepAliveMs, dispatchIn }),
    anthropic: createDestination({ origin: options.urls.anthropic, timeouts, guard: null, keepAliveMs: providerKeepAliveMs, dispatchIn }),
  };
  // A Map keeps insertion order; each use moves its pool to the end, so the first one is the least recently used.
  const upstreams = new Map<string, UpstreamPool>();

  const retire = (organization: string, pool: UpstreamPool): void => {
    upstreams.delete(organization);
    void pool.destination.close();
  };
  const poolOf = (owner: UpstreamOwner): UpstreamPool => {
    const known = upstreams.get(owner.organization);
    const current = known !== undefined && known.version === owner.version && known.url === owner.url;
    if (known !== undefined && !current) retire(owner.organization, known);
    const pool = current ? known : { ...owner, destination: openUpstream(owner.url, { guard, timeouts, dispatchIn }), usedAtMs: 0 };
    pool.usedAtMs = monotonicMs();
    upstreams.delete(owner.organization);
    upstreams.set(owner.organization, pool);
    if (upstreams.size > upstreamPoolsMax) retire(...upstreams.entries().next().value!);
    return pool;
  };
  const sweep = (): void => {
    const before = monotonicMs() - idleMs;
    for (const [organization, pool] of upstreams) {
      if (pool.usedAtMs > before) break;
      retire(organization, pool);
    }
  };
  const timer = setInterval(sweep, Math.max(1_000, idleMs / 4)).unref();

  return {
    provider: (provider) => named[provider],
    upstream: (owner) => ({ send: (request, observer) => poolOf(owner).destination.send(request, observer), close: async () => {} }),
    sweep,
    get upstreamPools() { return upstreams.size; },
    async close() {
      clearInterval(timer);
      const open = [...Object.values(named), ...[...upstreams.values()].map((pool) => pool.destination)];
      upstreams.clear();
      await Promise.all(open.map((destination) => destination.close()));
    },
  };
}

/** A stored URL that no pool can be made of (put there by hand) is a destination that is not public, not an exception. */
function openUpstream(url: string, options: Omit<DestinationOptions, 'origin'>): Destination {
  const parsed = URL.parse(url);
  if (parsed === null || parsed.username !== '' || parsed.password !== '' || !/^https?:$/.test(parsed.protocol)) return nowhere;
  return createDestination({ ...options, origin: parsed.origin });
}

const nowhere: Destination = {
  send(_request: OutboundRequest, observer: ExchangeObserver): Exchange {
    const cause = new NotPublicFault('', 'is not a host that can be called');
    process.nextTick(() => observer.failed({ kind: 'not_public', cause }));
    return { pause() {}, resume() {}, abort() {} };
  },
  close: async () => {},
};
