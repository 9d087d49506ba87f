/**
 * Service keys that belong to people. Such a key ends with its person's membership, whatever ended it: otherwise somebody who left would go on
 * spending. Decision 156.
 */
import type { OrganizationId, PersonId } from '@metergate/core/id.ts';
import type { Transaction } from 'kysely';
import { stampOrganization } from '../settings/organizations.ts';
import type { Schema } from '../schema/schema.ts';

/** Inside a change: the person's keys in these organizations are revoked, their caps there end, and nodes hear of it. Few people have any. */
export async function endKeysOf(
  transaction: Transaction<Schema>,
  { person, organizations, atMs }: { readonly person: PersonId; readonly organizations: readonly string[]; readonly atMs: number },
): Promise<void> {
  if (organizations.length === 0) return;
  const ended = await transaction.updateTable('service_key').set({ revoked_at_ms: atMs })
    .where('person', '=', person).where('organization', 'in', organizations).where('revoked_at_ms', 'is', null).returning('organization').execute();
  const caps = await transaction.deleteFrom('cap').where('scope', '=', 'person').where('subject', '=', person)
    .where('organization', 'in', organizations).returning('organization').execute();
  await tellOf(transaction, [...ended, ...caps]);
}

async function tellOf(transaction: Transaction<Schema>, changed: readonly { readonly organization: string }[]): Promise<void> {
  if (changed.length === 0) return;
  // A change has taken its number before it does anything else.
  const { value } = await transaction.selectFrom('revision').select('value').executeTakeFirstOrThrow();
  for (const organization of new Set(changed.map((each) => each.organization))) {
    await stampOrganization(transaction, organization as OrganizationId, BigInt(value));
  }
}

/** Inside a change: the keys of one person become those of another, who proved to be them; so do caps of windows in which the other has none. */
export async function moveKeys(
  transaction: Transaction<Schema>, { from, to }: { readonly from: PersonId; readonly to: PersonId },
): Promise<void> {
  const keys = await transaction.updateTable('service_key').set({ person: to }).where('person', '=', from).returning('organization').execute();
  const there = await transaction.selectFrom('cap').select(['organization', 'window'])
    .where('scope', '=', 'person').where('subject', '=', to).execute();
  const caps = await transaction.selectFrom('cap').select(['id', 'organization', 'window'])
    .where('scope', '=', 'person').where('subject', '=', from).execute();
  for (const { id, organization, window } of caps) {
    const has = there.some((other) => other.organization === organization && other.window === window);
    if (has) await transaction.deleteFrom('cap').where('id', '=', id).execute();
    else await transaction.updateTable('cap').set({ subject: to }).where('id', '=', id).execute();
  }
  await tellOf(transaction, [...keys, ...caps]);
}
