/** Call records → rows, many at a time, inside the caller's transaction. */
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import { callColumns } from './call-row.ts';
import type { StoredReceipt } from '../sealing/chain/chain-records.ts';
import { arraysStatement, postgresRowsMax, sendRows, type BulkColumn, type BulkInsert } from '../engine/bulk.ts';
import type { Engine } from '../engine/engine.ts';
import type { Send } from '../engine/send.ts';
import type { ReadyCalls } from './ready-calls.ts';

/** A record with the number of its attribution and its place in its organization's chain. */
interface PlacedRecord {
  readonly record: CallRecord;
  readonly attribution: number;
  readonly receipt: StoredReceipt;
}

const placeColumns: readonly BulkColumn<PlacedRecord>[] = [
  { name: 'attribution', kind: 'whole', value: ({ attribution }) => attribution },
  { name: 'receipt_sequence', kind: 'whole', value: ({ receipt }) => receipt.sequence },
  { name: 'receipt_hash', kind: 'bytes', value: ({ receipt }) => receipt.hash },
  { name: 'receipt_words', kind: 'bytes', value: ({ receipt }) => receipt.words },
];
const columns: readonly BulkColumn<PlacedRecord>[] = [
  ...callColumns.map(({ name, kind, value }) => ({ name, kind, value: ({ record }: PlacedRecord) => value(record) })), ...placeColumns,
];
const insert: BulkInsert<PlacedRecord> = { table: 'call_record', columns, after: '' };
const statement = arraysStatement(insert);

/** Appends the calls in their order; `attributions` and `receipts` are in it too. */
export function insertCalls(
  engine: Engine['kind'], send: Send,
  { records, columns: texts }: ReadyCalls, places: { readonly attributions: readonly number[]; readonly receipts: readonly StoredReceipt[] },
): void {
  const placed = records.map((record, index): PlacedRecord =>
    ({ record, attribution: places.attributions[index]!, receipt: places.receipts[index]! }));
  if (engine === 'sqlite') return sendRows(engine, send, insert, placed);
  for (const [index, ready] of texts.entries()) {
    const slice = placed.slice(index * postgresRowsMax, (index + 1) * postgresRowsMax);
    void send(statement, [...ready, ...placeColumns.map(({ value }) => slice.map(value))]);
  }
}
