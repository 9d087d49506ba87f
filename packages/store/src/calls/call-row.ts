/**
 * A call record ⇄ its row. One list of columns is the order of both the insert and its values.
 * Text of a provider may hold U+0000, which PostgreSQL cannot keep: it becomes U+FFFD on both engines, since one such record must not hold up
 * all that follow.
 */
import { usualBasis, type CallRecord, type PriceBasis } from '@metergate/core/record/call-record.ts';
import type { NanoDollars } from '@metergate/core/money.ts';
import type { ToolCalls } from '@metergate/core/usage/reading.ts';
import type { Units } from '@metergate/core/usage/units.ts';
import type { Selectable } from 'kysely';
import { numberOrNull, type CallRecordTable } from '../schema/schema.ts';
import { costGapsOf } from '../schema/cost-gaps-column.ts';
import { storable } from '../engine/storable.ts';

type Value = string | number | bigint | null;

interface CallColumn {
  readonly name: Exclude<keyof CallRecordTable, 'sequence' | 'attribution'>;
  readonly kind: 'text' | 'whole' | 'real';
  readonly value: (record: CallRecord) => Value;
}

const text = (name: CallColumn['name'], of: (record: CallRecord) => string | null): CallColumn =>
  ({ name, kind: 'text', value: (record) => storableOrNull(of(record)) });
const whole = (name: CallColumn['name'], value: (record: CallRecord) => number | bigint | null): CallColumn =>
  ({ name, kind: 'whole', value });
const real = (name: CallColumn['name'], value: (record: CallRecord) => number | null): CallColumn =>
  ({ name, kind: 'real', value });

/** Every column but the sequence, which the engine gives, and the number of the call's attribution. */
export const callColumns: readonly CallColumn[] = [
  text('id', (r) => r.id),
  text('organization', (r) => r.organization),
  text('key', (r) => r.key),
  text('project', (r) => r.project),
  text('labels', (r) => r.labels.length === 0 ? null : JSON.stringify(r.labels)),
  whole('labels_dropped', (r) => r.labelsDropped),
  text('run', (r) => r.run),
  text('wire', (r) => r.wire),
  text('endpoint', (r) => r.endpoint),
  text('method', (r) => r.method),
  text('path', (r) => r.path),
  whole('started_at_ms', (r) => r.startedAtMs),
  text('node', (r) => r.node),
  whole('streamed', (r) => r.streamed ? 1 : 0),
  whole('status', (r) => r.status),
  text('outcome', (r) => r.outcome),
  text('model', (r) => r.model),
  text('finish_reason', (r) => r.finishReason),
  whole('input_tokens', (r) => r.inputTokens),
  whole('output_tokens', (r) => r.outputTokens),
  whole('cached_tokens', (r) => r.cachedTokens),
  whole('cache_write_tokens', (r) => r.cacheWriteTokens),
  whole('reasoning_tokens', (r) => r.reasoningTokens),
  text('usage', (r) => r.usage),
  text('usage_reason', (r) => r.usageReason),
  whole('cost_nano', (r) => r.cost),
  text('cost_gaps', (r) => r.costGaps.length === 0 ? null : JSON.stringify(r.costGaps)),
  text('service_tier', (r) => r.serviceTier),
  whole('audio_input_tokens', (r) => r.audioInputTokens),
  whole('audio_output_tokens', (r) => r.audioOutputTokens),
  text('tool_calls', (r) => r.toolCalls === null ? null : JSON.stringify(r.toolCalls)),
  text('cost_source', (r) => r.costSource),
  whole('cache_savings_nano', (r) => r.cacheSavings),
  text('price_list', (r) => r.priceList),
  text('provider_request_id', (r) => r.providerRequestId),
  whole('request_bytes', (r) => r.requestBytes),
  whole('response_bytes', (r) => r.responseBytes),
  real('first_byte_ms', (r) => r.firstByteMs),
  real('duration_ms', (r) => r.durationMs),
  text('requested_model', (r) => r.requestedModel),
  text('units', (r) => r.units === null ? null : JSON.stringify(r.units)),
  text('priced_by', (r) => r.pricedBy === usualBasis(r.costSource) ? null : r.pricedBy),
  text('transport', (r) => r.transport === 'http' ? null : r.transport),
  text('connection', (r) => r.connection),
  text('session', (r) => r.session),
  text('kind', (r) => r.kind === 'call' ? null : r.kind),
  text('works', (r) => r.works.length === 0 ? null : JSON.stringify(r.works)),
  text('settles', (r) => r.settles),
  text('settled_by', (r) => r.settledBy),
];

/** The record of a row that `callColumns` wrote. */
export function callRecordOf(row: Selectable<CallRecordTable>): CallRecord {
  return {
    id: row.id as CallRecord['id'],
    organization: row.organization as CallRecord['organization'],
    key: row.key as CallRecord['key'],
    project: row.project,
    labels: row.labels === null ? [] : (JSON.parse(row.labels) as string[]),
    labelsDropped: Number(row.labels_dropped),
    run: row.run,
    wire: row.wire as CallRecord['wire'],
    endpoint: row.endpoint as CallRecord['endpoint'],
    method: row.method,
    path: row.path,
    startedAtMs: Number(row.started_at_ms),
    node: row.node as CallRecord['node'],
    streamed: row.streamed === 1n,
    status: numberOrNull(row.status),
    outcome: row.outcome as CallRecord['outcome'],
    model: row.model,
    finishReason: row.finish_reason,
    inputTokens: numberOrNull(row.input_tokens),
    outputTokens: numberOrNull(row.output_tokens),
    cachedTokens: numberOrNull(row.cached_tokens),
    cacheWriteTokens: numberOrNull(row.cache_write_tokens),
    reasoningTokens: numberOrNull(row.reasoning_tokens),
    usage: row.usage as CallRecord['usage'],
    usageReason: row.usage_reason as CallRecord['usageReason'],
    cost: row.cost_nano as NanoDollars | null,
    costGaps: costGapsOf(row.cost_gaps),
    serviceTier: row.service_tier,
    audioInputTokens: numberOrNull(row.audio_input_tokens),
    audioOutputTokens: numberOrNull(row.audio_output_tokens),
    toolCalls: row.tool_calls === null ? null : (JSON.parse(row.tool_calls) as ToolCalls),
    costSource: row.cost_source as CallRecord['costSource'],
    cacheSavings: row.cache_savings_nano as NanoDollars | null,
    priceList: row.price_list,
    providerRequestId: row.provider_request_id,
    requestBytes: Number(row.request_bytes),
    responseBytes: Number(row.response_bytes),
    firstByteMs: row.first_byte_ms,
    durationMs: row.duration_ms,
    requestedModel: row.requested_model,
    units: row.units === null ? null : (JSON.parse(row.units) as Units),
    pricedBy: (row.priced_by as PriceBasis | null) ?? usualBasis(row.cost_source as CallRecord['costSource']),
    transport: (row.transport ?? 'http') as CallRecord['transport'],
    connection: row.connection as CallRecord['connection'],
    session: row.session,
    kind: (row.kind ?? 'call') as CallRecord['kind'],
    works: row.works === null ? [] : (JSON.parse(row.works) as string[]),
    settles: row.settles as CallRecord['settles'],
    settledBy: row.settled_by as CallRecord['settledBy'],
  };
}

function storableOrNull(value: string | null): string | null {
  return value === null ? null : storable(value);
}
