/** Sample calls for the benchmarks of the journal and of shipping: distinguished by a number, with labels, keys and runs that repeat. */
import { createHash } from 'node:crypto';
import { requestIdFrom, type OrganizationId } from '@metergate/core/id.ts';
import { nanoDollars } from '@metergate/core/money.ts';
import { noWork, type CallOpening, type CallRecord } from '@metergate/core/record/call-record.ts';

export interface SampleCall {
  /** The call's id is made from it: calls with different names are different. */
  readonly name: string;
  readonly number: number;
  readonly organization: string;
  readonly labels: readonly string[];
  /** How many different values there are. */
  readonly keys: number;
  readonly runs: number;
  readonly startedAtMs: number;
}

export function openingOf({ name, number, organization, labels, keys, runs, startedAtMs }: SampleCall): CallOpening {
  return {
    id: requestIdFrom(createHash('md5').update(name).digest('hex')), organization: organization as OrganizationId,
    key: `key_${number % keys}` as CallOpening['key'], project: 'search', labels, labelsDropped: 0,
    run: number % 3 === 0 ? `run-${number % runs}` : null, wire: 'openai', endpoint: 'chat.completions', method: 'POST',
    path: '/v1/chat/completions', startedAtMs, node: 'node_bench' as CallOpening['node'],
    transport: 'http', connection: null, session: null,
  };
}

export function recordOf(call: CallOpening, number: number): CallRecord {
  return {
    ...call, streamed: false, status: 200, outcome: 'completed', model: 'gpt-4o-mini-2024-07-18', finishReason: 'stop',
    inputTokens: number % 4_000, outputTokens: number % 900, cachedTokens: 0, cacheWriteTokens: null, reasoningTokens: 0,
    usage: 'reported', usageReason: null, cost: nanoDollars(BigInt(number % 100_000)), costGaps: [], serviceTier: 'default',
    audioInputTokens: null, audioOutputTokens: null, toolCalls: null, cacheSavings: null, costSource: 'priced', priceList: '2026-09-23/1f0c',
    requestedModel: 'gpt-4o-mini', units: null, pricedBy: 'model',
    providerRequestId: 'req_bench', requestBytes: 1_024, responseBytes: 1_400, firstByteMs: 300, durationMs: 900, ...noWork,
  };
}
