/** The session that a caller's agent names, and an index of the calls that have one. PostgreSQL's index is a late one (`late-indexes.ts`). */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const sessions: Migration = async (transaction, engine) => {
  const text = engine === 'sqlite' ? sql`text` : sql`text collate "C"`;
  await transaction.schema.alterTable('call_record').addColumn('session', text).execute();
  if (engine !== 'sqlite') return;
  await sql`create index call_record_by_session on call_record (organization, session, started_at_ms) where session is not null`.execute(transaction);
};
