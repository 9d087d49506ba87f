/** What may be set for an organization, and which changes are refused. Rules 7, 8 and 22. */
import type { OwnKeyTerms } from '@metergate/core/account/own-keys.ts';
import type { FallbackPrice } from '@metergate/core/account/settings.ts';
import { areModelPatterns, modelPatternsForm, type ModelPatterns } from '@metergate/core/call/allowed-models.ts';
import { wrongBaseUrlRules, type WrongBaseUrlRule } from '@metergate/core/call/wrong-base-url.ts';
import { nanoDollarsMax, type NanoDollars } from '@metergate/core/money.ts';
import { plans, type Plan } from '@metergate/core/rate/plan.ts';
import { isPerMinuteFigure, perMinuteMax } from '@metergate/core/rate/tier.ts';
import { unmeteredRules, type UnmeteredPolicy } from '@metergate/core/usage/unmetered.ts';
import { refuse, type StoreRefusal } from '../engine/refusal.ts';
import { ownKeysRefusal } from './own-keys.ts';

/** Settings to change; what is left out stays. Null: back to the default. */
export interface OrganizationChanges {
  readonly plan?: Plan;
  /** Whole seconds from 0. */
  readonly drainSeconds?: number | null;
  readonly fallbackPrice?: FallbackPrice | null;
  readonly enforceKeyCaps?: boolean;
  readonly maxRunBudget?: NanoDollars | null;
  readonly runCeiling?: NanoDollars | null;
  readonly runExposure?: NanoDollars | null;
  /** Null: all is allowed. A kind that is left out stays. */
  readonly unmetered?: Partial<UnmeteredPolicy> | null;
  readonly wrongBaseUrl?: WrongBaseUrlRule;
  readonly models?: ModelPatterns;
  readonly follow?: boolean;
  readonly ownKeys?: OwnKeyTerms | null;
  /** Enterprise only, like the next. */
  readonly requestsPerMinute?: number | null;
  readonly tokensPerMinute?: number | null;
  readonly keepRecordsDays?: number | null;
}

/** Whether the changes set a figure; removing one is never refused. */
export function namesFigures({ requestsPerMinute, tokensPerMinute }: OrganizationChanges): boolean {
  return (requestsPerMinute ?? null) !== null || (tokensPerMinute ?? null) !== null;
}

/** The first of these changes that cannot be stored; null: all can. */
export function settingsRefusal(changes: OrganizationChanges): StoreRefusal | null {
  const {
    plan, drainSeconds, fallbackPrice, maxRunBudget, runCeiling, runExposure, requestsPerMinute, tokensPerMinute, keepRecordsDays, unmetered,
    wrongBaseUrl, models, ownKeys,
  } = changes;
  if (!Object.values(unmetered ?? {}).every((rule) => unmeteredRules.includes(rule))) return refuse('invalid_setting', unmeteredForm);
  if (wrongBaseUrl !== undefined && !wrongBaseUrlRules.includes(wrongBaseUrl)) return refuse('invalid_setting', wrongBaseUrlForm);
  const unfit = (ownKeys ?? null) === null ? null : ownKeysRefusal(ownKeys!);
  if (unfit !== null) return unfit;
  if ((models ?? null) !== null && !areModelPatterns(models!)) return refuse('invalid_setting', `${modelPatternsForm}.`);
  if ((keepRecordsDays ?? null) !== null && !isKeptDays(keepRecordsDays!)) return refuse('invalid_setting', `${keepRecordsForm}.`);
  for (const bound of [maxRunBudget, runCeiling, runExposure]) {
    if ((bound ?? null) !== null && (bound! < 0n || bound! > nanoDollarsMax)) {
      return refuse('invalid_setting', 'A bound on runs must be an amount of US dollars from 0, below 9.2 billion.');
    }
  }
  for (const figure of [requestsPerMinute, tokensPerMinute]) {
    if ((figure ?? null) !== null && !isPerMinuteFigure(figure!)) {
      return refuse('invalid_setting', `Requests and tokens per minute must be whole numbers from 1 to ${perMinuteMax}.`);
    }
  }
  if (plan !== undefined && !plans.includes(plan)) return refuse('invalid_setting', `The plan must be one of ${plans.join(', ')}.`);
  if (drainSeconds !== undefined && drainSeconds !== null && !(Number.isSafeInteger(drainSeconds) && drainSeconds >= 0)) {
    return refuse('invalid_setting', 'The drain time must be a whole number of seconds from 0.');
  }
  for (const price of [fallbackPrice?.inputNanoPerMillion, fallbackPrice?.outputNanoPerMillion]) {
    if (price !== undefined && (price < 0n || price > nanoDollarsMax)) {
      return refuse('invalid_setting', 'A fallback price must be an amount of US dollars from 0, below 9.2 billion per million tokens.');
    }
  }
  return null;
}

/** A cap that refuses nothing would be no bound. */
export function unarmedOwnCap(): StoreRefusal {
  return refuse('invalid_setting', 'Caps of keys refuse nothing here, so the cap of own keys would not bind. Let caps of keys refuse, '
    + 'or take that cap away.');
}

export const wrongBaseUrlForm = `The rule for calls with a wrong base URL must be one of ${wrongBaseUrlRules.join(', ')}.`;
export const unmeteredForm = `The rule for unmetered work must be one of ${unmeteredRules.join(', ')}.`;

/** The fewest days that records must be kept: reports of a month, caps and the check of a bill look back that far. */
export const keepRecordsDaysMin = 31;
/** A hundred years. */
export const keepRecordsDaysMax = 36_500;
/** A sentence without its full stop. */
export const keepRecordsForm = `Records must be kept for ${keepRecordsDaysMin} to ${keepRecordsDaysMax} whole days, or without a bound`;

function isKeptDays(days: number): boolean {
  return Number.isSafeInteger(days) && days >= keepRecordsDaysMin && days <= keepRecordsDaysMax;
}
