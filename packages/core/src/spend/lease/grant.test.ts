/** The store's side of leases: sizes, paces, and what a grant never does (rules: Spend across nodes). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nanoDollars } from '../../money.ts';
import { easy, grantLease, outstanding, reserved, tight, type LeaseClaim, type LeaseEntry, type LeaseableLimit } from './grant.ts';

const money = (amount: number) => nanoDollars(BigInt(amount));
const context = (over: Partial<Record<'limit' | 'spent' | 'leasedElsewhere', number>> = {}, contested = false): LeaseableLimit => ({
  limit: money(over.limit ?? 1_000), spent: money(over.spent ?? 0), leasedElsewhere: money(over.leasedElsewhere ?? 0), contested,
});
const claim = (over: Partial<Record<'settled' | 'holds' | 'recent', number>> = {}, wants = true): LeaseClaim => ({
  settled: money(over.settled ?? 0), holds: money(over.holds ?? 0), recent: money(over.recent ?? 0), underWay: money(0), wants,
});
const entry = (granted: number, shipped: number): LeaseEntry => ({
  granted: money(granted), shipped: money(shipped), settled: money(0), underWay: money(0), doubtfulAtMs: 0,
});

test('a lease is ten seconds of recent spend, never over a quarter of what is left, and a hundredth to begin with', () => {
  assert.equal(grantLease(context(), entry(0, 0), claim({ recent: 80 })).granted, 80n);
  assert.equal(grantLease(context(), entry(0, 0), claim({ recent: 900 })).granted, 250n);
  assert.equal(grantLease(context(), entry(0, 0), claim()).granted, 10n);
  assert.equal(grantLease(context({ limit: 1 }), entry(0, 0), claim()).granted, 1n);
});

test('with less than a fifth of the limit left it is valid one second and confirmed every 300 ms, else five and half of that', () => {
  const paceAt = (spent: number) => {
    const { validMs, confirmMs } = grantLease(context({ spent }), entry(0, 0), claim());
    return { validMs, confirmMs };
  };
  assert.deepEqual([paceAt(800), paceAt(801)], [easy, tight]);
  assert.deepEqual([easy, tight], [{ validMs: 5_000, confirmMs: 2_500 }, { validMs: 1_000, confirmMs: 300 }]);
});

test('a grant never makes spent and leased exceed the limit: less is granted, or nothing, and then the answer says that the node is short', () => {
  assert.deepEqual(pick(context({ leasedElsewhere: 950 }), claim({ recent: 200 })), { granted: 50n, short: false });
  assert.deepEqual(pick(context({ leasedElsewhere: 1_000 }), claim({ recent: 200 })), { granted: 0n, short: true });
  assert.deepEqual(pick(context({ spent: 1_000 }), claim({ recent: 200 })), { granted: 0n, short: false });
  function pick(at: LeaseableLimit, asked: LeaseClaim) {
    const { granted, short } = grantLease(at, entry(0, 0), asked);
    return { granted, short };
  }
});

test('a single node can get all that is left, however late its records are shipped', () => {
  // It settled 990 of 1000; only 100 have been shipped.
  const { granted, short } = grantLease(context({ spent: 100 }), entry(990, 100), claim({ settled: 990, holds: 990 }));
  assert.deepEqual([granted, short], [991n, false]);
});

test('a lease that the node returns is freed, and one it still uses is never taken', () => {
  assert.equal(grantLease(context(), entry(300, 100), claim({ settled: 120, holds: 150 }, false)).granted, 150n);
  assert.equal(grantLease(context({ leasedElsewhere: 5_000 }), entry(300, 100), claim({ settled: 120, holds: 260 })).granted, 260n);
  assert.equal(grantLease(context({ leasedElsewhere: 1_000 }), entry(0, 0), claim({ holds: 260 })).granted, 0n, 'it was freed meanwhile');
});

test('while another node is short, a node with a lease gets no more, and a node without gets half of what is free', () => {
  assert.equal(grantLease(context({}, true), entry(50, 0), claim({ settled: 20, holds: 50, recent: 400 })).granted, 50n);
  assert.equal(grantLease(context({ leasedElsewhere: 900 }, true), entry(0, 0), claim({ recent: 400 })).granted, 50n);
});

test('nothing is leased of a sum without a limit', () => {
  const { granted, short } = grantLease({ ...context(), limit: null }, entry(0, 0), claim({ recent: 400 }));
  assert.deepEqual([granted, short], [0n, false]);
});

test('withheld from others is what is granted or known to be spent, and not shipped; for a silent node also its calls in flight', () => {
  const overrun = { ...entry(100, 30), settled: money(120), underWay: money(40), doubtfulAtMs: 5_000 };
  assert.deepEqual([outstanding(entry(100, 30)), outstanding(entry(100, 130)), outstanding(overrun)], [70n, 0n, 90n]);
  assert.deepEqual([reserved(overrun, 4_999), reserved(overrun, 5_000)], [90n, 130n]);
});
