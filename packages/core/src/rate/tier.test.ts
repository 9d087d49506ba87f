/** Figures of each plan, Enterprise by agreement, and the largest body. Spec: Limits; rule 22. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { plans, type Plan } from './plan.ts';
import { decideRate, estimateTokens, fullPair } from './four-buckets.ts';
import { admissibleBytesMax, rateFiguresOf, isPerMinuteFigure, perMinuteMax, type AgreedFigures } from './tier.ts';

describe('figures per plan (spec: Limits, table)', () => {
  const rows: readonly [plan: Plan | null, requests: number, tokens: number, bodyBytes: number][] = [
    [null, 100, 200_000, 1_600_000],
    ['free', 100, 200_000, 1_600_000],
    ['developer', 600, 1_000_000, 8_000_000],
    ['team', 600, 1_000_000, 8_000_000],
    ['growth', 1_200, 2_000_000, 16_000_000],
    ['scale', 3_000, 5_000_000, 40_000_000],
    ['enterprise', 3_000, 5_000_000, 40_000_000],
  ];
  for (const [plan, requestsPerMinute, tokensPerMinute, bodyBytes] of rows) {
    it(`${plan ?? 'no snapshot yet: Free (Limits 9)'}: ${requestsPerMinute} and ${tokensPerMinute} a minute`, () => {
      assert.deepEqual(rateFiguresOf(plan), { requestsPerMinute, tokensPerMinute });
      assert.equal(admissibleBytesMax(rateFiguresOf(plan)), bodyBytes);
    });
  }

  it('has a row for every plan', () => {
    assert.deepEqual(rows.map(([plan]) => plan).filter((plan) => plan !== null), [...plans]);
  });
});

describe('Enterprise figures by agreement (rule 22)', () => {
  const rows: readonly [why: string, agreed: AgreedFigures | null, requests: number, tokens: number][] = [
    ['nothing agreed: Scale', null, 3_000, 5_000_000],
    ['both', { requestsPerMinute: 9_000, tokensPerMinute: 70_000_000 }, 9_000, 70_000_000],
    ['one alone: the other stays', { requestsPerMinute: 9_000, tokensPerMinute: null }, 9_000, 5_000_000],
    ['lower than Scale', { requestsPerMinute: 1, tokensPerMinute: 1 }, 1, 1],
    ['the largest', { requestsPerMinute: perMinuteMax, tokensPerMinute: perMinuteMax }, perMinuteMax, perMinuteMax],
    ['zero counts as not set', { requestsPerMinute: 0, tokensPerMinute: 7 }, 3_000, 7],
    ['no number counts as not set', { requestsPerMinute: Number.NaN, tokensPerMinute: 1.5 }, 3_000, 5_000_000],
    ['above the largest counts as not set', { requestsPerMinute: perMinuteMax + 1, tokensPerMinute: Infinity }, 3_000, 5_000_000],
  ];
  for (const [why, agreed, requestsPerMinute, tokensPerMinute] of rows) {
    it(why, () => assert.deepEqual(rateFiguresOf('enterprise', agreed), { requestsPerMinute, tokensPerMinute }));
  }

  it('changes no other plan (Limits 11)', () => {
    for (const plan of plans.filter((each) => each !== 'enterprise')) {
      assert.deepEqual(rateFiguresOf(plan, { requestsPerMinute: 7, tokensPerMinute: 7 }), rateFiguresOf(plan));
    }
  });

  it('the largest figure leaves twice the capacity a safe integer in units', () => {
    assert.ok(isPerMinuteFigure(perMinuteMax));
    assert.ok(Number.isSafeInteger(perMinuteMax * 120_000 * 2));
  });
});

describe('the largest body (Limits 2, 4 and 7)', () => {
  for (const plan of plans) {
    it(`${plan}: admitted from full, and one token more is not`, () => {
      const figures = rateFiguresOf(plan);
      const buckets = { key: fullPair(figures, 0), organization: fullPair(figures, 0) };
      assert.equal(decideRate(buckets, estimateTokens(admissibleBytesMax(figures)), 0), null);
      assert.notEqual(decideRate(buckets, estimateTokens(admissibleBytesMax(figures) + 4), 0), null);
    });
  }
});
