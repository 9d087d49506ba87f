/** Call records → rows, many at a time, inside the caller's transaction. */
import { areSameWords } from '@metergate/core/books/receipt/record-texts.ts';
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
const statement = arraysStatement({ table: 'call_record', columns });
/** In these calls differ, and in the next ones those of different callers. */
const ownNames: ReadonlySet<string> = new Set([
  'id', 'started_at_ms', 'input_tokens', 'output_tokens', 'cached_tokens', 'cache_write_tokens', 'reasoning_tokens', 'cost_nano',
  'cache_savings_nano', 'provider_request_id', 'request_bytes', 'response_bytes', 'first_byte_ms', 'duration_ms', 'receipt_sequence', 'receipt_hash',
  'receipt_words',
]);
const callerNames: ReadonlySet<string> = new Set([
  'organization', 'key', 'project', 'labels', 'run', 'model', 'requested_model', 'finish_reason', 'connection', 'session', 'attribution',
]);
const { usual = [], callers = [], own = [] } = Object.groupBy(columns, ({ name }) =>
  ownNames.has(name) ? 'own' : callerNames.has(name) ? 'callers' : 'usual');
const insert: BulkInsert<PlacedRecord> = {
  table: 'call_record', columns: [...usual, ...callers, ...own],
  repeating: [
    { columns: usual.length + callers.length, areLike: (one, other) => areOfOneCaller(one, other) && areUsual(one.record, other.record) },
    { columns: usual.length, areLike: (one, other) => areUsual(one.record, other.record) },
  ],
};

/** Spelled out, as the next one: this runs for every call that is kept. */
function areOfOneCaller({ record: one, attribution }: PlacedRecord, { record: other, attribution: ofOther }: PlacedRecord): boolean {
  return attribution === ofOther && one.run === other.run && one.session === other.session && areSameWords(one.labels, other.labels)
    && one.key === other.key && one.organization === other.organization && one.project === other.project && one.model === other.model
    && one.requestedModel === other.requestedModel && one.finishReason === other.finishReason && one.connection === other.connection;
}

function areUsual(one: CallRecord, other: CallRecord): boolean {
  return one.status === other.status && one.streamed === other.streamed && one.outcome === other.outcome && one.endpoint === other.endpoint
    && one.wire === other.wire && one.method === other.method && one.path === other.path && one.node === other.node
    && one.labelsDropped === other.labelsDropped && one.usage === other.usage && one.usageReason === other.usageReason
    && one.costSource === other.costSource && one.priceList === other.priceList && one.pricedBy === other.pricedBy
    && areSameWords(one.costGaps, other.costGaps) && one.serviceTier === other.serviceTier && one.audioInputTokens === other.audioInputTokens
    && one.audioOutputTokens === other.audioOutputTokens && one.toolCalls === null && other.toolCalls === null
    && one.units === null && other.units === null && one.transport === other.transport && one.kind === other.kind
    && areSameWords(one.works, other.works) && one.settles === other.settles && one.settledBy === other.settledBy;
}

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
