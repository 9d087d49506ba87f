/**
 * A run: its budget, its time limit and how it ends (spec: Run; design 3, rows 12 to 14).
 */
import type { OrganizationId } from '../id.ts';
import type { NanoDollars } from '../money.ts';

/** Once it is not `live` it stays as it is for good. */
export const runStates = ['live', 'expired', 'over_budget', 'closed'] as const;
export type RunState = (typeof runStates)[number];

/** Why the budget in force is below the declared one; the order breaks ties (design 3, row 12). */
export const clampReasons = ['policy_max', 'grant_max', 'workspace_ceiling', 'exposure_headroom'] as const;
export type ClampReason = (typeof clampReasons)[number];

/** A run as the store keeps it. */
export interface Run {
  readonly organization: OrganizationId;
  /** Chosen by the caller: 1 to 128 visible ASCII characters. */
  readonly id: string;
  readonly state: RunState;
  /** The smallest budget any of its requests declared; null: none did. */
  readonly declared: NanoDollars | null;
  /** The budget in force; null: none. */
  readonly effective: NanoDollars | null;
  /** Set while `effective` is below `declared` because of a bound. */
  readonly clampReason: ClampReason | null;
  /** Sum of the costs of its calls. */
  readonly spent: NanoDollars;
  readonly unknownCalls: number;
  readonly startedAtMs: number;
  /** Fixed by the first request; null: no time limit. */
  readonly expiresAtMs: number | null;
  /** Null while live. */
  readonly endedAtMs: number | null;
}
