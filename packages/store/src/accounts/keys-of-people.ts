/**
 * Service keys that belong to people. Such a key ends with its person's membership, whatever ended it, and stops where their role lets them have
 * none: otherwise somebody who left would go on spending. Each leaves a row in the audit trail, of the product itself. Decisions 156 and 300.
 */
import type { OrganizationId, PersonId } from '@metergate/core/id.ts';
import type { Transaction } from 'kysely';
import { recordAudit } from '../operation/audit-trail.ts';
import { stampOrganization } from '../settings/organizations.ts';
import type { Schema } from '../schema/schema.ts';
import type { StoreContext } from '../sealing/context.ts';

/** A person, in one organization. */
export interface MemberPlace {
  readonly organization: OrganizationId;
  readonly person: PersonId;
}

/** Inside a change: the person's keys in the organization are revoked, their caps there end, and nodes hear of it. Few people have any. */
export async function endKeysOf(context: StoreContext, transaction: Transaction<Schema>, { organization, person }: MemberPlace): Promise<void> {
  const ended = await transaction.updateTable('service_key').set({ revoked_at_ms: context.clock() })
    .where('person', '=', person).where('organization', '=', organization).where('revoked_at_ms', 'is', null).returning('id').execute();
  const caps = await transaction.deleteFrom('cap').where('scope', '=', 'person').where('subject', '=', person)
    .where('organization', '=', organization).returning('id').execute();
  for (const { id } of ended) await toldOfKey(context, transaction, { action: 'revokeKey', organization, id, detail: { membershipEnded: person } });
  if (ended.length + caps.length > 0) await tellOf(transaction, organization);
}

/**
 * Inside a change: the person's keys in the organization admit no calls until an admin enables them, and nodes hear of it. Their caps stay. Those
 * that the person disabled themselves are among them.
 */
export async function stopKeysOf(context: StoreContext, transaction: Transaction<Schema>, { organization, person }: MemberPlace): Promise<void> {
  const own = transaction.updateTable('service_key').where('person', '=', person).where('organization', '=', organization)
    .where('revoked_at_ms', 'is', null);
  await own.set({ disabled_by: null }).where('disabled_at_ms', 'is not', null).execute();
  const stopped = await own.set({ disabled_at_ms: context.clock(), disabled_by: null }).where('disabled_at_ms', 'is', null).returning('id').execute();
  for (const { id } of stopped) {
    await toldOfKey(context, transaction, { action: 'setKey', organization, id, detail: { disabled: true, roleLowered: person } });
  }
  if (stopped.length > 0) await tellOf(transaction, organization);
}

/**
 * Inside a change: the keys that one person has in the organization become those of another, who proved to be them; so do caps of windows in
 * which the other has none.
 */
export async function moveKeys(
  transaction: Transaction<Schema>, { organization, person: from, to }: MemberPlace & { readonly to: PersonId },
): Promise<void> {
  const keys = await transaction.updateTable('service_key').set({ person: to }).where('organization', '=', organization).where('person', '=', from)
    .returning('id').execute();
  await transaction.updateTable('service_key').set({ disabled_by: to }).where('organization', '=', organization).where('person', '=', to)
    .where('disabled_by', '=', from).execute();
  const capsOf = (person: PersonId) => transaction.selectFrom('cap').select(['id', 'window']).where('organization', '=', organization)
    .where('scope', '=', 'person').where('subject', '=', person).execute();
  const [caps, there] = [await capsOf(from), await capsOf(to)];
  for (const { id, window } of caps) {
    if (there.some((other) => other.window === window)) await transaction.deleteFrom('cap').where('id', '=', id).execute();
    else await transaction.updateTable('cap').set({ subject: to }).where('id', '=', id).execute();
  }
  if (keys.length + caps.length > 0) await tellOf(transaction, organization);
}

async function tellOf(transaction: Transaction<Schema>, organization: OrganizationId): Promise<void> {
  await stampOrganization(transaction, organization, await revisionOf(transaction));
}

/** The number of the change that this is inside of: a change has taken it before it does anything else. */
export async function revisionOf(transaction: Transaction<Schema>): Promise<bigint> {
  const { value } = await transaction.selectFrom('revision').select('value').executeTakeFirstOrThrow();
  return BigInt(value);
}

async function toldOfKey(
  context: StoreContext, transaction: Transaction<Schema>, { action, organization, id, detail }: {
    readonly action: 'revokeKey' | 'setKey'; readonly organization: OrganizationId; readonly id: string;
    readonly detail: Readonly<Record<string, unknown>>;
  },
): Promise<void> {
  await recordAudit(context, transaction, {
    intent: { actor: { kind: 'system', id: null, name: null }, detail }, change: { action, organization, subject: id },
  });
}
