/**
 * The audit trail: who changed what, when. Design 5 (roles: audit).
 * A row is written in the transaction of the change itself, by the engine that an acting store works with: there is no change without its
 * row, and no row without its change. The repository that makes the change names it, with its organization and subject, so that command and
 * HTTP use the same name. Details hold no secret: whoever opens an acting store passes none.
 */
import { newId, idPrefix, type OrganizationId } from '@metergate/core/id.ts';
import type { Selectable, Transaction } from 'kysely';
import { isRefusal } from '../refusal.ts';
import type { Engine } from '../engine/engine.ts';
import type { AuditEventTable, Schema } from '../schema/schema.ts';
import type { StoreContext } from '../context.ts';
import type { AuditAction, AuditActor, AuditIntent, Change, ChangeName } from './change.ts';

/** Those whose subject is a word of the organization's own, which goes with its others. */
const namedByCallers = ['closeRun', 'mintGrant'] as const satisfies readonly AuditAction[];

export interface AuditEvent {
  readonly id: string;
  readonly organization: OrganizationId | null;
  readonly atMs: number;
  readonly actor: AuditActor;
  readonly action: string;
  readonly subject: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
}

export interface AuditQuery {
  /** Null: changes of the whole product, which are no organization's. */
  readonly organization: OrganizationId | null;
  /** Changes from this moment on. */
  readonly sinceMs?: number;
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
}

export function auditTrailIn(context: StoreContext): AuditTrail {
  const { engine, background } = context;
  return {
    note: (intent, change) => background.write((transaction) => recordAudit(context, transaction, { intent, change })),
    list: ({ organization, sinceMs, subject, action, after, limit }) => engine.read(async (db) => {
      const own = db.selectFrom('audit_event').where('organization', organization === null ? 'is' : '=', organization);
      let query = own.selectAll();
      if (after !== undefined) {
        const place = after.includes('\0') ? undefined : await own.select('sequence').where('id', '=', after).executeTakeFirst();
        if (place === undefined) return null;
        query = query.where('sequence', '<', place.sequence);
      }
      if (action !== undefined) query = query.where('action', '=', action);
      if (subject !== undefined) {
        if (subject.includes('\0')) return [];
        query = query.where('subject', '=', subject);
      }
      if (sinceMs !== undefined) query = query.where('at_ms', '>=', BigInt(Math.ceil(sinceMs)));
      return (await query.orderBy('sequence', 'desc').limit(limit).execute()).map(eventOf);
    }),
  };
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
    change: (work, name) => engine.change(async (transaction, revision) => told(transaction, await work(transaction, revision), name), name),
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
    action: row.action,
    subject: row.subject,
    detail: JSON.parse(row.detail) as Record<string, unknown>,
  };
}
