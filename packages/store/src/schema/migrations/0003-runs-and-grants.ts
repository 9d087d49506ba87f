/**
 * Runs, what they take of their organization's exposure, the feed of their changes, and the keys that sign run-budget grants.
 *
 * `run` keeps every run for good: an id that has ended is never used again. The indexes for sweeping hold live runs only, so
 * they stay small. No reference to the organization: a run outlives it, as its records do.
 * `run_exposure` is the one row that creating, spending, tightening and ending runs of an organization take turns on. What is
 * taken is kept as decimal text: budgets may each be as large as 64 bits hold, and their sum larger.
 */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const runsAndGrants: Migration = async (transaction, engine) => {
  const { text, whole, bytes } = engine === 'sqlite'
    ? { text: sql`text`, whole: sql`integer`, bytes: sql`blob` }
    : { text: sql`text collate "C"`, whole: sql`bigint`, bytes: sql`bytea` };
  const table = (name: string) => {
    const builder = transaction.schema.createTable(name);
    return engine === 'sqlite' ? builder.modifyEnd(sql`strict`) : builder;
  };

  await table('run_feed')
    .addColumn('only', whole, (column) => column.primaryKey().check(sql`${sql.ref('only')} = 1`))
    .addColumn('value', whole, (column) => column.notNull()).execute();
  await transaction.insertInto('run_feed').values({ only: 1, value: 0 }).execute();

  await table('run_exposure')
    .addColumn('organization', text, (column) => column.primaryKey().notNull())
    .addColumn('taken_nano', text, (column) => column.notNull()).execute();

  await table('run')
    .addColumn('organization', text, (column) => column.notNull())
    .addColumn('id', text, (column) => column.notNull())
    .addColumn('state', text, (column) => column.notNull())
    .addColumn('declared_nano', whole)
    .addColumn('effective_nano', whole)
    .addColumn('clamp_reason', text)
    .addColumn('spent_nano', whole, (column) => column.notNull())
    .addColumn('unknown_calls', whole, (column) => column.notNull())
    .addColumn('started_at_ms', whole, (column) => column.notNull())
    .addColumn('expires_at_ms', whole)
    .addColumn('ended_at_ms', whole)
    .addColumn('confirmed', whole, (column) => column.notNull())
    .addColumn('last_call_at_ms', whole, (column) => column.notNull())
    .addColumn('change', whole, (column) => column.notNull())
    .addPrimaryKeyConstraint('run_pk', ['organization', 'id']).execute();
  await sql`create index run_by_start on run (organization, started_at_ms, id)`.execute(transaction);
  await sql`create index run_by_change on run (change) where change > 0`.execute(transaction);
  await sql`create index run_unconfirmed on run (started_at_ms) where state = 'live' and confirmed = 0`.execute(transaction);
  await sql`create index run_expiring on run (expires_at_ms) where state = 'live' and expires_at_ms is not null`.execute(transaction);
  await sql`create index run_idle on run (last_call_at_ms) where state = 'live' and expires_at_ms is null`.execute(transaction);

  await table('grant_key')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('organization', text, (column) => column.notNull().unique().references('organization.id'))
    .addColumn('public_key', text, (column) => column.notNull())
    .addColumn('sealed', bytes, (column) => column.notNull())
    .addColumn('created_at_ms', whole, (column) => column.notNull()).execute();
};
