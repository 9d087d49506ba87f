/**
 * On PostgreSQL, listeners are notified when a transaction that changed settings or runs commits (rules: Snapshots). SQLite has
 * no such thing: its one server looks for itself.
 */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const changeNotices: Migration = async (transaction, engine) => {
  if (engine === 'sqlite') return;
  await sql`create function metergate_tell_change() returns trigger language plpgsql as
    $$ begin perform pg_notify('metergate_changes', tg_table_name); return null; end $$`.execute(transaction);
  for (const table of ['revision', 'run_feed']) {
    await sql`create trigger metergate_changed after update on ${sql.table(table)}
      for each statement execute function metergate_tell_change()`.execute(transaction);
  }
};
