/**
 * A call that ended → its record: reading priced, facts put together. Rules: Record; rules 6 to 8. Pure.
 */
import type { CallOpening, CallOutcome, CallRecord } from '@metergate/core/record/call-record.ts';
import { costOf } from '@metergate/core/price/cost.ts';
import type { PriceBook } from '@metergate/core/price/price-book.ts';
import type { Reading } from '@metergate/core/usage/reading.ts';
import type { GatewayNodeId } from '@metergate/core/id.ts';
import type { AdmittedCall } from './admitted-call.ts';

/** What the relay saw of a call that ended. */
export interface EndedCall {
  readonly outcome: CallOutcome;
  readonly streamed: boolean;
  readonly status: number | null;
  readonly reading: Reading;
  /** What the request asked for; null: no model that could be read. */
  readonly requestedModel: string | null;
  readonly providerRequestId: string | null;
  readonly requestBytes: number;
  readonly responseBytes: number;
  readonly firstByteMs: number | null;
  readonly durationMs: number;
}

/** What is journalled before the destination is dialled. */
export function openingOf(call: AdmittedCall, node: GatewayNodeId): CallOpening {
  return {
    id: call.id,
    organization: call.held.organization.id,
    key: call.held.key.id,
    project: call.project ?? call.held.key.project,
    labels: call.labels,
    labelsDropped: call.labelsDropped,
    run: call.runCall?.declaration.id ?? null,
    wire: call.route.wire,
    endpoint: call.route.endpoint,
    method: call.method,
    path: call.route.path,
    startedAtMs: call.startedWallMs,
    node,
    transport: call.transport,
    connection: call.connection,
    session: call.session,
  };
}

/** The whole record of an ended call. */
export function settledRecord(call: AdmittedCall, opening: CallOpening, ended: EndedCall, book: PriceBook): CallRecord {
  const { reading, requestedModel } = ended;
  const { cost, costGaps, costSource, pricedBy, priceList, cacheSavings } = costOf({
    reading, requestedModel, region: call.chosen.region, provider: call.chosen.provider, upstreamHost: call.chosen.upstreamHost,
    listedAs: call.chosen.listedAs, book, fallback: call.held.organization.fallbackPrice, atMs: opening.startedAtMs,
  });
  // Spelled out: an object that is spread and then grows is made again and again on its way.
  return {
    id: opening.id,
    organization: opening.organization,
    key: opening.key,
    project: opening.project,
    labels: opening.labels,
    labelsDropped: opening.labelsDropped,
    run: opening.run,
    wire: opening.wire,
    endpoint: opening.endpoint,
    method: opening.method,
    path: opening.path,
    startedAtMs: opening.startedAtMs,
    node: opening.node,
    streamed: ended.streamed,
    status: ended.status,
    outcome: ended.outcome,
    model: reading.model,
    requestedModel,
    finishReason: reading.finishReason,
    inputTokens: reading.tokens.input,
    outputTokens: reading.tokens.output,
    cachedTokens: reading.tokens.cached,
    cacheWriteTokens: reading.tokens.cacheWrite,
    reasoningTokens: reading.tokens.reasoning,
    usage: reading.usage,
    usageReason: reading.usageReason,
    cost,
    costGaps,
    serviceTier: reading.serviceTier,
    audioInputTokens: reading.tokens.audioInput,
    audioOutputTokens: reading.tokens.audioOutput,
    toolCalls: reading.toolCalls,
    units: reading.units,
    costSource,
    pricedBy,
    priceList,
    cacheSavings,
    providerRequestId: ended.providerRequestId,
    requestBytes: ended.requestBytes,
    responseBytes: ended.responseBytes,
    firstByteMs: ended.firstByteMs,
    durationMs: ended.durationMs,
    transport: opening.transport,
    connection: opening.connection,
    session: opening.session,
  };
}
