/**
 * A spend cap: what it covers, its window, its limit, and what happens when it is reached.
 * Spec: Budget cap; rules 1, 4 and 11.
 */
import type { CapId } from '../id.ts';
import { nanoDollarsMax, type NanoDollars } from '../money.ts';
import { calendarWindows, type CalendarWindow } from './window.ts';

/** `project` caps are shown and never refuse; `key` caps refuse if the organization turned that on. */
export const capScopes = ['organization', 'key', 'project'] as const;
export type CapScope = (typeof capScopes)[number];

/** `refuse` answers 402, `pause` answers 429 with the time until the window resets. */
export const capModes = ['refuse', 'pause'] as const;
export type CapMode = (typeof capModes)[number];

/** Sentences for people about single fields. */
export const capRules = Object.freeze({
  scope: `The scope of a cap must be one of ${capScopes.join(', ')}.`,
  window: `The window of a cap must be one of ${calendarWindows.join(', ')}.`,
  mode: `The mode of a cap must be ${capModes.join(' or ')}.`,
  limit: 'The limit of a cap must be an amount of US dollars from 0, below 9.2 billion.',
  subject: 'A cap of a key must name the key, a cap of a project the project, a cap of the organization neither.',
});

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

/** Why these fields do not make a cap, as a sentence; null: they do. The store decides whether the key exists. */
export function capProblem({ scope, subject, window, limit, mode }: Omit<Cap, 'id'>): string | null {
  if (!capScopes.includes(scope)) return capRules.scope;
  if (!calendarWindows.includes(window)) return capRules.window;
  if (!capModes.includes(mode)) return capRules.mode;
  if (limit < 0n || limit > nanoDollarsMax) return capRules.limit;
  const isNamed = subject !== null && subject !== '';
  return isNamed === (scope !== 'organization') && (isNamed || subject === null) ? null : capRules.subject;
}
