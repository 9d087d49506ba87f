/**
 * What the SQL of migrations writes in braces, because each engine has words of its own for it: types of columns, ends of tables, and a few
 * expressions. Migrations that were released are made of these, so they are never changed either.
 */

type EngineKind = 'sqlite' | 'postgres';

const words: Readonly<Record<EngineKind, Readonly<Record<string, string>>>> = {
  sqlite: {
    text: 'text', whole: 'integer', bytes: 'blob', real: 'real', identity: 'integer primary key', strict: 'strict',
    clustered: 'strict, without rowid', sequence: '',
    labelled: `(select distinct r.*, coalesce(l.value, '') as label from call_record as r left join json_each(r.labels) as l) as r`,
  },
  postgres: {
    text: 'text collate "C"', whole: 'bigint', bytes: 'bytea', real: 'double precision', identity: 'bigint generated always as identity primary key',
    strict: '', clustered: '', sequence: ', sequence',
    labelled: `(select r.*, l.label from call_record as r cross join lateral
      (select distinct label from json_array_elements_text(cast(coalesce(nullif(r.labels, '[]'), '[""]') as json)) as each (label)) as l) as r`,
  },
};

/** `{sum COLUMN}` of whole numbers from 0; null counts as nothing. It stops at the 64-bit bound, where the engine's own sum would fail. */
function saturatedSum(engine: EngineKind, column: string): string {
  const value = `coalesce(${column}, 0)`;
  if (engine === 'postgres') return `cast(least(sum(${value}), 9223372036854775807) as bigint)`;
  const [high, low] = [`sum(${value} / 1000000000)`, `sum(${value} % 1000000000)`];
  return `case when ${high} + ${low} / 1000000000 >= 9223372036 then 9223372036854775807 else ${high} * 1000000000 + ${low} end`;
}

/** `{start of month: COLUMN}` and `{start of year: COLUMN}`, in UTC, of milliseconds. */
function startOf(engine: EngineKind, unit: string, column: string): string {
  return engine === 'sqlite' ? `cast(strftime('%s', ${column} / 1000, 'unixepoch', 'start of ${unit}') as integer) * 1000`
    : `cast(extract(epoch from date_trunc('${unit}', to_timestamp(${column} / 1000), 'UTC')) as bigint) * 1000`;
}

/** The statement with its words for this engine. */
export function onEngine(engine: EngineKind, statement: string): string {
  return statement
    .replaceAll(/\{sum ([\w.]+)\}/g, (_, column: string) => saturatedSum(engine, column))
    .replaceAll(/\{start of (month|year): ([\w.]+)\}/g, (_, unit: string, column: string) => startOf(engine, unit, column))
    .replaceAll(/\{(\w+)\}/g, (_, word: string) => words[engine][word]!);
}
