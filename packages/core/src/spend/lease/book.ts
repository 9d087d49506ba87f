/**
 * All leases of one node: collects the claims that are due into a batch and applies the answers (rules: Spend across nodes). One batch is
 * under way at a time; leases that calls wait for go first. An unused lease is given back, repeatedly until the store has confirmed it, and then
 * forgotten, so batches grow only with the subjects in use. The next window's lease is requested within the five seconds before it begins, by
 * each node at a different moment.
 * Times are arguments; nothing here waits.
 */
import { windowAt, type CalendarWindow } from '../window.ts';
import {
  claimDue, claimOf, leaseIsOver, leaseAdmits, missAnswer, openAccount, takeAnswer, type CallsUnderWay, type LeaseAccount, type LeaseAnswer,
  type LeaseMoment, type OwnSpend,
} from './account.ts';
import type { LeaseClaim } from './grant.ts';
import type { LeaseScope, LeaseSubject } from './subject.ts';
import type { OrganizationId } from '../../id.ts';

/** One claim of a batch, and its subject. */
export interface SubjectClaim extends LeaseClaim {
  readonly subject: LeaseSubject;
}

/** What was asked; the answers come in this order. */
export interface LeaseBatch {
  /** The moment before it was sent. */
  readonly asked: LeaseMoment;
  /** Grows with each batch of the node: the store ignores a batch that arrives after a later one. */
  readonly number: number;
  readonly accounts: readonly LeaseAccount[];
  readonly claims: readonly SubjectClaim[];
}

/** The leases of a capped subject, window after window. */
export interface WindowLease {
  readonly organization: OrganizationId;
  readonly scope: LeaseScope;
  readonly subject: string;
  readonly window: CalendarWindow;
  readonly own: OwnSpend;
  readonly underWay: CallsUnderWay;
  /** For the window in force when it was last used. */
  current: LeaseAccount;
  next: LeaseAccount | null;
}

/** How long before a window begins its leases may be requested; the nodes spread their requests over the first four fifths of it. */
const aheadMs = 5_000;
const spreadMs = 4_000;
/** A subject used within this time gets a lease of its next window in advance. */
const inUseMs = 10_000;
/** The most claims of one batch. */
const batchMax = 500;

/** A node's leases, and when to ask the store about which. */
export class LeaseBook {
  /** Where this node's moment lies among those of all nodes, from 0 up to 1. */
  readonly #spread: number;
  /** Leases that hold something or are waited for. */
  readonly #active = new Set<LeaseAccount>();
  readonly #lines = new Map<LeaseAccount, WindowLease>();
  #underWay = false;
  #number = 0;

  constructor(spread: number) {
    this.#spread = spread;
  }

  /** How many leases are held or waited for. */
  get active(): number {
    return this.#active.size;
  }

  /** Whether it is held, waited for or being given back. */
  isActive(account: LeaseAccount): boolean {
    return this.#active.has(account);
  }

  /** The leases of a subject, window by window, from the one that holds `nowMs`. The caller keeps it: one for each subject. */
  windowLease(of: Pick<WindowLease, 'organization' | 'scope' | 'subject' | 'window' | 'own' | 'underWay'>, nowMs: number): WindowLease {
    const line: WindowLease = { ...of, current: windowAccount(of, nowMs), next: null };
    this.#lines.set(line.current, line);
    return line;
  }

  /** The account of the window in force at `nowMs`, the node's time. */
  at(line: WindowLease, nowMs: number): LeaseAccount {
    const { endMs } = line.current.subject;
    if (endMs === null || nowMs < endMs) return line.current;
    this.drop(line.current);
    const { next } = line;
    line.next = null;
    line.current = next !== null && (next.subject.endMs ?? Infinity) > nowMs ? next : windowAccount(line, nowMs);
    this.#lines.set(line.current, line);
    return line.current;
  }

  /** A call was admitted on it. */
  used(account: LeaseAccount, { monotonicMs }: LeaseMoment): void {
    account.usedMs = monotonicMs;
  }

  /** A call waits for it: it belongs to the next batch. */
  want(account: LeaseAccount): void {
    account.wanted = true;
    this.#active.add(account);
  }

  /** It is no longer requested: its window or its run is over. */
  drop(account: LeaseAccount): void {
    this.#active.delete(account);
    this.#lines.delete(account);
  }

  /** Something happened elsewhere that affects every held lease: all are confirmed with the next batch. */
  confirmAll(): void {
    for (const account of this.#active) account.confirmMs = 0;
  }

  /** The claims to send now; null: none, or a batch is under way. `nowMs`: the node's time. */
  claims(now: LeaseMoment, nowMs: number): LeaseBatch | null {
    if (this.#underWay) return null;
    const accounts: LeaseAccount[] = [];
    for (const account of this.#active) {
      this.#lookAhead(account, now, nowMs);
      if (accounts.length < batchMax && account.wanted) accounts.push(account);
    }
    for (const account of this.#active) {
      if (accounts.length >= batchMax) break;
      if (!account.wanted && claimDue(account, now)) accounts.push(account);
    }
    return this.#batch(accounts, now);
  }

  answered({ accounts, claims, asked }: LeaseBatch, answers: readonly LeaseAnswer[]): void {
    this.#underWay = false;
    accounts.forEach((account, index) => {
      const claim = claims[index]!;
      takeAnswer(account, answers[index]!, { asked, claim });
      // It was given back, or its run has ended.
      if (leaseIsOver(account, claim)) this.#active.delete(account);
    });
  }

  /** The store was away or late. The node goes on using what it held while that is fresh, and gives back again what it gave back. */
  failed({ accounts }: LeaseBatch): void {
    this.#underWay = false;
    accounts.forEach(missAnswer);
  }

  /** See `leaseAdmits`. */
  admits(account: LeaseAccount, now: LeaseMoment): boolean {
    return leaseAdmits(account, now);
  }

  #batch(accounts: readonly LeaseAccount[], asked: LeaseMoment): LeaseBatch | null {
    if (accounts.length === 0) return null;
    this.#underWay = true;
    this.#number += 1;
    return { asked, number: this.#number, accounts, claims: accounts.map((account) => ({ subject: account.subject, ...claimOf(account, asked) })) };
  }

  #lookAhead(account: LeaseAccount, now: LeaseMoment, nowMs: number): void {
    const { endMs } = account.subject;
    if (endMs === null || nowMs < endMs - aheadMs + this.#spread * spreadMs || now.monotonicMs - account.usedMs > inUseMs) return;
    const line = this.#lines.get(account);
    if (line === undefined || line.current !== account || line.next !== null) return;
    line.next = windowAccount(line, endMs);
    line.next.usedMs = now.monotonicMs;
    this.want(line.next);
  }
}

function windowAccount({ organization, scope, subject, window, own, underWay }: Omit<WindowLease, 'current' | 'next'>, atMs: number): LeaseAccount {
  return openAccount({ organization, scope, subject, window, ...windowAt(window, atMs) }, own, underWay);
}
