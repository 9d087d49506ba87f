/**
 * The budget that a request declares, and the policies that bound it → the budget of a new run (rule 12). Two steps, because they
 * are decided in two places: policy on the node, exposure in the store. Bounds count in whole micro-dollars, so that the budget in force is
 * exactly what `x-svc-run-budget-effective` can say.
 */
import { nanoDollars, type NanoDollars } from '../money.ts';
import type { ClampReason } from './run.ts';

/** A budget in force. `effective` null: none, and the run takes no exposure. */
interface RunBudget {
  /** Above 0. */
  readonly effective: NanoDollars | null;
  /** Set where `effective` is below what the request declared. */
  readonly clampReason: ClampReason | null;
}

/** The bounds of one run except exposure. Null: not set, no bound. */
export interface BudgetBounds {
  /** `x-svc-run-budget`; null if the request declares none. */
  readonly declared: NanoDollars | null;
  /** The service key's `maxRunBudget`. */
  readonly keyMax: NanoDollars | null;
  /** The organization's `maxRunBudget`; the key's takes precedence. */
  readonly organizationMax: NanoDollars | null;
  /** The maximum of a verified grant: it replaces both maxima, whether it is above or below them. Null: no grant. */
  readonly grantMax: NanoDollars | null;
  /** The organization's `runCeiling`. */
  readonly ceiling: NanoDollars | null;
}

/** What policy allows, before exposure: what the node hands to the store with the question. */
export interface PolicyBudget extends RunBudget {
  readonly declared: NanoDollars | null;
}

interface EnvelopeZero {
  readonly kind: 'run_envelope_zero';
}

interface ExposureExhausted {
  readonly kind: 'run_exposure_exhausted';
}

const envelopeZero: EnvelopeZero = Object.freeze({ kind: 'run_envelope_zero' });
const exposureExhausted: ExposureExhausted = Object.freeze({ kind: 'run_exposure_exhausted' });

/** The budget under policy only, or the refusal if nothing is left. Ties are broken in the order of `clampReasons`. */
export function policyBudget(bounds: BudgetBounds): PolicyBudget | EnvelopeZero {
  const { declared, keyMax, organizationMax, grantMax, ceiling } = bounds;
  let budget: RunBudget = { effective: declared, clampReason: null };
  if (grantMax === null) budget = lowered(budget, { declared, bound: keyMax ?? organizationMax, reason: 'policy_max' });
  else budget = lowered(budget, { declared, bound: grantMax, reason: 'grant_max' });
  budget = lowered(budget, { declared, bound: ceiling, reason: 'workspace_ceiling' });
  if (budget.effective !== null && budget.effective <= 0n) return envelopeZero;
  return { declared, ...budget };
}

/** The budget that is left of it under the organization's exposure. `exposureLeft` null: no bound; it may be below 0. */
export function clampToExposure(policy: PolicyBudget, exposureLeft: NanoDollars | null): RunBudget | ExposureExhausted {
  const { declared, effective, clampReason } = policy;
  const budget = lowered({ effective, clampReason }, { declared, bound: exposureLeft, reason: 'exposure_headroom' });
  return budget.effective !== null && budget.effective <= 0n ? exposureExhausted : budget;
}

/** What a live run may still spend, which is what it takes of the organization's exposure. */
export function exposureOf({ effective, spent }: { readonly effective: NanoDollars | null; readonly spent: NanoDollars }): NanoDollars {
  return nanoDollars(effective === null || spent >= effective ? 0n : effective - spent);
}

interface Bound {
  readonly declared: NanoDollars | null;
  readonly bound: NanoDollars | null;
  readonly reason: ClampReason;
}

/** Only a bound below what came before it lowers anything, so the first of equals keeps the name. */
function lowered(budget: RunBudget, { declared, bound, reason }: Bound): RunBudget {
  if (bound === null || (budget.effective !== null && bound >= budget.effective)) return budget;
  return { effective: wholeMicroDollars(bound), clampReason: declared === null ? null : reason };
}

function wholeMicroDollars(amount: NanoDollars): NanoDollars {
  return nanoDollars(amount - amount % 1000n);
}
