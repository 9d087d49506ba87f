/**
 * The throughput limits of one node, in its memory (spec: Limits; decided in core/src/rate).
 * Rule: the limiter fails open. If its own state is broken the call passes, nothing is taken, the miss is counted and
 * the broken buckets are replaced by full ones.
 */
import {
  decideRate, followFigures, fullPair, giveBackRate, reconcileRate, takeRate, type BucketPair, type CallBuckets, type LimitedCall, type RateRefusal,
} from '@metergate/core/rate/four-buckets.ts';
import type { RateFigures } from '@metergate/core/rate/tier.ts';

/** The buckets of one key; those of its organization are shared by all its keys. */
export class RateLimit {
  readonly #organization: OrganizationRate;
  readonly #counters: RateCounters;
  #buckets: CallBuckets;

  constructor(organization: OrganizationRate, counters: RateCounters, nowMs: number) {
    this.#organization = organization;
    this.#counters = counters;
    this.#buckets = { key: fullPair(organization.figures, nowMs), organization: organization.pair };
  }

  /** Null: admitted. Takes nothing. `nowMs` on a clock that never steps back. */
  decide(estimate: number, nowMs: number): RateRefusal | null {
    try {
      return decideRate(this.#inForce(nowMs), estimate, nowMs);
    } catch {
      this.#replace(nowMs);
      return null;
    }
  }

  /** Takes what `decide` admitted in the same turn. */
  take(estimate: number): void {
    takeRate(this.#buckets, estimate);
  }

  /** Corrects the estimate of a call once it has ended. */
  reconcile(ended: LimitedCall, nowMs: number): void {
    try {
      reconcileRate(this.#inForce(nowMs), ended, nowMs);
    } catch {
      this.#replace(nowMs);
    }
  }

  /** Gives back what a call took, because it is not forwarded after all. */
  giveBack(estimate: number, nowMs: number): void {
    try {
      giveBackRate(this.#inForce(nowMs), estimate, nowMs);
    } catch {
      this.#replace(nowMs);
    }
  }

  /** By the current plan; the new buckets if the organization's were replaced. */
  #inForce(nowMs: number): CallBuckets {
    const { figures, pair } = this.#organization;
    if (this.#buckets.organization !== pair) this.#buckets = { key: this.#buckets.key, organization: pair };
    followFigures(this.#buckets.key, figures, nowMs);
    followFigures(pair, figures, nowMs);
    return this.#buckets;
  }

  #replace(nowMs: number): void {
    this.#counters.rateLimitFaults += 1;
    // If the clock itself is broken: a full bucket is full at any time.
    const instantMs = Number.isFinite(nowMs) ? nowMs : 0;
    const organization = this.#organization.replace(instantMs);
    this.#buckets = { key: fullPair(this.#organization.figures, instantMs), organization };
  }
}

/** An organization's figures in force and its two buckets. */
export class OrganizationRate {
  figures: RateFigures;
  pair: BucketPair;

  constructor(figures: RateFigures, nowMs: number) {
    this.figures = figures;
    this.pair = fullPair(figures, nowMs);
  }

  replace(nowMs: number): BucketPair {
    this.pair = fullPair(this.figures, nowMs);
    return this.pair;
  }
}

/** Counted up in place, for `/metrics`. */
export interface RateCounters {
  /** Calls that passed, or were not corrected, because the limiter's own state was broken. */
  rateLimitFaults: number;
}
