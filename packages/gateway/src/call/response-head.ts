/**
 * A provider's response head → the values that the relay needs. It does not validate: a malformed length becomes NaN, which equals no count
 * of bytes.
 */
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { firstValue, type HeaderPairs } from '@metergate/core/call/header-pairs.ts';
import type { RelayedHead } from './answer.ts';

/** What providers call a stream of lines of JSON. */
const lineTypes = ['application/x-ndjson', 'application/stream+json', 'application/jsonl'] as const;

export interface ResponseHead {
  /** It comes as a stream: of events, or on a named upstream also of lines or of binary frames. */
  readonly streamed: boolean;
  readonly inLines: boolean;
  readonly inFrames: boolean;
  readonly providerRequestId: string | null;
  /** Length of the body, bytes; −1 where the head declares none. */
  readonly bodyBytes: number;
}

/** `upstream`: the name of the upstream that answers; null: it has none. */
export function responseHead(headers: HeaderPairs, upstream: string | null): ResponseHead {
  const declared = firstValue(headers, 'content-length');
  const type = (firstValue(headers, 'content-type') ?? '').trimStart().toLowerCase();
  const inLines = upstream !== null && lineTypes.some((each) => type.startsWith(each));
  const inFrames = upstream !== null && type.startsWith('application/vnd.amazon.eventstream');
  return {
    streamed: inLines || inFrames || type.startsWith('text/event-stream'), inLines, inFrames,
    providerRequestId: firstValue(headers, 'x-request-id') ?? firstValue(headers, 'request-id'),
    bodyBytes: declared === null ? -1 : Number(declared),
  };
}

/** True if the head can be sent as it came: no byte in its reason or its fields that a line of HTTP cannot hold. */
export function isSendable({ reason, headers }: RelayedHead): boolean {
  try {
    validateHeaderValue('reason', reason);
    for (let at = 0; at < headers.length; at += 2) {
      validateHeaderName(headers[at]!);
      validateHeaderValue(headers[at]!, headers[at + 1]!);
    }
    return true;
  } catch {
    return false;
  }
}
