/**
 * Service keys that belong to people. Such a key ends with its person's membership, whatever ended it: otherwise somebody who left would go on
 * spending. Decision 156.
 */
import type { OrganizationId, PersonId } from '@metergate/core/id.ts';
import type { Transaction } from 'kysely';
import { stampOrganization } from '../settings/organizations.ts';
import type { Schema } from '../schema/schema.ts';

/** Inside a change: the person's keys in these organizations are revoked, and nodes hear of it. Few people have any. */
export async function endKeysOf(
  transaction: Transaction<Schema>,
  { person, organizations, atMs }: { readonly person: PersonId; readonly organizations: readonly string[]; readonly atMs: number },
): Promise<void> {
  if (organizations.length === 0) return;
  const ended = await transaction.updateTable('service_key').set({ revoked_at_ms: atMs })
    .where('person', '=', person).where('organization', 'in', organizations).where('revoked_at_ms', 'is', null).returning('organization').execute();
  if (ended.length === 0) return;
  // A change has taken its number before it does anything else.
  const { value } = await transaction.selectFrom('revision').select('value').executeTakeFirstOrThrow();
  for (const organization of new Set(ended.map((each) => each.organization))) {
    await stampOrganization(transaction, organization as OrganizationId, BigInt(value));
  }
}

/** Inside a change: the keys of one person become those of another, who proved to be them. */
export async function moveKeys(
  transaction: Transaction<Schema>, { from, to }: { readonly from: PersonId; readonly to: PersonId },
): Promise<void> {
  await transaction.updateTable('service_key').set({ person: to }).where('person', '=', from).execute();
}
