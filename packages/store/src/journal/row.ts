/**
 * Openings, records and run events ↔ the JSON text of one journal row: an array of values in a fixed order. Names would double the size, and
 * the size is most of a commit's cost. The order is private to this file; a segment is only ever read by the version that wrote it, or a
 * newer one that knows the order (`rowForm`).
 * Every field is named here, so that a field added to the record and forgotten here does not compile.
 * Cost travels as whole nano-dollars in decimal text: exact at any size.
 */
import { usualBasis, type CallOpening, type CallRecord, type CountedFor } from '@metergate/core/record/call-record.ts';
import type { NanoDollars } from '@metergate/core/money.ts';
import type { RunBeginning, RunEnd, RunTightening } from './run-event.ts';

/** Number of a row's kind. */
export const rowKind = { opened: 0, closed: 1, runTightened: 2, runEnded: 3, openedRun: 4, settled: 5 } as const;
export type RowKind = (typeof rowKind)[keyof typeof rowKind];

/** First element of each row; another order of fields takes another number. */
const rowForm = 1;
/** The form of openings that hold how the call was carried. Openings without that were carried over HTTP. */
const carriedOpeningForm = 2;
/** The form of records since they hold the model that was asked for. Records of older forms lack fields at their end. */
const recordForm = 4;
/** The form of records that hold how the call was carried, as openings do. */
const carriedRecordForm = 5;
/** The forms of openings and records that also hold a session. */
const sessionOpeningForm = 3;
const sessionRecordForm = 6;
/** The form of records of work that goes on after its answer: what began it, and what settles it. */
const workRecordForm = 7;
/** The form of records that nodes counted under caps of a person or of labels: all that older forms hold, and whom it counts for. */
const countedRecordForm = 8;

/** How many characters of a row's text hold its call's id, at most. */
export const rowIdWithin = 64;

const callFields = [
  'id', 'organization', 'key', 'project', 'labels', 'labelsDropped', 'run', 'wire', 'endpoint', 'method', 'path', 'startedAtMs', 'node',
] as const satisfies readonly (keyof CallOpening)[];
const openingFields = [...callFields, 'transport', 'connection', 'session'] as const satisfies readonly (keyof CallOpening)[];
/** How a call was carried of which its row does not say it, and that it has no session. */
const overHttp = ['http', null, null] as const;

const recordFields = [
  ...callFields,
  'streamed', 'status', 'outcome', 'model', 'finishReason', 'inputTokens', 'outputTokens', 'cachedTokens', 'cacheWriteTokens',
  'reasoningTokens', 'usage', 'usageReason', 'cost', 'costSource', 'priceList', 'providerRequestId', 'requestBytes', 'responseBytes',
  'firstByteMs', 'durationMs',
  'costGaps', 'serviceTier', 'audioInputTokens', 'audioOutputTokens', 'toolCalls',
  'cacheSavings',
  'requestedModel', 'units', 'pricedBy', 'transport', 'connection', 'session', 'kind', 'works', 'settles',
] as const satisfies readonly (keyof CallRecord)[];

const tighteningFields = [
  'organization', 'run', 'declared', 'effective', 'clampReason', 'atMs',
] as const satisfies readonly (keyof RunTightening)[];
const endFields = ['organization', 'run', 'state', 'atMs'] as const satisfies readonly (keyof RunEnd)[];
const beginningFields = [
  'organization', 'run', 'declared', 'effective', 'clampReason', 'startedAtMs', 'expiresAtMs',
] as const satisfies readonly (keyof RunBeginning)[];

type Missing = Exclude<keyof CallOpening, (typeof openingFields)[number]>
  | Exclude<keyof CallRecord, (typeof recordFields)[number] | 'settledBy' | 'countedFor'>
  | Exclude<keyof RunTightening, (typeof tighteningFields)[number] | 'begun'> | Exclude<keyof RunEnd, (typeof endFields)[number] | 'begun'>
  | Exclude<keyof RunBeginning, (typeof beginningFields)[number] | 'key'>;
/** A list of fields; nothing can be one while a field is missing from the lists above. */
type WholeList = [Missing] extends [never] ? readonly string[] : never;

/** The values of fields, in their order; money as text. */
type ValuesOf<Fields extends readonly (keyof CallRecord)[]> = {
  -readonly [At in keyof Fields]: Fields[At] extends 'cost' | 'cacheSavings' ? string | null : CallRecord[Fields[At]]
};
const withoutWork = ['call', [], null] as const;
const noLaterFields = [null, null, null, ...overHttp, ...withoutWork] as const;
/** How many of the record's fields a row of each older form holds, and what stands in place of the others. */
const olderForms: ReadonlyMap<unknown, readonly [fields: number, others: readonly unknown[]]> = new Map([
  [rowForm, [recordFields.indexOf('costGaps'), [[], null, null, null, null, null, ...noLaterFields]]],
  [2, [recordFields.indexOf('cacheSavings'), [null, ...noLaterFields]]],
  [3, [recordFields.indexOf('requestedModel'), noLaterFields]],
  [recordForm, [recordFields.indexOf('transport'), [...overHttp, ...withoutWork]]],
  [carriedRecordForm, [recordFields.indexOf('session'), [null, ...withoutWork]]],
  [sessionRecordForm, [recordFields.indexOf('kind'), withoutWork]],
]);

type RecordValues = [form: number, ...ValuesOf<typeof recordFields>, countedFor?: CountedFor];

/** Not frozen: with a frozen list in it V8 writes a row in twice the time. It reaches nobody. */
const emptyList: readonly never[] = [];

function quickList<Value>(list: readonly Value[]): readonly Value[] {
  return list.length === 0 ? emptyList : list;
}

/** Text of an `opened` row. */
export function openingToText(opening: CallOpening): string {
  const values: unknown[] = [
    rowForm, opening.id, opening.organization, opening.key, opening.project, quickList(opening.labels), opening.labelsDropped, opening.run,
    opening.wire, opening.endpoint, opening.method, opening.path, opening.startedAtMs, opening.node,
  ];
  return JSON.stringify(carried(values, opening, { carried: carriedOpeningForm, session: sessionOpeningForm }));
}

interface LaterForms { readonly carried: number; readonly session: number }

/** The values with how the call was carried and its session behind them. Most calls are carried over HTTP and have none: their rows say neither. */
function carried(values: unknown[], { transport, connection, session }: CallOpening, forms: LaterForms): readonly unknown[] {
  if (transport === 'http' && session === null) return values;
  values[0] = session === null ? forms.carried : forms.session;
  values.push(transport, connection);
  if (session !== null) values.push(session);
  return values;
}

/** The opening that `openingToText` wrote, also before the beginning of a run. @throws Error for another form. */
export function openingFromText(text: string): CallOpening {
  const values = JSON.parse(parted(text)[0]) as unknown[];
  if (values[0] === rowForm && values.length === callFields.length + 1) values.push(...overHttp);
  else if (values[0] === carriedOpeningForm && values.length === openingFields.length) values.push(null);
  else if (values[0] !== sessionOpeningForm || values.length !== openingFields.length + 1) throw unknownForm();
  return byName(values, openingFields) as unknown as CallOpening;
}

/** Text of an `openedRun` row: JSON holds no line feed. */
export function openingOfRunToText(opening: CallOpening, beginning: RunBeginning): string {
  return withBeginning(openingToText(opening), beginning);
}

/** The beginning in the text of an `openedRun` row. @throws Error if there is none. */
export function beginningFromText(text: string): RunBeginning {
  const [, beginning] = parted(text);
  if (beginning === null) throw unknownForm();
  return beginningOf(beginning);
}

/** Text of a `closed` row, and of a `settled` one. */
export function recordToText(record: CallRecord): string {
  const values: unknown[] = [
    recordForm, record.id, record.organization, record.key, record.project, quickList(record.labels), record.labelsDropped, record.run,
    record.wire, record.endpoint, record.method, record.path, record.startedAtMs, record.node,
    record.streamed, record.status, record.outcome, record.model, record.finishReason, record.inputTokens,
    record.outputTokens, record.cachedTokens, record.cacheWriteTokens, record.reasoningTokens, record.usage, record.usageReason,
    record.cost === null ? null : record.cost.toString(), record.costSource, record.priceList, record.providerRequestId,
    record.requestBytes, record.responseBytes, record.firstByteMs, record.durationMs,
    quickList(record.costGaps), record.serviceTier, record.audioInputTokens, record.audioOutputTokens, record.toolCalls,
    record.cacheSavings === null ? null : record.cacheSavings.toString(),
    record.requestedModel, record.units, record.pricedBy,
  ];
  const { countedFor } = record;
  if (record.kind === 'call' && record.works.length === 0 && countedFor === undefined) {
    return JSON.stringify(carried(values, record, { carried: carriedRecordForm, session: sessionRecordForm }));
  }
  values[0] = workRecordForm;
  values.push(record.transport, record.connection, record.session, record.kind, record.works, record.settles);
  if (countedFor !== undefined) {
    values[0] = countedRecordForm;
    values.push(countedFor);
  }
  return JSON.stringify(values);
}

/** The record that `recordToText` wrote. Spelled out: an object made name by name is slow to make and to read. @throws Error for another form. */
export function recordFromText(text: string): CallRecord {
  const [
    , id, organization, key, project, labels, labelsDropped, run, wire, endpoint, method, path, startedAtMs, node,
    streamed, status, outcome, model, finishReason, inputTokens, outputTokens, cachedTokens, cacheWriteTokens,
    reasoningTokens, usage, usageReason, cost, costSource, priceList, providerRequestId, requestBytes, responseBytes,
    firstByteMs, durationMs,
    costGaps, serviceTier, audioInputTokens, audioOutputTokens, toolCalls, cacheSavings, requestedModel, units, pricedBy,
    transport, connection, session, kind, works, settles, countedFor,
  ] = recordValuesOf(text);
  const record: CallRecord = {
    id, organization, key, project, labels, labelsDropped, run, wire, endpoint, method, path, startedAtMs, node,
    streamed, status, outcome, model, finishReason, inputTokens, outputTokens, cachedTokens, cacheWriteTokens,
    reasoningTokens, usage, usageReason, cost: amountOf(cost), costSource, priceList, providerRequestId, requestBytes, responseBytes,
    firstByteMs, durationMs,
    costGaps, serviceTier, audioInputTokens, audioOutputTokens, toolCalls, cacheSavings: amountOf(cacheSavings),
    requestedModel, units, pricedBy: pricedBy ?? usualBasis(costSource),
    transport, connection, session, kind, works, settles, settledBy: null,
  };
  return countedFor === undefined ? record : { ...record, countedFor };
}

/** The call's id from the beginning of its row's text. @throws Error where it holds none. */
export function rowIdOf(text: string): string {
  return wordAt(text, 0).word;
}

/** The organization from the beginning of a row's text: a call's row has its id before it. Ids need no escapes. @throws Error where it holds none. */
export function rowOrganizationOf(kind: number, text: string): string {
  const first = wordAt(text, 0);
  return kind === rowKind.runTightened || kind === rowKind.runEnded ? first.word : wordAt(text, first.end).word;
}

function wordAt(text: string, at: number): { readonly word: string; readonly end: number } {
  const from = text.indexOf('"', at) + 1;
  const to = text.indexOf('"', from);
  if (from === 0 || to === -1) throw unknownForm();
  return { word: text.slice(from, to), end: to + 1 };
}

/** Text of a `run_tightened` row. */
export function tighteningToText({ organization, run, declared, effective, clampReason, atMs, begun }: RunTightening): string {
  const text = JSON.stringify([rowForm, organization, run, declared?.toString() ?? null, effective?.toString() ?? null, clampReason, atMs]);
  return withBeginning(text, begun);
}

/** Text of a `run_ended` row. */
export function endToText({ organization, run, state, atMs, begun }: RunEnd): string {
  return withBeginning(JSON.stringify([rowForm, organization, run, state, atMs]), begun);
}

/** What `tighteningToText` wrote. @throws Error for another form. */
export function tighteningFromText(text: string): RunTightening {
  const [own, begun] = parted(text);
  const fields = named(own, tighteningFields) as unknown as RunTightening & Budgets;
  return { ...fields, ...amountsOf(fields), ...begunOf(begun) };
}

/** What `endToText` wrote. @throws Error for another form. */
export function endFromText(text: string): RunEnd {
  const [own, begun] = parted(text);
  return { ...named(own, endFields) as unknown as RunEnd, ...begunOf(begun) };
}

interface Budgets { readonly declared: string | null; readonly effective: string | null }

function amountsOf({ declared, effective }: Budgets): Pick<RunBeginning, 'declared' | 'effective'> {
  return { declared: amountOf(declared), effective: amountOf(effective) };
}

function withBeginning(text: string, begun: RunBeginning | null | undefined): string {
  if (begun === null || begun === undefined) return text;
  const { organization, run, declared, effective, clampReason, startedAtMs, expiresAtMs } = begun;
  const values = [rowForm, organization, run, declared?.toString() ?? null, effective?.toString() ?? null, clampReason, startedAtMs, expiresAtMs];
  return `${text}\n${JSON.stringify(values)}`;
}

function parted(text: string): [own: string, beginning: string | null] {
  const at = text.indexOf('\n');
  return at === -1 ? [text, null] : [text.slice(0, at), text.slice(at + 1)];
}

function begunOf(text: string | null): { readonly begun?: RunBeginning } {
  return text === null ? {} : { begun: beginningOf(text) };
}

function beginningOf(text: string): RunBeginning {
  const fields = named(text, beginningFields) as unknown as RunBeginning & Budgets;
  return { ...fields, ...amountsOf(fields) };
}

function amountOf(text: string | null): NanoDollars | null {
  return text === null ? null : BigInt(text) as NanoDollars;
}

function named(text: string, fields: WholeList): Record<string, unknown> {
  return byName(valuesOf(text, fields), fields);
}

function byName(values: readonly unknown[], fields: WholeList): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (let at = 0; at < fields.length; at += 1) row[fields[at]!] = values[at + 1];
  return row;
}

function valuesOf(text: string, fields: WholeList): unknown[] {
  const values = JSON.parse(text) as unknown[];
  if (values[0] !== rowForm || values.length !== fields.length + 1) throw unknownForm();
  return values;
}

function recordValuesOf(text: string): RecordValues {
  const values = JSON.parse(text) as unknown[];
  const older = olderForms.get(values[0]);
  if (older !== undefined && values.length === older[0] + 1) values.push(...older[1]);
  else if (values.length !== recordFields.length + (values[0] === countedRecordForm ? 2 : 1) || Number(values[0]) < workRecordForm
    || Number(values[0]) > countedRecordForm) throw unknownForm();
  return values as RecordValues;
}

function unknownForm(): Error {
  return new Error('a journal row is of a form that this version does not know');
}
