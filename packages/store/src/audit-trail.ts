/**
 * The audit trail: who changed what, when. Design 5 (roles: audit).
 * A row is written in the transaction of the change itself, by the engine that an acting store works with: a change without
 * its row, or a row without its change, cannot come to be, whichever repository made it. Details hold no secret: who opens
 * an acting store gives arguments that are none.
 */
import { base62, idPrefix, type OrganizationId } from '@metergate/core/id.ts';
import type { Selectable, Transaction } from 'kysely';
import { isRefusal } from './refusal.ts';
import type { Engine } from './sql/engine.ts';
import type { AuditEventTable, Schema } from './sql/schema.ts';
import type { StoreGround } from './store.ts';

/** `command`: the operator at the command line. `system`: the product itself, at its first start say. */
export const actorKinds = ['person', 'token', 'command', 'system'] as const;

export interface AuditActor {
  readonly kind: (typeof actorKinds)[number];
  /** The person's or token's id; null for the operator and the product. */
  readonly id: string | null;
}

/** What is about to be changed, and by whom. */
export interface AuditIntent {
  readonly actor: AuditActor;
  /** The command's words or the operation's name: `key create`, `createKey`. */
  readonly action: string;
  /** Id or unique name; null: not known before the change, or the whole product. */
  readonly organization: string | null;
  /** The id that is changed, where it is known before. */
  readonly subject: string | null;
  /** Arguments; no secret among them. */
  readonly detail: Readonly<Record<string, unknown>>;
}

export interface AuditEvent {
  readonly id: string;
  readonly organization: OrganizationId | null;
  readonly atMs: number;
  readonly actor: AuditActor;
  readonly action: string;
  readonly subject: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
}

export interface AuditTrail {
  /** A row by itself, for a change that was made elsewhere. */
  note(intent: AuditIntent): Promise<void>;
  /** Newest first; `after`: those that come after this one in the list. Null: the organization has no such row. */
  list(query: { readonly organization: OrganizationId; readonly after?: string; readonly limit: number }): Promise<AuditEvent[] | null>;
}

export function auditTrailIn(ground: StoreGround): AuditTrail {
  const { engine, background } = ground;
  return {
    note: (intent) => background.write((transaction) => recordAudit(ground, transaction, { intent, result: null })),
    list: ({ organization, after, limit }) => engine.read(async (db) => {
      let query = db.selectFrom('audit_event').selectAll().where('organization', '=', organization);
      if (after !== undefined) {
        const place = after.includes('\0') ? undefined
          : await db.selectFrom('audit_event').select('sequence').where('id', '=', after).where('organization', '=', organization).executeTakeFirst();
        if (place === undefined) return null;
        query = query.where('sequence', '<', place.sequence);
      }
      return (await query.orderBy('sequence', 'desc').limit(limit).execute()).map(eventOf);
    }),
  };
}

/** The engine, with a row of the trail in every transaction that is granted. */
export function auditedEngine(ground: StoreGround, intent: AuditIntent): Engine {
  const { background: engine } = ground;
  return {
    ...engine,
    write: (work) => engine.write(async (transaction) => {
      const result = await work(transaction);
      if (!isRefusal(result)) await recordAudit(ground, transaction, { intent, result });
      return result;
    }),
    change: (work) => engine.change(async (transaction, revision) => {
      const result = await work(transaction, revision);
      if (!isRefusal(result)) await recordAudit(ground, transaction, { intent, result });
      return result;
    }),
  };
}

/** Writes one row, in the transaction of the change. */
export async function recordAudit(
  { clock, randomBytes }: StoreGround,
  transaction: Transaction<Schema>,
  { intent, result }: { readonly intent: AuditIntent; readonly result: unknown },
): Promise<void> {
  const made = (typeof result === 'object' && result !== null ? result : {}) as { readonly id?: unknown; readonly organization?: unknown };
  const subject = typeof made.id === 'string' ? made.id : intent.subject;
  const isOrganization = (id: unknown): boolean => typeof id === 'string' && id.startsWith(idPrefix.organization);
  const named = [made.organization, made.id].find(isOrganization) ?? intent.organization;
  await transaction.insertInto('audit_event').values({
    id: idPrefix.auditEvent + base62(randomBytes(40), 20), organization: await organizationNamed(transaction, named as string | null),
    at_ms: clock(), actor_kind: intent.actor.kind, actor_id: intent.actor.id, action: intent.action, subject,
    detail: JSON.stringify(intent.detail),
  }).execute();
}

async function organizationNamed(transaction: Transaction<Schema>, idOrName: string | null): Promise<string | null> {
  if (idOrName === null || idOrName.includes('\0')) return null;
  const rows = await transaction.selectFrom('organization').select(['id', 'name'])
    .where((where) => where.or([where('id', '=', idOrName), where('name', '=', idOrName)])).execute();
  return (rows.find(({ id }) => id === idOrName) ?? rows[0])?.id ?? null;
}

function eventOf(row: Selectable<AuditEventTable>): AuditEvent {
  return {
    id: row.id,
    organization: row.organization as OrganizationId | null,
    atMs: Number(row.at_ms),
    actor: { kind: row.actor_kind as AuditActor['kind'], id: row.actor_id },
    action: row.action,
    subject: row.subject,
    detail: JSON.parse(row.detail) as Record<string, unknown>,
  };
}
