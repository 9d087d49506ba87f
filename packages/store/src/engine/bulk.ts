/**
 * Many rows in a few statements of fixed text, inside the caller's transaction, so that no engine parses a new statement for each size of
 * batch. SQLite: tuples of 64, 8 and 1 (40 columns of them stay far below its bound of 32,766 values). PostgreSQL: one array for each column,
 * 1,000 rows at most, which bounds the size of its message.
 */
import { CompiledQuery, sql, type RawBuilder, type Transaction } from 'kysely';
import type { Engine } from './engine.ts';
import type { Send } from './send.ts';
import type { Schema } from '../schema/schema.ts';

/** How a column travels: text, a whole number of 64 bits, a number with a fraction, bytes. */
type ColumnKind = 'text' | 'whole' | 'real' | 'bytes';

export interface BulkColumn<Row> {
  readonly name: string;
  readonly kind: ColumnKind;
  readonly value: (row: Row) => string | number | bigint | Uint8Array | null;
}

/** An insert: where to, which columns, and what comes after the rows (`on conflict … do nothing`, `returning …`). */
export interface BulkInsert<Row> {
  readonly table: string;
  readonly columns: readonly BulkColumn<Row>[];
  readonly after?: string;
  /** What becomes of a row that is there. No two of the rows may have one key. */
  readonly adds?: Adding;
  /** The values of all columns at once, in their order, if that is quicker. */
  readonly values?: (row: Row) => unknown[];
  /** What rows that follow each other have in common, the most first. */
  readonly repeating?: readonly Repeating<Row>[];
}

/** They mostly agree in so many of the first columns; whether two of them do. */
interface Repeating<Row> {
  readonly columns: number;
  readonly areLike: (one: Row, other: Row) => boolean;
}

/** A row with this key is there: it is changed so, with the new row as `excluded`. Names of columns with commas between, and SQL. */
export interface Adding {
  readonly key: string;
  readonly set: string;
}

const sqliteTuples = [64, 8, 1] as const;
/** Rows of a statement that agree in some columns. */
const sqliteRuns = [50, 10] as const;
/** Rows of one statement. */
export const postgresRowsMax = 1_000;
const arrayTypes = { text: 'text[]', whole: 'bigint[]', real: 'double precision[]', bytes: 'bytea[]' } as const;

/** In their order. What `returning` gives comes back together. */
export async function insertRows<Row, Returned = never>(
  engine: Engine['kind'], transaction: Transaction<Schema>, insert: BulkInsert<Row>, rows: readonly Row[],
): Promise<Returned[]> {
  const returned: Returned[] = [];
  for (const query of queriesFor(engine, insert, rows)) {
    for (const row of (await transaction.executeQuery<Returned>(query)).rows) returned.push(row);
  }
  return returned;
}

/**
 * The same, sent ahead; what is returned is not looked at. On SQLite one by one: a statement of many tuples runs a subroutine for each and
 * keeps, in a separate file, what it changed of pages in case it fails half-way. For records that takes half as much again. But where rows
 * agree in many columns, giving it each of those once for several rows saves more.
 */
export function sendRows<Row>(engine: Engine['kind'], send: Send, insert: BulkInsert<Row>, rows: readonly Row[]): void {
  if (engine === 'sqlite') {
    if (insert.repeating !== undefined) return sendRuns(send, insert, insert.repeating, rows);
    const text = tuplesText(insert as BulkInsert<never>, 1);
    const { columns, values = (row: Row): unknown[] => columns.map(({ value }) => value(row)) } = insert;
    for (const row of rows) void send(text, values(row));
    return;
  }
  for (const { sql, parameters } of queriesFor(engine, insert, rows)) void send(sql, parameters);
}

/** On SQLite: rows that follow each other and agree in the first columns, so many of them at once as a statement takes. */
function sendRuns<Row>(send: Send, insert: BulkInsert<Row>, repeating: readonly Repeating<Row>[], rows: readonly Row[]): void {
  for (let from = 0; from < rows.length;) {
    const { columns, count } = nextRun(repeating, rows, from);
    const own = insert.columns.slice(columns);
    const values: unknown[] = insert.columns.slice(0, columns).map(({ value }) => value(rows[from]!));
    for (const end = from + count; from < end; from += 1) for (const { value } of own) values.push(value(rows[from]!));
    void send(runText(insert as BulkInsert<never>, columns, count), values);
  }
}

/** How many rows go together from this one on, and how many columns they share. */
function nextRun<Row>(
  repeating: readonly Repeating<Row>[], rows: readonly Row[], from: number,
): { readonly columns: number; readonly count: number } {
  for (const { columns, areLike } of repeating) {
    const end = Math.min(rows.length, from + sqliteRuns[0]);
    let to = from + 1;
    while (to < end && areLike(rows[from]!, rows[to]!)) to += 1;
    const count = sqliteRuns.find((size) => size <= to - from);
    if (count !== undefined) return { columns, count };
  }
  return { columns: 0, count: 1 };
}

function* queriesFor<Row>(engine: Engine['kind'], insert: BulkInsert<Row>, rows: readonly Row[]): Generator<CompiledQuery> {
  for (let done = 0; done < rows.length;) {
    const left = rows.length - done;
    const size = engine === 'postgres' ? Math.min(left, postgresRowsMax) : (sqliteTuples.find((tuple) => tuple <= left) ?? 1);
    const slice = size === rows.length ? rows : rows.slice(done, done + size);
    yield engine === 'postgres' ? byArrays(insert, slice) : byTuples(insert, slice);
    done += size;
  }
}

/** PostgreSQL: rows that are given as one array for each column, as a table `v` with these columns, from the parameter `$1` on. */
export function arraysTable(columns: readonly Pick<BulkColumn<never>, 'name' | 'kind'>[]): string {
  return `unnest(${arraysOf(columns)}) as v (${namesOf(columns)})`;
}

/** The parameters of `arraysTable`. */
export function arraysFrom<Row>(columns: readonly BulkColumn<Row>[], rows: readonly Row[]): readonly (readonly unknown[])[] {
  return columns.map(({ value }) => rows.map(value));
}

/** `"a", "b"`. */
export function namesOf(columns: readonly Pick<BulkColumn<never>, 'name'>[]): string {
  return columns.map(({ name }) => `"${name}"`).join(', ');
}

function arraysOf(columns: readonly Pick<BulkColumn<never>, 'kind'>[]): string {
  return columns.map(({ kind }, index) => `$${index + 1}::${arrayTypes[kind]}`).join(', ');
}

function head({ table, columns }: BulkInsert<never>): string {
  return `insert into ${table} (${namesOf(columns)})`;
}

function tail({ after = '', adds }: BulkInsert<never>): string {
  return adds === undefined ? after : `on conflict (${adds.key}) do update set ${adds.set} ${after}`;
}

const tupleTexts = new WeakMap<BulkInsert<never>, Map<number, string>>();
const arrayTexts = new WeakMap<BulkInsert<never>, string>();

/** The text for this many tuples, made once. */
function tuplesText(insert: BulkInsert<never>, count: number): string {
  const known = tupleTexts.get(insert) ?? new Map<number, string>();
  tupleTexts.set(insert, known);
  let text = known.get(count);
  if (text === undefined) {
    const tuple = `(${insert.columns.map(() => '?').join(', ')})`;
    text = `${head(insert)} values ${Array.from({ length: count }, () => tuple).join(', ')} ${tail(insert)}`;
    known.set(count, text);
  }
  return text;
}

const runTexts = new WeakMap<BulkInsert<never>, Map<string, string>>();

/**
 * The text for this many rows that share the first columns. Where it fails, SQLite rolls the whole transaction back, as its owner would do: so it
 * need not keep what it changed of pages.
 */
function runText(insert: BulkInsert<never>, repeating: number, count: number): string {
  if (count === 1) return tuplesText(insert, 1);
  const known = runTexts.get(insert) ?? new Map<string, string>();
  runTexts.set(insert, known);
  const form = `${repeating} ${count}`;
  let text = known.get(form);
  if (text === undefined) {
    const own = insert.columns.slice(repeating);
    const tuple = `(${own.map(() => '?').join(', ')})`;
    const given = [...insert.columns.slice(0, repeating).map(() => '?'), ...own.map((_column, at) => `v.column${at + 1}`)];
    text = `${head(insert).replace('insert', 'insert or rollback')} select ${given.join(', ')}
      from (values ${Array.from({ length: count }, () => tuple).join(', ')}) as v ${tail(insert)}`;
    known.set(form, text);
  }
  return text;
}

function byTuples<Row>(insert: BulkInsert<Row>, rows: readonly Row[]): CompiledQuery {
  const values: unknown[] = [];
  for (const row of rows) for (const { value } of insert.columns) values.push(value(row));
  return CompiledQuery.raw(tuplesText(insert as BulkInsert<never>, rows.length), values);
}

function byArrays<Row>(insert: BulkInsert<Row>, rows: readonly Row[]): CompiledQuery {
  return CompiledQuery.raw(arraysStatement(insert), arraysFrom(insert.columns, rows) as unknown[]);
}

/** PostgreSQL: the statement of an insert, which takes one array for each column, made once. */
export function arraysStatement<Row>(insert: BulkInsert<Row>): string {
  const known = insert as BulkInsert<never>;
  let text = arrayTexts.get(known);
  if (text === undefined) {
    const rows = `unnest(${arraysOf(known.columns)})`;
    text = known.adds === undefined ? `${head(known)} select * from ${rows} ${tail(known)}` : addingStatement(known, known.adds, rows);
    arrayTexts.set(known, text);
  }
  return text;
}

/**
 * Rows that are there are changed first, and only others inserted: nearly all are there, and an insert that finds one writes its lock to the server's
 * log before the change, a fifth of all that a batch of records writes there.
 */
function addingStatement(insert: BulkInsert<never>, { key, set }: Adding, rows: string): string {
  const { table, columns } = insert;
  const keys = key.split(', ');
  return `with given (${namesOf(columns)}) as materialized (select * from ${rows}),
    changed as (update ${table} set ${set} from given as excluded where ${keys.map((name) => `${table}.${name} = excluded.${name}`).join(' and ')}
      returning ${keys.map((name) => `excluded.${name}`).join(', ')})
    ${head(insert)} select * from given
    where not exists (select 1 from changed where ${keys.map((name) => `changed.${name} = given.${name}`).join(' and ')}) ${tail(insert)}`;
}

/** Rows by their key, each with values of its own. */
interface BulkUpdate<Row> {
  readonly table: string;
  readonly key: readonly BulkColumn<Row>[];
  readonly set: readonly BulkColumn<Row>[];
}

/** Changes the rows that are there, sent ahead. On SQLite one by one. */
export function updateRows<Row>(engine: Engine['kind'], send: Send, { table, key, set }: BulkUpdate<Row>, rows: readonly Row[]): void {
  if (engine === 'sqlite') {
    const given = (columns: readonly BulkColumn<Row>[]): string[] => columns.map(({ name }) => `"${name}" = ?`);
    const text = `update ${table} set ${given(set).join(', ')} where ${given(key).join(' and ')}`;
    for (const row of rows) void send(text, [...set, ...key].map(({ value }) => value(row)));
    return;
  }
  const columns = [...key, ...set];
  const text = `update ${table} set ${set.map(({ name }) => `"${name}" = v."${name}"`).join(', ')} from ${arraysTable(columns)}
    where ${key.map(({ name }) => `${table}."${name}" = v."${name}"`).join(' and ')}`;
  for (let done = 0; done < rows.length; done += postgresRowsMax) void send(text, arraysFrom(columns, rows.slice(done, done + postgresRowsMax)));
}

/** PostgreSQL: an array of a column's values as text, which the driver sends as it is. */
export function arrayText(kind: Exclude<ColumnKind, 'bytes'>, values: readonly (string | number | bigint | null)[]): string {
  let text = '{';
  for (const value of values) {
    if (text.length > 1) text += ',';
    if (value === null) text += 'NULL';
    else if (kind === 'text') text += quoted(String(value));
    else text += String(value);
  }
  return `${text}}`;
}

function quoted(value: string): string {
  return /["\\]/.test(value) ? `"${value.replace(/["\\]/g, '\\$&')}"` : `"${value}"`;
}

/** Names rows by their key. */
export interface BulkDelete<Row> {
  readonly table: string;
  readonly key: readonly BulkColumn<Row>[];
  /** Only those of which this holds, SQL over the table's columns. */
  readonly only?: string;
}

/** Deletes the rows with these keys; gives back the keys of those that it deleted. */
export async function deleteRows<Row, Key = Readonly<Record<string, string | bigint>>>(
  engine: Engine['kind'], transaction: Transaction<Schema>, { table, key, only = 'true' }: BulkDelete<Row>, rows: readonly Row[],
): Promise<Key[]> {
  const deleted: Key[] = [];
  const after = `and ${only} returning ${key.map(({ name }) => `${table}."${name}"`).join(', ')}`;
  for (let done = 0; done < rows.length;) {
    const left = rows.length - done;
    const size = engine === 'postgres' ? Math.min(left, postgresRowsMax) : (sqliteTuples.find((tuple) => tuple <= left) ?? 1);
    const slice = rows.slice(done, done + size);
    if (engine === 'postgres') {
      const equal = key.map(({ name }) => `${table}."${name}" = v."${name}"`).join(' and ');
      const query = CompiledQuery.raw(`delete from ${table} using ${arraysTable(key as never)} where ${equal} ${after}`,
        arraysFrom(key, slice) as unknown[]);
      deleted.push(...(await transaction.executeQuery<Key>(query)).rows);
    } else {
      const tuple = `(${key.map(() => '?').join(', ')})`;
      const query = CompiledQuery.raw(
        `delete from ${table} where (${namesOf(key as never)}) in (values ${Array.from({ length: size }, () => tuple).join(', ')}) ${after}`,
        slice.flatMap((row) => key.map(({ value }) => value(row))));
      deleted.push(...(await transaction.executeQuery<Key>(query)).rows);
    }
    done += size;
  }
  return deleted;
}

/** Rows with one of these sequences. The text is the same for any number, so that no engine parses a new statement for each size of slice. */
export function sequenceIn(engine: Engine['kind'], sequences: readonly bigint[]): RawBuilder<boolean> {
  const all = sequences.map(String);
  return engine === 'postgres' ? sql<boolean>`sequence = any(${all}::bigint[])`
    : sql<boolean>`sequence in (select value from json_each(${`[${all.join(',')}]`}))`;
}
