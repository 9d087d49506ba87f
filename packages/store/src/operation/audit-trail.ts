/**
 * The audit trail: who changed what, when. Rules: Interfaces (roles: audit).
 * A row is written in the transaction of the change itself, by the engine that an acting store works with: there is no change without its
 * row, and no row without its change. The repository that makes the change names it, with its organization and subject, so that command and
 * HTTP use the same name. Details hold no secret: whoever opens an acting store passes none.
 */
import { newId, idPrefix, type OrganizationId } from '@metergate/core/id.ts';
import { sql, type Selectable, type SelectQueryBuilder, type Transaction } from 'kysely';
import { isRefusal } from '../engine/refusal.ts';
import type { Engine } from '../engine/engine.ts';
import type { AuditEventTable, Schema } from '../schema/schema.ts';
import type { StoreContext } from '../sealing/context.ts';
import type { AuditAction, AuditActor, AuditIntent, Change, ChangeName } from '../engine/change.ts';

/** Those whose subject is a word of the organization's own, which goes with its others. */
const namedByCallers = ['closeRun', 'mintGrant'] as const satisfies readonly AuditAction[];

/** Rows since a moment that a page looks through for the oldest of them, where its reading ends. */
const mostLookedThrough = 1_000;
/** No row has this sequence: both engines' greatest. */
const afterAll = 2n ** 63n - 1n;

export interface AuditEvent {
  readonly id: string;
  readonly organization: OrganizationId | null;
  readonly atMs: number;
  readonly actor: AuditActor;
  readonly action: AuditAction;
  readonly subject: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
}

export interface AuditQuery {
  /** Null: changes of the whole product, which are no organization's. */
  readonly organization: OrganizationId | null;
  /** Changes from this moment on. */
  readonly sinceMs?: number;
  /** Changes up to and at this moment. */
  readonly untilMs?: number;
  /** Changes of this only: the id of a key, say. */
  readonly subject?: string;
  /** Changes of this kind only. */
  readonly action?: AuditAction;
  /** Those that come after this row in the list. */
  readonly after?: string;
  readonly limit: number;
}

export interface AuditTrail {
  /** A row by itself, for a change that was made elsewhere. */
  note(intent: AuditIntent, change: Change): Promise<void>;
  /** Newest first. Null: the organization has no such row as `after`. */
  list(query: AuditQuery): Promise<AuditEvent[] | null>;
  /** When a row of this organization, or of the whole product, was written; null: it has none of this id. */
  moment(id: string, organization: OrganizationId | null): Promise<number | null>;
}

export function auditTrailIn(context: StoreContext): AuditTrail {
  const { engine, background } = context;
  return {
    note: (intent, change) => background.write((transaction) => recordAudit(context, transaction, { intent, change })),
    list: ({ organization, sinceMs, untilMs, subject, action, after, limit }) => engine.read(async (db) => {
      const own = db.selectFrom('audit_event').where('organization', organization === null ? 'is' : '=', organization);
      let before = afterAll;
      if (after !== undefined) {
        const place = after.includes('\0') ? undefined : await own.select('sequence').where('id', '=', after).executeTakeFirst();
        if (place === undefined) return null;
        before = BigInt(place.sequence);
      }
      if (subject?.includes('\0')) return [];
      // PostgreSQL reads an index in order below a null only if the order names the column.
      const byPlace = engine.kind === 'postgres' && organization !== null;
      let query = (byPlace ? db.selectFrom('audit_event') : own).selectAll().orderBy('organization', 'desc');
      const from = sinceMs === undefined ? 0n : await oldestSince(own, BigInt(Math.ceil(sinceMs)));
      if (from === null) return [];
      if (sinceMs !== undefined) query = query.where('at_ms', '>=', BigInt(Math.ceil(sinceMs)));
      if (untilMs !== undefined) query = query.where('at_ms', '<=', BigInt(Math.floor(untilMs)));
      const wanted = Object.entries({ organization: byPlace ? organization : undefined, subject, action })
        .filter((entry): entry is ['organization' | 'subject' | 'action', string] => entry[1] !== undefined);
      if (engine.kind === 'sqlite' || wanted.length === 0) {
        for (const [column, value] of wanted) query = query.where(column, '=', value);
        query = query.where('sequence', '<', before).where('sequence', '>=', from);
      } else {
        // With equalities PostgreSQL may walk all rows in their order instead, for it takes those that fit to lie evenly among them.
        const place = sql.join([...wanted.map(([column]) => sql.ref(column)), sql.ref('sequence')]);
        const at = (sequence: bigint) => sql.join([...wanted.map(([, value]) => value), sequence]);
        query = query.where(sql<boolean>`(${place}) < (${at(before)})`).where(sql<boolean>`(${place}) >= (${at(from)})`);
        for (const [column] of wanted) query = query.orderBy(column, 'desc');
      }
      return (await query.orderBy('sequence', 'desc').limit(limit).execute()).map(eventOf);
    }),
    moment: (id, organization) => engine.read(async (db) => {
      const row = id.includes('\0') ? undefined : await db.selectFrom('audit_event').select('at_ms').where('id', '=', id)
        .where('organization', organization === null ? 'is' : '=', organization).executeTakeFirst();
      return row === undefined ? null : Number(row.at_ms);
    }),
  };
}

/**
 * Where the reading of rows since a moment may end; null: there are none. Clocks of nodes differ, so the order of times is not that of rows:
 * the oldest row is only known once all of them are looked at, if they are few. If they are many, nothing ends the reading early.
 */
async function oldestSince(own: SelectQueryBuilder<Schema, 'audit_event', object>, fromMs: bigint): Promise<bigint | null> {
  const rows = await own.select('sequence').where('at_ms', '>=', fromMs)
    .orderBy('organization').orderBy('at_ms').limit(mostLookedThrough + 1).execute();
  if (rows.length === 0) return null;
  if (rows.length > mostLookedThrough) return 0n;
  return rows.map(({ sequence }) => BigInt(sequence)).reduce((a, b) => (a < b ? a : b));
}

/** The engine, with a row of the trail in every transaction that is granted and named. */
export function auditedEngine(context: StoreContext, intent: AuditIntent): Engine {
  const { background: engine } = context;
  const told = async <T>(transaction: Transaction<Schema>, result: T, name: ChangeName<never> | undefined): Promise<T> => {
    const change = isRefusal(result) ? null : typeof name === 'function' ? name(result as never) : name;
    if (change !== null && change !== undefined) await recordAudit(context, transaction, { intent, change });
    return result;
  };
  return {
    ...engine,
    write: (work, name) => engine.write(async (transaction) => told(transaction, await work(transaction), name)),
    change: (work, name, before) =>
      engine.change(async (transaction, revision) => told(transaction, await work(transaction, revision), name), name, before),
  };
}

/** Writes one row, in the transaction of the change. */
export async function recordAudit(
  { clock, randomBytes }: StoreContext,
  transaction: Transaction<Schema>,
  { intent: { actor, detail }, change }: { readonly intent: AuditIntent; readonly change: Change },
): Promise<void> {
  const { action, organization, subject, person, withoutWords = false } = change;
  const who = person === undefined ? actor : { kind: 'person', id: person.id, name: person.email };
  await transaction.insertInto('audit_event').values({
    id: newId(idPrefix.auditEvent, randomBytes), organization, at_ms: clock(), actor_kind: who.kind, actor_id: who.id,
    actor_name: withoutWords && who.kind !== 'operator' ? null : who.name, action, subject, detail: withoutWords ? '{}' : JSON.stringify(detail),
  }).execute();
}

/** Takes the words out of an organization's rows: what was changed, when and by which id stays. */
export async function eraseAuditWords(transaction: Transaction<Schema>, organization: OrganizationId): Promise<void> {
  const own = transaction.updateTable('audit_event').where('organization', '=', organization);
  await own.set({ detail: '{}' }).execute();
  await own.set({ actor_name: null }).where('actor_kind', '<>', 'operator').execute();
  await own.set({ subject: null }).where('action', 'in', namedByCallers).execute();
}

function eventOf(row: Selectable<AuditEventTable>): AuditEvent {
  return {
    id: row.id,
    organization: row.organization as OrganizationId | null,
    atMs: Number(row.at_ms),
    actor: { kind: row.actor_kind as AuditActor['kind'], id: row.actor_id, name: row.actor_name },
    action: row.action as AuditAction,
    subject: row.subject,
    detail: JSON.parse(row.detail) as Record<string, unknown>,
  };
}
