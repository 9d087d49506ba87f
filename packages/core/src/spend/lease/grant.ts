/**
 * The store's side of leases: a node's claim, the spend and the other nodes' leases → what the node may spend until it asks again (rules:
 * Spend across nodes). Amounts are totals since the node began, never differences, so a message that is lost, repeated or answered twice changes
 * nothing.
 * Rules: a grant never takes spent plus leased past the limit. A node's records move from leased to spent in the transaction that stores
 * them. The store never takes back what a node may still be using.
 */
import { nanoDollars, type NanoDollars } from '../../money.ts';

/** What a node reports and asks for. All money is whole nano-dollars from 0. */
export interface LeaseClaim {
  /** Costs of the subject's calls that ended on the node, since the node began. */
  readonly settled: NanoDollars;
  /** The granted total that it goes on using, without what it gives back with this claim. */
  readonly holds: NanoDollars;
  /** What it spent in the last ten seconds. */
  readonly recent: NanoDollars;
  /** Upper bound on the cost of its calls in flight: their number times the costliest of the last ten seconds. */
  readonly underWay: NanoDollars;
  /** False: it asks for nothing and gives back. */
  readonly wants: boolean;
}

/** What the store keeps for the node and the subject. All 0 if it knows nothing of it. */
export interface LeaseEntry {
  /** Total that the node may spend, as last granted. */
  readonly granted: NanoDollars;
  /** Costs of its records that are in the store's sum. */
  readonly shipped: NanoDollars;
  /** What it had spent when it last asked, shipped or not. */
  readonly settled: NanoDollars;
  /** As it last reported. */
  readonly underWay: NanoDollars;
  /** From this moment on (the store's time) the node may have overrun its lease unnoticed: it has not asked since. */
  readonly doubtfulAtMs: number;
}

/** How long another node's request for a lease counts. A node asks again with each call it refuses. */
export const contestedMs = 3_000;

/** The subject as stored, read at one moment. */
export interface LeaseableLimit {
  /** Null: nothing limits it now, so nothing of it is leased, and a fresh answer is enough. */
  readonly limit: NanoDollars | null;
  readonly spent: NanoDollars;
  /** Sum of `reserved` over all other nodes. */
  readonly leasedElsewhere: NanoDollars;
  /** Another node could not get enough just now: a node that holds a lease gets no more. */
  readonly contested: boolean;
}

interface LeaseGrant {
  readonly granted: NanoDollars;
  /** Counted from the moment before the node asked. */
  readonly validMs: number;
  /** After this long the node asks again. */
  readonly confirmMs: number;
  /** Nothing was granted though the limit is not reached: the rest is leased to other nodes. */
  readonly short: boolean;
}

/** The usual pace: valid five seconds, confirmed at half. */
export const easy = Object.freeze({ validMs: 5_000, confirmMs: 2_500 });
/** The pace once less than a fifth of the limit is left. */
export const tight = Object.freeze({ validMs: 1_000, confirmMs: 300 });

/** Granted or known to be spent, and not yet in the store's sum. */
export function outstanding({ granted, shipped, settled }: Pick<LeaseEntry, 'granted' | 'shipped' | 'settled'>): NanoDollars {
  const total = most(granted, settled);
  return nanoDollars(total > shipped ? total - shipped : 0n);
}

/**
 * What no other node may be granted: what is outstanding and, while the node is silent, what its calls in flight may have cost
 * beyond that. A node that asks is no longer silent.
 */
export function reserved(entry: LeaseEntry, nowMs: number): NanoDollars {
  return nanoDollars(outstanding(entry) + (nowMs >= entry.doubtfulAtMs ? entry.underWay : 0n));
}

/** Answers a claim. The caller holds the subject's lock from reading `context` until the grant is stored. */
export function grantLease(
  { limit, spent, leasedElsewhere, contested }: LeaseableLimit, entry: Pick<LeaseEntry, 'granted' | 'shipped'>, claim: LeaseClaim,
): LeaseGrant {
  const kept = least(claim.holds, entry.granted);
  if (limit === null) return { granted: kept, ...easy, short: false };
  const unshipped = claim.settled > entry.shipped ? claim.settled - entry.shipped : 0n;
  const left = limit - spent - unshipped;
  const pace = left * 5n < limit ? tight : easy;
  if (!claim.wants || left <= 0n || (contested && kept > claim.settled)) return { granted: kept, ...pace, short: false };
  const free = limit - spent - leasedElsewhere;
  const ceiling = entry.shipped + (free <= 0n ? 0n : contested ? upward(free, 2n) : free);
  const wished = claim.settled + wishFor(left, claim.recent);
  const granted = most(kept, least(nanoDollars(wished), nanoDollars(ceiling)));
  return { granted, ...pace, short: granted <= claim.settled };
}

/** The spend of the last ten seconds; if there was none, a hundredth of what is left. Never over a quarter of what is left. */
function wishFor(left: bigint, recent: NanoDollars): bigint {
  return least(most(recent, nanoDollars(upward(left, 100n))), leaseShareOf(left));
}

/** The most of what is left that one node may hold: a quarter, and at least one nano-dollar. */
export function leaseShareOf(left: bigint): NanoDollars {
  return nanoDollars(left > 0n ? upward(left, 4n) : 0n);
}

function upward(amount: bigint, parts: bigint): bigint {
  return (amount + parts - 1n) / parts;
}

function least(one: NanoDollars, other: NanoDollars): NanoDollars {
  return one < other ? one : other;
}

function most(one: NanoDollars, other: NanoDollars): NanoDollars {
  return one > other ? one : other;
}
