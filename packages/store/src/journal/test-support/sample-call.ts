/** Openings and records for tests of the journal: whole, with every kind of value, distinguished by a number. */
import { noWork, type CallOpening, type CallRecord } from '@metergate/core/record/call-record.ts';
import { requestIdFrom, type GatewayNodeId, type OrganizationId, type ServiceKeyId } from '@metergate/core/id.ts';
import { nanoDollars } from '@metergate/core/money.ts';

/** Opening number `number` of `organization`. Its id is the number in hexadecimal. */
export function sampleOpening(number: number, organization: string = 'org_0000000000000000test'): CallOpening {
  return {
    id: requestIdFrom(number.toString(16).padStart(32, '0')), organization: organization as OrganizationId,
    key: 'key_00000000000000000000' as ServiceKeyId, project: number % 2 === 0 ? null : 'línea "1"\n', labels: ['a', '😀'],
    labelsDropped: 1, run: null, wire: 'openai', endpoint: 'chat.completions', method: 'POST', path: '/v1/chat/completions',
    startedAtMs: 1_790_000_000_000 + number, node: 'node_0000000000000000test' as GatewayNodeId,
    transport: 'http', connection: null, session: null,
  };
}

/** The record of a completed call; `inputTokens` and the cost show which. */
export function sampleRecord(opening: CallOpening, figure: number): CallRecord {
  return {
    ...opening, streamed: true, status: 200, outcome: 'completed', model: 'm-1', finishReason: 'stop', inputTokens: figure,
    outputTokens: 2, cachedTokens: null, cacheWriteTokens: null, reasoningTokens: 0, usage: 'reported', usageReason: null,
    cost: nanoDollars(9_007_199_254_740_993n + BigInt(figure)), costGaps: ['region'], serviceTier: 'flex',
    audioInputTokens: null, audioOutputTokens: 5, toolCalls: { webSearch: 0, webFetch: 0, fileSearch: 3, codeInterpreter: 0 },
    cacheSavings: null, costSource: 'priced', priceList: '2026-09-23/1f0c',
    requestedModel: 'm', units: figure % 2 === 0 ? null : { imageInputTokens: 2, seconds: 1.5 }, pricedBy: 'model',
    providerRequestId: null, requestBytes: 10, responseBytes: 20, firstByteMs: 1, durationMs: 3, ...noWork,
  };
}
