/**
 * The first schema: organizations and their secrets, service keys, call records, the marks of shipped journal segments.
 * One shape on both engines; SQLite tables are STRICT, so that a wrong type is an error there too.
 *
 * `call_record` is made for ten million rows. Its key is a dense sequence, so rows are appended at the right edge of the
 * table. "Newest first for an organization" and every time range are one walk along (organization, started_at_ms,
 * sequence). There is no unique index on the random id: exactly-once is the work of the segment's mark, in the same
 * transaction, and an index in random order costs a page written for each row (67,000 rows a second against 490,000
 * measured with a thousand rows a transaction), which every forwarded call would pay. Who looks records up by id adds
 * a lookup table that is filled in sorted slices off the path of calls.
 */
import { sql, type CreateTableBuilder, type Transaction } from 'kysely';
import type { Schema } from '../schema.ts';

type EngineKind = 'sqlite' | 'postgres';

export async function firstSchema(transaction: Transaction<Schema>, engine: EngineKind): Promise<void> {
  const types = engine === 'sqlite'
    ? { text: sql`text`, whole: sql`integer`, real: sql`real`, bytes: sql`blob` }
    // Bytes order and compare alike on every installation, as they do in SQLite.
    : { text: sql`text collate "C"`, whole: sql`bigint`, real: sql`double precision`, bytes: sql`bytea` };
  const table = (name: string) => {
    const builder = transaction.schema.createTable(name);
    return engine === 'sqlite' ? builder.modifyEnd(sql`strict`) : builder;
  };
  const singleRow = (name: string) =>
    table(name).addColumn('only', types.whole, (column) => column.primaryKey().check(sql`${sql.ref('only')} = 1`));
  const ownerColumn = <T extends string, C extends string>(builder: CreateTableBuilder<T, C>) =>
    builder.addColumn('organization', types.text, (column) => column.notNull().references('organization.id'));
  const { text, whole, bytes } = types;

  await singleRow('metergate_schema').addColumn('version', whole, (column) => column.notNull()).execute();
  await singleRow('store_identity')
    .addColumn('salt', bytes, (column) => column.notNull())
    .addColumn('fingerprint', text, (column) => column.notNull()).execute();
  await singleRow('revision').addColumn('value', whole, (column) => column.notNull()).execute();
  await transaction.insertInto('revision').values({ only: 1, value: 0 }).execute();

  await table('organization')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('name', text, (column) => column.notNull().unique())
    .addColumn('plan', text, (column) => column.notNull())
    .addColumn('drain_seconds', whole)
    .addColumn('fallback_input_nano', whole)
    .addColumn('fallback_output_nano', whole)
    .addColumn('created_at_ms', whole, (column) => column.notNull())
    .addColumn('revision', whole, (column) => column.notNull()).execute();
  await transaction.schema.createIndex('organization_by_revision').on('organization').column('revision').execute();

  await ownerColumn(table('organization_data_key'))
    .addColumn('wrapped', bytes, (column) => column.notNull())
    .addColumn('wrapped_by', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('organization_data_key_pk', ['organization']).execute();

  await ownerColumn(table('service_key').addColumn('id', text, (column) => column.primaryKey().notNull()))
    .addColumn('hash', text, (column) => column.notNull().unique())
    .addColumn('prefix', text, (column) => column.notNull())
    .addColumn('name', text)
    .addColumn('project', text)
    .addColumn('created_at_ms', whole, (column) => column.notNull())
    .addColumn('expires_at_ms', whole)
    .addColumn('revoked_at_ms', whole).execute();
  await transaction.schema.createIndex('service_key_by_organization').on('service_key')
    .columns(['organization', 'created_at_ms']).execute();

  await ownerColumn(table('provider_connection'))
    .addColumn('provider', text, (column) => column.notNull())
    .addColumn('sealed', bytes, (column) => column.notNull())
    .addColumn('version', whole, (column) => column.notNull())
    .addPrimaryKeyConstraint('provider_connection_pk', ['organization', 'provider']).execute();

  await ownerColumn(table('declared_upstream'))
    .addColumn('url', text, (column) => column.notNull())
    .addColumn('enabled', whole, (column) => column.notNull())
    .addColumn('sealed', bytes)
    .addColumn('version', whole, (column) => column.notNull())
    .addPrimaryKeyConstraint('declared_upstream_pk', ['organization']).execute();

  await singleRow('price_overlay')
    .addColumn('json', text, (column) => column.notNull())
    .addColumn('revision', whole, (column) => column.notNull()).execute();

  await table('journal_segment')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('mark', whole, (column) => column.notNull()).execute();

  await callRecords(transaction, engine, types);
}

/** No reference to the organization: a record must find its place even where its organization is gone. */
async function callRecords(
  transaction: Transaction<Schema>,
  engine: EngineKind,
  { text, whole, real }: Readonly<Record<'text' | 'whole' | 'real', ReturnType<typeof sql>>>,
): Promise<void> {
  const builder = transaction.schema.createTable('call_record');
  await (engine === 'sqlite' ? builder.modifyEnd(sql`strict`) : builder)
    .addColumn('sequence', whole, (column) => engine === 'sqlite' ? column.primaryKey() : column.primaryKey().generatedAlwaysAsIdentity())
    .addColumn('id', text, (column) => column.notNull())
    .addColumn('organization', text, (column) => column.notNull())
    .addColumn('key', text, (column) => column.notNull())
    .addColumn('project', text)
    .addColumn('labels', text)
    .addColumn('labels_dropped', whole, (column) => column.notNull())
    .addColumn('run', text)
    .addColumn('wire', text, (column) => column.notNull())
    .addColumn('endpoint', text, (column) => column.notNull())
    .addColumn('method', text, (column) => column.notNull())
    .addColumn('path', text, (column) => column.notNull())
    .addColumn('started_at_ms', whole, (column) => column.notNull())
    .addColumn('node', text, (column) => column.notNull())
    .addColumn('streamed', whole, (column) => column.notNull())
    .addColumn('status', whole)
    .addColumn('outcome', text, (column) => column.notNull())
    .addColumn('model', text)
    .addColumn('finish_reason', text)
    .addColumn('input_tokens', whole)
    .addColumn('output_tokens', whole)
    .addColumn('cached_tokens', whole)
    .addColumn('cache_write_tokens', whole)
    .addColumn('reasoning_tokens', whole)
    .addColumn('usage', text, (column) => column.notNull())
    .addColumn('usage_reason', text)
    .addColumn('cost_nano', whole)
    .addColumn('cost_source', text, (column) => column.notNull())
    .addColumn('price_list', text)
    .addColumn('provider_request_id', text)
    .addColumn('request_bytes', whole, (column) => column.notNull())
    .addColumn('response_bytes', whole, (column) => column.notNull())
    .addColumn('first_byte_ms', real)
    .addColumn('duration_ms', real).execute();
  // SQLite ends every index entry with the row's key, which `sequence` is; PostgreSQL must be told.
  const order = engine === 'sqlite' ? sql`started_at_ms` : sql`started_at_ms, sequence`;
  await sql`create index call_record_by_time on call_record (organization, ${order})`.execute(transaction);
  await sql`create index call_record_by_run on call_record (organization, run, ${order}) where run is not null`.execute(transaction);
}
