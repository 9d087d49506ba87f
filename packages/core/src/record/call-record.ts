/**
 * The record of one forwarded call: what is kept, and its JSON form. Design 4. Never content.
 */
import type { Endpoint, Wire } from '../call/route.ts';
import type { GatewayNodeId, OrganizationId, RequestId, ServiceKeyId } from '../id.ts';
import { formatDollars, type NanoDollars } from '../money.ts';
import type { UsageReason, UsageState } from '../usage/reading.ts';

/** How a call ended, once. */
export type CallOutcome = 'completed' | 'cut' | 'caller_gone' | 'failed' | 'interrupted';

/** Where the cost comes from. `none`: no usage to price. `unpriced`: usage without a price. */
export type CostSource = 'priced' | 'upstream' | 'fallback' | 'unpriced' | 'none';

/** What is known when a call is about to be dialled; journalled as `opened` before the first byte leaves. */
export interface CallOpening {
  readonly id: RequestId;
  readonly organization: OrganizationId;
  readonly key: ServiceKeyId;
  readonly project: string | null;
  readonly labels: readonly string[];
  readonly labelsDropped: number;
  readonly run: string | null;
  readonly wire: Wire;
  readonly endpoint: Endpoint;
  readonly method: string;
  /** The path as called, without its query. */
  readonly path: string;
  /** Wall time of admission, milliseconds since the epoch. */
  readonly startedAtMs: number;
  readonly node: GatewayNodeId;
}

/** The whole record; journalled as `closed`, kept in the store. Durations in milliseconds, sizes in bytes as on the wire. */
export interface CallRecord extends CallOpening {
  readonly streamed: boolean;
  /** The provider's status; null when no response head came. */
  readonly status: number | null;
  readonly outcome: CallOutcome;
  readonly model: string | null;
  readonly finishReason: string | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly cachedTokens: number | null;
  readonly cacheWriteTokens: number | null;
  readonly reasoningTokens: number | null;
  readonly usage: UsageState;
  readonly usageReason: UsageReason | null;
  readonly cost: NanoDollars | null;
  readonly costSource: CostSource;
  /** Date and hash of the list that priced the call, e.g. `2026-09-23/1f0c…`; null where nothing was priced. */
  readonly priceList: string | null;
  readonly providerRequestId: string | null;
  readonly requestBytes: number;
  readonly responseBytes: number;
  readonly firstByteMs: number | null;
  readonly durationMs: number | null;
}

/** A record as JSON shows it: `cost` a decimal string with 9 places, times ISO 8601 UTC, and its label. */
export type CallRecordJson = Omit<CallRecord, 'cost' | 'startedAtMs'> & {
  readonly cost: string | null;
  readonly startedAt: string;
  readonly label: 'measured';
};

/** The record as lists, exports and HTTP show it. */
export function callRecordToJson(record: CallRecord): CallRecordJson {
  const { startedAtMs, cost, ...rest } = record;
  return {
    ...rest,
    cost: cost === null ? null : formatDollars(cost),
    startedAt: new Date(startedAtMs).toISOString(),
    label: 'measured',
  };
}

/** The record of a call that was opened and never closed: the process ended with it in flight. */
export function interruptedRecord(opening: CallOpening): CallRecord {
  return {
    ...opening,
    streamed: false, status: null, outcome: 'interrupted', model: null, finishReason: null,
    inputTokens: null, outputTokens: null, cachedTokens: null, cacheWriteTokens: null, reasoningTokens: null,
    usage: 'unknown', usageReason: 'interrupted', cost: null, costSource: 'none', priceList: null,
    providerRequestId: null, requestBytes: 0, responseBytes: 0, firstByteMs: null, durationMs: null,
  };
}
