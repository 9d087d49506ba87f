/** How a call was carried, and of a response on a WebSocket connection the id of the handshake's record. Calls kept before came over HTTP. */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const transports: Migration = async (transaction, engine) => {
  const text = engine === 'sqlite' ? sql`text` : sql`text collate "C"`;
  for (const name of ['transport', 'connection']) await transaction.schema.alterTable('call_record').addColumn(name, text).execute();
};
