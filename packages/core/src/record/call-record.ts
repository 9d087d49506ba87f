/**
 * The record of one forwarded call: what is kept, and its JSON form. Rules: Record. Never content.
 */
import { upstreamNameOf } from '../call/named-upstream.ts';
import type { Endpoint, Wire } from '../wire/wire.ts';
import type { GatewayNodeId, OrganizationId, PersonId, RequestId, ServiceKeyId } from '../id.ts';
import { formatDollars, type NanoDollars } from '../money.ts';
import { isWatched } from '../usage/operation.ts';
import type { ToolCalls, UsageReason, UsageState } from '../usage/reading.ts';
import { socketKindOf } from '../usage/socket-kind.ts';
import type { Units } from '../usage/units.ts';

/** How a call ended, once. */
export const callOutcomes = ['completed', 'cut', 'caller_gone', 'failed', 'interrupted'] as const;
export type CallOutcome = (typeof callOutcomes)[number];

/** How a call was carried: as a request of HTTP, or on a WebSocket connection, whose handshake is a call too. */
export const callTransports = ['http', 'websocket'] as const;
export type CallTransport = (typeof callTransports)[number];

/** Where the cost comes from. `none`: no usage to price. `unpriced`: usage without a price. */
export const costSources = ['priced', 'upstream', 'fallback', 'unpriced', 'none'] as const;
export type CostSource = (typeof costSources)[number];

/** Which model's price the cost is: that of the model that answered, or, if the answer names none, of the one that was asked for (rule 6d). */
export const priceBases = ['model', 'requested_model'] as const;
export type PriceBasis = (typeof priceBases)[number];

/** What was reported but is not in the cost, because no rate is known for it (rule 6b). */
export const costGapNames = [
  'service_tier', 'region', 'audio', 'cache_write', 'web_search', 'web_fetch', 'file_search', 'code_interpreter', 'other_model',
  'cached', 'image', 'seconds', 'characters', 'pages', 'images', 'tool_calls', 'amount',
] as const;
export type CostGap = (typeof costGapNames)[number];

/**
 * What a record is of. `call`: a forwarded call. `settlement`: what became of work that an earlier call began and that was billed later; nothing
 * was forwarded for it.
 */
export const recordKinds = ['call', 'settlement'] as const;
type RecordKind = (typeof recordKinds)[number];

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
  readonly transport: CallTransport;
  /** Of a response on a WebSocket connection: the id of the handshake's own record. Null for any other call, and for the handshake. */
  readonly connection: RequestId | null;
  /** What the caller's agent calls its session (rule 31a); null: it named none. */
  readonly session: string | null;
}

/** Whose caps a node counted a call under besides its organization's and its key's: what it has spent is compared with what it has shipped. */
export interface CountedFor {
  readonly person: PersonId | null;
  readonly labels: readonly string[];
}

/** The whole record; journalled as `closed`, kept in the store. Durations in milliseconds, sizes in bytes as on the wire. */
export interface CallRecord extends CallOpening {
  readonly streamed: boolean;
  /** The provider's status; null when no response head came. */
  readonly status: number | null;
  readonly outcome: CallOutcome;
  /** The model that answered. */
  readonly model: string | null;
  /** The model that the request asked for; null if it named none that could be read. */
  readonly requestedModel: string | null;
  readonly finishReason: string | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly cachedTokens: number | null;
  readonly cacheWriteTokens: number | null;
  readonly reasoningTokens: number | null;
  readonly usage: UsageState;
  readonly usageReason: UsageReason | null;
  readonly cost: NanoDollars | null;
  /** Empty if the cost is complete, and if there is no cost. Each name once, in the order of `costGapNames`. */
  readonly costGaps: readonly CostGap[];
  /** The tier that served the call, in the provider's word; null if it named none. */
  readonly serviceTier: string | null;
  /** Part of the input; null if not reported. */
  readonly audioInputTokens: number | null;
  /** Part of the output; null if not reported. */
  readonly audioOutputTokens: number | null;
  /** Calls of the provider's own tools, which have separate fees; null if it reported none. */
  readonly toolCalls: ToolCalls | null;
  /** What was reported in other units, and kinds of tokens that the figures above contain; null if nothing was. */
  readonly units: Units | null;
  readonly costSource: CostSource;
  /** Null: no price of a model made the cost. */
  readonly pricedBy: PriceBasis | null;
  /** What caching saved, negative if writing cost more; null if no price says. For sums only: the JSON form leaves it out. */
  readonly cacheSavings: NanoDollars | null;
  /** Date and hash of the list that priced the call, e.g. `2026-09-23/1f0c…`; null if nothing was priced. */
  readonly priceList: string | null;
  readonly providerRequestId: string | null;
  readonly requestBytes: number;
  readonly responseBytes: number;
  readonly firstByteMs: number | null;
  readonly durationMs: number | null;
  readonly kind: RecordKind;
  /**
   * The provider's ids of work that goes on after its answer. Of a call: of the work that it began; of a settlement: of the work that it settles,
   * then of the files that hold its results. Empty for nearly all calls.
   */
  readonly works: readonly string[];
  /** Of a settlement: the call that began the work; null if no such call is known here. */
  readonly settles: RequestId | null;
  /**
   * For a call whose usage came later: the settlement's id. The call no longer counts as unknown. Set by the store, and never by receipts or
   * journals.
   */
  readonly settledBy: RequestId | null;
  /** Left out: for nobody. It travels with the journal; the store does not keep it, and no form shows it. */
  readonly countedFor?: CountedFor;
}

/** The fields of a record that is of a call which began no work that goes on. */
export const noWork = Object.freeze({ kind: 'call', works: Object.freeze([]) as readonly string[], settles: null, settledBy: null } as const);

/** A record as JSON shows it: `cost` a decimal string with 9 places, times ISO 8601 UTC, and its label. */
export type CallRecordJson = Omit<CallRecord, 'cost' | 'cacheSavings' | 'startedAtMs' | 'countedFor'> & {
  readonly cost: string | null;
  readonly startedAt: string;
  readonly label: 'measured';
  /** The name of the upstream that the path leads to; null: it has none, or the call went elsewhere. */
  readonly upstream: string | null;
};

/** The record as lists, exports and HTTP show it. */
export function callRecordToJson(record: CallRecord): CallRecordJson {
  const { startedAtMs, cost, cacheSavings: _, countedFor: _counted, ...rest } = record;
  return {
    ...rest,
    cost: cost === null ? null : formatDollars(cost),
    startedAt: new Date(startedAtMs).toISOString(),
    label: 'measured',
    upstream: upstreamNameOf(record.path),
  };
}

/** A record's fields that come from a reading, if there is none. */
export const noReadingFields = Object.freeze({
  model: null, requestedModel: null, finishReason: null,
  inputTokens: null, outputTokens: null, cachedTokens: null, cacheWriteTokens: null, reasoningTokens: null,
  cost: null, costGaps: Object.freeze([]) as readonly CostGap[], serviceTier: null, audioInputTokens: null, audioOutputTokens: null, toolCalls: null,
  units: null, costSource: 'none', pricedBy: null, priceList: null, cacheSavings: null,
} as const);

/** `pricedBy` of a cost whose basis was not kept, because it is the usual one. */
export function usualBasis(costSource: CostSource): PriceBasis | null {
  return costSource === 'priced' || costSource === 'fallback' ? 'model' : null;
}

/** Whether the answer could have reported usage of the call. The responses on a WebSocket connection are separate calls, if they are read. */
function mayReport({ wire, method, path, transport, connection }: CallOpening): boolean {
  if (transport === 'http' || connection !== null) return isWatched({ method, path });
  const kind = socketKindOf({ wire, path });
  return kind === 'live' || kind === 'unread';
}

/** The record of a call that was opened and never closed: the process ended with it in flight. */
export function interruptedRecord(opening: CallOpening): CallRecord {
  const due = mayReport(opening);
  return {
    ...opening,
    ...noReadingFields,
    streamed: false, status: null, outcome: 'interrupted', usage: due ? 'unknown' : 'none', usageReason: due ? 'interrupted' : null,
    providerRequestId: null, requestBytes: 0, responseBytes: 0, firstByteMs: null, durationMs: null, ...noWork,
  };
}
