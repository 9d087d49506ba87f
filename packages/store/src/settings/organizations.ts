/**
 * Organizations: created with their data key, found by id or name, and their own settings. Rules 7, 8 and 22.
 * A name is unique, byte for byte.
 */
import { newId, idPrefix, type OrganizationId } from '@metergate/core/id.ts';
import { nanoDollarsMax, type NanoDollars } from '@metergate/core/money.ts';
import { isPerMinuteFigure, perMinuteMax, type AgreedFigures } from '@metergate/core/rate/tier.ts';
import type { OwnKeyTerms } from '@metergate/core/account/own-keys.ts';
import { areModelPatterns, modelPatternsForm, type ModelPatterns } from '@metergate/core/call/allowed-models.ts';
import { wrongBaseUrlRules, type WrongBaseUrlRule } from '@metergate/core/call/wrong-base-url.ts';
import type { FallbackPrice, RunPolicy } from '@metergate/core/account/settings.ts';
import {
  allowsAllUnmetered, unmeteredKinds, unmeteredRules, type UnmeteredKind, type UnmeteredPolicy, type UnmeteredRule,
} from '@metergate/core/usage/unmetered.ts';
import { plans, type Plan } from '@metergate/core/rate/plan.ts';
import { sql, type Insertable, type Kysely, type Selectable, type Transaction } from 'kysely';
import { followMasterKey } from '../sealing/master-key-rotation.ts';
import { makeGrantKey } from '../sealing/grant-key.ts';
import { makeChain } from '../sealing/chain/make-chain.ts';
import type { Engine } from '../engine/engine.ts';
import { nameRefusal } from '../engine/names.ts';
import { refuse, type StoreRefusal } from '../engine/refusal.ts';
import { numberOrNull, type OrganizationTable, type Schema } from '../schema/schema.ts';
import type { StoreContext } from '../sealing/context.ts';
import type { ChangeCheck } from './change-check.ts';
import { capPeopleWithKeys, ownKeysOf, ownKeysRefusal, ownKeysText } from './own-keys.ts';

export interface Organization {
  readonly id: OrganizationId;
  readonly name: string;
  readonly plan: Plan;
  readonly drainSeconds: number | null;
  readonly fallbackPrice: FallbackPrice | null;
  readonly enforceKeyCaps: boolean;
  readonly runPolicy: RunPolicy;
  readonly unmetered: UnmeteredPolicy;
  readonly wrongBaseUrl: WrongBaseUrlRule;
  /** Models that may be asked for; null: all. */
  readonly models: ModelPatterns;
  /** The platform asks by itself what became of its work that is billed later. */
  readonly follow: boolean;
  /** What members may do about their own keys; null: what their role allows. */
  readonly ownKeys: OwnKeyTerms | null;
  /** Figures agreed with an Enterprise organization; null if none were set. On other plans they are stored and have no effect. */
  readonly agreedFigures: AgreedFigures | null;
  /** Records, tap events and sums older than this many days are removed; null: none are. */
  readonly keepRecordsDays: number | null;
  /** Some or all records of calls that started before this instant were removed for their age; null: none were. */
  readonly recordsGoneBeforeMs: number | null;
  readonly createdAtMs: number;
}

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

/**
 * One of the two steps in which an organization outside the default cell is made: `cell` in the default cell, which notes its place; `id` in its
 * own, where it may be there already. Both: a default cell that lost it notes it again.
 */
type NewPlace = { readonly cell: number } | Pick<Organization, 'id' | 'createdAtMs'> & { readonly cell?: number };

/** What remains of an erased organization besides its figures. */
export type ErasedOrganization = Pick<Organization, 'id' | 'name' | 'enforceKeyCaps' | 'recordsGoneBeforeMs'>;

export interface Organizations {
  /** Refuses `invalid_name`, `name_taken`, `invalid_setting`. */
  create(wanted: { readonly name: string; readonly plan: Plan }, place?: NewPlace): Promise<Organization | StoreRefusal>;
  /** All of them, oldest first. */
  list(): Promise<Organization[]>;
  /** The only organization; null if there is none or more than one. */
  findOnly(): Promise<Organization | null>;
  /** By id, else by exact name; null if there is neither. */
  find(idOrName: string): Promise<Organization | null>;
  /** An erased organization, found only by its id, with no more than its figures need to be read. Null: there is none. */
  findErased(id: string): Promise<ErasedOrganization | null>;
  /** The first organization of the store, whose owners run the machine; it stays the first even after its erasure. Null: there is none yet. */
  home(): Promise<OrganizationId | null>;
  /** The organization as it is now. Refuses `unknown_organization`, `invalid_setting`, and what `check` refuses. */
  set(id: OrganizationId, changes: OrganizationChanges, check?: ChangeCheck<Organization>): Promise<Organization | StoreRefusal>;
}

export function organizationsIn({ engine, vault, clock, randomBytes }: StoreContext): Organizations {
  return {
    create: async ({ name, plan }, place) => nameRefusal('An organization name', name) ?? settingsRefusal({ plan })
      ?? engine.change<Organization>(async (transaction, revision) => {
        const given = place !== undefined && 'id' in place ? place : null;
        const there = given === null ? null : await rowOf(transaction, given.id);
        if (there !== null) return there;
        if (await transaction.selectFrom('organization').select('id').where('name', '=', name).executeTakeFirst() !== undefined) {
          return refuse('name_taken', 'There is already an organization with this name. Choose another name.');
        }
        const { id, createdAtMs } = given ?? { id: newId(idPrefix.organization, randomBytes) as OrganizationId, createdAtMs: clock() };
        await transaction.insertInto('organization').values(newRow({ id, name, plan, createdAtMs, revision })).execute();
        if (place?.cell !== undefined) {
          await transaction.insertInto('organization_place').values({ organization: id, cell: place.cell, ready: 0 }).execute();
        }
        if (given === null) {
          await transaction.insertInto('home_organization').values({ only: 1, organization: id })
            .onConflict((conflict) => conflict.doNothing()).execute();
        }
        await followMasterKey(transaction, vault);
        await transaction.insertInto('organization_data_key')
          .values({ organization: id, wrapped: vault.newDataKey(id), wrapped_by: vault.wrappingKeyId }).execute();
        await makeGrantKey({ vault, clock, randomBytes }, transaction, id);
        await makeChain({ vault, clock, randomBytes }, transaction, id);
        return (await rowOf(transaction, id))!;
      }, ({ id }) => ({ action: 'createOrganization', organization: id, subject: id })),
    list: () => engine.read(async (db) =>
      (await organizationRows(db).where(notErased).orderBy('created_at_ms').orderBy('id').execute()).map(organizationOf)),
    findOnly: () => engine.read(async (db) => {
      const rows = await organizationRows(db).where(notErased).limit(2).execute();
      return rows.length === 1 ? organizationOf(rows[0]!) : null;
    }),
    find: (idOrName) => engine.read(async (db) => {
      if (idOrName.includes('\0')) return null;
      const rows = await organizationRows(db).where(notErased)
        .where((where) => where.or([where('id', '=', idOrName), where('name', '=', idOrName)])).execute();
      const row = rows.find(({ id }) => id === idOrName) ?? rows[0];
      return row === undefined ? null : organizationOf(row);
    }),
    findErased: (id) => engine.read(async (db) => {
      if (id.includes('\0')) return null;
      const row = await organizationRows(db).innerJoin('erased_organization', 'erased_organization.organization', 'organization.id')
        .where('organization.id', '=', id).executeTakeFirst();
      return row === undefined ? null : organizationOf(row);
    }),
    home: () => engine.read(async (db) =>
      ((await db.selectFrom('home_organization').select('organization').executeTakeFirst())?.organization ?? null) as OrganizationId | null),
    set: async (id, changes, check) => settingsRefusal(changes) ?? engine.change<Organization>(async (transaction, revision) => {
      const before = check === undefined && changes.ownKeys === undefined ? null : await rowOf(transaction, id);
      const refusal = before === null ? null : check?.(before) ?? null;
      if (refusal !== null) return refusal;
      await transaction.updateTable('organization').set({ ...columnsOf(changes), revision }).where('id', '=', id).where(notErased).execute();
      const set = await rowOf(transaction, id);
      if (set === null) return unknownOrganization();
      if (set.ownKeys?.cap && !set.enforceKeyCaps) return unarmedOwnCap();
      const refused = before === null ? null
        : await capPeopleWithKeys(engine.kind, transaction, { before: before.ownKeys, now: set, revision, nowMs: clock(), randomBytes });
      if (refused !== null) return refused;
      return namesFigures(changes) && set.plan !== 'enterprise'
        ? refuse('invalid_setting', 'Requests and tokens per minute can be set on the enterprise plan only; the other plans have their own figures.')
        : set;
    }, { action: 'setOrganization', organization: id, subject: id }),
  };
}

/** An erased organization counts as one that never existed; its row stays because others refer to it. */
const notErased = sql<boolean>`not exists (select 1 from erased_organization where erased_organization.organization = organization.id)`;

/** The one refusal for an organization that is not there. */
export function unknownOrganization(): StoreRefusal {
  return refuse('unknown_organization', 'There is no such organization.');
}

/** Stamps the organization with the revision of the change under way. False: there is no such organization. */
export async function stampOrganization(transaction: Transaction<Schema>, id: OrganizationId, revision: bigint): Promise<boolean> {
  const { numUpdatedRows } = await transaction.updateTable('organization').set({ revision })
    .where('id', '=', id).where(notErased).executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

/**
 * Until the transaction ends, changes of what belongs to the organization take turns; also those that get no revision. False: there is no such
 * organization. SQLite lets in one writer anyway.
 */
export async function lockOrganization(engine: Engine['kind'], transaction: Transaction<Schema>, id: string): Promise<boolean> {
  const row = transaction.selectFrom('organization').select('id').where('id', '=', id);
  return await (engine === 'postgres' ? row.forUpdate() : row).executeTakeFirst() !== undefined;
}

async function rowOf(transaction: Transaction<Schema>, id: OrganizationId): Promise<Organization | null> {
  const row = await organizationRows(transaction).where('id', '=', id).where(notErased).executeTakeFirst();
  return row === undefined ? null : organizationOf(row);
}

function newRow(
  { id, name, plan, createdAtMs, revision }:
    { readonly id: OrganizationId; readonly name: string; readonly plan: Plan; readonly createdAtMs: number; readonly revision: bigint },
): Insertable<OrganizationTable> {
  return {
    id, name, plan, revision, created_at_ms: createdAtMs, drain_seconds: null, fallback_input_nano: null, fallback_output_nano: null,
    max_run_budget_nano: null, run_ceiling_nano: null, run_exposure_nano: null, agreed_requests: null, agreed_tokens: null,
    keep_records_days: null, unmetered_deferred: null, unmetered_unreported: null, unmetered_handed_out: null, unmetered_hidden: null,
    wrong_base_url: null, models: null, follow: null, own_keys: null,
  };
}

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

function columnsOf(changes: OrganizationChanges): Partial<Insertable<OrganizationTable>> {
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

/** Whether the changes set a figure; removing one is never refused. */
function namesFigures({ requestsPerMinute, tokensPerMinute }: OrganizationChanges): boolean {
  return (requestsPerMinute ?? null) !== null || (tokensPerMinute ?? null) !== null;
}

function settingsRefusal(changes: OrganizationChanges): StoreRefusal | null {
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
function unarmedOwnCap(): StoreRefusal {
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

function organizationRows(db: Kysely<Schema>) {
  return db.selectFrom('organization').leftJoin('retention', 'retention.organization', 'organization.id')
    .selectAll('organization').select('retention.gone_before_ms');
}

function organizationOf(row: Selectable<OrganizationTable> & { readonly gone_before_ms: bigint | null }): Organization {
  return {
    id: row.id as OrganizationId,
    name: row.name,
    plan: row.plan as Plan,
    drainSeconds: numberOrNull(row.drain_seconds),
    fallbackPrice: fallbackPriceOf(row),
    enforceKeyCaps: row.enforce_key_caps === 1n,
    runPolicy: runPolicyOf(row),
    unmetered: unmeteredPolicyOf(row) ?? allowsAllUnmetered,
    wrongBaseUrl: wrongBaseUrlOf(row),
    models: modelsOf(row.models),
    follow: row.follow === 1n,
    ownKeys: ownKeysOf(row.own_keys),
    agreedFigures: agreedFiguresOf(row),
    keepRecordsDays: numberOrNull(row.keep_records_days),
    recordsGoneBeforeMs: numberOrNull(row.gone_before_ms),
    createdAtMs: Number(row.created_at_ms),
  };
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
