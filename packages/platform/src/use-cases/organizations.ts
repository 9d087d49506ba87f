/**
 * Organizations as administration sees them: create, list, find, change. Rules 7, 8 and 22; rules: Interfaces. Shown with prices as decimal
 * US dollars per million tokens and times in ISO 8601 UTC; absent is null.
 */
import { formatDollars, nanoDollars, parseDollars, type NanoDollars } from '@metergate/core/money.ts';
import { perMinuteMax } from '@metergate/core/rate/tier.ts';
import type { FallbackPrice } from '@metergate/core/account/settings.ts';
import { isoText } from '@metergate/core/time/iso-text.ts';
import { unmeteredRules, type UnmeteredKind, type UnmeteredPolicy, type UnmeteredRule } from '@metergate/core/usage/unmetered.ts';
import { areModelPatterns, modelPatternsForm } from '@metergate/core/call/allowed-models.ts';
import { wrongBaseUrlRules, type WrongBaseUrlRule } from '@metergate/core/call/wrong-base-url.ts';
import { plans, type Plan } from '@metergate/core/rate/plan.ts';
import {
  keepRecordsDaysMax, keepRecordsDaysMin, keepRecordsForm, unmeteredForm, wrongBaseUrlForm, type OrganizationChanges,
} from '@metergate/store/settings/organization-settings.ts';
import { unknownOrganization, type ErasedOrganization, type Organization } from '@metergate/store/settings/organizations.ts';
import { z } from 'zod';
import { refuseChanged, type FieldsBefore } from './changed-meanwhile.ts';
import type { UseCaseContext } from './context.ts';
import { checkInput } from './input.ts';
import { ownKeyFields, ownKeyTermsOf, shownOwnKeys, type OwnKeyTermsInput, type ShownOwnKeyTerms } from './own-keys.ts';
import { moneyField } from './money-field.ts';
import { isRefusal, type AdministrationRefusal } from './refusal.ts';

/** US dollars per million tokens, decimal text. */
interface ShownFallbackPrice {
  readonly input: string;
  readonly output: string;
}

export interface ShownOrganization {
  readonly id: string;
  readonly name: string;
  readonly plan: Plan;
  readonly drainSeconds: number | null;
  readonly fallbackPrice: ShownFallbackPrice | null;
  /** Whether caps of its keys refuse (rule 4). */
  readonly enforceKeyCaps: boolean;
  /** Bounds of its runs (rule 12), US dollars; null: none. */
  readonly maxRunBudget: string | null;
  readonly runCeiling: string | null;
  readonly runExposure: string | null;
  /** What becomes of work whose cost is not known at its end (rule 6c). */
  readonly unmetered: UnmeteredPolicy;
  /** What becomes of calls with `anthropic-version` that would go to the first provider (rule 3e). */
  readonly wrongBaseUrl: WrongBaseUrlRule;
  /** Models that may be asked for (rule 6g); null: all. */
  readonly models: readonly string[] | null;
  /** Whether the platform asks by itself what became of work that is billed later. */
  readonly follow: boolean;
  /** What members may do about their own keys; null: what their role allows. */
  readonly ownKeys: ShownOwnKeyTerms | null;
  /** Agreed throughput, in force on the enterprise plan; null: none set, the plan's figure applies. */
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
  /** Records, tap events and sums older than this many days are removed; null: none are. */
  readonly keepRecordsDays: number | null;
  /** Some or all records of calls that started before it were removed for their age; null: none were. */
  readonly recordsGoneBefore: string | null;
  readonly createdAt: string;
}

/** What may be changed; what is left out stays, null goes back to the default. */
export interface OrganizationSettingsInput {
  readonly plan?: string;
  /** Whole seconds from 0 to a year. */
  readonly drainSeconds?: number | null;
  readonly fallbackPrice?: ShownFallbackPrice | null;
  readonly enforceKeyCaps?: boolean;
  /** US dollars, decimal text, like the next two. */
  readonly maxRunBudget?: string | null;
  readonly runCeiling?: string | null;
  readonly runExposure?: string | null;
  /** Null: all is allowed; a kind that is left out stays. */
  readonly unmetered?: { readonly [Kind in UnmeteredKind]?: UnmeteredRule | undefined } | null;
  readonly wrongBaseUrl?: WrongBaseUrlRule;
  readonly models?: readonly string[] | null;
  readonly follow?: boolean;
  /** All of it at once; null: members make and change keys as their role allows. */
  readonly ownKeys?: OwnKeyTermsInput | null;
  /** From 1; enterprise only, like the next. */
  readonly requestsPerMinute?: number | null;
  readonly tokensPerMinute?: number | null;
  /** Whole days from 31. */
  readonly keepRecordsDays?: number | null;
}

const planField = z.enum(plans, { error: `The plan must be one of ${plans.join(', ')}.` });

const priceField = z.string().meta({
  description: 'US dollars per million tokens, as decimal text with at most nine places', example: '2.50',
}).transform((text, context): bigint => {
  const price = parseDollars(text);
  if (price !== null) return price;
  context.addIssue({ code: 'custom', message: 'A fallback price must be US dollars per million tokens, such as 2.50.' });
  return z.NEVER;
});

const perMinuteField = (what: string) => {
  const error = `${what} per minute must be a whole number from 1 to ${perMinuteMax}.`;
  return z.int({ error }).min(1, { error }).max(perMinuteMax, { error }).nullable().optional();
};

const ruleField = (description: string) => z.enum(unmeteredRules, { error: unmeteredForm }).optional().meta({ description });

/** Patterns of models that may be asked for; null: all. */
export const modelsField = z.array(z.string({ error: `${modelPatternsForm}.` }).min(1).max(256), { error: `${modelPatternsForm}.` })
  .refine(areModelPatterns, { error: `${modelPatternsForm}.` }).nullable()
  .meta({ description: 'Models that may be asked for, as names or patterns such as gpt-5*; null: all', example: ['gpt-5*', 'claude-*'] });

/** A year. */
export const drainSecondsMax = 31_536_000;
const drainError = `The drain time must be a whole number of seconds from 0 to ${drainSecondsMax}.`;

const keepError = `${keepRecordsForm}.`;

/** The settings that may be changed, as both the command and the platform's HTTP check them. */
export const settingsFields = z.strictObject({
  plan: planField.optional(),
  drainSeconds: z.int({ error: drainError }).min(0, { error: drainError }).max(drainSecondsMax, { error: drainError }).nullable().optional()
    .meta({ description: 'How long a call is read on after its caller has left; null: as the product decides' }),
  fallbackPrice: z.strictObject({ input: priceField, output: priceField })
    .transform(({ input, output }): FallbackPrice => ({ inputNanoPerMillion: input, outputNanoPerMillion: output })).nullable().optional(),
  enforceKeyCaps: z.boolean({ error: 'enforceKeyCaps must be true or false.' }).meta({ description: 'Whether caps of keys refuse calls' }).optional(),
  maxRunBudget: moneyField('The most a run may declare').nullable().optional(),
  runCeiling: moneyField('The ceiling of a run').nullable().optional(),
  runExposure: moneyField('The exposure of runs').nullable().optional(),
  unmetered: z.strictObject({
    deferred: ruleField('Work that is billed later: batches, background responses'),
    unreported: ruleField('Work whose usage is never reported: video, speech, fine-tuning'),
    handedOut: ruleField('Calls that hand out a provider key or a channel past the gateway'),
    hidden: ruleField('Calls that ask for an answer without their usage'),
  }).nullable().optional().meta({ description: 'What becomes of work whose cost is not known at its end; null: all of it is allowed' }),
  wrongBaseUrl: z.enum(wrongBaseUrlRules, { error: wrongBaseUrlForm }).optional()
    .meta({ description: 'Calls outside the messages paths that carry anthropic-version and would go to the first provider' }),
  models: modelsField.optional(),
  follow: z.boolean({ error: 'follow must be true or false.' }).optional()
    .meta({ description: 'Whether the platform asks the providers by itself what became of work that is billed later' }),
  ownKeys: ownKeyFields.nullable().optional()
    .meta({ description: 'What members may do about keys of their own; null: they make and change any key' }),
  requestsPerMinute: perMinuteField('Requests'),
  tokensPerMinute: perMinuteField('Tokens'),
  keepRecordsDays: z.int({ error: keepError }).min(keepRecordsDaysMin, { error: keepError }).max(keepRecordsDaysMax, { error: keepError })
    .nullable().optional().meta({ description: 'Records, tap events and sums older than this many days are removed; null: none are' }),
});

/** Makes an organization; on plan Free unless another is given (rule 22). */
export async function createOrganization(
  { store }: UseCaseContext, { name, plan = 'free' }: { readonly name: string; readonly plan?: string },
): Promise<ShownOrganization | AdministrationRefusal> {
  const checked = checkInput(planField, plan as Plan);
  if (isRefusal(checked)) return checked;
  const made = await store.organizations.create({ name, plan: checked.value });
  return isRefusal(made) ? made : shownOrganization(made);
}

/** All of them, oldest first. */
export async function listOrganizations({ store }: UseCaseContext): Promise<ShownOrganization[]> {
  return (await store.organizations.list()).map(shownOrganization);
}

/** By id, else by exact name. Refuses `unknown_organization`. */
export async function findOrganization({ store }: UseCaseContext, idOrName: string): Promise<Organization | AdministrationRefusal> {
  return (await store.organizations.find(idOrName)) ?? unknownOrganization();
}

/** Finds the organization of figures: as `findOrganization`, and an erased organization only by its id. Refuses `unknown_organization`. */
export async function findFigures({ store }: UseCaseContext, idOrName: string): Promise<ErasedOrganization | AdministrationRefusal> {
  return (await store.organizations.find(idOrName)) ?? (await store.organizations.findErased(idOrName)) ?? unknownOrganization();
}

/** By id, else by exact name, in the form shown to people. */
export async function showOrganization(context: UseCaseContext, idOrName: string): Promise<ShownOrganization | AdministrationRefusal> {
  const organization = await findOrganization(context, idOrName);
  return isRefusal(organization) ? organization : shownOrganization(organization);
}

/** The organization as it is after the change. */
export async function setOrganization(
  context: UseCaseContext, idOrName: string, { was, ...settings }: OrganizationSettingsInput & { readonly was?: FieldsBefore },
): Promise<ShownOrganization | AdministrationRefusal> {
  const checked = checkInput(settingsFields, settings as z.input<typeof settingsFields>);
  if (isRefusal(checked)) return checked;
  const organization = await findOrganization(context, idOrName);
  if (isRefusal(organization)) return organization;
  const changed = await context.store.organizations.set(organization.id, given(checked.value), (now) => refuseChanged(was, shownOrganization(now)));
  return isRefusal(changed) ? changed : shownOrganization(changed);
}

/** The fields that were given. */
function given({ ownKeys, ...settings }: z.output<typeof settingsFields>): OrganizationChanges {
  return {
    ...Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)),
    ...(ownKeys === undefined ? {} : { ownKeys: ownKeys === null ? null : ownKeyTermsOf(ownKeys) }),
  };
}

function shownOrganization(organization: Organization): ShownOrganization {
  const {
    id, name, plan, drainSeconds, fallbackPrice, enforceKeyCaps, runPolicy, unmetered, wrongBaseUrl, models, follow, ownKeys, agreedFigures,
    keepRecordsDays, createdAtMs,
  } = organization;
  return {
    id, name, plan, drainSeconds,
    fallbackPrice: fallbackPrice === null ? null : {
      input: formatDollars(nanoDollars(fallbackPrice.inputNanoPerMillion)),
      output: formatDollars(nanoDollars(fallbackPrice.outputNanoPerMillion)),
    },
    enforceKeyCaps,
    maxRunBudget: dollarsOrNull(runPolicy.maxRunBudget),
    runCeiling: dollarsOrNull(runPolicy.runCeiling),
    runExposure: dollarsOrNull(runPolicy.runExposure),
    unmetered, wrongBaseUrl, models, follow, ownKeys: shownOwnKeys(ownKeys),
    requestsPerMinute: agreedFigures?.requestsPerMinute ?? null,
    tokensPerMinute: agreedFigures?.tokensPerMinute ?? null,
    keepRecordsDays, recordsGoneBefore: goneBefore(organization),
    createdAt: isoText(createdAtMs),
  };
}

/** The instant before which records are gone, as text, if the period begins before it (`sinceMs`; by default with the first call); else null. */
export function goneBefore(
  { recordsGoneBeforeMs: goneMs }: Pick<Organization, 'recordsGoneBeforeMs'>, sinceMs: number | undefined = -Infinity,
): string | null {
  return goneMs === null || sinceMs >= goneMs ? null : isoText(goneMs);
}

/** With nine places. */
export function dollarsOrNull(amount: NanoDollars | null): string | null {
  return amount === null ? null : formatDollars(amount);
}
