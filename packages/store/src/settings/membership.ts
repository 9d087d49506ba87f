/** Whether somebody is a member, for settings that name people. */
import type { OrganizationId } from '@metergate/core/id.ts';
import type { Transaction } from 'kysely';
import { refuse, type StoreRefusal } from '../engine/refusal.ts';
import type { Schema } from '../schema/schema.ts';

/** Null: this is a member's id. Otherwise `unknown_member`. */
export async function memberRefusal(
  transaction: Transaction<Schema>, organization: OrganizationId, person: string,
): Promise<StoreRefusal | null> {
  const row = person.includes('\0') ? undefined : await transaction.selectFrom('membership').select('person')
    .where('organization', '=', organization).where('person', '=', person).executeTakeFirst();
  return row === undefined ? refuse('unknown_member', 'There is no such member.') : null;
}
