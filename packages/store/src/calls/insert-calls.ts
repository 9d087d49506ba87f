/** Call records → rows, many at a time, inside the caller's transaction. */
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import { callColumns } from './call-row.ts';
import type { StoredReceipt } from '../sealing/chain/chain-records.ts';
import { sendRows, type BulkColumn, type BulkInsert } from '../engine/bulk.ts';
import type { Engine } from '../engine/engine.ts';
import type { Send } from '../engine/send.ts';

/** A record with the number of its attribution and its place in its organization's chain. */
export interface PlacedRecord {
  readonly record: CallRecord;
  readonly attribution: number;
  readonly receipt: StoredReceipt;
}

const columns: readonly BulkColumn<PlacedRecord>[] = [
  ...callColumns.map(({ name, kind, value }) => ({ name, kind, value: ({ record }: PlacedRecord) => value(record) })),
  { name: 'attribution', kind: 'whole', value: ({ attribution }) => attribution },
  { name: 'receipt_sequence', kind: 'whole', value: ({ receipt }) => receipt.sequence },
  { name: 'receipt_hash', kind: 'bytes', value: ({ receipt }) => receipt.hash },
  { name: 'receipt_words', kind: 'bytes', value: ({ receipt }) => receipt.words },
];
const insert: BulkInsert<PlacedRecord> = { table: 'call_record', columns, after: '' };

/** Appends `calls` in their order. */
export function insertCalls(engine: Engine['kind'], send: Send, calls: readonly PlacedRecord[]): void {
  sendRows(engine, send, insert, calls);
}
