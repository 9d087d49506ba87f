/** What a node is answered and what is kept of it: nothing is granted of what others have spent and not shipped (design 1, promise 4). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nanoDollars } from '../money.ts';
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

test('what a node overran, and has told and not shipped, no other is granted', () => {
  const overrun = answered([], { node: 'two', claim: claim({ settled: 70, holds: 60, recent: 100 }) }).kept!;
  assert.deepEqual([overrun.granted, overrun.settled], [78n, 70n]);
  const more = { ...overrun, settled: money(95) };
  assert.equal(answered([more]).answer.granted, 5n);
  assert.equal(answered([{ ...more, settled: money(100) }]).answer.granted, 0n);
});

test('from a node not heard of since its lease ended, what its calls under way may come to is kept as well', () => {
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

test('who is short is told to the others once, and they hear that it is wanted', () => {
  const holder = { ...noLease('two'), granted: money(100) };
  const short = answered([holder]);
  assert.deepEqual([short.answer.granted, short.confirmAll], [0n, true]);
  assert.equal(answered([holder, short.kept!], { number: 2 }).confirmAll, false);
  assert.equal(answered([holder, short.kept!], { node: 'two', claim: claim({ holds: 100 }) }).answer.contested, true);
});
