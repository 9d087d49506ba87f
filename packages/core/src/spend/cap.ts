/**
 * A spend cap as everyone sees it: what it covers, for how long, and what it does when it is reached.
 * Spec: Budget cap; design 3, rows 1, 4 and 11.
 */
import type { CapId } from '../id.ts';
import type { NanoDollars } from '../money.ts';
import type { CalendarWindow } from './window.ts';

/** `project` caps are shown and never refuse; `key` caps refuse where the organization turned that on. */
export const capScopes = ['organization', 'key', 'project'] as const;
export type CapScope = (typeof capScopes)[number];

/** `refuse` answers 402, `pause` answers 429 with the time until the window resets. */
export type CapMode = 'refuse' | 'pause';

export interface Cap {
  readonly id: CapId;
  readonly scope: CapScope;
  /** A key's id or a project; null for the organization. */
  readonly subject: string | null;
  readonly window: CalendarWindow;
  /** From 0. Reached when the spend is at least this. */
  readonly limit: NanoDollars;
  readonly mode: CapMode;
}
