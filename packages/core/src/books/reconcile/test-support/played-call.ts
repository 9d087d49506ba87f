/** Records of calls for bills, priced by the list as the gateway prices them. */
import type { GatewayNodeId, OrganizationId, RequestId, ServiceKeyId } from '../../../id.ts';
import { costOf } from '../../../price/cost.ts';
import type { PricesAtHand } from '../../../price/cost-lines.ts';
import { createPriceBook } from '../../../price/price-book.ts';
import { priceList } from '../../../price/price-list.ts';
import { recordedReading } from '../../../price/recorded-parts.ts';
import { noWork, type CallRecord } from '../../../record/call-record.ts';
import { providers } from '../../../wire/wire.ts';

const book = createPriceBook({ list: priceList, overlay: null });
export const pricesOfTest: PricesAtHand = { book, fallback: null, upstreamUrl: null };

const plain: Omit<CallRecord, 'cost' | 'costGaps' | 'costSource' | 'pricedBy' | 'priceList' | 'cacheSavings'> = {
  id: `req_${'0'.repeat(32)}` as RequestId, organization: 'org_a' as OrganizationId, key: 'key_a' as ServiceKeyId, project: null, labels: [],
  labelsDropped: 0, run: null, wire: 'openai', endpoint: 'chat.completions', method: 'POST', path: '/v1/chat/completions', startedAtMs: 0,
  node: 'node_a' as GatewayNodeId, transport: 'http', connection: null, session: null, streamed: false, status: 200, outcome: 'completed',
  model: 'gpt-4o-2024-08-06', requestedModel: 'gpt-4o', finishReason: 'stop', inputTokens: 1_000, outputTokens: 100, cachedTokens: 0,
  cacheWriteTokens: null, reasoningTokens: null, usage: 'reported', usageReason: null, serviceTier: null, audioInputTokens: null,
  audioOutputTokens: null, toolCalls: null, units: null, providerRequestId: null, requestBytes: 1, responseBytes: 1, firstByteMs: 1, durationMs: 1,
  ...noWork,
};

/** A call at an instant of ISO 8601. */
export function playedCall(at: string, given: Partial<CallRecord> = {}): CallRecord {
  const record = { ...plain, startedAtMs: Date.parse(at), ...given } as CallRecord;
  const provider = providers.find((name) => name === record.wire) ?? null;
  const cost = costOf({
    reading: recordedReading(record), requestedModel: record.requestedModel, provider, upstreamHost: provider === null ? 'api.example.com' : null,
      book,
    fallback: null, atMs: record.startedAtMs,
  });
  return { ...record, ...cost, ...('cost' in given ? { cost: given.cost! } : {}) };
}

export function searches(webSearch: number): CallRecord['toolCalls'] {
  return { webSearch, webFetch: 0, fileSearch: 0, codeInterpreter: 0 };
}
