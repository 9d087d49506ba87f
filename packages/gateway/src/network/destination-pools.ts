/**
 * Where calls go: one pool for each organization and named provider, and one for each organization and version of its declared
 * upstream, so that no connection is ever shared between organizations or versions; within a pool, none is shared between keys (decision
 * 0108). Bytes that a faulty provider sends too late reach at most the key that they were meant for. Pools are opened by the first call,
 * closed when idle for minutes, when replaced, and, least recently used first, above a bound. Rules: Forwarding; rule 8a.
 */
import { regionIn } from '@metergate/core/wire/region-in.ts';
import { eachProvider, wires, type Provider } from '@metergate/core/wire/wire.ts';
import { NotPublicFault, type GuardOf } from '@metergate/store/network/address-guard.ts';
import type { Destination, DestinationTimeouts, Exchange, ExchangeObserver, OutboundRequest } from './destination.ts';
import { OrganizationPools, type PoolOwner } from './organization-pools.ts';
import { createDestination } from './create-destination.ts';
import type { DestinationOptions, DispatchIn } from './destination-options.ts';

/** Defaults of rule 10. */
const defaultTimeouts: DestinationTimeouts = { connectMs: 10_000, headMs: 900_000, idleBodyMs: 900_000 };

/** The named providers sit behind balancers that keep idle connections for longer than this. */
const providerKeepAliveMs = 30_000;

interface DestinationPoolsOptions {
  /** Base URLs: scheme, host, port. */
  readonly urls: Readonly<Record<Provider, string>>;
  /** Judges every address of every declared upstream. */
  readonly guardOf: GuardOf;
  readonly timeouts?: DestinationTimeouts;
  readonly monotonicMs: () => number;
  /** See `DestinationOptions`. */
  readonly dispatchIn?: DispatchIn;
  /** A pool unused for this long is closed. */
  readonly idleMs?: number;
  /** Connections of one pool that may be idle at once. */
  readonly idleConnectionsMax?: number | undefined;
  /** Pools open at once: of each named provider, and of declared upstreams. */
  readonly poolsMax?: number;
}

export interface DestinationPools {
  provider(provider: Provider, organization: string): Destination;
  region(provider: Provider): string | null;
  /** Each name has a pool apart from all others of the organization. */
  upstream(owner: PoolOwner & { readonly name?: string }): Destination;
  /** Closes what has been idle too long. A timer calls it; public for tests. */
  sweep(): void;
  /** Pools of named providers that are open. */
  readonly providerPools: number;
  /** Pools of declared upstreams that are open. */
  readonly upstreamPools: number;
  close(): Promise<void>;
}

export function createDestinationPools(options: DestinationPoolsOptions): DestinationPools {
  const { urls, guardOf, monotonicMs, dispatchIn, timeouts = defaultTimeouts, idleMs = 300_000, poolsMax = 4_096 } = options;
  const idleMax = options.idleConnectionsMax;
  const openNamed = (origin: string): Destination =>
    createDestination({ origin, timeouts, guard: null, keepAliveMs: providerKeepAliveMs, dispatchIn, idleMax });
  const named = eachProvider(() => new OrganizationPools({ open: openNamed, monotonicMs, poolsMax }));
  const regions = eachProvider((provider) => regionIn(urls[provider], wires[provider].host));
  const upstreams = new OrganizationPools({
    open: (url, owner) => openUpstream(url, { guard: guardOf(owner.split('/', 1)[0]!), timeouts, dispatchIn, idleMax }), monotonicMs, poolsMax,
  });
  const all = [...Object.values(named), upstreams];
  const sweep = (): void => all.forEach((pools) => pools.sweep(monotonicMs() - idleMs));
  const timer = setInterval(sweep, Math.max(1_000, idleMs / 4)).unref();

  return {
    provider: (provider, organization) => named[provider].of(organization, 0, urls[provider]),
    region: (provider) => regions[provider],
    // No organization's id has a slash.
    upstream: ({ organization, name, version, url }) => upstreams.of(name === undefined ? organization : `${organization}/${name}`, version, url),
    sweep,
    get providerPools() { return Object.values(named).reduce((sum, { size }) => sum + size, 0); },
    get upstreamPools() { return upstreams.size; },
    async close() {
      clearInterval(timer);
      await Promise.all(all.map((pools) => pools.close()));
    },
  };
}

/** A stored URL that no pool can be made of (put there by hand) is a destination that is not public, not an exception. */
function openUpstream(url: string, options: Omit<DestinationOptions, 'origin'>): Destination {
  const parsed = URL.parse(url);
  if (parsed === null || parsed.username !== '' || parsed.password !== '' || !/^https?:$/.test(parsed.protocol)) return nowhere;
  return createDestination({ ...options, origin: parsed.origin });
}

function goNowhere(_request: OutboundRequest, observer: ExchangeObserver): Exchange {
  const cause = new NotPublicFault('', 'is not a host that can be called');
  process.nextTick(() => observer.failed({ kind: 'not_public', cause }));
  return { pause() {}, resume() {}, abort() {} };
}

const nowhere: Destination = {
  send: goNowhere,
  upgrade: goNowhere,
  close: async () => {},
};
