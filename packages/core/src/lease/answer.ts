/**
 * A claim and the subject as the store has it → the answer to the node, the state to store, and whether all nodes must confirm their leases
 * (rules: Spend across nodes). This is the whole rule, for the store and for the simulation alike. From reading the subject to storing the
 * result the caller answers no other claim of it.
 */
import { nanoDollars, type NanoDollars } from '../money.ts';
import type { LeaseAnswer } from './account.ts';
import { contestedMs, grantLease, reserved, type LeaseClaim, type LeaseEntry } from './grant.ts';

/** One node's lease as it is kept. */
export interface NodeLease extends LeaseEntry {
  readonly node: string;
  /** Number of the node's latest batch that was heeded. */
  readonly claim: number;
  /** When the node last found the rest leased elsewhere; 0: it has what it asked for. */
  readonly shortAtMs: number;
}

/** A subject with all leases of it, of one moment. */
export interface LeasedSum {
  /** Null: nothing limits it. */
  readonly limit: NanoDollars | null;
  readonly spent: NanoDollars;
  /** Nothing is confirmed of it any more: a run that ended, or is not there. */
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
  /** What the node's lease is from here on; null: a later batch has overtaken this one, and nothing changes. */
  readonly kept: NodeLease | null;
  /** The node cannot get enough from now on: nodes that hold some must be notified. */
  readonly confirmAll: boolean;
}

const nothing = nanoDollars(0n);

/**
 * What the store grants a node of a sum: never more than the limit less all that is spent and all that other nodes may still spend. Pure. Rule
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
    // What is over is confirmed no more.
    answer: { ...known, granted, validMs: over ? 0 : validMs, confirmMs },
    kept: { ...own, granted, settled, underWay, doubtfulAtMs: nowMs + validMs, claim: number, shortAtMs: short ? nowMs : 0 },
    confirmAll: short && !isRecent(nowMs, own.shortAtMs),
  };
}

/** Of a node that has not asked yet, or of which nothing is kept any more. */
export function noLease(node: string): NodeLease {
  return { node, granted: nothing, shipped: nothing, settled: nothing, underWay: nothing, doubtfulAtMs: 0, claim: 0, shortAtMs: 0 };
}

/** The lease of a node that was given up (`node-state.ts`): nothing is kept for it any more. What arrives of it still counts as spent. */
export function freed(lease: NodeLease): NodeLease {
  return { ...lease, granted: lease.shipped, settled: lease.shipped, underWay: nothing };
}

/** A moment that lies ahead by more was written before the store's clock stepped back. */
function isRecent(nowMs: number, shortAtMs: number): boolean {
  return Math.abs(nowMs - shortAtMs) < contestedMs;
}
