/** How an organization's settings are kept: changes → columns, and columns → settings. */
import type { FallbackPrice, RunPolicy } from '@metergate/core/account/settings.ts';
import type { ModelPatterns } from '@metergate/core/call/allowed-models.ts';
import type { WrongBaseUrlRule } from '@metergate/core/call/wrong-base-url.ts';
import type { NanoDollars } from '@metergate/core/money.ts';
import type { AgreedFigures } from '@metergate/core/rate/tier.ts';
import {
  allowsAllUnmetered, unmeteredKinds, type UnmeteredKind, type UnmeteredPolicy, type UnmeteredRule,
} from '@metergate/core/usage/unmetered.ts';
import type { Insertable, Selectable } from 'kysely';
import { numberOrNull, type OrganizationTable } from '../schema/schema.ts';
import type { OrganizationChanges } from './organization-settings.ts';
import { ownKeysText } from './own-keys.ts';

/** Columns that store a change unconverted. */
const columnOf = {
  plan: 'plan',
  drainSeconds: 'drain_seconds',
  maxRunBudget: 'max_run_budget_nano',
  runCeiling: 'run_ceiling_nano',
  runExposure: 'run_exposure_nano',
  requestsPerMinute: 'agreed_requests',
  tokensPerMinute: 'agreed_tokens',
  keepRecordsDays: 'keep_records_days',
} as const satisfies { readonly [Name in keyof OrganizationChanges]?: keyof OrganizationTable };

/** What these changes write; a setting that is left out is no column. */
export function columnsOf(changes: OrganizationChanges): Partial<Insertable<OrganizationTable>> {
  const { fallbackPrice, enforceKeyCaps, unmetered, wrongBaseUrl, models, follow, ownKeys } = changes;
  const names = (Object.keys(columnOf) as (keyof typeof columnOf)[]).filter((name) => changes[name] !== undefined);
  return {
    ...Object.fromEntries(names.map((name) => [columnOf[name], changes[name]])),
    ...(enforceKeyCaps === undefined ? {} : { enforce_key_caps: enforceKeyCaps ? 1n : 0n }),
    ...(wrongBaseUrl === undefined ? {} : { wrong_base_url: wrongBaseUrl === 'forward' ? null : wrongBaseUrl }),
    ...(models === undefined ? {} : { models: modelsText(models) }),
    ...(ownKeys === undefined ? {} : { own_keys: ownKeysText(ownKeys) }),
    ...(follow === undefined ? {} : { follow: follow ? 1n : null }),
    ...unmeteredColumns(unmetered === null ? allowsAllUnmetered : unmetered),
    ...(fallbackPrice === undefined ? {} : {
      fallback_input_nano: fallbackPrice?.inputNanoPerMillion ?? null,
      fallback_output_nano: fallbackPrice?.outputNanoPerMillion ?? null,
    }),
  };
}

const unmeteredColumnOf = {
  deferred: 'unmetered_deferred', unreported: 'unmetered_unreported', handedOut: 'unmetered_handed_out', hidden: 'unmetered_hidden',
} as const satisfies { readonly [Kind in UnmeteredKind]: keyof OrganizationTable };

/** What is allowed is null. */
function unmeteredColumns(unmetered: Partial<UnmeteredPolicy> = {}): Partial<Insertable<OrganizationTable>> {
  return Object.fromEntries(unmeteredKinds.filter((kind) => unmetered[kind] !== undefined)
    .map((kind) => [unmeteredColumnOf[kind], unmetered[kind] === 'allow' ? null : unmetered[kind]]));
}

/** Nano-dollars per million tokens; null if none is set. */
export function fallbackPriceOf(
  row: Pick<Selectable<OrganizationTable>, 'fallback_input_nano' | 'fallback_output_nano'>,
): FallbackPrice | null {
  if (row.fallback_input_nano === null || row.fallback_output_nano === null) return null;
  return { inputNanoPerMillion: row.fallback_input_nano, outputNanoPerMillion: row.fallback_output_nano };
}

/** Nano-dollars; each null if none is set. */
export function runPolicyOf(
  row: Pick<Selectable<OrganizationTable>, 'max_run_budget_nano' | 'run_ceiling_nano' | 'run_exposure_nano'>,
): RunPolicy {
  return {
    maxRunBudget: row.max_run_budget_nano as NanoDollars | null,
    runCeiling: row.run_ceiling_nano as NanoDollars | null,
    runExposure: row.run_exposure_nano as NanoDollars | null,
  };
}

/** Null: all of it is allowed. */
export function unmeteredPolicyOf(
  row: Pick<Selectable<OrganizationTable>, (typeof unmeteredColumnOf)[UnmeteredKind]>,
): UnmeteredPolicy | null {
  const ruleOf = (kind: UnmeteredKind): UnmeteredRule => (row[unmeteredColumnOf[kind]] ?? 'allow') as UnmeteredRule;
  const policy = { deferred: ruleOf('deferred'), unreported: ruleOf('unreported'), handedOut: ruleOf('handedOut'), hidden: ruleOf('hidden') };
  return unmeteredKinds.every((kind) => policy[kind] === 'allow') ? null : policy;
}

/** The text in which a list of models is kept. */
export function modelsText(models: ModelPatterns): string | null {
  return models === null ? null : JSON.stringify(models);
}

export function modelsOf(text: string | null): ModelPatterns {
  return text === null ? null : JSON.parse(text) as readonly string[];
}

export function wrongBaseUrlOf(row: Pick<Selectable<OrganizationTable>, 'wrong_base_url'>): WrongBaseUrlRule {
  return (row.wrong_base_url ?? 'forward') as WrongBaseUrlRule;
}

/** The agreed rate limits per minute; null if none are set. */
export function agreedFiguresOf(row: Pick<Selectable<OrganizationTable>, 'agreed_requests' | 'agreed_tokens'>): AgreedFigures | null {
  if (row.agreed_requests === null && row.agreed_tokens === null) return null;
  return { requestsPerMinute: numberOrNull(row.agreed_requests), tokensPerMinute: numberOrNull(row.agreed_tokens) };
}
