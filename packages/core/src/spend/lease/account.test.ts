/** The node's side of a lease: when it admits, when it asks, what it gives back (rules: Spend across nodes; rule 5b). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OrganizationId } from '../../id.ts';
import { nanoDollars } from '../../money.ts';
import {
  claimDue, claimOf, leaseAdmits, noteLimit, openAccount, runsAreCurrent, spentView, takeAnswer,
  type LeaseAccount, type LeaseAnswer, type LeaseMoment,
} from './account.ts';
import { LeaseBook } from './book.ts';
import { addRecent } from './recent-spend.ts';

const money = (amount: number) => nanoDollars(BigInt(amount));
const at = (monotonicMs: number, wallMs: number = monotonicMs): LeaseMoment => ({ monotonicMs, wallMs });
const answer = (over: Partial<LeaseAnswer> = {}): LeaseAnswer => ({
  granted: money(100), spent: money(0), shipped: money(0), limit: money(1_000), validMs: 5_000, confirmMs: 2_500, contested: false, ...over,
});

function held(over: Partial<LeaseAnswer> = {}): { account: LeaseAccount; own: { startMs: number; spent: bigint } } {
  const own = { startMs: 0, spent: money(0) };
  const account = openAccount({
    organization: 'org_a' as OrganizationId, scope: 'organization', subject: '', window: 'lifetime', startMs: 0, endMs: null,
  }, own, { calls: 0 });
  account.wanted = true;
  const claim = claimOf(account, at(0));
  takeAnswer(account, answer(over), { asked: at(0), claim });
  account.usedMs = 0;
  return { account, own };
}

test('it admits while the lease is unspent and fresh by the monotonic and the wall clock', () => {
  const { account, own } = held();
  assert.equal(leaseAdmits(account, at(4_999)), true);
  assert.equal(leaseAdmits(account, at(5_000)), false);
  assert.equal(leaseAdmits(account, at(100, 5_000)), false, 'the machine slept: its monotonic clock did not go on');
  assert.equal(leaseAdmits(account, at(100, -2_001)), false, 'the wall clock was set back');
  own.spent = money(100);
  assert.equal(leaseAdmits(account, at(10)), false);
});

test('its view is the store’s sum and its own part that is not yet in it', () => {
  const { account, own } = held({ spent: money(700), shipped: money(50) });
  own.spent = money(80);
  assert.equal(spentView(account), 730n);
});

test('it asks at half of the validity, ahead of need, and when others wait; an unused lease is given back', () => {
  const { account, own } = held();
  assert.deepEqual([claimDue(account, at(2_499)), claimDue(account, at(2_500))], [false, true]);
  own.spent = money(51);
  assert.equal(claimDue(account, at(10)), true);
  own.spent = money(0);
  account.contested = true;
  assert.equal(claimDue(account, at(10)), true);
  const idle = held().account;
  const claim = claimOf(idle, at(5_000));
  assert.deepEqual([claim.wants, claim.holds, leaseAdmits(idle, at(5_000))], [false, 0n, false]);
});

test('a stale lease is not counted as held: it may have been freed', () => {
  const { account } = held();
  account.wanted = true;
  assert.equal(claimOf(account, at(6_000)).holds, 0n);
  account.granted = money(100);
  account.wanted = true;
  assert.equal(claimOf(account, at(4_000)).holds, 100n);
});

test('a run without a budget is confirmed by news of the store that is less than five seconds old by both clocks', () => {
  assert.equal(runsAreCurrent(null, at(0)), false);
  assert.deepEqual([at(4_999), at(5_000), at(10, 5_000)].map((now) => runsAreCurrent(at(0), now)), [true, false, false]);
});

test('the lease of the next window is requested within the five seconds before it begins, by each node at its own moment', () => {
  const endMs = Date.UTC(2026, 10, 21);
  const askedBefore = (spread: number): number => {
    const book = new LeaseBook(spread);
    const line = book.windowLease({
      organization: 'org_a' as OrganizationId, scope: 'organization', subject: '', window: 'day', own: { startMs: 0, spent: money(0) },
      underWay: { calls: 0 },
    }, endMs - 9_000);
    book.want(line.current);
    for (let nowMs = endMs - 9_000; nowMs < endMs; nowMs += 50) {
      const now = at(nowMs);
      book.used(line.current, now);
      const batch = book.claims(now, nowMs);
      if (batch?.claims.some(({ subject }) => subject.startMs === endMs) === true) return endMs - nowMs;
      if (batch !== null) book.answered(batch, batch.claims.map(() => answer()));
    }
    return 0;
  };
  assert.deepEqual([askedBefore(0), askedBefore(0.5), askedBefore(0.999)], [5_000, 3_000, 1_000]);
});

test('a lost answer leaves the node less to spend, never more, and no batch is sent while one is under way', () => {
  const book = new LeaseBook(0);
  const own = { startMs: 0, spent: money(0) };
  const account = openAccount({
    organization: 'org_a' as OrganizationId, scope: 'run', subject: 'r', window: 'run', startMs: 0, endMs: null,
  }, own, { calls: 0 });
  book.want(account);
  const first = book.claims(at(0), 0)!;
  book.want(account);
  assert.equal(book.claims(at(10), 10), null);
  book.answered(first, [answer()]);
  book.used(account, at(20));
  const second = book.claims(at(20), 20)!;
  assert.equal(second.number, first.number + 1);
  book.failed(second);
  assert.equal(account.granted, 100n);
  assert.equal(book.admits(account, at(30)), true);
});

const accountOf = (subject: string): LeaseAccount => openAccount({
  organization: 'org_a' as OrganizationId, scope: 'run', subject, window: 'run', startMs: 0, endMs: null,
}, { startMs: 0, spent: money(0) }, { calls: 0 });

test('a return that did not reach the store is repeated until it does', () => {
  const book = new LeaseBook(0);
  const account = accountOf('r');
  book.want(account);
  book.answered(book.claims(at(0), 0)!, [answer()]);
  book.used(account, at(0));
  const lost = book.claims(at(5_000), 5_000)!;
  assert.equal(lost.claims[0]!.wants, false);
  book.failed(lost);
  const again = book.claims(at(5_100), 5_100)!;
  assert.deepEqual([again.claims[0]!.wants, again.claims[0]!.holds], [false, 0n]);
  book.answered(again, [answer({ granted: money(0) })]);
  assert.deepEqual([book.active, book.claims(at(5_200), 5_200)], [0, null]);
});

test('a grant whose answer never came is given back if nobody waits for it any more', () => {
  const book = new LeaseBook(0);
  const account = accountOf('r');
  book.want(account);
  book.failed(book.claims(at(0), 0)!);
  const back = book.claims(at(100), 100)!;
  assert.deepEqual([back.claims[0]!.wants, back.claims[0]!.holds], [false, 0n]);
  book.failed(back);
  book.want(account);
  const wanted = book.claims(at(200), 200)!;
  assert.equal(wanted.claims[0]!.wants, true);
  book.answered(wanted, [answer()]);
  assert.equal(book.admits(account, at(300)), true);
});

test('an ended run, which is no longer confirmed, is no longer held', () => {
  const book = new LeaseBook(0);
  const account = accountOf('r');
  book.want(account);
  book.answered(book.claims(at(0), 0)!, [answer()]);
  book.used(account, at(2_400));
  book.answered(book.claims(at(2_500), 2_500)!, [answer({ validMs: 0 })]);
  assert.equal(book.active, 0);
});

test('a lease that a call waits for goes into the next batch, however many others are due', () => {
  const book = new LeaseBook(0);
  const held = Array.from({ length: 600 }, (_, index) => accountOf(`r${index}`));
  held.forEach((account) => book.want(account));
  for (const nowMs of [0, 1]) {
    const batch = book.claims(at(nowMs), nowMs)!;
    book.answered(batch, batch.claims.map(() => answer()));
  }
  held.forEach((account) => book.used(account, at(2_000)));
  const waitedFor = accountOf('new');
  book.want(waitedFor);
  assert.equal(book.claims(at(3_000), 3_000)!.accounts.includes(waitedFor), true);
});

test('a claim says what the calls in flight may cost; a returned lease is reported to the store until they have ended', () => {
  const book = new LeaseBook(0);
  const underWay = { calls: 3 };
  const account = openAccount({
    organization: 'org_a' as OrganizationId, scope: 'run', subject: 'r', window: 'run', startMs: 0, endMs: null,
  }, { startMs: 0, spent: money(0) }, underWay);
  addRecent(account.recent, money(7), 0);
  addRecent(account.recent, money(2), 0);
  book.want(account);
  const first = book.claims(at(0), 0)!;
  assert.equal(first.claims[0]!.underWay, 21n);
  book.answered(first, [answer()]);
  const idle = book.claims(at(5_000), 5_000)!;
  assert.equal(idle.claims[0]!.wants, false);
  book.answered(idle, [answer({ granted: money(0) })]);
  // The window ends while an answer is in flight: what was claimed for it is corrected.
  const again = book.claims(at(7_500), 7_500)!;
  underWay.calls = 0;
  book.answered(again, [answer({ granted: money(0) })]);
  assert.equal(book.claims(at(9_900), 9_900), null);
  const last = book.claims(at(10_000), 10_000)!;
  assert.deepEqual([last.claims[0]!.wants, last.claims[0]!.underWay], [false, 0n]);
  book.answered(last, [answer({ granted: money(0) })]);
  assert.equal(book.active, 0);
});

test('an answer from before a cap existed says nothing about the cap', () => {
  const { account } = held({ limit: null, granted: money(0) });
  assert.equal(leaseAdmits(account, at(10)), true);
  noteLimit(account, money(50));
  assert.deepEqual([leaseAdmits(account, at(10)), claimDue(account, at(10))], [false, true]);
});

test('an answer in flight when a cap was set admits nothing: waiting calls ask again, and the lease is given back', () => {
  const book = new LeaseBook(0);
  const account = openAccount({
    organization: 'org_a' as OrganizationId, scope: 'organization', subject: '', window: 'lifetime', startMs: 0, endMs: null,
  }, { startMs: 0, spent: money(0) }, { calls: 0 });
  book.want(account);
  const crossed = book.claims(at(0), 0)!;
  noteLimit(account, money(50));
  book.answered(crossed, [answer({ limit: null, granted: money(30) })]);
  assert.deepEqual([book.admits(account, at(10)), account.foundRoom], [false, true]);
  const back = book.claims(at(100), 100)!;
  assert.deepEqual(back.claims.map(({ wants, holds }) => [wants, holds]), [[false, 0n]]);
  book.answered(back, [answer({ limit: money(50), granted: money(0) })]);
  assert.equal(book.active, 0);
  book.want(account);
  book.answered(book.claims(at(200), 200)!, [answer({ limit: null })]);
  assert.equal(book.admits(account, at(210)), true, 'the cap was taken away, and this node has yet to hear of it');
});

test('an answer in flight when a limit was changed is confirmed soon', () => {
  const { account } = held();
  account.wanted = true;
  const claim = claimOf(account, at(1_000));
  noteLimit(account, money(300));
  takeAnswer(account, answer(), { asked: at(1_000), claim });
  assert.deepEqual([leaseAdmits(account, at(1_010)), claimDue(account, at(1_299)), claimDue(account, at(1_300))], [true, false, true]);
});
