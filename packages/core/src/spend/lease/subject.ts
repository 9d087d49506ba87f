/**
 * What a lease is for: one subject's spend in one window, or one run's. Its name says which sum of the store is meant.
 */
import type { OrganizationId } from '../../id.ts';
import type { CalendarWindow } from '../window.ts';

/** Projects' caps refuse nothing, so nothing is leased for them. */
const leaseScopes = ['organization', 'key', 'person', 'label', 'run'] as const;
export type LeaseScope = (typeof leaseScopes)[number];

export interface LeaseSubject {
  readonly organization: OrganizationId;
  readonly scope: LeaseScope;
  /** Empty for an organization; else the id of the key, person or run, or the label. */
  readonly subject: string;
  readonly window: CalendarWindow | 'run';
  /** Start of the window; 0 for a run. */
  readonly startMs: number;
  /** End of the window, excluded; null: it never ends. */
  readonly endMs: number | null;
}

/** One text for each subject; only a run's id and a label may contain a space, and they come last. */
export function leaseName({ organization, scope, subject, window, startMs }: LeaseSubject): string {
  return `${organization} ${scope} ${window} ${startMs} ${subject}`;
}
