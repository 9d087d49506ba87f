/**
 * Baselines and their tap keys: one current for each organization; the key kept as a hash, its first characters, and sealed
 * until it is read, once. Spec: Tap key, Baseline, Authentication 4 to 6; rule 20.
 */
import { newId, idPrefix, type OrganizationId } from '@metergate/core/id.ts';
import { nanoDollars, type NanoDollars } from '@metergate/core/money.ts';
import { closedUnbegun, type BaselineLife } from '@metergate/core/tap/baseline.ts';
import type { Selectable, Transaction } from 'kysely';
import type { AuditAction } from '../engine/change.ts';
import { sealFor } from '../sealing/data-key.ts';
import { StoreFault } from '../engine/fault.ts';
import { followMasterKey } from '../sealing/master-key-rotation.ts';
import { nameRefusal } from '../engine/names.ts';
import { unknownOrganization } from '../settings/organizations.ts';
import { refuse, type StoreRefusal } from '../engine/refusal.ts';
import { sendingIn } from '../engine/send.ts';
import { erasedAmong } from '../operation/erased.ts';
import type { CredentialPlace } from '../sealing/vault.ts';
import { numberOrNull, type Schema } from '../schema/schema.ts';
import type { StoreContext } from '../sealing/context.ts';
import type { BaselineTable } from '../schema/tap-schema.ts';

export interface Baseline extends BaselineLife {
  readonly id: string;
  readonly organization: OrganizationId;
  /** The first characters of the key in use. */
  readonly keyPrefix: string;
  /** The key was never shown and can be read once. */
  readonly keyUnread: boolean;
}

/** A key as its minter hands it over. */
interface NewTapKey {
  /** SHA-256 of the key, lower-case hexadecimal. */
  readonly hash: string;
  readonly prefix: string;
}

interface DeclaredFigure {
  readonly name: string;
  readonly amount: NanoDollars;
}

interface NewBaseline {
  readonly organization: OrganizationId;
  readonly key: NewTapKey;
  /** The key in plain text, which is stored sealed until it is read; null if it is shown at once. */
  readonly unread: string | null;
}

/** A key in plain text, with its owner. */
interface ReadTapKey {
  readonly id: string;
  readonly organization: OrganizationId;
  readonly key: string;
  readonly prefix: string;
}

export interface Baselines {
  /** Makes the organization's Baseline. Refuses `unknown_organization`, `baseline_exists` (unless that one closed before it began). */
  create(wanted: NewBaseline): Promise<Baseline | StoreRefusal>;
  /** By id; null if there is none, or it is erased. `within`, here and below: only one of this organization, so only its cell is asked. */
  find(id: string, within?: OrganizationId): Promise<Baseline | null>;
  /** All Baselines of an organization, the current one first. */
  list(organization: OrganizationId): Promise<Baseline[]>;
  /** The key. This works once, then the store no longer has it. Refuses `unknown_baseline`, `tap_key_already_shown`. */
  readKey(id: string, within?: OrganizationId): Promise<ReadTapKey | StoreRefusal>;
  /** Replaces the key in use, which stops at once. Refuses `unknown_baseline`, `tap_retired`. */
  rotateKey(id: string, key: NewTapKey, within?: OrganizationId): Promise<Baseline | StoreRefusal>;
  /** Ends the tap for good; a second time changes nothing. Refuses `unknown_baseline`. */
  retire(id: string, within?: OrganizationId): Promise<Baseline | StoreRefusal>;
  /** Stores a figure that the user typed; it replaces one of the same name. Refuses `unknown_baseline`, `invalid_name`, `too_many_figures`. */
  declare(id: string, figure: DeclaredFigure, within?: OrganizationId): Promise<Baseline | StoreRefusal>;
  /** In the order of their names. */
  declared(id: string, within?: OrganizationId): Promise<DeclaredFigure[]>;
}

const figuresMax = 200;

export function baselinesIn(context: StoreContext): Baselines {
  const { engine, clock } = context;
  /** Works on one Baseline with its row locked. A refusal must come before any change, since `write` commits what was done. */
  const onBaseline = <T extends { readonly id: string; readonly organization: OrganizationId }>(
    { id, within }: { readonly id: string; readonly within: OrganizationId | undefined }, action: AuditAction,
    work: (transaction: Transaction<Schema>, row: Selectable<BaselineTable>) => Promise<T | StoreRefusal>,
    isChanged: (result: T) => boolean = () => true,
  ) =>
    engine.write<T | StoreRefusal>(async (transaction) => {
      const query = transaction.selectFrom('baseline').selectAll().where('id', '=', withoutNul(id)).where('erased_at_ms', 'is', null)
        .$if(within !== undefined, (all) => all.where('organization', '=', within!));
      const row = await (engine.kind === 'postgres' ? query.forUpdate() : query).executeTakeFirst();
      return row === undefined ? unknownBaseline() : work(transaction, row);
    }, (done) => {
      const result = done as T;
      return isChanged(result) ? { action, organization: result.organization, subject: result.id } : null;
    });
  return {
    create: (wanted) => create(context, wanted),
    find: (id, within) => engine.read(async (db) => {
      const row = await db.selectFrom('baseline').selectAll().where('id', '=', withoutNul(id)).where('erased_at_ms', 'is', null).executeTakeFirst();
      return row === undefined || row.organization !== (within ?? row.organization) ? null : baselineOf(row);
    }),
    list: (organization) => engine.read(async (db) => (await db.selectFrom('baseline').selectAll().where('organization', '=', organization)
      .where('erased_at_ms', 'is', null).orderBy('number', 'desc').execute()).map(baselineOf)),
    readKey: (id, within) => onBaseline({ id, within }, 'readTapKey', async (transaction, row) => {
      if (row.sealed === null) return keyAlreadyShown();
      const key = await unsealed(context, transaction, row);
      await transaction.updateTable('baseline').set({ sealed: null }).where('number', '=', row.number).execute();
      return { id: row.id, organization: row.organization as OrganizationId, key, prefix: row.key_prefix };
    }),
    rotateKey: (id, { hash, prefix }, within) => onBaseline({ id, within }, 'rotateTapKey', async (transaction, row) => {
      if (row.retired_at_ms !== null) return refuse('tap_retired', 'This tap is retired for good; its key cannot be rotated.');
      return baselineOf(await transaction.updateTable('baseline')
        .set({ key_hash: hash, key_prefix: prefix, key_version: row.key_version + 1n, sealed: null })
        .where('number', '=', row.number).returningAll().executeTakeFirstOrThrow());
    }),
    retire: (id, within) => {
      const atMs = clock();
      return onBaseline({ id, within }, 'retireAssessment', async (transaction, row) => {
        if (row.retired_at_ms !== null) return baselineOf(row);
        return baselineOf(await transaction.updateTable('baseline').set({ retired_at_ms: atMs })
          .where('number', '=', row.number).returningAll().executeTakeFirstOrThrow());
      }, ({ retiredAtMs }) => retiredAtMs === atMs);
    },
    declare: async (id, figure, within) => nameRefusal('The name of a figure', figure.name) ?? onBaseline({ id, within }, 'declareFigure', async (
      transaction, row,
    ) => {
      const names = await transaction.selectFrom('declared_figure').select('name').where('baseline', '=', row.number).execute();
      if (names.length >= figuresMax && !names.some(({ name }) => name === figure.name)) {
        return refuse('too_many_figures', `A Baseline takes at most ${figuresMax} declared figures. Use the name of one to replace it.`);
      }
      const values = { amount_nano: figure.amount, at_ms: clock() };
      await transaction.insertInto('declared_figure').values({ baseline: row.number, name: figure.name, ...values })
        .onConflict((conflict) => conflict.columns(['baseline', 'name']).doUpdateSet(values)).execute();
      return baselineOf(row);
    }),
    declared: (id, within) => engine.read(async (db) => {
      const rows = await db.selectFrom('declared_figure as f').innerJoin('baseline as b', 'b.number', 'f.baseline')
        .select(['f.name', 'f.amount_nano']).where('b.id', '=', withoutNul(id))
        .$if(within !== undefined, (all) => all.where('b.organization', '=', within!)).orderBy('f.name').execute();
      return rows.map(({ name, amount_nano: amount }) => ({ name, amount: nanoDollars(amount) }));
    }),
  };
}

async function create(
  { engine, vault, clock, randomBytes }: StoreContext, { organization, key, unread }: NewBaseline,
): Promise<Baseline | StoreRefusal> {
  if (!/^[0-9a-f]{64}$/.test(key.hash)) throw new RangeError('a tap key is kept as 64 hexadecimal characters');
  return engine.write<Baseline | StoreRefusal>(async (transaction) => {
    // Two requests at once take turns on the organization's row; the second then sees the first one's Baseline.
    const owner = transaction.selectFrom('organization').select('id').where('id', '=', organization);
    if (await (engine.kind === 'postgres' ? owner.forUpdate() : owner).executeTakeFirst() === undefined) return unknownOrganization();
    if ((await erasedAmong(engine.kind, sendingIn(transaction).send, [organization])).size > 0) return unknownOrganization();
    const nowMs = clock();
    const current = await transaction.selectFrom('baseline').selectAll()
      .where('organization', '=', organization).where('replaced_at_ms', 'is', null).executeTakeFirst();
    if (current !== undefined) {
      if (!closedUnbegun(lifeOf(current), nowMs)) return baselineExists(current.id);
      await transaction.updateTable('baseline').set({ replaced_at_ms: nowMs, sealed: null }).where('number', '=', current.number).execute();
    }
    const id = newId(idPrefix.baseline, randomBytes);
    const place = keyPlace({ id, organization, key_version: 1n });
    const sealed = unread === null ? null : await sealFor(transaction, vault, { credential: unread, place });
    return baselineOf(await transaction.insertInto('baseline').values({
      id, organization, key_hash: key.hash, key_prefix: key.prefix, key_version: 1, sealed, created_at_ms: nowMs,
      first_day_ms: null, retired_at_ms: null, replaced_at_ms: null, erased_at_ms: null,
    }).returningAll().executeTakeFirstOrThrow());
  }, (made) => ({ action: 'createAssessment', organization, subject: (made as Baseline).id }));
}

/** @throws StoreFault if the organization's data key cannot be read; the key stays unread then. */
async function unsealed({ vault }: StoreContext, transaction: Transaction<Schema>, row: Selectable<BaselineTable>): Promise<string> {
  await followMasterKey(transaction, vault);
  const dataKey = await transaction.selectFrom('organization_data_key').select('wrapped')
    .where('organization', '=', row.organization).executeTakeFirst();
  const key = dataKey === undefined ? null : vault.unsealCredential(row.sealed!, dataKey.wrapped, keyPlace(row));
  if (key === null) throw new StoreFault('store_unreadable', 'The tap key cannot be read from the store now. Rotate it to get another one.');
  return key;
}

function keyPlace(
  { id, organization, key_version: version }: Pick<Selectable<BaselineTable>, 'id' | 'organization' | 'key_version'>,
): CredentialPlace {
  return { purpose: 'tap-key', organization, record: id, version };
}

/** The state of a Baseline, from its columns. */
export function lifeOf(
  row: Pick<Selectable<BaselineTable>, 'created_at_ms' | 'first_day_ms' | 'retired_at_ms' | 'replaced_at_ms'>,
): BaselineLife {
  return {
    createdAtMs: Number(row.created_at_ms), firstDayMs: numberOrNull(row.first_day_ms),
    retiredAtMs: numberOrNull(row.retired_at_ms), replacedAtMs: numberOrNull(row.replaced_at_ms),
  };
}

function baselineOf(row: Selectable<BaselineTable>): Baseline {
  return {
    ...lifeOf(row), id: row.id, organization: row.organization as OrganizationId, keyPrefix: row.key_prefix, keyUnread: row.sealed !== null,
  };
}

/** PostgreSQL takes no U+0000 in a text; no id holds one. */
function withoutNul(id: string): string {
  return id.includes('\0') ? '' : id;
}

export function unknownBaseline(): StoreRefusal {
  return refuse('unknown_baseline', 'There is no Baseline with this id.');
}

function keyAlreadyShown(): StoreRefusal {
  return refuse('tap_key_already_shown', 'The tap key was already shown and cannot be read again. Rotate it to get another one.');
}

function baselineExists(id: string): StoreRefusal {
  return refuse('baseline_exists', `This organization has a Baseline already: ${id}.`);
}
