/**
 * A provider's response head → what the relay must know of it. Nothing here judges: a length that is none is no number, and
 * then equals no count of bytes.
 */
import { firstValue, type HeaderPairs } from '@metergate/core/call/header-pairs.ts';
import type { RelayedHead } from './answer.ts';

export interface ResponseHead extends RelayedHead {
  /** An event stream. */
  readonly streamed: boolean;
  readonly providerRequestId: string | null;
  /** Length of the body, bytes; −1 where the head declares none. */
  readonly bodyBytes: number;
}

export function responseHead(status: number, reason: string, headers: HeaderPairs): ResponseHead {
  const declared = firstValue(headers, 'content-length');
  return {
    status, reason, headers,
    streamed: (firstValue(headers, 'content-type') ?? '').trimStart().toLowerCase().startsWith('text/event-stream'),
    providerRequestId: firstValue(headers, 'x-request-id') ?? firstValue(headers, 'request-id'),
    bodyBytes: declared === null ? -1 : Number(declared),
  };
}
