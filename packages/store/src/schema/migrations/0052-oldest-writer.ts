/**
 * The store states the oldest version whose batches it takes (decision 0104). Whoever ships a batch or takes a lease on work names its own
 * version in the row that it inserts first. Older versions name none, and are told no by PostgreSQL, since their code cannot know.
 * A node that says which it is can be named to an operator.
 * On SQLite only one version runs at a time: a start holds the file's lock.
 */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const oldestWriterStated: Migration = async (transaction, engine) => {
  const whole = engine === 'sqlite' ? 'integer' : 'bigint';
  const run = (statement: string) => sql.raw(statement).execute(transaction);
  await run(`alter table metergate_schema add column oldest_writer ${whole} not null default 0`);
  for (const table of ['journal_segment', 'work_lease', 'gateway_node']) await run(`alter table ${table} add column writer ${whole}`);
  if (engine === 'sqlite') return;
  await run(`create function refuse_older_writers() returns trigger language plpgsql as $body$ begin
    if new.writer is null or new.writer < (select oldest_writer from metergate_schema) then
      raise exception using errcode = 'TOOLD', message = 'the store was upgraded and takes nothing from this version';
    end if;
    return new;
  end $body$`);
  for (const table of ['journal_segment', 'work_lease']) {
    await run(`create trigger of_older_writers before insert on ${table} for each row execute function refuse_older_writers()`);
  }
};
