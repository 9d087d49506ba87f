/**
 * What is added to what was spent beside calls that end: settlements of work, and corrections that caps count. A node that is alone with its store
 * holds what was spent in memory and asks for it in the order in which it was kept.
 */
import type { PersonId } from '@metergate/core/id.ts';
import type { CallRecord } from '@metergate/core/record/call-record.ts';

/** `startedAtMs`: a moment in the windows that it is added to. `cost`: of a correction it may be negative. */
export type SpentBeside = Pick<CallRecord, 'organization' | 'key' | 'labels' | 'run' | 'startedAtMs' | 'cost'> & {
  /** Whose key it is; null: nobody's in particular. */
  readonly person: PersonId | null;
};

/** `through`: the number of the last of them; if there are none, the one that was asked from. */
export interface SpentAfter {
  readonly spent: readonly SpentBeside[];
  readonly through: number;
}

export interface SpentBesideNews {
  /** The number of the latest; 0: there is none. */
  latest(): Promise<number>;
  /** Those above this number, oldest first. */
  after(number: number): Promise<SpentAfter>;
}
