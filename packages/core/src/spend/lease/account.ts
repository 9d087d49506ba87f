/**
 * The node's side of one lease: what it may spend between two answers of the store (rules: Spend across nodes). Rules: it admits only
 * while the lease is unspent and fresh. Fresh means that neither the monotonic nor the wall clock says it has expired, counted from the
 * moment before the node asked. A node stops using a lease before it gives it back. An answer holds the store's sum and
 * the node's own part of it at one moment, so the node's view is exact and never falls within a window.
 */
import { nanoDollars, type NanoDollars } from '../../money.ts';
import { easy, leaseShareOf, tight, type LeaseClaim } from './grant.ts';
import { costliestAt, noRecentSpend, recentAt, type RecentSpend } from './recent-spend.ts';
import type { LeaseSubject } from './subject.ts';

/** What the node has spent on the subject since it began. The account uses it only if it is of the same window. */
export interface OwnSpend {
  readonly startMs: number;
  readonly spent: NanoDollars;
}

/** The subject's calls in flight on the node, in any window. Changed in place by the code that takes and ends calls. */
export interface CallsUnderWay {
  calls: number;
}

/** One moment by both clocks of a node, neither of them corrected. Milliseconds. */
export interface LeaseMoment {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

/** The store's answer to a claim. */
export interface LeaseAnswer {
  readonly granted: NanoDollars;
  /** What all nodes spent, and the asking node's part of it. */
  readonly spent: NanoDollars;
  readonly shipped: NanoDollars;
  readonly limit: NanoDollars | null;
  readonly validMs: number;
  readonly confirmMs: number;
  /** Another node found nothing left because of other leases: give back what is idle. */
  readonly contested: boolean;
}

/** Changed in place, by the functions of this directory alone. */
export interface LeaseAccount {
  readonly subject: LeaseSubject;
  readonly own: OwnSpend;
  readonly underWay: CallsUnderWay;
  readonly recent: RecentSpend;
  granted: NanoDollars;
  spentElsewhere: NanoDollars;
  limit: NanoDollars | null;
  /** The latest limit announced since the store was last asked; null: none. An answer in flight at that time may be based on the limit before. */
  notedLimit: NanoDollars | null;
  /** The answer in force: when it was asked for, and how long it is valid. 0: none is. */
  askedMonotonicMs: number;
  askedWallMs: number;
  validMs: number;
  confirmMs: number;
  contested: boolean;
  /** Time of the last admission, monotonic. */
  usedMs: number;
  /** A call is waiting for it. */
  wanted: boolean;
  /**
   * The node uses none of it, but the store may still count it as granted. The node repeats the claim until the store
   * answers.
   */
  unreturned: boolean;
  /** What could be spent when the store last answered. */
  size: NanoDollars;
  /** The last answer left something to spend at the moment it was asked for, whatever was settled since: asking again may help. */
  foundRoom: boolean;
}

const nothing = nanoDollars(0n);
/** If the wall clock is set back by less than this, it is only being corrected. */
const slewMs = 2_000;
/** A lease that is unused for this long is given back; sooner if others wait for it. */
const idleMs = 5_000;
const idleContestedMs = 1_000;

/** A node's view of a leased sum before it has asked the store: nothing is granted. */
export function openAccount(subject: LeaseSubject, own: OwnSpend, underWay: CallsUnderWay): LeaseAccount {
  return {
    subject, own, underWay, recent: noRecentSpend(), granted: nothing, spentElsewhere: nothing, limit: null, notedLimit: null,
    askedMonotonicMs: -Infinity, askedWallMs: -Infinity, validMs: 0, confirmMs: 0, contested: false, usedMs: -Infinity, wanted: false,
    unreturned: false, size: nothing, foundRoom: false,
  };
}

/** What the node itself has spent of it, shipped or not. */
export function settledOf({ own, subject }: LeaseAccount): NanoDollars {
  return own.startMs === subject.startMs ? own.spent : nothing;
}

/** What all nodes have spent, as far as this node knows: never more than the truth. */
export function spentView(account: LeaseAccount): NanoDollars {
  return nanoDollars(account.spentElsewhere + settledOf(account));
}

function isFresh({ askedMonotonicMs, askedWallMs, validMs }: LeaseAccount, now: LeaseMoment): boolean {
  return isWithin(validMs, askedMonotonicMs, askedWallMs, now);
}

/**
 * Whether the store's news of runs is recent enough to rule out that a held run without a budget was ended elsewhere; a run with a
 * budget has its lease for that. `newsAt`: all changes of runs before this moment are known; null: none were ever reported.
 */
export function runsAreCurrent(newsAt: LeaseMoment | null, now: LeaseMoment): boolean {
  return newsAt !== null && isWithin(easy.validMs, newsAt.monotonicMs, newsAt.wallMs, now);
}

function isWithin(validMs: number, monotonicMs: number, wallMs: number, now: LeaseMoment): boolean {
  const wallPassedMs = now.wallMs - wallMs;
  return now.monotonicMs - monotonicMs < validMs && wallPassedMs < validMs && wallPassedMs > -slewMs;
}

/**
 * Whether a call may be admitted on it now. Only the lease in hand counts. If an answer found room but other calls have spent it
 * meanwhile, nothing is admitted; the call may ask again.
 */
export function leaseAdmits(account: LeaseAccount, now: LeaseMoment): boolean {
  return (account.limit === null || account.granted > settledOf(account)) && isFresh(account, now);
}

/**
 * Whether to ask the store: a call waits, the lease is due, little is left of it, others wait for it, or the last claim was not
 * answered. A lease that was given back is claimed again for as long as calls are in flight that may overrun it.
 */
export function claimDue(account: LeaseAccount, now: LeaseMoment): boolean {
  if (account.wanted || account.unreturned) return true;
  const isTime = now.monotonicMs - account.askedMonotonicMs >= account.confirmMs;
  if (account.validMs === 0) return isTime;
  if (isTime || !isFresh(account, now)) return true;
  const left = account.granted - settledOf(account);
  const available = left > 0n ? left : 0n;
  if (account.contested) return available > keptWhenContested(account, now);
  return available * 2n < account.size && !isIdle(account, now);
}

/**
 * Whether the node may forget the lease: it uses none of it, no call waits for it, no call in flight may overrun it, and the
 * answer to its last claim allows that.
 */
export function leaseIsOver(account: LeaseAccount, answered: LeaseClaim): boolean {
  return account.validMs === 0 && !account.wanted && !account.unreturned && account.underWay.calls === 0 && answered.underWay === 0n;
}

/**
 * The limit has changed since the answer in force, which sets how much the node may hold and for how long. So the store is asked soon. An
 * answer from before a cap existed says nothing about the cap; a run's budget may be known here before the store answers.
 */
export function noteLimit(account: LeaseAccount, limit: NanoDollars): void {
  account.notedLimit = limit;
  if (account.limit === null && account.validMs > 0 && account.subject.scope !== 'run') {
    account.validMs = 0;
    account.unreturned = true;
  }
  if (account.limit !== limit && account.confirmMs > tight.confirmMs) account.confirmMs = tight.confirmMs;
}

/** The claim to send now. From here on the node no longer uses what the claim gives back. */
export function claimOf(account: LeaseAccount, now: LeaseMoment): LeaseClaim {
  const settled = settledOf(account);
  const wants = account.wanted || (!account.unreturned && !isIdle(account, now));
  account.granted = holdsAt(account, now, wants);
  if (!wants) account.validMs = 0;
  account.wanted = false;
  account.notedLimit = null;
  const { recent, underWay: { calls } } = account;
  return {
    settled, holds: account.granted, recent: recentAt(recent, now.monotonicMs), wants,
    underWay: nanoDollars(costliestAt(recent, now.monotonicMs) * BigInt(calls)),
  };
}

/** Applies the answer to a claim. `asked`: the moment before the claim was sent. */
export function takeAnswer(
  account: LeaseAccount, answer: LeaseAnswer, { asked, claim }: { readonly asked: LeaseMoment; readonly claim: LeaseClaim },
): void {
  account.unreturned = false;
  account.spentElsewhere = nanoDollars(answer.spent > answer.shipped ? answer.spent - answer.shipped : 0n);
  account.limit = answer.limit;
  account.granted = answer.granted;
  account.contested = answer.contested;
  account.askedMonotonicMs = asked.monotonicMs;
  account.askedWallMs = asked.wallMs;
  account.validMs = claim.wants ? answer.validMs : 0;
  account.foundRoom = answer.limit === null ? answer.validMs > 0 : answer.granted > claim.settled;
  account.confirmMs = answer.confirmMs;
  const available = answer.granted - settledOf(account);
  account.size = nanoDollars(available > 0n ? available : 0n);
  if (account.notedLimit !== null) noteLimit(account, account.notedLimit);
}

/**
 * A claim was not answered, so nobody knows whether the store applied it. The node keeps using the last confirmed figure while it is fresh.
 * Once nothing is fresh, the node claims again: until then the store may keep a grant that nobody uses from all other nodes.
 */
export function missAnswer(account: LeaseAccount): void {
  if (account.validMs === 0) account.unreturned = true;
}

function holdsAt(account: LeaseAccount, now: LeaseMoment, wants: boolean): NanoDollars {
  const settled = settledOf(account);
  // A stale lease may have been freed meanwhile, so the claim counts nothing as granted.
  if (!wants || !isFresh(account, now)) return account.granted < settled ? account.granted : settled;
  let available = account.granted - settled;
  if (account.limit !== null) available = lesser(available, leaseShareOf(account.limit - spentView(account)));
  if (account.contested) available = lesser(available, keptWhenContested(account, now));
  return available > 0n ? nanoDollars(settled + available) : account.granted;
}

/** A lease in use claims a second of its recent spend. */
function keptWhenContested(account: LeaseAccount, now: LeaseMoment): bigint {
  if (now.monotonicMs - account.usedMs >= idleContestedMs) return 0n;
  const second = recentAt(account.recent, now.monotonicMs) / 10n;
  return second > 0n ? second : 1n;
}

function isIdle(account: LeaseAccount, { monotonicMs }: LeaseMoment): boolean {
  return monotonicMs - account.usedMs >= (account.contested ? idleContestedMs : idleMs);
}

function lesser(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}
