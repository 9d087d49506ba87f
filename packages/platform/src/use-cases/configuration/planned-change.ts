/** One change that applying a configuration would make: how it is shown, and how it is carried out. Decision 76. */
import type { UseCaseContext } from '../context.ts';
import type { AdministrationRefusal } from '../refusal.ts';

export type ShownValue = string | number | boolean | null | readonly string[] | readonly number[];

export interface FieldChange {
  readonly field: string;
  readonly from: ShownValue;
  readonly to: ShownValue;
}

export interface PlannedChange {
  readonly action: 'create' | 'change' | 'remove';
  readonly kind: 'settings' | 'key' | 'cap' | 'webhook' | 'upstream' | 'allocation';
  /** What is changed, for people: a name, an id or a URL. */
  readonly name: string;
  readonly fields: readonly FieldChange[];
}

/** A new secret, which is shown only this once. */
export interface MadeSecret {
  readonly kind: 'key' | 'webhook';
  readonly name: string;
  readonly id: string;
  readonly secret: string;
}

/** Ids of keys made so far, by the names that the file gives them. */
export type MadeKeys = Map<string, string>;

export interface PlannedStep {
  readonly change: PlannedChange;
  /** Makes a secret that is shown once. */
  readonly makesSecret: boolean;
  run(context: UseCaseContext, made: MadeKeys): Promise<MadeSecret | AdministrationRefusal | null>;
}

/** One thing wrong with a configuration. `path`: where, from its top. */
export interface Problem {
  readonly path: readonly (string | number)[];
  readonly sentence: string;
}

/** The plan of one section. `left`: existing entries that the file does not name and that stay. */
export interface SectionPlan {
  readonly steps: readonly PlannedStep[];
  readonly problems: readonly Problem[];
  readonly left: number;
}

export const nothingPlanned: SectionPlan = { steps: [], problems: [], left: 0 };

/** Fields of `wanted` that differ from `current`; undefined fields are ignored. */
export function differing(
  current: Readonly<Record<string, ShownValue>>, wanted: Readonly<Record<string, ShownValue | undefined>>,
): FieldChange[] {
  return Object.entries(wanted).flatMap(([field, to]) => {
    const from = current[field] ?? null;
    return to === undefined || JSON.stringify(from) === JSON.stringify(to) ? [] : [{ field, from, to }];
  });
}

/** Null if it succeeded, else the refusal: for use cases whose result nobody needs. */
export function doneOr(result: unknown): AdministrationRefusal | null {
  return typeof result === 'object' && result !== null && 'refused' in result ? result as AdministrationRefusal : null;
}
