/**
 * The rules by which a month is allocated to teams, or whatever the dimension is called. The first rule whose conditions all hold for a call decides.
 * docs/allocation.md.
 */

/** Teams and how much each gets of what is split; above 0, in millionths. Each team once, in the order of the alphabet. */
export type Weights = readonly (readonly [team: string, weight: bigint])[];

/** Who pays: the team that a label names, one team, several by weights, or all by what each pays for itself. */
export type AllocationTarget =
  | { readonly kind: 'label'; readonly prefix: string }
  | { readonly kind: 'team'; readonly team: string }
  | { readonly kind: 'weights'; readonly weights: Weights }
  | { readonly kind: 'own_shares' };

export interface AllocationRule {
  /** A condition holds if one of its names does; null: not asked. A name that ends with `*` is a beginning. */
  readonly keys: readonly string[] | null;
  readonly projects: readonly string[] | null;
  /** Emails of those whose keys they are. */
  readonly people: readonly string[] | null;
  readonly models: readonly string[] | null;
  readonly labels: readonly string[] | null;
  readonly target: AllocationTarget;
}

interface TeamAccount {
  /** Null: what no rule takes. */
  readonly team: string | null;
  readonly account: string | null;
  readonly costCentre: string | null;
}

interface Currency {
  /** `EUR`. */
  readonly code: string;
  /** How much of it a US dollar is, in billionths; above 0. */
  readonly rate: bigint;
  /** The day of the rate, `2026-10-31`. */
  readonly date: string;
}

export interface AllocationRules {
  readonly rules: readonly AllocationRule[];
  /** What becomes of what no rule takes; null: it is unallocated. */
  readonly rest: Extract<AllocationTarget, { readonly kind: 'weights' | 'own_shares' | 'team' }> | null;
  /** Added to each team's cost, in millionths of it; from 0. */
  readonly markup: bigint;
  readonly currency: Currency | null;
  readonly accounts: readonly TeamAccount[];
}

/** What is known of a key beside its id. */
export interface KeyOwner {
  readonly name: string | null;
  readonly person: string | null;
}

/** What rules ask of calls. Empty text: none. */
export interface Allocated {
  readonly key: string;
  readonly project: string;
  readonly labels: readonly string[];
  readonly model: string;
}

/** A rule's answer for some calls: one team, or how they are split. Null: they are left over. */
export type Decision = { readonly team: string } | { readonly split: Exclude<AllocationTarget, { readonly kind: 'label' | 'team' }> };

export type OwnerOf = (key: string) => KeyOwner | undefined;

/** What follows the prefix in the first label, by the alphabet, that has more than it; null: there is none. */
export function teamIn(prefix: string, labels: readonly string[]): string | null {
  const label = labels.find((each) => each.length > prefix.length && each.startsWith(prefix));
  return label === undefined ? null : label.slice(prefix.length);
}
