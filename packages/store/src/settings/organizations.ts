/**
 * Organizations: created with their data key, found by id or name, and their own settings. Rules 7, 8 and 22.
 * A name is unique, byte for byte.
 */
import { newId, idPrefix, type OrganizationId } from '@metergate/core/id.ts';
import type { AgreedFigures } from '@metergate/core/rate/tier.ts';
import type { OwnKeyTerms } from '@metergate/core/account/own-keys.ts';
import type { ModelPatterns } from '@metergate/core/call/allowed-models.ts';
import type { WrongBaseUrlRule } from '@metergate/core/call/wrong-base-url.ts';
import type { FallbackPrice, RunPolicy } from '@metergate/core/account/settings.ts';
import { allowsAllUnmetered, type UnmeteredPolicy } from '@metergate/core/usage/unmetered.ts';
import type { Plan } from '@metergate/core/rate/plan.ts';
import { sql, type Insertable, type Kysely, type Selectable, type Transaction } from 'kysely';
import { followMasterKey } from '../sealing/master-key-rotation.ts';
import { makeGrantKey } from '../sealing/grant-key.ts';
import { makeChain } from '../sealing/chain/make-chain.ts';
import type { Engine } from '../engine/engine.ts';
import { nameRefusal } from '../engine/names.ts';
import { refuse, type StoreRefusal } from '../engine/refusal.ts';
import { numberOrNull, type OrganizationTable, type Schema } from '../schema/schema.ts';
import type { StoreContext } from '../sealing/context.ts';
import { beforeFirstCap } from './capped-subjects.ts';
import type { ChangeCheck } from './change-check.ts';
import {
  agreedFiguresOf, columnsOf, fallbackPriceOf, modelsOf, runPolicyOf, unmeteredPolicyOf, wrongBaseUrlOf,
} from './organization-columns.ts';
import { namesFigures, settingsRefusal, unarmedOwnCap, type OrganizationChanges } from './organization-settings.ts';
import { capPeopleWithKeys, ownKeysOf } from './own-keys.ts';

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
    }, { action: 'setOrganization', organization: id, subject: id }, async (transaction) => {
      if (changes.ownKeys?.personCap) await beforeFirstCap(engine.kind, transaction, id);
    }),
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
