/**
 * The Baseline, its tap key, tap events, and the sums that its report is read from.
 *
 * `baseline.number` stands for it in the tables that grow: a short key, since every event carries it. The tap key is here as
 * its SHA-256 (null once erased), its first characters, and sealed until it is read. One Baseline of an organization is current.
 * `tap_event` keeps every event once: the unique key is what makes a repeated `request_id` nothing, also at the same instant
 * from two connections. The sums are written in the transaction that stores the events, so they always equal them.
 */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const tapAndBaseline: Migration = async (transaction, engine) => {
  const { text, whole, bytes } = engine === 'sqlite'
    ? { text: sql`text`, whole: sql`integer`, bytes: sql`blob` }
    : { text: sql`text collate "C"`, whole: sql`bigint`, bytes: sql`bytea` };
  const table = (name: string) => {
    const builder = transaction.schema.createTable(name);
    return engine === 'sqlite' ? builder.modifyEnd(sql`strict`) : builder;
  };
  // Rows lie in the order of their key: a report reads its Baseline's from one end to the other.
  const keyedTable = (name: string) => {
    const builder = transaction.schema.createTable(name);
    return engine === 'sqlite' ? builder.modifyEnd(sql`strict, without rowid`) : builder;
  };

  await table('baseline')
    .addColumn('number', whole, (column) => engine === 'sqlite' ? column.primaryKey() : column.primaryKey().generatedAlwaysAsIdentity())
    .addColumn('id', text, (column) => column.notNull().unique())
    .addColumn('organization', text, (column) => column.notNull().references('organization.id'))
    .addColumn('key_hash', text, (column) => column.unique())
    .addColumn('key_prefix', text, (column) => column.notNull())
    .addColumn('key_version', whole, (column) => column.notNull())
    .addColumn('sealed', bytes)
    .addColumn('created_at_ms', whole, (column) => column.notNull())
    .addColumn('first_day_ms', whole)
    .addColumn('retired_at_ms', whole)
    .addColumn('replaced_at_ms', whole)
    .addColumn('erased_at_ms', whole).execute();
  await sql`create unique index baseline_current on baseline (organization) where replaced_at_ms is null`.execute(transaction);

  const event = table('tap_event').addColumn('baseline', whole, (column) => column.notNull())
    .addColumn('request_id', text, (column) => column.notNull())
    .addColumn('at_ms', whole, (column) => column.notNull())
    .addColumn('provider', text, (column) => column.notNull())
    .addColumn('model', text, (column) => column.notNull())
    .addColumn('tag', text, (column) => column.notNull())
    .addColumn('input_tokens', whole, (column) => column.notNull())
    .addColumn('output_tokens', whole, (column) => column.notNull())
    .addColumn('cached_tokens', whole, (column) => column.notNull())
    .addColumn('stop_reason', text, (column) => column.notNull())
    .addColumn('tool_calls', whole, (column) => column.notNull())
    .addColumn('status', whole, (column) => column.notNull())
    .addColumn('retries', whole, (column) => column.notNull())
    .addColumn('latency_ms', whole, (column) => column.notNull())
    .addColumn('requests_limit', whole)
    .addColumn('requests_remaining', whole)
    .addColumn('tokens_limit', whole)
    .addColumn('tokens_remaining', whole);
  await event.execute();
  await transaction.schema.createIndex('tap_event_once').on('tap_event').columns(['baseline', 'request_id']).unique().execute();

  let cells = keyedTable('tap_cell').addColumn('baseline', whole, (column) => column.notNull())
    .addColumn('day_ms', whole, (column) => column.notNull())
    .addColumn('provider', text, (column) => column.notNull())
    .addColumn('model', text, (column) => column.notNull())
    .addColumn('tag', text, (column) => column.notNull())
    .addColumn('band', whole, (column) => column.notNull());
  for (const name of firstFigures) cells = cells.addColumn(name, whole, (column) => column.notNull());
  await cells.addPrimaryKeyConstraint('tap_cell_pk', ['baseline', 'day_ms', 'provider', 'model', 'tag', 'band']).execute();

  await keyedTable('tap_latency').addColumn('baseline', whole, (column) => column.notNull())
    .addColumn('part', text, (column) => column.notNull())
    .addColumn('counts', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('tap_latency_pk', ['baseline', 'part']).execute();

  await keyedTable('tap_headroom').addColumn('baseline', whole, (column) => column.notNull())
    .addColumn('provider', text, (column) => column.notNull())
    .addColumn('model', text, (column) => column.notNull())
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('most', whole, (column) => column.notNull())
    .addColumn('remaining', whole, (column) => column.notNull())
    .addColumn('at_ms', whole, (column) => column.notNull())
    .addPrimaryKeyConstraint('tap_headroom_pk', ['baseline', 'provider', 'model', 'kind']).execute();

  await table('declared_figure').addColumn('baseline', whole, (column) => column.notNull())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('amount_nano', whole, (column) => column.notNull())
    .addColumn('at_ms', whole, (column) => column.notNull())
    .addPrimaryKeyConstraint('declared_figure_pk', ['baseline', 'name']).execute();
};

/** What is summed as of this migration; what comes later is a migration of its own. */
const firstFigures = [
  'calls', 'input_tokens', 'output_tokens', 'cached_tokens', 'fresh_tokens', 'tool_calls', 'retries',
  'failures', 'rate_limited', 'server_errors', 'no_response',
  'stop_stop', 'stop_length', 'stop_tool_calls', 'stop_content_filter', 'stop_error', 'stop_other',
] as const;
