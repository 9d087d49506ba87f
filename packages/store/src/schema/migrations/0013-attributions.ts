/**
 * Reports by two dimensions, filters, and lists of calls by key, project, model, outcome and usage, fast at ten million calls.
 *
 * An `attribution` is what calls have in common: key, project, model, wire and endpoint. Records refer to it by number, so that one
 * narrow index finds the calls of any of the five, alone or together. `attribution_sum` adds up each attribution's calls by day and
 * by month, `word_sum` those of each label and run by day; `usage_sum` gains the dimensions wire and endpoint and the figures that
 * reports now have. All are made again from the records, by SQL of this file only. Rare outcomes and usage have narrow indexes.
 */
import { sql, type Transaction } from 'kysely';
import type { Schema } from '../schema.ts';
import type { Migration } from './migration.ts';
import { saturatedSum } from './saturated-sum.ts';

type EngineKind = 'sqlite' | 'postgres';
const day = 'started_at_ms - started_at_ms % 86400000';
const counts = ['calls', 'saved_calls', 'unknown_calls', 'unpriced_calls', 'gap_calls'] as const;
const sums = ['input_tokens', 'cached_tokens', 'cache_write_tokens', 'output_tokens', 'reasoning_tokens', 'cost_nano', 'cache_savings_nano'] as const;

export const attributions: Migration = async (transaction, engine) => {
  const whole = engine === 'sqlite' ? sql`integer` : sql`bigint`;
  await transaction.schema.alterTable('call_record').addColumn('cache_savings_nano', whole).execute();
  await transaction.schema.alterTable('call_record').addColumn('attribution', whole, (column) => column.notNull().defaultTo(0)).execute();
  for (const name of ['cached_tokens', 'cache_write_tokens', 'reasoning_tokens', 'cache_savings_nano', 'saved_calls']) {
    await transaction.schema.alterTable('usage_sum').addColumn(name, whole, (column) => column.notNull().defaultTo(0)).execute();
  }
  const id = engine === 'sqlite' ? 'id integer primary key' : 'id bigint generated always as identity primary key';
  const word = engine === 'sqlite' ? 'text' : 'text collate "C"';
  const number = engine === 'sqlite' ? 'integer' : 'bigint';
  const figures = [...counts, ...sums].map((name) => `${name} ${number} not null`).join(', ');
  const end = engine === 'sqlite' ? 'strict, without rowid' : '';
  for (const statement of [
    `create table attribution (${id}, organization ${word} not null, key ${word} not null, project ${word} not null, model ${word} not null,
      wire ${word} not null, endpoint ${word} not null) ${engine === 'sqlite' ? 'strict' : ''}`,
    'create unique index attribution_by_content on attribution (organization, key, project, model, wire, endpoint)',
    `create table attribution_sum (attribution ${number} not null, span ${word} not null, start_ms ${number} not null, ${figures},
      primary key (attribution, span, start_ms)) ${end}`,
    `create table word_sum (organization ${word} not null, dimension ${word} not null, subject ${word} not null, day_ms ${number} not null,
      attribution ${number} not null, ${figures}, primary key (organization, dimension, subject, day_ms, attribution)) ${end}`,
    `insert into attribution (organization, key, project, model, wire, endpoint)
      select distinct organization, key, ${name('project')}, ${name('model')}, wire, endpoint from call_record`,
    `update call_record as r set attribution = (select id from attribution as a where a.organization = r.organization and a.key = r.key
      and a.project = ${name('r.project')} and a.model = ${name('r.model')} and a.wire = r.wire and a.endpoint = r.endpoint)`,
    ...indexes(engine),
  ]) await sql.raw(statement).execute(transaction);
  await sumKeptCalls(transaction, engine);
};

const name = (column: string): string => `substr(coalesce(${column}, ''), 1, 512)`;

/** SQLite ends every index entry with the row's key, which `sequence` is; PostgreSQL must be told. */
function indexes(engine: EngineKind): string[] {
  const order = engine === 'sqlite' ? 'started_at_ms' : 'started_at_ms, sequence';
  return [
    `create index call_record_by_attribution on call_record (attribution, ${order})`,
    `create index call_record_by_outcome on call_record (organization, outcome, ${order}) where outcome <> 'completed'`,
    `create index call_record_by_usage on call_record (organization, usage, ${order}) where usage <> 'reported'`,
  ];
}

async function sumKeptCalls(transaction: Transaction<Schema>, engine: EngineKind): Promise<void> {
  const columns = [...counts, ...sums].join(', ');
  const figures = [
    'count(*)', 'count(cache_savings_nano)', `sum(case when usage in ('unknown', 'partial') then 1 else 0 end)`,
    `sum(case when cost_source = 'unpriced' then 1 else 0 end)`, `count(cost_gaps)`, ...sums.map((name) => saturatedSum(engine, name)),
  ].join(', ');
  // A call counts once under each of its labels, and under none where it has none.
  const labelled = engine === 'sqlite'
    ? `(select distinct r.*, coalesce(l.value, '') as label from call_record as r left join json_each(r.labels) as l) as r`
    : `(select r.*, l.label from call_record as r cross join lateral
        (select distinct label from json_array_elements_text(cast(coalesce(nullif(r.labels, '[]'), '[""]') as json)) as each (label)) as l) as r`;
  const month = engine === 'sqlite'
    ? `cast(strftime('%s', started_at_ms / 1000, 'unixepoch', 'start of month') as integer) * 1000`
    : `cast(extract(epoch from date_trunc('month', to_timestamp(started_at_ms / 1000), 'UTC')) as bigint) * 1000`;
  const named: readonly (readonly [dimension: string, subject: string, rows: string])[] = [
    ['day', `''`, 'call_record'], ...['model', 'key', 'project', 'run', 'wire', 'endpoint'].map((each) => [each, name(each), 'call_record'] as const),
    ['label', name('label'), labelled],
  ];
  const statements = [
    'delete from usage_sum',
    ...named.map(([dimension, subject, rows]) => `insert into usage_sum (organization, dimension, day_ms, subject, ${columns})
      select organization, '${dimension}', ${day}, ${subject}, ${figures} from ${rows} group by 1, 2, 3, 4`),
    ...([['day', day], ['month', month]] as const).map(([span, start]) => `insert into attribution_sum (attribution, span, start_ms, ${columns})
      select attribution, '${span}', ${start}, ${figures} from call_record group by 1, 2, 3`),
    ...([['label', labelled, 'true'], ['run', 'call_record', `run <> ''`]] as const).map(([dimension, rows, those]) => `insert into word_sum
      (organization, dimension, subject, day_ms, attribution, ${columns})
      select organization, '${dimension}', ${name(dimension)}, ${day}, attribution, ${figures} from ${rows} where ${those} group by 1, 2, 3, 4, 5`),
  ];
  for (const statement of statements) await sql.raw(statement).execute(transaction);
}
