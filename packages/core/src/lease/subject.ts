/**
 * What a lease is of: one subject's spend in one window, or one run's. Its name says whose sum in the store is meant.
 */
import type { OrganizationId } from '../id.ts';
import type { CalendarWindow } from '../spend/window.ts';

/** Projects' caps refuse nothing, so nothing is leased for them. */
const leaseScopes = ['organization', 'key', 'run'] as const;
export type LeaseScope = (typeof leaseScopes)[number];

export interface LeaseSubject {
  readonly organization: OrganizationId;
  readonly scope: LeaseScope;
  /** Empty for an organization, a key's id, or a run's. */
  readonly subject: string;
  readonly window: CalendarWindow | 'run';
  /** Of the window; 0 for a run. */
  readonly startMs: number;
  /** Excluded; null: never. */
  readonly endMs: number | null;
}

/** One text for each; no id holds a space but a run's, which comes last. */
export function leaseName({ organization, scope, subject, window, startMs }: LeaseSubject): string {
  return `${organization} ${scope} ${window} ${startMs} ${subject}`;
}
