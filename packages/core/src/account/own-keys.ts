/**
 * Own keys: service keys that members make for themselves, within what an admin allows. Rule 17; decision 195.
 * The bounds hold when a key is made or changed. A key that is there already stays as it is when they are tightened.
 */
import { areModelPatterns, areWithin, type ModelPatterns } from '../call/allowed-models.ts';
import { nanoDollarsMax, type NanoDollars } from '../money.ts';
import { calendarWindows, type CalendarWindow } from '../spend/window.ts';

/** What members may do about their own keys. */
export interface OwnKeyTerms {
  /** How many keys that work one member may have, those that an admin made for them included. 1 to 100. */
  readonly keysMax: number;
  /** Null: all models that the organization allows. */
  readonly models: ModelPatterns;
  /** The longest life of a key, milliseconds; null: it need not end. */
  readonly lifetimeMsMax: number | null;
  /** The cap that each key gets; null: none. It bounds a key and no person: a member ends a key and makes the next. */
  readonly cap: OwnKeyCap | null;
  /** The cap that a member gets with an own key, over all keys of theirs, ended ones too; null: none. */
  readonly personCap: OwnKeyCap | null;
}

export interface OwnKeyCap {
  readonly window: CalendarWindow;
  readonly limit: NanoDollars;
}

export const ownKeysMax = 100;
/** A hundred years. */
const lifetimeMsLongest = 3_153_600_000_000;

/** Whether such terms can be kept. */
export function areOwnKeyTerms({ keysMax, models, lifetimeMsMax, cap, personCap }: OwnKeyTerms): boolean {
  return Number.isInteger(keysMax) && keysMax >= 1 && keysMax <= ownKeysMax && (models === null || areModelPatterns(models))
    && (lifetimeMsMax === null || (Number.isSafeInteger(lifetimeMsMax) && lifetimeMsMax >= 1_000 && lifetimeMsMax <= lifetimeMsLongest))
    && [cap, personCap].every((each) => each === null || (calendarWindows.includes(each.window) && each.limit >= 0n && each.limit <= nanoDollarsMax));
}

/** What of a key its terms bound. */
export interface OwnKey {
  readonly models: ModelPatterns;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
  /** The most that one of its runs may declare, in place of the organization's figure; null: that figure. */
  readonly maxRunBudget: NanoDollars | null;
}

/** A new key with the terms' own values in place of what was not asked for. */
export function withTerms<Key extends OwnKey>(key: Key, { models, lifetimeMsMax }: OwnKeyTerms): Key {
  return {
    ...key, models: key.models ?? models,
    expiresAtMs: key.expiresAtMs ?? (lifetimeMsMax === null ? null : key.createdAtMs + lifetimeMsMax),
  };
}

/** Why a member may not have such a key, as a sentence; null: they may. */
export function beyondTerms({ models, createdAtMs, expiresAtMs, maxRunBudget }: OwnKey, terms: OwnKeyTerms): string | null {
  if (maxRunBudget !== null) return 'What a run of your own key may declare is for an admin to set.';
  if (terms.models !== null && (models === null || !areWithin(models, terms.models))) {
    return `Your own keys may ask for these models only: ${terms.models.join(', ')}.`;
  }
  const { lifetimeMsMax } = terms;
  if (lifetimeMsMax !== null && (expiresAtMs === null || expiresAtMs - createdAtMs > lifetimeMsMax)) {
    return `Your own keys end ${durationWords(lifetimeMsMax)} after they were made, at the latest. Make a new one then.`;
  }
  return null;
}

const units = [[86_400_000, 'day'], [3_600_000, 'hour'], [60_000, 'minute'], [1_000, 'second']] as const;

/** `30 days`, `90 minutes`: in the largest unit in which it is whole. */
export function durationWords(ms: number): string {
  const [unitMs, word] = units.find(([each]) => ms % each === 0) ?? units.at(-1)!;
  const count = Math.floor(ms / unitMs);
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
