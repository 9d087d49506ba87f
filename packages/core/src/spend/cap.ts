/**
 * A spend cap: what it covers, its window, its limit, and what happens when it is reached.
 * Spec: Budget cap; rules 1, 4 and 11.
 */
import { isLabel } from '../call/labels.ts';
import type { CapId } from '../id.ts';
import { nanoDollarsMax, type NanoDollars } from '../money.ts';
import { calendarWindows, type CalendarWindow } from './window.ts';

/**
 * `project` caps are shown and never refuse; `key` caps refuse if the organization turned that on. `person`: all keys of a member. `label`: all calls
 * that have this label. Decision 161.
 */
export const capScopes = ['organization', 'key', 'project', 'person', 'label'] as const;
export type CapScope = (typeof capScopes)[number];

/** `refuse` answers 402, `pause` answers 429 with the time until the window resets. */
export const capModes = ['refuse', 'pause'] as const;
export type CapMode = (typeof capModes)[number];

/** How many labels of an organization may have caps: each call with labels is looked up among them. */
export const cappedLabelsMax = 200;

/**
 * How many keys, people, projects and labels of an organization may have caps. Every node holds all of them, and reads them again after each change.
 * Of keys only those count that work. Decision 304.
 */
export const cappedMax: Readonly<Record<Exclude<CapScope, 'organization'>, number>> = Object.freeze({
  key: 20_000, person: 10_000, project: 2_000, label: cappedLabelsMax,
});

/** Sentences for people about single fields. */
export const capRules = Object.freeze({
  scope: `The scope of a cap must be one of ${capScopes.join(', ')}.`,
  window: `The window of a cap must be one of ${calendarWindows.join(', ')}.`,
  mode: `The mode of a cap must be ${capModes.join(' or ')}.`,
  limit: 'The limit of a cap must be an amount of US dollars from 0, below 9.2 billion.',
  subject: 'A cap must name what its scope says and nothing else: the key, the project, the person or the label. '
    + 'A cap of the organization names none.',
  label: 'The label of a cap must be one label as calls may have it: 1 to 128 characters, no comma, no space at either end.',
});

export interface Cap {
  readonly id: CapId;
  readonly scope: CapScope;
  /** A key's id, a project, a person's id or a label; null for the organization. */
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
  if (scope === 'label' && isNamed && !isLabel(subject)) return capRules.label;
  return isNamed === (scope !== 'organization') && (isNamed || subject === null) ? null : capRules.subject;
}
