/**
 * Spend caps as the store holds them: one per organization, scope, subject and window. Spec: Budget cap; rule 4; rules: Interfaces.
 * Every change takes a revision and stamps the organization, so that nodes follow it.
 */
import { newId, idPrefix, type CapId, type OrganizationId, type ServiceKeyId } from '@metergate/core/id.ts';
import { nanoDollars, type NanoDollars } from '@metergate/core/money.ts';
import type { LackingCalls } from '@metergate/core/spend/lacking-calls.ts';
import { capProblem, type Cap, type CapMode, type CapScope } from '@metergate/core/spend/cap.ts';
import type { CalendarWindow } from '@metergate/core/spend/window.ts';
import { sql, type Kysely, type Selectable, type Transaction } from 'kysely';
import { isAfter, limitOfPage, type ListPage, type ListPlace } from '../engine/list-page.ts';
import { beforeFirstCap, ofWorkingKey, tooManyCapped } from './capped-subjects.ts';
import type { ChangeCheck } from './change-check.ts';
import { memberRefusal } from './membership.ts';
import { projectRefusal } from '../engine/names.ts';
import { stampOrganization, unknownOrganization } from './organizations.ts';
import { refuse, type StoreRefusal } from '../engine/refusal.ts';
import type { CapTable, Schema } from '../schema/schema.ts';
import type { StoreContext } from '../sealing/context.ts';
import type { Engine } from '../engine/engine.ts';
import { spendOfCaps, type CapSpend } from '../spend/spend-days.ts';

export type NewCap = Omit<Cap, 'id'> & { readonly organization: OrganizationId };

/** A cap, what was spent in its window, and the calls of the window whose cost is not known. */
export interface CapStanding extends LackingCalls {
  readonly cap: Cap;
  readonly spent: NanoDollars;
  /** Its place in the list: `at` grows with each cap that is made. */
  readonly place: ListPlace;
}

export interface Caps {
  /**
   * Makes the cap. A cap of the same scope, subject and window keeps its id and gets this limit and mode.
   * Refuses `unknown_organization`, `unknown_key` (also for a key of another organization), `unknown_member`, `invalid_setting`, `invalid_name`, and
   * what `check` refuses; it gets the cap that is there, or null.
   */
  set(cap: NewCap, check?: ChangeCheck<Cap | null>): Promise<Cap | StoreRefusal>;
  /** In the order they were made, with the spend of the windows that hold `atMs`. Empty for an unknown organization. */
  list(organization: OrganizationId, atMs: number, page?: ListPage): Promise<CapStanding[]>;
  /** In the same order, those that bind the calls of this key with these labels: the organization's, its own, its person's and theirs. */
  on(organization: OrganizationId, of: { readonly key: ServiceKeyId; readonly labels: readonly string[] }, atMs: number): Promise<CapStanding[]>;
  /** One cap, as in the list; null if the organization has none with this id. */
  find(organization: OrganizationId, id: string, atMs: number): Promise<CapStanding | null>;
  /** Returns the removed cap. `within`: only a cap of this organization. Refuses `unknown_cap`. */
  remove(id: string, within?: OrganizationId): Promise<RemovedCap | StoreRefusal>;
}

/** The removed cap with its organization. */
interface RemovedCap extends Cap {
  readonly organization: OrganizationId;
}

export function capsIn({ engine, clock, randomBytes }: StoreContext): Caps {
  return {
    set: async (wanted, check) => formRefusal(wanted) ?? engine.change<Cap>(async (transaction, revision) => {
      const { organization, scope, window, limit, mode } = wanted;
      const subject = wanted.subject ?? '';
      if (!await stampOrganization(transaction, organization, revision)) return unknownOrganization();
      if (scope === 'key' && !await hasKey(transaction, organization, subject)) {
        return refuse('unknown_key', 'This organization has no service key with this id.');
      }
      const unknown = scope === 'person' ? await memberRefusal(transaction, organization, subject) : null;
      if (unknown !== null) return unknown;
      const tooMany = scope === 'organization' ? null : await tooManyCapped(transaction, { organization, scope, subject }, clock());
      if (tooMany !== null) return refuse('invalid_setting', tooMany);
      const there = check === undefined ? undefined : await transaction.selectFrom('cap').selectAll().where('organization', '=', organization)
        .where('scope', '=', scope).where('subject', '=', subject).where('window', '=', window).executeTakeFirst();
      const refusal = check?.(there === undefined ? null : capOf(there)) ?? null;
      if (refusal !== null) return refusal;
      const id = newId(idPrefix.cap, randomBytes);
      await beforeFirstCap(engine.kind, transaction, organization);
      return capOf(await transaction.insertInto('cap')
        .values({ id, organization, scope, subject, window, limit_nano: limit, mode, made: revision })
        .onConflict((conflict) => conflict.columns(['organization', 'scope', 'subject', 'window']).doUpdateSet({ limit_nano: limit, mode }))
        .returningAll().executeTakeFirstOrThrow());
    }, ({ id }) => ({ action: 'setCap', organization: wanted.organization, subject: id }),
    (transaction) => beforeFirstCap(engine.kind, transaction, wanted.organization)),
    list: (organization, atMs, page = {}) => engine.read(async (db) => (await standings(engine.kind, db, organization, atMs)
      .where(isAfter(['c.made', 'c.id'], page)).orderBy('c.made').orderBy('c.id').limit(limitOfPage(page)).execute()).map(standingOf)),
    on: (organization, { key, labels }, atMs) => engine.read(async (db) => (await standings(engine.kind, db, organization, atMs)
      .where((where) => where.or([
        where(where.refTuple('c.scope', 'c.subject'), 'in', [
          where.tuple('organization', ''), where.tuple('key', key), ...labels.map((label) => where.tuple('label', label)),
        ]),
        where.and([where('c.scope', '=', 'person'), where('c.subject', '=', db.selectFrom('service_key').select('person').where('id', '=', key))]),
      ]))
      .orderBy('c.made').orderBy('c.id').execute()).map(standingOf)),
    find: (organization, id, atMs) => engine.read(async (db) => {
      const row = id.includes('\0') ? undefined : await standings(engine.kind, db, organization, atMs).where('c.id', '=', id).executeTakeFirst();
      return row === undefined ? null : standingOf(row);
    }),
    remove: (id, within) => engine.change<RemovedCap>(async (transaction, revision) => {
      const found = id.includes('\0') ? undefined
        : await transaction.selectFrom('cap').selectAll().where('id', '=', id).executeTakeFirst();
      if (found === undefined || (within !== undefined && found.organization !== within)) {
        return unknownCap();
      }
      const organization = found.organization as OrganizationId;
      // An erased organization's caps stay as figures, and nobody may change them.
      if (!await stampOrganization(transaction, organization, revision)) return unknownCap();
      await transaction.deleteFrom('cap').where('id', '=', id).execute();
      return { ...capOf(found), organization };
    }, ({ organization }) => ({ action: 'removeCap', organization, subject: id })),
  };
}

function standings(engine: Engine['kind'], db: Kysely<Schema>, organization: OrganizationId, atMs: number) {
  return db.selectFrom('cap as c')
    .innerJoin(spendOfCaps(engine, atMs, sql`c.organization = ${organization}`).as('s'), (join) => join.onRef('s.cap', '=', 'c.id'))
    .selectAll('c').select(['s.spent_nano', 's.unknown_calls', 's.unpriced_calls', 's.gap_calls']).where('c.organization', '=', organization);
}

type StandingRow = Selectable<CapTable> & Omit<CapSpend, 'cap'>;

function standingOf(row: StandingRow): CapStanding {
  return {
    cap: capOf(row), spent: nanoDollars(row.spent_nano), unknownCalls: Number(row.unknown_calls),
    unpricedCalls: Number(row.unpriced_calls), gapCalls: Number(row.gap_calls), place: { at: Number(row.made), id: row.id },
  };
}

/**
 * An organization's caps in the order they were made, as one JSON text beside the other columns of its row. Those of keys that no longer work bind
 * no call, and are left out: whoever makes keys and revokes them would give every node more to hold with each.
 */
export function capsColumn(engine: 'sqlite' | 'postgres', organization: string, nowMs: number) {
  const [array, list, end] = engine === 'sqlite'
    ? [sql.raw('json_array'), sql.raw('json_group_array'), sql.raw('')]
    : [sql.raw('json_build_array'), sql.raw('json_agg'), sql.raw('::text')];
  return sql<string | null>`(select ${list}(${array}(c.id, c.scope, c.subject, c."window", cast(c.limit_nano as text), c.mode) order by c.made)${end}
    from cap as c where c.organization = ${sql.ref(organization)} and ${ofWorkingKey(nowMs)})`.as('caps');
}

/** The caps that `capsColumn` read. Limits travel as text, so that no digit is lost. */
export function capsFrom(json: string | null): Cap[] {
  const rows = JSON.parse(json ?? '[]') as [id: string, scope: string, subject: string, window: string, limit: string, mode: string][];
  return rows.map(([id, scope, subject, window, limit, mode]) => capOf({ id, scope, subject, window, limit_nano: BigInt(limit), mode }));
}

function formRefusal(cap: NewCap): StoreRefusal | null {
  const problem = capProblem(cap);
  if (problem !== null) return refuse('invalid_setting', problem);
  const { scope, subject } = cap;
  if (scope === 'project') return projectRefusal(subject!);
  return scope === 'key' && subject!.includes('\0') ? refuse('invalid_setting', 'A cap of a key must name the key by its id.') : null;
}

/** The one refusal for a cap that is not there, or is another organization's. */
export function unknownCap(): StoreRefusal {
  return refuse('unknown_cap', 'There is no cap with this id.');
}

async function hasKey(transaction: Transaction<Schema>, organization: OrganizationId, id: string): Promise<boolean> {
  return await transaction.selectFrom('service_key').select('id').where('id', '=', id).where('organization', '=', organization)
    .executeTakeFirst() !== undefined;
}

function capOf(
  { id, scope, subject, window, limit_nano: limit, mode }: Pick<Selectable<CapTable>, 'id' | 'scope' | 'subject' | 'window' | 'limit_nano' | 'mode'>,
): Cap {
  return {
    id: id as CapId,
    scope: scope as CapScope,
    subject: subject === '' ? null : subject,
    window: window as CalendarWindow,
    limit: nanoDollars(limit),
    mode: mode as CapMode,
  };
}
