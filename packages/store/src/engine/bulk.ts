/**
 * Many rows into one table in a few statements of fixed text, inside the caller's transaction. SQLite: tuples of 100, 10 and 1.
 * PostgreSQL: one array for each column. What `RETURNING` gives comes back together.
 */
import { CompiledQuery, type Transaction } from 'kysely';
import type { Engine } from './engine.ts';
import type { Schema } from '../schema/schema.ts';

export interface BulkColumn<Row> {
  readonly name: string;
  readonly kind: 'text' | 'whole';
  readonly value: (row: Row) => string | number | bigint | null;
}

/** An insert: where to, which columns, and what comes after the rows (`on conflict …`, `returning …`). */
export interface BulkInsert<Row> {
  readonly table: string;
  readonly columns: readonly BulkColumn<Row>[];
  readonly after: string;
}

const sqliteTuples = [100, 10, 1] as const;
const arrayTypes = { text: 'text[]', whole: 'bigint[]' } as const;

export async function insertRows<Row, Returned = never>(
  engine: Engine['kind'], transaction: Transaction<Schema>, insert: BulkInsert<Row>, rows: readonly Row[],
): Promise<Returned[]> {
  const returned: Returned[] = [];
  for (let done = 0; done < rows.length;) {
    const left = rows.length - done;
    const size = engine === 'postgres' ? left : (sqliteTuples.find((tuple) => tuple <= left) ?? 1);
    const slice = rows.slice(done, done + size);
    const query = engine === 'postgres' ? byArrays(insert, slice) : byTuples(insert, slice);
    returned.push(...(await transaction.executeQuery<Returned>(query)).rows);
    done += size;
  }
  return returned;
}

function head<Row>({ table, columns }: BulkInsert<Row>): string {
  return `insert into ${table} (${columns.map(({ name }) => `"${name}"`).join(', ')})`;
}

const texts = new WeakMap<BulkInsert<never>, Map<number, string>>();

/** The text for so many tuples, made once. */
function tuplesText<Row>(insert: BulkInsert<Row>, count: number): string {
  const known = texts.get(insert as BulkInsert<never>) ?? new Map<number, string>();
  texts.set(insert as BulkInsert<never>, known);
  let text = known.get(count);
  if (text === undefined) {
    const tuple = `(${insert.columns.map(() => '?').join(', ')})`;
    text = `${head(insert)} values ${Array.from({ length: count }, () => tuple).join(', ')} ${insert.after}`;
    known.set(count, text);
  }
  return text;
}

function byTuples<Row>(insert: BulkInsert<Row>, rows: readonly Row[]): CompiledQuery {
  return CompiledQuery.raw(tuplesText(insert, rows.length), rows.flatMap((row) => insert.columns.map(({ value }) => value(row))));
}

function byArrays<Row>(insert: BulkInsert<Row>, rows: readonly Row[]): CompiledQuery {
  const arrays = insert.columns.map(({ kind }, index) => `$${index + 1}::${arrayTypes[kind]}`).join(', ');
  return CompiledQuery.raw(`${head(insert)} select * from unnest(${arrays}) ${insert.after}`,
    insert.columns.map(({ value }) => rows.map(value)));
}
