/**
 * Service keys as the store knows them: the SHA-256 and a short prefix, never the key. Spec: Authentication 1; rule 17.
 * The code that mints a key shows it once and passes its hash here.
 */
import { areModelPatterns, modelPatternsForm, type ModelPatterns } from '@metergate/core/call/allowed-models.ts';
import { idPrefix, newTimedId, type OrganizationId, type PersonId, type ServiceKeyId } from '@metergate/core/id.ts';
import type { ServiceKeySettings } from '@metergate/core/account/settings.ts';
import { nanoDollarsMax, type NanoDollars } from '@metergate/core/money.ts';
import type { Selectable, Transaction, Updateable } from 'kysely';
import { isAfter, limitOfPage, type ListPage } from '../engine/list-page.ts';
import { nameRefusal, projectRefusal } from '../engine/names.ts';
import { beforeFirstCap } from './capped-subjects.ts';
import type { ChangeCheck } from './change-check.ts';
import { capOwnKey, hasOwnKeyTerms, ownChangeRefusal, ownKeyWithin, ownOnlyRefusal } from './own-keys.ts';
import { memberRefusal } from './membership.ts';
import { modelsOf, modelsText } from './organization-columns.ts';
import { stampOrganization, unknownOrganization } from './organizations.ts';
import { refuse, type StoreRefusal } from '../engine/refusal.ts';
import { numberOrNull, type Schema, type ServiceKeyTable } from '../schema/schema.ts';
import type { StoreContext } from '../sealing/context.ts';

export interface ServiceKey extends ServiceKeySettings {
  /** The first characters of the key, to tell keys apart. */
  readonly prefix: string;
  readonly name: string | null;
  readonly createdAtMs: number;
  readonly revokedAtMs: number | null;
  /** It admits no calls until it is enabled again. */
  readonly disabledAtMs: number | null;
  /** The person who disabled it; null: it is not disabled, or whoever did it was no person that is known. */
  readonly disabledBy: PersonId | null;
  /** To the minute; null: never used. */
  readonly lastUsedAtMs: number | null;
}

interface RevokedServiceKey extends ServiceKey {
  /** It had been revoked before; nothing was changed. */
  readonly alreadyRevoked: boolean;
}

interface NewServiceKey {
  readonly organization: OrganizationId;
  readonly name: string | null;
  readonly project: string | null;
  readonly expiresAtMs: number | null;
  /** SHA-256 of the key, lower-case hexadecimal. */
  readonly hash: string;
  readonly prefix: string;
  /** From 0; left out: none. */
  readonly maxRunBudget?: NanoDollars | null;
  /** Left out: none. */
  readonly models?: ModelPatterns;
  /** A member of the organization; left out: nobody in particular. */
  readonly person?: PersonId | null;
  /** The member who makes it, if they are bound: where there are terms of own keys, it is theirs, and within them. */
  readonly boundMaker?: PersonId | undefined;
}

/** What is left out stays; null removes it. */
export interface ServiceKeyChanges {
  readonly name?: string | null;
  readonly project?: string | null;
  readonly expiresAtMs?: number | null;
  readonly maxRunBudget?: NanoDollars | null;
  readonly models?: ModelPatterns;
  readonly disabled?: boolean;
  /** The person who makes the change; left out: the operator, or a token that nothing binds. */
  readonly by?: KeyChanger;
}

/** A person who changes a key. `isBound`: where there are terms of own keys, only their own, and within the terms. */
export interface KeyChanger {
  readonly person: PersonId;
  readonly isBound: boolean;
}

/** The new form of the key; the one in use works until `formerUntilMs`. `by`: as for changes. */
interface KeyRotation {
  readonly by?: KeyChanger | undefined;
  readonly hash: string;
  readonly prefix: string;
  readonly formerUntilMs: number;
}

/** Who revokes a key, as for changes, and a look at the key before it. */
interface KeyRevocation {
  readonly by?: KeyChanger | undefined;
  readonly check?: ChangeCheck<ServiceKey>;
}

export interface ServiceKeys {
  /**
   * Refuses `unknown_organization`, `unknown_member`, `invalid_name`, `invalid_setting`, `key_taken` (the same key twice); an own key also
   * `too_many_keys` and, beyond the terms of own keys, `forbidden`. With the key comes the cap that those terms give it.
   */
  create(key: NewServiceKey): Promise<ServiceKey | StoreRefusal>;
  /** Oldest first, revoked and expired ones included. Empty for an unknown organization. */
  list(organization: OrganizationId, page?: ListPage): Promise<ServiceKey[]>;
  /**
   * Returns the key as it is now. A second revocation changes nothing and says so. `within`: only a key of this organization.
   * Refuses `unknown_key`, what `check` refuses, and `forbidden` to whom the terms of own keys bind, for a key that is not theirs.
   */
  revoke(id: string, within?: OrganizationId, revocation?: KeyRevocation): Promise<RevokedServiceKey | StoreRefusal>;
  /**
   * Refuses `unknown_key`, `key_revoked`, `invalid_name`, `invalid_setting`, and what `check` refuses; to whom the terms of own keys bind also
   * `forbidden` and, where a key would work again that is one too many, `too_many_keys`. `within`: as for `revoke`.
   */
  set(id: string, changes: ServiceKeyChanges, within?: OrganizationId, check?: ChangeCheck<ServiceKey>): Promise<ServiceKey | StoreRefusal>;
  /** Keeps id, name, caps and spend; an even older form stops. Refuses as `set` does. `within`: as for `revoke`. */
  rotate(id: string, rotation: KeyRotation, within?: OrganizationId): Promise<ServiceKey | StoreRefusal>;
  /** One key of an organization; null if it has none with this id. */
  find(organization: OrganizationId, id: string): Promise<ServiceKey | null>;
  /** The key with this hash, revoked or not. */
  findByHash(hash: string): Promise<ServiceKey | null>;
}

export function serviceKeysIn(context: StoreContext): ServiceKeys {
  const { engine, clock } = context;
  const changed = keyChanges(context);
  return {
    create: createdKeys(context),
    list: (organization, page = {}) => engine.read(async (db) => (await db.selectFrom('service_key').selectAll()
      .where('organization', '=', organization).where(isAfter(['created_at_ms', 'id'], page))
      .orderBy('created_at_ms').orderBy('id').limit(limitOfPage(page)).execute()).map(keyOf)),
    revoke: (id, within, { by, check } = {}) => engine.change<RevokedServiceKey>(async (transaction, revision) => {
      const found = id.includes('\0') ? undefined
        : await transaction.selectFrom('service_key').selectAll().where('id', '=', id).executeTakeFirst();
      if (found === undefined || (within !== undefined && found.organization !== within)) {
        return unknownKey();
      }
      const refusal = check?.(keyOf(found)) ?? (by?.isBound === true ? await ownOnlyRefusal(transaction, keyOf(found), by.person) : null);
      if (refusal !== null) return refusal;
      if (found.revoked_at_ms !== null) return { ...keyOf(found), alreadyRevoked: true };
      await stampOrganization(transaction, found.organization as OrganizationId, revision);
      const revoked = await transaction.updateTable('service_key').set({ revoked_at_ms: clock() })
        .where('id', '=', id).returningAll().executeTakeFirstOrThrow();
      return { ...keyOf(revoked), alreadyRevoked: false };
    }, (revoked) => (revoked.alreadyRevoked ? null : { action: 'revokeKey', organization: revoked.organization, subject: id })),
    async set(id, { name, project, by, ...bounded }, within, check) {
      const { expiresAtMs, maxRunBudget, models, disabled } = bounded;
      const refusal = (name === undefined || name === null ? null : nameRefusal('A key name', name))
        ?? (project === undefined || project === null ? null : projectRefusal(project)) ?? runBudgetRefusal(maxRunBudget ?? null)
        ?? modelsRefusal(models ?? null);
      return refusal ?? changed({ id, within, action: 'setKey', check }, async (transaction, found) => (by?.isBound === true ? await ownChangeRefusal(
        transaction, { ...keyOf(found), nowMs: clock() }, by.person, bounded) : null) ?? ({
        ...(name === undefined ? {} : { name }), ...(project === undefined ? {} : { project }),
        ...(expiresAtMs === undefined ? {} : { expires_at_ms: expiresAtMs }),
        ...(maxRunBudget === undefined ? {} : { max_run_budget_nano: maxRunBudget }),
        ...(models === undefined ? {} : { models: modelsText(models) }),
        ...disablingOf(found, { disabled, by, atMs: clock() }),
      }));
    },
    rotate: (id, { by, hash, prefix, formerUntilMs }, within) => changed({ id, within, action: 'rotateKey' }, async (transaction, found) => {
      const refusal = by?.isBound === true ? await ownOnlyRefusal(transaction, keyOf(found), by.person) : null;
      if (refusal !== null) return refusal;
      await transaction.deleteFrom('service_key_former').where('key', '=', id).execute();
      if (formerUntilMs > clock()) {
        await transaction.insertInto('service_key_former').values({ hash: found.hash, key: id, until_ms: formerUntilMs }).execute();
      }
      return { hash, prefix };
    }),
    find: (organization, id) => engine.read(async (db) => {
      const row = await db.selectFrom('service_key').selectAll().where('id', '=', id).where('organization', '=', organization).executeTakeFirst();
      return row === undefined ? null : keyOf(row);
    }),
    findByHash: (hash) => engine.read(async (db) => {
      if (hash.includes('\0')) return null;
      const row = await db.selectFrom('service_key').selectAll().where('hash', '=', hash).executeTakeFirst();
      return row === undefined ? null : keyOf(row);
    }),
  };
}

/** A key is made in one change with what its terms give it. */
function createdKeys({ engine, clock, randomBytes }: StoreContext): ServiceKeys['create'] {
  return async ({ hash, ...wanted }) => {
    if (!/^[0-9a-f]{64}$/.test(hash)) throw new RangeError('a service key is kept as 64 hexadecimal characters');
    const { organization, name, project, expiresAtMs, prefix, maxRunBudget = null, models = null, boundMaker } = wanted;
    const refusal = (name === null ? null : nameRefusal('A key name', name))
      ?? (project === null ? null : projectRefusal(project)) ?? runBudgetRefusal(maxRunBudget) ?? modelsRefusal(models);
    return refusal ?? engine.change<ServiceKey>(async (transaction, revision) => {
      if (!await stampOrganization(transaction, organization, revision)) return unknownOrganization();
      const isOwn = boundMaker !== undefined && await hasOwnKeyTerms(transaction, organization);
      const person = isOwn ? boundMaker : wanted.person ?? null;
      const unknown = person === null ? null : await memberRefusal(transaction, organization, person);
      if (unknown !== null) return unknown;
      if (await transaction.selectFrom('service_key').select('id').where('hash', '=', hash).executeTakeFirst() !== undefined) {
        return refuse('key_taken', 'This service key already exists. Create a new one.');
      }
      const nowMs = clock();
      const bounded = { models, createdAtMs: nowMs, expiresAtMs, maxRunBudget };
      const own = isOwn && person !== null ? await ownKeyWithin(transaction, { ...bounded, organization, person }) : { key: bounded, caps: null };
      if ('refused' in own) return own;
      const row = {
        // Spend and usage sums are stored by this id: the sums of keys that were made together then share pages.
        id: newTimedId(idPrefix.serviceKey, nowMs, randomBytes), organization, hash, prefix, name, project,
        created_at_ms: nowMs, expires_at_ms: own.key.expiresAtMs, revoked_at_ms: null, max_run_budget_nano: maxRunBudget,
        models: modelsText(own.key.models), person,
      };
      const key = keyOf(await transaction.insertInto('service_key').values(row).returningAll().executeTakeFirstOrThrow());
      if (own.caps !== null && person !== null) {
        await capOwnKey(engine.kind, transaction, { organization, key: key.id, person, caps: own.caps, revision, randomBytes });
      }
      return key;
    }, ({ id }) => ({ action: 'createKey', organization, subject: id }), async (transaction) => {
      if (boundMaker !== undefined && await hasOwnKeyTerms(transaction, organization)) await beforeFirstCap(engine.kind, transaction, organization);
    });
  };
}

/** Changes of one key that is not revoked, each in a change of its organization. */
function keyChanges({ engine }: StoreContext) {
  return (
    { id, within, action, check }: {
      readonly id: string; readonly within: OrganizationId | undefined; readonly action: 'setKey' | 'rotateKey';
      readonly check?: ChangeCheck<ServiceKey> | undefined;
    },
    work: (transaction: Transaction<Schema>, found: Selectable<ServiceKeyTable>) => Promise<Updateable<ServiceKeyTable> | StoreRefusal>,
  ) => engine.change<ServiceKey>(async (transaction, revision) => {
    const found = id.includes('\0') ? undefined
      : await transaction.selectFrom('service_key').selectAll().where('id', '=', id).executeTakeFirst();
    if (found === undefined || (within !== undefined && found.organization !== within)) return unknownKey();
    if (found.revoked_at_ms !== null) return refuse('key_revoked', 'This service key is revoked for good. Create a new one.');
    const refusal = check?.(keyOf(found)) ?? null;
    if (refusal !== null) return refusal;
    if (!await stampOrganization(transaction, found.organization as OrganizationId, revision)) return unknownKey();
    const values = await work(transaction, found);
    if ('refused' in values) return values;
    if (Object.keys(values).length === 0) return keyOf(found);
    return keyOf(await transaction.updateTable('service_key').set(values).where('id', '=', id).returningAll().executeTakeFirstOrThrow());
  }, ({ organization }) => ({ action, organization, subject: id }));
}

/** Whoever disables it is kept, so that nobody bound enables what another disabled. An admin's disabling stands before the person's own. */
function disablingOf(
  found: Selectable<ServiceKeyTable>,
  { disabled, by, atMs }: { readonly disabled: boolean | undefined; readonly by: KeyChanger | undefined; readonly atMs: number },
): Updateable<ServiceKeyTable> {
  if (disabled === undefined) return {};
  if (!disabled) return found.disabled_at_ms === null ? {} : { disabled_at_ms: null, disabled_by: null, disabled_by_at_ms: null };
  if (found.disabled_at_ms === null) return { disabled_at_ms: atMs, disabled_by: by?.person ?? null, disabled_by_at_ms: atMs };
  return by?.isBound === true ? {} : { disabled_by: by?.person ?? null, disabled_by_at_ms: found.disabled_at_ms };
}

function unknownKey(): StoreRefusal {
  return refuse('unknown_key', 'There is no service key with this id.');
}

function keyOf(row: Selectable<ServiceKeyTable>): ServiceKey {
  return {
    id: row.id as ServiceKeyId,
    organization: row.organization as OrganizationId,
    prefix: row.prefix,
    name: row.name,
    project: row.project,
    createdAtMs: Number(row.created_at_ms),
    expiresAtMs: numberOrNull(row.expires_at_ms),
    revokedAtMs: numberOrNull(row.revoked_at_ms),
    disabledAtMs: numberOrNull(row.disabled_at_ms),
    disabledBy: numberOrNull(row.disabled_by_at_ms) === numberOrNull(row.disabled_at_ms) ? row.disabled_by as PersonId | null : null,
    lastUsedAtMs: numberOrNull(row.last_used_at_ms),
    maxRunBudget: row.max_run_budget_nano as NanoDollars | null,
    models: modelsOf(row.models),
    person: row.person as PersonId | null,
  };
}

function modelsRefusal(models: ModelPatterns): StoreRefusal | null {
  return models === null || areModelPatterns(models) ? null : refuse('invalid_setting', `${modelPatternsForm}.`);
}

function runBudgetRefusal(budget: NanoDollars | null): StoreRefusal | null {
  return budget === null || (budget >= 0n && budget <= nanoDollarsMax) ? null
    : refuse('invalid_setting', 'A run budget must be an amount of US dollars from 0, below 9.2 billion.');
}
