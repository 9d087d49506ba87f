/**
 * The node's side of one lease: what it may spend between two answers of the store (rules: Spend across nodes). Rules: it admits only
 * while the lease is unspent and fresh. Fresh means that neither the monotonic nor the wall clock says it has expired, counted from the
 * moment before the node asked. A node stops using a lease before it gives it back. An answer holds the store's sum and
 * the node's own part of it at one moment, so the node's view is exact and never falls within a window.
 */
import { nanoDollars, type NanoDollars } from '../money.ts';
import { easy, shareOf, tight, type LeaseClaim } from './grant.ts';
import { dearestAt, noSpend, recentAt, type RecentSpend } from './recent-spend.ts';
import type { LeaseSubject } from './subject.ts';

/** The node's own spend on the subject since it began. Counts for the account while it is of the same window. */
export interface OwnSpend {
  readonly startMs: number;
  readonly spent: NanoDollars;
}

/** The calls of a subject that are under way on the node, of whichever window. Changed in place by who takes and ends calls. */
export interface CallsUnderWay {
  calls: number;
}

/** One moment by both clocks of a node, neither of them corrected. Milliseconds. */
export interface LeaseMoment {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

/** What the store said to a claim. */
export interface LeaseAnswer {
  readonly granted: NanoDollars;
  /** What all nodes spent, and the asking node's part of it. */
  readonly spent: NanoDollars;
  readonly shipped: NanoDollars;
  readonly limit: NanoDollars | null;
  readonly validMs: number;
  readonly confirmMs: number;
  /** Another node found the rest leased: what is idle is to be given back. */
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
  /** The newest limit announced since the store was last asked; null: none. An answer that was under way then may be of the limit before. */
  notedLimit: NanoDollars | null;
  /** The answer in force: when it was asked for, and how long it holds. 0: none is. */
  askedMonotonicMs: number;
  askedWallMs: number;
  validMs: number;
  confirmMs: number;
  contested: boolean;
  /** Of the latest admission, monotonic. */
  usedMs: number;
  /** A call waits for it. */
  wanted: boolean;
  /**
   * The node uses none of it, but the store may not know that yet and still count it as granted. The node repeats it until the store
   * answers.
   */
  unreturned: boolean;
  /** What could be spent when the store last answered. */
  size: NanoDollars;
  /** The latest answer left something to spend when it was asked for, whatever has been settled since: asking again may help. */
  foundRoom: boolean;
}

const nothing = nanoDollars(0n);
/** A wall clock that is set back by less is being set right. */
const slewMs = 2_000;
/** Unused for this long, a lease is given back; where others wait for it, sooner. */
const idleMs = 5_000;
const idleContestedMs = 1_000;

/** A node's view of one leased sum before the store was asked about it: nothing is granted. */
export function openAccount(subject: LeaseSubject, own: OwnSpend, underWay: CallsUnderWay): LeaseAccount {
  return {
    subject, own, underWay, recent: noSpend(), granted: nothing, spentElsewhere: nothing, limit: null, notedLimit: null,
    askedMonotonicMs: -Infinity, askedWallMs: -Infinity, validMs: 0, confirmMs: 0, contested: false, usedMs: -Infinity, wanted: false,
    unreturned: false, size: nothing, foundRoom: false,
  };
}

/** What the node itself spent of it so far, shipped or not. */
export function settledOf({ own, subject }: LeaseAccount): NanoDollars {
  return own.startMs === subject.startMs ? own.spent : nothing;
}

/** What all nodes spent, as far as this one can know: never more than the truth. */
export function spentView(account: LeaseAccount): NanoDollars {
  return nanoDollars(account.spentElsewhere + settledOf(account));
}

function isFresh({ askedMonotonicMs, askedWallMs, validMs }: LeaseAccount, now: LeaseMoment): boolean {
  return isWithin(validMs, askedMonotonicMs, askedWallMs, now);
}

/**
 * Whether the store's news of runs is recent enough to know that a held run without a budget has not been ended elsewhere; a run with a
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
 * Whether a call may be admitted on it now: by what is held, and by nothing else. An answer that found room which other calls have
 * spent meanwhile admits nothing; the call may ask again.
 */
export function leaseAdmits(account: LeaseAccount, now: LeaseMoment): boolean {
  return (account.limit === null || account.granted > settledOf(account)) && isFresh(account, now);
}

/**
 * Whether the store is to be asked: one waits for it, its time has come, little is left of it, others wait for it, or it was not
 * heard. What was given back is repeated to the store for as long as calls are under way, which may overrun it.
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
 * Whether the store no longer needs it repeated: the node uses none of it, no one waits for it, no call under way may overrun it, and the
 * claim that was answered said so.
 */
export function isOver(account: LeaseAccount, answered: LeaseClaim): boolean {
  return account.validMs === 0 && !account.wanted && !account.unreturned && account.underWay.calls === 0 && answered.underWay === 0n;
}

/**
 * The limit has changed since the answer in force, which says how much the node may hold and for how long. So the store is asked soon. For a
 * cap, an answer from before there was one says nothing; a run's budget may be known here first.
 */
export function noteLimit(account: LeaseAccount, limit: NanoDollars): void {
  account.notedLimit = limit;
  if (account.limit === null && account.validMs > 0 && account.subject.scope !== 'run') {
    account.validMs = 0;
    account.unreturned = true;
  }
  if (account.limit !== limit && account.confirmMs > tight.confirmMs) account.confirmMs = tight.confirmMs;
}

/** The claim to send now. The node stops using at once what the claim gives back. */
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
    underWay: nanoDollars(dearestAt(recent, now.monotonicMs) * BigInt(calls)),
  };
}

/** Takes an answer to a claim in. `asked`: the moment before it was sent. */
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
 * A claim was not answered, so nobody knows whether the store acted on it. The node keeps using the last confirmed figure while it is fresh;
 * if nothing is, the node says so again: what the store may have granted is kept from all others until it knows.
 */
export function missAnswer(account: LeaseAccount): void {
  if (account.validMs === 0) account.unreturned = true;
}

function holdsAt(account: LeaseAccount, now: LeaseMoment, wants: boolean): NanoDollars {
  const settled = settledOf(account);
  // What is stale may have been freed meanwhile: nothing is claimed by it.
  if (!wants || !isFresh(account, now)) return account.granted < settled ? account.granted : settled;
  let available = account.granted - settled;
  if (account.limit !== null) available = lesser(available, shareOf(account.limit - spentView(account)));
  if (account.contested) available = lesser(available, keptWhenContested(account, now));
  return available > 0n ? nanoDollars(settled + available) : account.granted;
}

/** A second of recent spend, if it is in use. */
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
