/** The budget of a new run: which bound binds, by what name, and what is refused (rule 12). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { draws, fc } from '@metergate/testkit/drawn.ts';
import { nanoDollars, type NanoDollars } from '../money.ts';
import { clampToExposure, exposureOf, policyBudget, type BudgetBounds } from './clamp.ts';

const usd = (dollars: number): NanoDollars => nanoDollars(BigInt(Math.round(dollars * 1e6)) * 1000n);
const unset = { declared: null, keyMax: null, organizationMax: null, grantMax: null, ceiling: null, exposureLeft: null } as const;
type Given = { readonly [Name in keyof typeof unset]?: number };
type Bounds = BudgetBounds & { readonly exposureLeft: NanoDollars | null };
const bounds = (given: Given) => Object.fromEntries(Object.entries(unset).map(([name]) => {
  const figure = given[name as keyof Given];
  return [name, figure === undefined ? null : usd(figure)];
})) as unknown as Bounds;
/** What the node decides, then what the store does with it. */
const resolved = ({ exposureLeft, ...policyBounds }: Bounds) => {
  const policy = policyBudget(policyBounds);
  return 'kind' in policy ? policy : clampToExposure(policy, exposureLeft);
};

const cases: [string, Given, number | null | string, string | null][] = [
  ['nothing set and nothing declared: no budget, no exposure', {}, null, null],
  ['declared alone', { declared: 5 }, 5, null],
  ['policy above declared', { declared: 5, organizationMax: 6 }, 5, null],
  ['policy equal to declared lowers nothing', { declared: 5, organizationMax: 5 }, 5, null],
  ['organization maximum', { declared: 5, organizationMax: 3 }, 3, 'policy_max'],
  ['the key goes before the organization, below it', { declared: 5, keyMax: 2, organizationMax: 3 }, 2, 'policy_max'],
  ['the key goes before the organization, above it', { declared: 5, keyMax: 4, organizationMax: 3 }, 4, 'policy_max'],
  ['a grant lifts both', { declared: 5, keyMax: 1, organizationMax: 1, grantMax: 9 }, 5, null],
  ['a grant binds in their place', { declared: 5, keyMax: 8, organizationMax: 8, grantMax: 4 }, 4, 'grant_max'],
  ['a grant binds where no policy does', { declared: 5, grantMax: 4 }, 4, 'grant_max'],
  ['a grant does not lift the ceiling', { declared: 9, keyMax: 1, grantMax: 8, ceiling: 7 }, 7, 'workspace_ceiling'],
  ['a grant does not lift exposure', { declared: 9, grantMax: 8, exposureLeft: 2 }, 2, 'exposure_headroom'],
  ['tie of policy and ceiling', { declared: 5, keyMax: 3, ceiling: 3, exposureLeft: 3 }, 3, 'policy_max'],
  ['tie of grant and exposure', { declared: 5, grantMax: 3, exposureLeft: 3 }, 3, 'grant_max'],
  ['tie of ceiling and exposure', { declared: 5, keyMax: 4, ceiling: 3, exposureLeft: 3 }, 3, 'workspace_ceiling'],
  ['the least binds, not the first', { declared: 5, keyMax: 4, ceiling: 3, exposureLeft: 2 }, 2, 'exposure_headroom'],
  ['undeclared: the least of what is set, without a reason', { keyMax: 4, ceiling: 3, exposureLeft: 2 }, 2, null],
  ['undeclared with a grant', { keyMax: 4, grantMax: 6 }, 6, null],
  ['undeclared under exposure alone', { exposureLeft: 2 }, 2, null],
  ['zero by policy', { declared: 5, keyMax: 0 }, 'run_envelope_zero', null],
  ['zero by ceiling', { ceiling: 0 }, 'run_envelope_zero', null],
  ['zero by policy before zero by exposure', { declared: 5, organizationMax: 0, exposureLeft: 0 }, 'run_envelope_zero', null],
  ['zero by exposure', { declared: 5, exposureLeft: 0 }, 'run_exposure_exhausted', null],
  ['overspent exposure', { declared: 5, exposureLeft: -1 }, 'run_exposure_exhausted', null],
  ['undeclared, zero by exposure', { exposureLeft: 0 }, 'run_exposure_exhausted', null],
];

describe('a new run: the least of what bounds it (rule 12)', () => {
  for (const [name, given, effective, reason] of cases) {
    it(name, () => {
      if (typeof effective === 'string') assert.deepEqual(resolved(bounds(given)), { kind: effective });
      else assert.deepEqual(resolved(bounds(given)), { effective: effective === null ? null : usd(effective), clampReason: reason });
    });
  }

  it('keeps the budget to what six places can say, downwards', () => {
    const left = nanoDollars(1_999_999n);
    assert.deepEqual(resolved({ ...bounds({ declared: 5 }), exposureLeft: left }), { effective: 1_999_000n, clampReason: 'exposure_headroom' });
    assert.deepEqual(resolved({ ...bounds({ declared: 5 }), exposureLeft: nanoDollars(999n) }), { kind: 'run_exposure_exhausted' });
  });

  it('node and store together decide as one: policy first, exposure after it', () => {
    const figure = fc.option(fc.integer({ min: 0, max: 6 }), { nil: undefined });
    const declared = fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined });
    const anything = fc.record({ declared, keyMax: figure, organizationMax: figure, grantMax: figure, ceiling: figure, exposureLeft: figure });
    fc.assert(fc.property(anything, (all) => {
      const given = bounds(Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)));
      assert.deepEqual(resolved(given), naive(all));
    }), { numRuns: draws(2000) });
  });
});

/** The row read aloud: all candidates in the order of the reasons, the least of them, by name. */
function naive(given: { readonly [Name in keyof Given]: number | undefined }): unknown {
  const candidates: [number | undefined, string][] = [
    [given.grantMax === undefined ? given.keyMax ?? given.organizationMax : undefined, 'policy_max'], [given.grantMax, 'grant_max'],
    [given.ceiling, 'workspace_ceiling'], [given.exposureLeft, 'exposure_headroom'],
  ];
  const least = (figures: (number | undefined)[]) => Math.min(...figures.map((figure) => figure ?? Infinity));
  if (least(candidates.slice(0, 3).map(([figure]) => figure)) === 0) return { kind: 'run_envelope_zero' };
  if (given.exposureLeft === 0) return { kind: 'run_exposure_exhausted' };
  const bound = least(candidates.map(([figure]) => figure));
  const effective = Math.min(bound, given.declared ?? Infinity);
  const clamped = given.declared !== undefined && bound < given.declared;
  return {
    effective: effective === Infinity ? null : usd(effective),
    clampReason: clamped ? candidates.find(([figure]) => figure === bound)![1] : null,
  };
}

describe('what a live run takes of exposure', () => {
  it('is the budget not yet spent, never below zero, and nothing without a budget', () => {
    assert.equal(exposureOf({ effective: usd(5), spent: usd(2) }), usd(3));
    assert.equal(exposureOf({ effective: usd(5), spent: usd(7) }), 0n);
    assert.equal(exposureOf({ effective: null, spent: usd(7) }), 0n);
  });
});
