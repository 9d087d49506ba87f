/** The four buckets of a call: the worked arithmetic of the spec, order, all or nothing, reconciliation. Spec: Limits 1 to 7. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { draws, fc } from '@metergate/testkit/drawn.ts';
import {
  decideRate, estimateTokens, followFigures, fullPair, giveBackRate, rateOutcomeOf, reconcileRate, reportedTokens, takeRate,
  type BucketPair, type CallBuckets, type LimitedCall,
} from './four-buckets.ts';
import { rateFiguresOf, type RateFigures } from './tier.ts';

const free = rateFiguresOf('free');
const unit = 60_000;

function fullBuckets(figures: RateFigures = free): CallBuckets {
  return { key: fullPair(figures, 0), organization: fullPair(figures, 0) };
}

/** Decides and takes, as the gateway does. */
function call(buckets: CallBuckets, estimate: number, nowMs: number): 'admitted' | number {
  const refusal = decideRate(buckets, estimate, nowMs);
  if (refusal !== null) return refusal.retryAfterSeconds;
  takeRate(buckets, estimate);
  return 'admitted';
}

function holds(buckets: CallBuckets): [number, number, number, number] {
  const { key, organization } = buckets;
  return [key.requests.level / unit, key.tokens.level / unit, organization.requests.level / unit, organization.tokens.level / unit];
}

describe('the worked arithmetic, Free tier, one key (Limits 6)', () => {
  it('200 requests from full, the 201st refused, two more about 1.2 s later', () => {
    const buckets = fullBuckets();
    for (let request = 1; request <= 200; request += 1) assert.equal(call(buckets, 1, 0), 'admitted');
    assert.equal(call(buckets, 1, 0), 1);
    assert.equal(call(buckets, 1, 1_200), 'admitted');
    assert.equal(call(buckets, 1, 1_200), 'admitted');
    assert.equal(call(buckets, 1, 1_200), 1);
  });

  it('300,000 of 400,000 tokens, then 150,000 refused whole, then admitted once 250,000 came back', () => {
    const buckets = fullBuckets();
    assert.equal(call(buckets, estimateTokens(1_200_000), 0), 'admitted');
    assert.deepEqual(holds(buckets), [199, 100_000, 199, 100_000]);
    assert.equal(call(buckets, estimateTokens(600_000), 0), 15);
    assert.deepEqual(holds(buckets), [199, 100_000, 199, 100_000]);
    reconcileRate(buckets, { estimate: 300_000, reported: 50_000, outcome: 'answered' }, 0);
    assert.deepEqual(holds(buckets), [199, 350_000, 199, 350_000]);
    assert.equal(call(buckets, estimateTokens(600_000), 0), 'admitted');
    assert.deepEqual(holds(buckets), [198, 200_000, 198, 200_000]);
  });
});

describe('the estimate (Limits 4)', () => {
  const rows: readonly [declared: number | null, tokens: number][] = [
    [null, 1], [0, 1], [1, 1], [3, 1], [4, 1], [7, 1], [8, 2], [1_200_000, 300_000], [1_200_003, 300_000],
    [Number.MAX_SAFE_INTEGER, 2_251_799_813_685_247],
  ];
  for (const [declared, tokens] of rows) it(`${declared ?? 'none declared'}: ${tokens}`, () => assert.equal(estimateTokens(declared), tokens));
});

describe('order, and nothing taken by a refusal (Limits 1, 3 and 7)', () => {
  type Part = readonly [pair: keyof CallBuckets, bucket: keyof BucketPair];
  const order: readonly Part[] = [['key', 'requests'], ['key', 'tokens'], ['organization', 'requests'], ['organization', 'tokens']];

  for (const [first, [pair, bucket]] of order.entries()) {
    it(`${pair} ${bucket} refuses before the buckets that follow, and nothing is debited`, () => {
      const buckets = fullBuckets({ requestsPerMinute: 60, tokensPerMinute: 60 });
      // Each empty bucket is a different number of seconds short, so that the answer shows which one refused.
      for (const [at, [eachPair, eachBucket]] of order.entries()) if (at >= first) buckets[eachPair][eachBucket].level = -10 * at * unit;
      const before = holds(buckets);
      assert.equal(call(buckets, 1, 0), 10 * first + 1);
      assert.deepEqual(holds(buckets), before);
      buckets[pair][bucket].level = 120 * unit;
      if (first === 3) assert.equal(call(buckets, 1, 0), 'admitted');
    });
  }

  it("the organization's buckets bind across its keys, a key's own do not", () => {
    const organization = fullPair(free, 0);
    const one: CallBuckets = { key: fullPair(free, 0), organization };
    const two: CallBuckets = { key: fullPair(free, 0), organization };
    for (let request = 0; request < 120; request += 1) assert.equal(call(one, 1, 0), 'admitted');
    for (let request = 0; request < 80; request += 1) assert.equal(call(two, 1, 0), 'admitted');
    assert.equal(call(two, 1, 0), 1);
    assert.equal(two.key.requests.level, 120 * unit);
  });

  it('an estimate above the capacity is never admitted and still says when to come back', () => {
    const buckets = fullBuckets();
    assert.equal(call(buckets, 400_001, 0), 1);
    assert.equal(call(buckets, 400_001, 86_400_000), 1);
    assert.equal(call(buckets, 10_000_000, 86_400_000), 60);
    assert.deepEqual(holds(buckets), [200, 400_000, 200, 400_000]);
  });

  it('deciding any number of times changes no later decision', () => {
    const times = fc.array(fc.integer({ min: 0, max: 3_000 }), { maxLength: 30 });
    fc.assert(fc.property(fc.integer({ min: 0, max: 400_000 }), fc.integer({ min: 1, max: 500_000 }), times, (taken, estimate, passed) => {
      const asked = fullBuckets();
      const left = fullBuckets();
      takeRate(asked, taken);
      takeRate(left, taken);
      let nowMs = 0;
      for (const ms of passed) decideRate(asked, estimate, nowMs += ms);
      assert.deepEqual(decideRate(asked, estimate, nowMs), decideRate(left, estimate, nowMs));
      assert.deepEqual(asked, left);
    }));
  });
});

describe('after the call (Limits 4; rule 9)', () => {
  const rows: readonly [why: string, ended: LimitedCall, tokensLeft: number][] = [
    ['an over-estimate is credited back', { estimate: 1_000, reported: 200, outcome: 'answered' }, 399_800],
    ['an under-estimate is debited forward', { estimate: 1, reported: 5_000, outcome: 'answered' }, 395_000],
    ['an exact one changes nothing', { estimate: 77, reported: 77, outcome: 'answered' }, 399_923],
    ['reported zero counts as zero', { estimate: 1_000, reported: 0, outcome: 'answered' }, 400_000],
    ['answered without usage keeps the estimate', { estimate: 1_000, reported: null, outcome: 'answered' }, 399_000],
    ['failed is credited in full', { estimate: 1_000, reported: null, outcome: 'failed' }, 400_000],
    ['an error response is credited in full, whatever it reports', { estimate: 1_000, reported: 900, outcome: 'failed' }, 400_000],
    ['the level may go below zero', { estimate: 1, reported: 600_000, outcome: 'answered' }, -200_000],
    ['a figure counts up to twice the capacity', { estimate: 1, reported: 800_001, outcome: 'answered' }, -400_000],
    ['a figure past all bounds too', { estimate: 1, reported: 2 ** 54, outcome: 'answered' }, -400_000],
    ['a negative figure counts as none', { estimate: 10, reported: -5, outcome: 'answered' }, 399_990],
    ['a figure that is no number counts as none', { estimate: 10, reported: Number.NaN, outcome: 'answered' }, 399_990],
  ];
  for (const [why, ended, tokensLeft] of rows) {
    it(`${why}; requests are not reconciled`, () => {
      const buckets = fullBuckets();
      takeRate(buckets, ended.estimate);
      reconcileRate(buckets, ended, 0);
      assert.deepEqual(holds(buckets), [199, tokensLeft, 199, tokensLeft]);
    });
  }

  it('a call that was not forwarded gives its request back too', () => {
    const buckets = fullBuckets();
    takeRate(buckets, 1_000);
    takeRate(buckets, 77);
    giveBackRate(buckets, 1_000, 0);
    assert.deepEqual(holds(buckets), [199, 399_923, 199, 399_923]);
    giveBackRate(buckets, 77, 60_000);
    assert.deepEqual(holds(buckets), [200, 400_000, 200, 400_000]);
  });

  it('returned tokens never fill a bucket above full', () => {
    const buckets = fullBuckets();
    takeRate(buckets, 300_000);
    reconcileRate(buckets, { estimate: 300_000, reported: null, outcome: 'failed' }, 119_000);
    assert.deepEqual([buckets.key.tokens.level, buckets.organization.tokens.level], [400_000 * unit, 400_000 * unit]);
  });

  it('a debit forward counts from the full bucket of that moment, not from the level of long ago', () => {
    const buckets = fullBuckets();
    takeRate(buckets, 1);
    reconcileRate(buckets, { estimate: 1, reported: 50_001, outcome: 'answered' }, 600_000);
    assert.equal(buckets.key.tokens.level, 350_000 * unit);
  });

  it('a bucket in debt admits again once it is refilled, although calls kept coming', () => {
    const buckets = fullBuckets();
    takeRate(buckets, 1);
    reconcileRate(buckets, { estimate: 1, reported: 10_000_000, outcome: 'answered' }, 0);
    // 400,000 below zero and 1 to take, at 200,000 a minute: 400,001 tokens take two minutes and 0.3 ms.
    assert.equal(buckets.key.tokens.level, -400_000 * unit);
    for (let nowMs = 0; nowMs < 120_000; nowMs += 10_000) assert.notEqual(call(buckets, 1, nowMs), 'admitted');
    assert.equal(call(buckets, 1, 120_000), 1);
    assert.equal(call(buckets, 1, 120_001), 'admitted');
  });

  it('only a 2xx head makes an answered call', () => {
    const rows: readonly (number | null)[] = [null, 100, 199, 300, 304, 400, 429, 500, 599];
    for (const status of rows) assert.equal(rateOutcomeOf(status), 'failed', String(status));
    for (const status of [200, 201, 204, 299]) assert.equal(rateOutcomeOf(status), 'answered', String(status));
  });

  it('reported tokens are input plus output, or just the one that is reported', () => {
    assert.equal(reportedTokens({ input: 7, output: 5 }), 12);
    assert.equal(reportedTokens({ input: 7, output: null }), 7);
    assert.equal(reportedTokens({ input: null, output: 0 }), 0);
    assert.equal(reportedTokens({ input: null, output: null }), null);
  });
});

describe('plan changes and faults', () => {
  it('follows the plan in both buckets and keeps what was consumed (rule 22)', () => {
    const buckets = fullBuckets();
    takeRate(buckets, 300_000);
    followFigures(buckets.key, rateFiguresOf('team'), 0);
    assert.deepEqual(holds(buckets), [1_199, 1_700_000, 199, 100_000]);
    followFigures(buckets.key, free, 0);
    assert.deepEqual(holds(buckets), [199, 100_000, 199, 100_000]);
  });

  it('a broken bucket, whichever it is, throws before anything is taken (Limits 10)', () => {
    for (const pair of ['key', 'organization'] as const) {
      for (const bucket of ['requests', 'tokens'] as const) {
        const buckets = fullBuckets();
        takeRate(buckets, 400_000);
        buckets[pair][bucket].level = Number.NaN;
        assert.throws(() => decideRate(buckets, 1, 0), RangeError);
      }
    }
  });
});

describe('calls of many keys, in flight and ended in any order, against the sum of their figures (Limits 1 to 4)', () => {
  interface Act { readonly key: number; readonly estimate: number; readonly reported: number | null; readonly end: boolean; readonly failed: boolean }
  const act: fc.Arbitrary<Act> = fc.record({
    key: fc.integer({ min: 0, max: 2 }),
    estimate: fc.integer({ min: 1, max: 90_000 }),
    reported: fc.option(fc.integer({ min: 0, max: 1_000_000 })),
    end: fc.boolean(),
    failed: fc.boolean(),
  });

  it('at one instant, exactly what was taken and reported is missing', () => {
    fc.assert(fc.property(fc.array(act, { maxLength: 80 }), (acts) => {
      const organization = fullPair(free, 0);
      const keys = [0, 1, 2].map((): CallBuckets => ({ key: fullPair(free, 0), organization }));
      const used = keys.map(() => 0n);
      let calls = 0;
      const inFlight: { key: number; estimate: number }[] = [];
      for (const { key, estimate, reported, end, failed } of acts) {
        const open = end ? inFlight.shift() : undefined;
        if (open !== undefined) {
          reconcileRate(keys[open.key]!, { estimate: open.estimate, reported, outcome: failed ? 'failed' : 'answered' }, 0);
          const counted = failed ? 0 : reported === null ? open.estimate : Math.min(reported, 800_000);
          used[open.key]! += BigInt(counted - open.estimate);
          continue;
        }
        const sum = used.reduce((total, each) => total + each, 0n);
        const fits = sum + BigInt(estimate) <= 400_000n && used[key]! + BigInt(estimate) <= 400_000n && calls < 200;
        assert.equal(call(keys[key]!, estimate, 0) === 'admitted', fits);
        if (!fits) continue;
        used[key]! += BigInt(estimate);
        calls += 1;
        inFlight.push({ key, estimate });
      }
      const sum = used.reduce((total, each) => total + each, 0n);
      assert.equal(BigInt(organization.tokens.level), (400_000n - sum) * 60_000n);
      assert.equal(organization.requests.level, (200 - calls) * unit);
      for (const [key, buckets] of keys.entries()) assert.equal(BigInt(buckets.key.tokens.level), (400_000n - used[key]!) * 60_000n);
    }), { numRuns: draws(300) });
  });
});
