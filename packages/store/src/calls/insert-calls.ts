/**
 * Call records → rows, many at a time, inside the caller's transaction. The statements are fixed texts, so that neither
 * engine parses them anew and no query is built for each batch.
 * SQLite: tuples of 64, 8 and 1 (38 values each, far below its bound of 32,766). PostgreSQL: one array per column.
 */
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import { CompiledQuery, type Transaction } from 'kysely';
import { callColumns, type CallColumn } from './call-row.ts';
import type { StoredReceipt } from '../chain/chain-records.ts';
import type { Engine } from '../engine/engine.ts';
import type { Schema } from '../schema/schema.ts';

/** Rows in one statement on PostgreSQL: bounds the size of its message. */
const postgresRowsMax = 1_000;
const sqliteTuples = [64, 8, 1] as const;

/** A record with the number of its attribution and its place in its organization's chain. */
export interface PlacedRecord {
  readonly record: CallRecord;
  readonly attribution: number;
  readonly receipt: StoredReceipt;
}

interface Column {
  readonly name: string;
  readonly kind: CallColumn['kind'] | 'bytes';
  readonly value: (call: PlacedRecord) => string | number | bigint | Uint8Array | null;
}

const columns: readonly Column[] = [
  ...callColumns.map(({ name, kind, value }): Column => ({ name, kind, value: ({ record }) => value(record) })),
  { name: 'attribution', kind: 'whole', value: ({ attribution }) => attribution },
  { name: 'receipt_sequence', kind: 'whole', value: ({ receipt }) => receipt.sequence },
  { name: 'receipt_hash', kind: 'bytes', value: ({ receipt }) => receipt.hash },
  { name: 'receipt_words', kind: 'bytes', value: ({ receipt }) => receipt.words },
];
const columnNames = columns.map(({ name }) => `"${name}"`).join(', ');

/** Appends `calls` in their order. */
export async function insertCalls(engine: Engine['kind'], transaction: Transaction<Schema>, calls: readonly PlacedRecord[]): Promise<void> {
  let done = 0;
  while (done < calls.length) {
    const left = calls.length - done;
    const size = engine === 'postgres' ? Math.min(left, postgresRowsMax) : (sqliteTuples.find((tuple) => tuple <= left) ?? 1);
    const slice = calls.slice(done, done + size);
    await transaction.executeQuery(engine === 'postgres' ? insertColumns(slice) : insertTuples(slice));
    done += size;
  }
}

function insertTuples(calls: readonly PlacedRecord[]): CompiledQuery {
  const values: unknown[] = [];
  for (const call of calls) for (const { value } of columns) values.push(value(call));
  return CompiledQuery.raw(tupleStatement(calls.length), values);
}

const tupleStatements = new Map<number, string>();

function tupleStatement(rows: number): string {
  let statement = tupleStatements.get(rows);
  if (statement === undefined) {
    const tuple = `(${columns.map(() => '?').join(', ')})`;
    statement = `insert into call_record (${columnNames}) values ${Array.from({ length: rows }, () => tuple).join(', ')}`;
    tupleStatements.set(rows, statement);
  }
  return statement;
}

const arrayTypes = { text: 'text[]', whole: 'bigint[]', real: 'double precision[]', bytes: 'bytea[]' } as const;
const columnStatement =
  `insert into call_record (${columnNames}) select * from unnest(${
    columns.map(({ kind }, index) => `$${index + 1}::${arrayTypes[kind]}`).join(', ')})`;

function insertColumns(calls: readonly PlacedRecord[]): CompiledQuery {
  return CompiledQuery.raw(columnStatement, columns.map(({ value }) => calls.map(value)));
}
