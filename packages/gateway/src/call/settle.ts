/**
 * A call that ended → its record: reading priced, facts put together. Rules: Record; rules 6 to 8. Pure.
 */
import { noWork, type CallOpening, type CallRecord } from '@metergate/core/record/call-record.ts';
import { costOf } from '@metergate/core/price/cost.ts';
import { costTogether } from '@metergate/core/price/priced-together.ts';
import type { PricePart } from '@metergate/core/price/settlement.ts';
import type { OutcomeForm } from '@metergate/core/usage/later-work.ts';
import { beginsWork } from '@metergate/core/usage/outcome-place.ts';
import type { PriceBook } from '@metergate/core/price/price-book.ts';
import type { Reading } from '@metergate/core/usage/reading.ts';
import type { GatewayNodeId } from '@metergate/core/id.ts';
import { countedForOf } from '../guards/capped-subjects.ts';
import type { AdmittedCall } from './admitted-call.ts';

/** What the relay saw of a call that ended. */
export interface EndedCall extends Pick<
  CallRecord, 'outcome' | 'streamed' | 'status' | 'requestedModel' | 'providerRequestId' | 'requestBytes' | 'responseBytes' | 'firstByteMs'
> {
  readonly reading: Reading;
  readonly durationMs: number;
  /** The ids of work of an earlier call that ended, as the answer names them; empty if it tells of none. */
  readonly outcomeOf: readonly string[];
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
  const record: CallRecord = {
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
    kind: 'call',
    works: worksOf(opening, ended),
    settles: null,
    settledBy: null,
  };
  const countedFor = countedForOf(call.taken?.capped ?? []);
  return countedFor === undefined ? record : { ...record, countedFor };
}

/** The work that the call began and that goes on, or that its answer says has ended. */
function worksOf(opening: CallOpening, { reading: { work }, outcomeOf }: EndedCall): readonly string[] {
  if (outcomeOf.length > 0) return outcomeOf;
  return work !== null && beginsWork(opening) ? [work] : noWork.works;
}

/** How the parts of work that an earlier call began are priced, as learned by `call` at `atMs`. */
export function priceOfWork(call: AdmittedCall, book: PriceBook, { form, atMs }: { readonly form: OutcomeForm; readonly atMs: number }): PricePart {
  const { chosen: { region, provider, upstreamHost, listedAs }, held: { organization: { fallbackPrice: fallback } } } = call;
  const price = form === 'batch' ? costTogether : costOf;
  return (reading) => price({ reading, requestedModel: null, region, provider, upstreamHost, listedAs, book, fallback, atMs });
}
