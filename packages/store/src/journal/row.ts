/**
 * Openings and records ↔ the JSON text of one journal row. Every field is named here, so that a field added to the
 * record and forgotten here does not compile. Cost travels as whole nano-dollars in decimal text: exact at any size.
 */
import type { CallOpening, CallRecord } from '@metergate/core/record/call-record.ts';
import type { NanoDollars } from '@metergate/core/money.ts';

/** Value of the column `kind`. */
export const rowKind = { opened: 0, closed: 1 } as const;
export type RowKind = (typeof rowKind)[keyof typeof rowKind];

type Named<Fields> = { readonly [Field in keyof Fields]-?: unknown };

/** Text of an `opened` row. */
export function openingToText(opening: CallOpening): string {
  return JSON.stringify({
    id: opening.id, organization: opening.organization, key: opening.key, project: opening.project,
    labels: opening.labels, labelsDropped: opening.labelsDropped, run: opening.run, wire: opening.wire,
    endpoint: opening.endpoint, method: opening.method, path: opening.path, startedAtMs: opening.startedAtMs,
    node: opening.node,
  } satisfies Named<CallOpening>);
}

/** The opening that `openingToText` wrote. */
export function openingFromText(text: string): CallOpening {
  return JSON.parse(text) as CallOpening;
}

/** Text of a `closed` row. */
export function recordToText(record: CallRecord): string {
  return JSON.stringify({
    id: record.id, organization: record.organization, key: record.key, project: record.project,
    labels: record.labels, labelsDropped: record.labelsDropped, run: record.run, wire: record.wire,
    endpoint: record.endpoint, method: record.method, path: record.path, startedAtMs: record.startedAtMs,
    node: record.node, streamed: record.streamed, status: record.status, outcome: record.outcome,
    model: record.model, finishReason: record.finishReason, inputTokens: record.inputTokens,
    outputTokens: record.outputTokens, cachedTokens: record.cachedTokens, cacheWriteTokens: record.cacheWriteTokens,
    reasoningTokens: record.reasoningTokens, usage: record.usage, usageReason: record.usageReason,
    cost: record.cost === null ? null : record.cost.toString(), costSource: record.costSource,
    priceList: record.priceList, providerRequestId: record.providerRequestId, requestBytes: record.requestBytes,
    responseBytes: record.responseBytes, firstByteMs: record.firstByteMs, durationMs: record.durationMs,
  } satisfies Named<CallRecord>);
}

/** The record that `recordToText` wrote. */
export function recordFromText(text: string): CallRecord {
  const fields = JSON.parse(text) as Omit<CallRecord, 'cost'> & { cost: string | null };
  return { ...fields, cost: fields.cost === null ? null : (BigInt(fields.cost) as NanoDollars) };
}
