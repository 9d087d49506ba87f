/**
 * A provider's response head → the values that the relay needs. It does not validate: a malformed length becomes NaN, which equals no count
 * of bytes.
 */
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { firstValue, type HeaderPairs } from '@metergate/core/call/header-pairs.ts';
import type { RelayedHead } from './answer.ts';

export interface ResponseHead {
  /** An event stream. */
  readonly streamed: boolean;
  readonly providerRequestId: string | null;
  /** Length of the body, bytes; −1 where the head declares none. */
  readonly bodyBytes: number;
}

export function responseHead(headers: HeaderPairs): ResponseHead {
  const declared = firstValue(headers, 'content-length');
  return {
    streamed: (firstValue(headers, 'content-type') ?? '').trimStart().toLowerCase().startsWith('text/event-stream'),
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
