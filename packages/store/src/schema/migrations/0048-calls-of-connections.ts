/** An index of the responses of WebSocket connections. PostgreSQL's is a late one (`late-indexes.ts`). */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const callsOfConnections: Migration = async (transaction, engine) => {
  if (engine !== 'sqlite') return;
  await sql`create index call_record_by_connection on call_record (organization, connection, started_at_ms) where connection is not null`
    .execute(transaction);
};
