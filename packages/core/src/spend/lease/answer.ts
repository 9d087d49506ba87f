/**
 * A claim and the stored state of its subject → the answer to the node, the state to store, and whether all nodes must confirm their leases
 * (rules: Spend across nodes). This is the whole rule, for the store and for the simulation alike. The caller must answer no other claim
 * of the subject between reading it and storing the result.
 */
import { nanoDollars, type NanoDollars } from '../../money.ts';
import type { LeaseAnswer } from './account.ts';
import { contestedMs, grantLease, reserved, type LeaseClaim, type LeaseEntry } from './grant.ts';

/** One node's lease as it is stored. */
export interface NodeLease extends LeaseEntry {
  readonly node: string;
  /** Number of the last batch that the store applied. */
  readonly claim: number;
  /** When the node last found nothing left because of other leases; 0: it got what it asked for. */
  readonly shortAtMs: number;
}

/** A subject and all its leases, read at one moment. */
export interface LeasedSum {
  /** Null: nothing limits it. */
  readonly limit: NanoDollars | null;
  readonly spent: NanoDollars;
  /** Nothing is confirmed any more: a run that ended or does not exist. */
  readonly over: boolean;
  readonly leases: readonly NodeLease[];
}

export interface LeaseQuestion {
  readonly node: string;
  /** Grows with each batch of the node. */
  readonly number: number;
  readonly claim: LeaseClaim;
  /** The store's time. */
  readonly nowMs: number;
}

export interface AnsweredClaim {
  readonly answer: LeaseAnswer;
  /** The node's lease from here on; null: a later batch was applied before this one, and nothing changes. */
  readonly kept: NodeLease | null;
  /** The node cannot get enough from now on: nodes that hold a lease must be notified. */
  readonly confirmAll: boolean;
}

const nothing = nanoDollars(0n);

/**
 * What the store grants a node of a sum: never more than the limit less what is spent and what other nodes may still spend. Pure. Rule
 * 5b.
 */
export function answerClaim({ limit, spent, over, leases }: LeasedSum, { node, number, claim, nowMs }: LeaseQuestion): AnsweredClaim {
  const own = leases.find((each) => each.node === node) ?? noLease(node);
  let leasedElsewhere = 0n;
  let contested = false;
  for (const other of leases) {
    if (other.node === node) continue;
    leasedElsewhere += reserved(other, nowMs);
    contested ||= isRecent(nowMs, other.shortAtMs);
  }
  const known = { spent, shipped: own.shipped, limit, contested };
  if (number <= own.claim) return { answer: { ...known, granted: own.granted, validMs: 0, confirmMs: 0 }, kept: null, confirmAll: false };
  const { granted, short, validMs, confirmMs } = grantLease({ limit, spent, leasedElsewhere: nanoDollars(leasedElsewhere), contested }, own, claim);
  const { settled, underWay } = claim;
  return {
    // What has ended is no longer confirmed.
    answer: { ...known, granted, validMs: over ? 0 : validMs, confirmMs },
    kept: { ...own, granted, settled, underWay, doubtfulAtMs: nowMs + validMs, claim: number, shortAtMs: short ? nowMs : 0 },
    confirmAll: short && !isRecent(nowMs, own.shortAtMs),
  };
}

/** The lease of a node that has not asked yet, or of one that the store no longer keeps. */
export function noLease(node: string): NodeLease {
  return { node, granted: nothing, shipped: nothing, settled: nothing, underWay: nothing, doubtfulAtMs: 0, claim: 0, shortAtMs: 0 };
}

/** The lease of a node that was given up (`node-state.ts`): nothing is reserved for it. What it still ships counts as spent. */
export function freed(lease: NodeLease): NodeLease {
  return { ...lease, granted: lease.shipped, settled: lease.shipped, underWay: nothing };
}

/** A moment further ahead than this was written before the store's clock stepped back. */
function isRecent(nowMs: number, shortAtMs: number): boolean {
  return Math.abs(nowMs - shortAtMs) < contestedMs;
}
