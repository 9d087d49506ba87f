/** Lists are read a page at a time: an index in the order of each list, whose rows a page takes without looking at the others. */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const listOrder: Migration = async (transaction) => {
  await sql`drop index service_key_by_organization`.execute(transaction);
  await sql`create index service_key_in_order on service_key (organization, created_at_ms, id)`.execute(transaction);
  await sql`create index membership_in_order on membership (organization, created_at_ms, person)`.execute(transaction);
  await sql`create index cap_in_order on cap (organization, made, id)`.execute(transaction);
};
