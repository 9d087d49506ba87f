/**
 * Call records → rows, many at a time, inside the caller's transaction. The statements are fixed texts, so that neither
 * engine parses them anew and no query is built for each batch.
 * SQLite: tuples of 64, 8 and 1 (38 values each, far below its bound of 32,766). PostgreSQL: one array per column.
 */
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import { CompiledQuery, type Transaction } from 'kysely';
import { callColumns } from './call-row.ts';
import type { Engine } from '../engine/engine.ts';
import type { Schema } from '../schema/schema.ts';

/** Rows in one statement on PostgreSQL: bounds the size of its message. */
const postgresRowsMax = 1_000;
const sqliteTuples = [64, 8, 1] as const;
const columnNames = [...callColumns.map(({ name }) => `"${name}"`), 'attribution'].join(', ');

/** A record with the number of its attribution. */
export interface AttributedRecord {
  readonly record: CallRecord;
  readonly attribution: number;
}

/** Appends `calls` in their order. */
export async function insertCalls(engine: Engine['kind'], transaction: Transaction<Schema>, calls: readonly AttributedRecord[]): Promise<void> {
  let done = 0;
  while (done < calls.length) {
    const left = calls.length - done;
    const size = engine === 'postgres' ? Math.min(left, postgresRowsMax) : (sqliteTuples.find((tuple) => tuple <= left) ?? 1);
    const slice = calls.slice(done, done + size);
    await transaction.executeQuery(engine === 'postgres' ? insertColumns(slice) : insertTuples(slice));
    done += size;
  }
}

function insertTuples(calls: readonly AttributedRecord[]): CompiledQuery {
  const values: unknown[] = [];
  for (const { record, attribution } of calls) {
    for (const { value } of callColumns) values.push(value(record));
    values.push(attribution);
  }
  return CompiledQuery.raw(tupleStatement(calls.length), values);
}

const tupleStatements = new Map<number, string>();

function tupleStatement(rows: number): string {
  let statement = tupleStatements.get(rows);
  if (statement === undefined) {
    const tuple = `(${callColumns.map(() => '?').join(', ')}, ?)`;
    statement = `insert into call_record (${columnNames}) values ${Array.from({ length: rows }, () => tuple).join(', ')}`;
    tupleStatements.set(rows, statement);
  }
  return statement;
}

const arrayTypes = { text: 'text[]', whole: 'bigint[]', real: 'double precision[]' } as const;
const columnStatement =
  `insert into call_record (${columnNames}) select * from unnest(${
    callColumns.map(({ kind }, index) => `$${index + 1}::${arrayTypes[kind]}`).join(', ')}, $${callColumns.length + 1}::bigint[])`;

function insertColumns(calls: readonly AttributedRecord[]): CompiledQuery {
  const columns = callColumns.map(({ value }) => calls.map(({ record }) => value(record)));
  return CompiledQuery.raw(columnStatement, [...columns, calls.map(({ attribution }) => attribution)]);
}
