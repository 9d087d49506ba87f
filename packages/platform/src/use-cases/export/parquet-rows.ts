/**
 * Calls → a Parquet file: one row each, in groups that are small compared with memory. Columns have their own types: costs are exact decimals
 * with nine places, instants are timestamps in UTC, labels and gaps lists of texts.
 */
import { upstreamNameOf } from '@metergate/core/call/named-upstream.ts';
import type { CallRecordJson } from '@metergate/core/record/call-record.ts';
import { ByteWriter, ParquetWriter, type Writer } from 'hyparquet-writer';
import type { ExportedCall, ExportForm } from './export-form.ts';
import type { recordColumns } from './record-lines.ts';

type Kind = 'text' | 'whole' | 'real' | 'flag' | 'money' | 'instant' | 'texts' | 'json';

interface ParquetColumn<Name extends string = string> {
  readonly name: Name;
  readonly kind: Kind;
  readonly value: (call: ExportedCall) => unknown;
}

type Field = keyof CallRecordJson & keyof ExportedCall['record'];

const of = <Name extends Field>(kind: Kind, ...names: readonly Name[]): ParquetColumn<Name>[] =>
  names.map((name) => ({ name, kind, value: ({ record }) => record[name] }));
const made = <Name extends string>(name: Name, kind: Kind, value: ParquetColumn['value']): ParquetColumn<Name> => ({ name, kind, value });

/** Those that records were given later stand last: readers of several files take the columns in their order. */
const everyColumn = [
  ...of('text', 'id', 'organization', 'key'),
  made('keyName', 'text', ({ keyName }) => keyName),
  ...of('text', 'project'), ...of('texts', 'labels'), ...of('whole', 'labelsDropped'),
  ...of('text', 'run', 'wire', 'endpoint', 'method', 'path'), ...of('flag', 'streamed'), ...of('whole', 'status'),
  ...of('text', 'outcome', 'model', 'finishReason'),
  ...of('whole', 'inputTokens', 'outputTokens', 'cachedTokens', 'cacheWriteTokens', 'reasoningTokens'),
  ...of('text', 'usage', 'usageReason'),
  made('cost', 'money', ({ record }) => record.cost),
  ...of('texts', 'costGaps'), ...of('text', 'serviceTier'), ...of('whole', 'audioInputTokens', 'audioOutputTokens'), ...of('json', 'toolCalls'),
  ...of('text', 'costSource', 'priceList', 'providerRequestId'), ...of('whole', 'requestBytes', 'responseBytes'),
  made('startedAt', 'instant', ({ record }) => record.startedAtMs),
  ...of('real', 'firstByteMs', 'durationMs'), ...of('text', 'node'),
  made('label', 'text', () => 'measured'),
  ...of('text', 'requestedModel', 'pricedBy'), ...of('json', 'units'),
  ...of('text', 'transport', 'connection', 'session'),
  ...of('text', 'kind'), ...of('json', 'works'), ...of('text', 'settles', 'settledBy'),
  made('upstream', 'text', ({ record }) => upstreamNameOf(record.path)),
] as const;

// Fails to compile if a field of the record has no column.
type Missing = Exclude<(typeof recordColumns)[number], (typeof everyColumn)[number]['name']>;
const whole: [Missing] extends [never] ? readonly ParquetColumn[] : never = everyColumn;
const columns: readonly ParquetColumn[] = whole;

export const parquetNames: readonly string[] = columns.map(({ name }) => name);

type Schema = ConstructorParameters<typeof ParquetWriter>[0]['schema'];

const types: { readonly [K in Exclude<Kind, 'texts'>]: Omit<Schema[number], 'name'> } = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  json: { type: 'BYTE_ARRAY', converted_type: 'JSON' },
  whole: { type: 'INT64' },
  real: { type: 'DOUBLE' },
  flag: { type: 'BOOLEAN' },
  money: { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16, converted_type: 'DECIMAL', precision: 38, scale: 9 },
  instant: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' } },
};

const schema: Schema = [
  { name: 'calls', num_children: columns.length },
  ...columns.flatMap(({ name, kind }): Schema => (kind === 'texts'
    ? [
      { name, repetition_type: 'REQUIRED', num_children: 1, converted_type: 'LIST' }, { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
      { name: 'element', repetition_type: 'REQUIRED', ...types.text },
    ]
    : [{ name, repetition_type: 'OPTIONAL', ...types[kind] }])),
];

/** Rows of one group: about ten megabytes while it is built. */
const groupRows = 20_000;

/** `state`: resumes an earlier one, from its `state()`. */
export function parquetRows({ state = null }: { readonly state?: unknown } = {}): ExportForm {
  const bytes = new TakenBytes();
  const writer = new ParquetWriter({ writer: bytes as unknown as Writer, schema, statistics: false, createdBy: 'metergate' });
  if (state !== null) resumeFrom(writer, bytes, state as GroupsSoFar);
  let group: ExportedCall[] = [];
  const flush = (): Uint8Array => {
    // No offset indexes: they would pile up until the end.
    writer.write({ rowGroupSize: groupRows, columnData: columns.map(({ name, kind, value }) =>
      ({ name, offsetIndex: false, data: group.map((call) => stored(kind, value(call))) })) });
    writer.pendingIndexes.length = 0;
    group = [];
    return bytes.take();
  };
  return {
    head: state === null ? bytes.take() : '',
    add(call) {
      return group.push(call) >= groupRows ? { content: flush(), holds: 'this' } : null;
    },
    state: () => ({ offset: bytes.offset, rows: String(writer.num_rows), groups: JSON.stringify(writer.row_groups, bigintsAsText) }),
    end() {
      const rest = group.length > 0 ? flush() : new Uint8Array(0);
      writer.finish();
      return Buffer.concat([rest, bytes.take()]);
    },
  };
}

function stored(kind: Kind, value: unknown): unknown {
  if (value === null) return null;
  return kind === 'whole' || kind === 'instant' ? BigInt(value as number) : kind === 'texts' ? [...(value as readonly string[])] : value;
}

/** A writer whose bytes are taken as they come, while offsets keep counting. */
class TakenBytes extends ByteWriter {
  take(): Uint8Array {
    const taken = this.getBytes().slice();
    this.index = 0;
    return taken;
  }
}

interface GroupsSoFar {
  readonly offset: number;
  readonly rows: string;
  readonly groups: string;
}

const bigintMark = 'bigint:';

function bigintsAsText(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? bigintMark + value : value;
}

function resumeFrom(writer: ParquetWriter, bytes: TakenBytes, { offset, rows, groups }: GroupsSoFar): void {
  bytes.take();
  bytes.offset = offset;
  writer.num_rows = BigInt(rows);
  writer.row_groups = JSON.parse(groups, (_, value: unknown) =>
    (typeof value === 'string' && value.startsWith(bigintMark) ? BigInt(value.slice(bigintMark.length)) : value)) as typeof writer.row_groups;
}
