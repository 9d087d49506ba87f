/**
 * A plan → the two throughput figures of its buckets (spec: Limits, table and rules 9 and 11; rule 22).
 * Without an entitlement snapshot an organization is on Free. Buckets themselves are bucket.ts.
 */
import type { Plan } from './plan.ts';

/** Requests and tokens per minute: whole numbers from 1 to `perMinuteMax`. A key and its organization have the same. */
export interface RateFigures {
  readonly requestsPerMinute: number;
  readonly tokensPerMinute: number;
}

/** What an Enterprise organization agreed with the operator; null: not set, Scale's figure holds. */
export interface AgreedFigures {
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
}

/** The largest figure that can be agreed: up to it, twice a bucket's capacity is a safe integer in the bucket's units. */
export const perMinuteMax = 10_000_000_000;

const bytesPerToken = 4;
const windowsOfCapacity = 2;

const scale: RateFigures = Object.freeze({ requestsPerMinute: 3_000, tokensPerMinute: 5_000_000 });

/** The published table. Enterprise is listed with the figures that apply until others are agreed. */
export const planFigures: Readonly<Record<Plan, RateFigures>> = Object.freeze({
  free: Object.freeze({ requestsPerMinute: 100, tokensPerMinute: 200_000 }),
  developer: Object.freeze({ requestsPerMinute: 600, tokensPerMinute: 1_000_000 }),
  team: Object.freeze({ requestsPerMinute: 600, tokensPerMinute: 1_000_000 }),
  growth: Object.freeze({ requestsPerMinute: 1_200, tokensPerMinute: 2_000_000 }),
  scale,
  enterprise: scale,
});

/**
 * The figures in force. `plan` null: no snapshot yet, so Free. Agreed figures count on Enterprise only, each by itself;
 * one that no bucket can hold counts as not set, so that a bad row never becomes a limit of zero.
 */
export function rateFiguresOf(plan: Plan | null, agreed: AgreedFigures | null = null): RateFigures {
  if (plan !== 'enterprise' || agreed === null) return planFigures[plan ?? 'free'];
  return {
    requestsPerMinute: agreedOr(agreed.requestsPerMinute, scale.requestsPerMinute),
    tokensPerMinute: agreedOr(agreed.tokensPerMinute, scale.tokensPerMinute),
  };
}

/** True for a figure that can be agreed: a whole number from 1 to `perMinuteMax`. */
export function isPerMinuteFigure(figure: number): boolean {
  return Number.isInteger(figure) && figure >= 1 && figure <= perMinuteMax;
}

/**
 * The largest request body in bytes that a full tokens bucket admits (Limits 2, 4 and 7): a larger declared length is
 * never admitted. The estimate drops a part of a token, so up to three bytes more still pass.
 */
export function admissibleBytesMax(figures: RateFigures): number {
  return figures.tokensPerMinute * windowsOfCapacity * bytesPerToken;
}

function agreedOr(figure: number | null, otherwise: number): number {
  return figure !== null && isPerMinuteFigure(figure) ? figure : otherwise;
}
