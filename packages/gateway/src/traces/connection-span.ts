/**
 * The span of a WebSocket connection, under which those of its responses hang. They end before it does, perhaps an hour, so that its ids follow
 * from its handshake's request id. Pure.
 */
import { requestIdDigits } from '@metergate/core/id.ts';
import type { CallRecord } from '@metergate/core/record/call-record.ts';

interface ConnectionSpan {
  /** Of the trace, unless the caller has one. Its last digits are random: by those, shares of traces are chosen. */
  readonly traceId: string;
  readonly spanId: string;
  /** The call is the handshake, whose span this is; if not, it is a response. */
  readonly isOwn: boolean;
}

const randomDigits = 24;
const spanDigits = 16;

/** Null: the call is a request of HTTP. */
export function connectionSpanOf({ id, transport, connection }: Pick<CallRecord, 'id' | 'transport' | 'connection'>): ConnectionSpan | null {
  if (transport !== 'websocket') return null;
  const digits = requestIdDigits(connection ?? id);
  const traceId = digits.slice(randomDigits) + digits.slice(0, randomDigits);
  return { traceId, spanId: digits.slice(0, spanDigits), isOwn: connection === null };
}
