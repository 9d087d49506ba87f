/**
 * Who disabled a service key, where a person did, and what changes of memberships left to be done in the other cells. Decisions 299 and 300.
 * The audit trail kept who disabled the keys that are disabled now.
 */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const whoseDisabling: Migration = async (transaction, engine) => {
  const [text, whole] = engine === 'sqlite' ? [sql`text`, sql`integer`] : [sql`text collate "C"`, sql`bigint`];
  await transaction.schema.alterTable('service_key').addColumn('disabled_by', text).execute();
  await transaction.schema.alterTable('service_key').addColumn('disabled_by_at_ms', whole).execute();
  // Whoever disabled it since it was enabled last, if that was one person alone: who says again what another did has not done it.
  // A change without its words in the trail is of an erased organization, whose keys are gone.
  await sql`update service_key set disabled_by_at_ms = disabled_at_ms, disabled_by = (
    select case when min(said.who) = max(said.who) then nullif(min(said.who), '') end from (
      select case when audit_event.actor_kind = 'person' then audit_event.actor_id else '' end as who, audit_event.sequence, audit_event.detail,
        max(case when audit_event.detail like '%"disabled":false%' then audit_event.sequence end) over () as enabled
      from audit_event where audit_event.organization = service_key.organization and audit_event.subject = service_key.id
        and audit_event.action = 'setKey'
    ) as said where said.detail like '%"disabled":true%' and said.sequence > coalesce(said.enabled, 0)
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
