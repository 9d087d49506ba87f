/**
 * The connections that organizations have to one kind of destination: a pool for each organization and version of its declaration. A pool is
 * opened by the first call, closed when unused for a while, when its declaration is replaced, and, least recently used first, above a bound;
 * the next call opens it again. Calls under way on a closed pool run to their end.
 */
import type { Destination, Exchange, ExchangeObserver, OutboundRequest, UpgradeObserver } from './destination.ts';

/** Whose connections, and to what. */
export interface PoolOwner {
  readonly organization: string;
  /** Of the declaration; 0 if nothing is declared. */
  readonly version: number;
  readonly url: string;
}

interface OrganizationPoolsOptions {
  readonly open: (url: string, organization: string) => Destination;
  readonly monotonicMs: () => number;
  /** Pools open at once. */
  readonly poolsMax: number;
}

export class OrganizationPools {
  readonly #options: OrganizationPoolsOptions;
  readonly #byOrganization = new Map<string, OrganizationPool>();
  readonly #open = new Set<OrganizationPool>();

  constructor(options: OrganizationPoolsOptions) {
    this.#options = options;
  }

  of(organization: string, version: number, url: string): Destination {
    const known = this.#byOrganization.get(organization);
    if (known !== undefined && known.version === version && known.url === url) return known;
    void known?.close();
    const pool = new OrganizationPool({ organization, version, url, shelf: this, atMs: this.#options.monotonicMs() });
    this.#byOrganization.set(organization, pool);
    return pool;
  }

  /** Closes what was last used before this moment. */
  sweep(beforeMs: number): void {
    for (const pool of this.#open) if (pool.usedAtMs <= beforeMs) void pool.close();
    for (const [organization, pool] of this.#byOrganization) if (pool.usedAtMs <= beforeMs) this.#byOrganization.delete(organization);
  }

  /** Pools that are open. */
  get size(): number {
    return this.#open.size;
  }

  async close(): Promise<void> {
    this.#byOrganization.clear();
    await Promise.all([...this.#open].map((pool) => pool.close()));
  }

  /** @internal For its own pools: a call is sent at this moment. */
  nowMs(): number {
    return this.#options.monotonicMs();
  }

  /** @internal Connections for a pool, after room was made for it. Looked for only here: a call on an open pool moves nothing. */
  opened(pool: OrganizationPool): Destination {
    if (this.#open.size >= this.#options.poolsMax) void [...this.#open].reduce((a, b) => (b.usedAtMs < a.usedAtMs ? b : a)).close();
    this.#open.add(pool);
    return this.#options.open(pool.url, pool.organization);
  }

  /** @internal */
  closed(pool: OrganizationPool): void {
    this.#open.delete(pool);
  }
}

class OrganizationPool implements Destination {
  readonly organization: string;
  readonly version: number;
  readonly url: string;
  readonly #shelf: OrganizationPools;
  #connections: Destination | null = null;
  /** When a call was last sent, else when it was first asked for. */
  usedAtMs: number;

  constructor({ organization, version, url, shelf, atMs }: PoolOwner & { readonly shelf: OrganizationPools; readonly atMs: number }) {
    this.organization = organization;
    this.version = version;
    this.url = url;
    this.#shelf = shelf;
    this.usedAtMs = atMs;
  }

  send(request: OutboundRequest, observer: ExchangeObserver): Exchange {
    this.usedAtMs = this.#shelf.nowMs();
    return (this.#connections ??= this.#shelf.opened(this)).send(request, observer);
  }

  upgrade(request: OutboundRequest, observer: UpgradeObserver): Exchange {
    this.usedAtMs = this.#shelf.nowMs();
    return (this.#connections ??= this.#shelf.opened(this)).upgrade(request, observer);
  }

  async close(): Promise<void> {
    const connections = this.#connections;
    this.#connections = null;
    this.#shelf.closed(this);
    await connections?.close();
  }
}
