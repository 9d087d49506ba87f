/** A refusal in the words of a connection: an `error` event, with the lane or the name of what it refuses. */
import { header, type RequestId } from '@metergate/core/id.ts';
import type { Refusal } from '@metergate/core/refusal.ts';
import { answerFor } from '../callers/refusals.ts';
import { opcodes } from './frames.ts';
import { messageFrame } from './own-frames.ts';

/** The event as a frame for a caller. `id`: of the call that is refused. */
export function errorEvent(refusal: Refusal, id: RequestId, streamId: string | null): Buffer {
  const { status, code, type, message, retryAfterSeconds, budget } = answerFor(refusal);
  const headers = {
    [header.requestId]: id,
    ...(budget === undefined ? {} : { [header.budgetScope]: budget.named, [header.budgetWindow]: budget.window }),
    ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
  };
  const lane = streamId === null ? {} : { stream_id: streamId };
  const event = { type: 'error', status, error: { type, code, message, param: null, headers }, ...lane };
  return messageFrame(Buffer.from(JSON.stringify(event)), opcodes.text, 'caller');
}

/**
 * The same on a Realtime or Live connection, where an error has no status. `eventId`: the caller's own name of the message that is refused; null
 * if it has none.
 */
export function realtimeErrorEvent(refusal: Refusal, id: RequestId, { kind, eventId }: {
  readonly kind: 'realtime' | 'live'; readonly eventId: string | null;
}): Buffer {
  const { code, type, message } = answerFor(refusal);
  const named = { type: 'error', event_id: `event_${id}` };
  const event = kind === 'realtime' ? { ...named, error: { type, code, message, param: null, event_id: eventId } }
    : { ...named, error: { type, code, message, ...(eventId === null ? {} : { client_event_id: eventId }) } };
  return messageFrame(Buffer.from(JSON.stringify(event)), opcodes.text, 'caller');
}
