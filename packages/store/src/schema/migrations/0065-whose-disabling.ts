/**
 * Who disabled a service key, where a person did, and what changes of memberships left to be done in the other cells. Decisions 299 and 300.
 * The audit trail kept who disabled the keys that are disabled now.
 */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const whoseDisabling: Migration = async (transaction, engine) => {
  const [text, whole] = engine === 'sqlite' ? [sql`text`, sql`integer`] : [sql`text collate "C"`, sql`bigint`];
  await transaction.schema.alterTable('service_key').addColumn('disabled_by', text).execute();
  // A change without its words in the trail is of an erased organization, whose keys are gone.
  await sql`update service_key set disabled_by = (
    select case when audit_event.actor_kind = 'person' then audit_event.actor_id end from audit_event
    where audit_event.organization = service_key.organization and audit_event.subject = service_key.id and audit_event.action = 'setKey'
      and audit_event.detail like '%"disabled":true%'
    order by audit_event.sequence desc limit 1
  ) where disabled_at_ms is not null`.execute(transaction);
  let table = transaction.schema.createTable('guest_change')
    .addColumn('made', whole, (column) => column.notNull())
    .addColumn('organization', text, (column) => column.notNull())
    .addColumn('person', text, (column) => column.notNull())
    .addColumn('change', text, (column) => column.notNull())
    .addColumn('becomes', text)
    .addPrimaryKeyConstraint('guest_change_by_place', ['made', 'organization', 'person']);
  if (engine === 'sqlite') table = table.modifyEnd(sql`strict`);
  await table.execute();
};
