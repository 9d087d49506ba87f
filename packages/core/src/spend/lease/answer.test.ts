/** The answer to a node's claim and what is stored of it: spend that other nodes have not shipped is never granted (promise 4). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nanoDollars } from '../../money.ts';
import { answerClaim, freed, noLease, type NodeLease } from './answer.ts';
import type { LeaseClaim } from './grant.ts';

const money = (amount: number) => nanoDollars(BigInt(amount));
const claim = ({ settled = 0, holds = 0, recent = 0, underWay = 0 } = {}): LeaseClaim => ({
  settled: money(settled), holds: money(holds), recent: money(recent), underWay: money(underWay), wants: true,
});
interface Asked {
  readonly node?: string;
  readonly number?: number;
  readonly claim?: LeaseClaim;
  readonly nowMs?: number;
}

const answered = (leases: readonly NodeLease[], { node = 'one', number = 1, claim: asked = claim({ recent: 100 }), nowMs = 1_000 }: Asked = {}) =>
  answerClaim({ limit: money(100), spent: money(0), over: false, leases }, { node, number, claim: asked, nowMs: 100_000 + nowMs });

test('what a node overran and reported, but has not shipped yet, is granted to no other node', () => {
  const overrun = answered([], { node: 'two', claim: claim({ settled: 70, holds: 60, recent: 100 }) }).kept!;
  assert.deepEqual([overrun.granted, overrun.settled], [78n, 70n]);
  const more = { ...overrun, settled: money(95) };
  assert.equal(answered([more]).answer.granted, 5n);
  assert.equal(answered([{ ...more, settled: money(100) }]).answer.granted, 0n);
});

test('for a node that has been silent since its lease ended, the possible cost of its calls in flight is withheld as well', () => {
  const silent = answered([], { node: 'two', claim: claim({ settled: 85, holds: 85, underWay: 10 }) }).kept!;
  assert.deepEqual([silent.granted, silent.doubtfulAtMs], [86n, 102_000]);
  assert.equal(answered([silent], { nowMs: 1_999 }).answer.granted, 14n);
  assert.equal(answered([silent], { nowMs: 2_000 }).answer.granted, 4n);
  const heard = answered([silent], { node: 'two', number: 2, nowMs: 2_100, claim: claim({ settled: 90, holds: 86 }) }).kept!;
  assert.equal(answered([heard], { nowMs: 5_000 }).answer.granted, 9n);
  assert.equal(answered([freed(silent)], { nowMs: 5_000 }).answer.granted, 25n, 'given up, nothing is kept for it');
});

test('a batch that a later one has overtaken changes nothing', () => {
  const kept = answered([], { number: 2 }).kept!;
  const late = answered([kept], { number: 1, claim: claim({ settled: 90 }) });
  assert.deepEqual([late.kept, late.answer.granted, late.answer.validMs], [null, kept.granted, 0]);
});

test('when a node cannot get enough, the others are notified once and learn that their lease is wanted', () => {
  const holder = { ...noLease('two'), granted: money(100) };
  const short = answered([holder]);
  assert.deepEqual([short.answer.granted, short.confirmAll], [0n, true]);
  assert.equal(answered([holder, short.kept!], { number: 2 }).confirmAll, false);
  assert.equal(answered([holder, short.kept!], { node: 'two', claim: claim({ holds: 100 }) }).answer.contested, true);
});
