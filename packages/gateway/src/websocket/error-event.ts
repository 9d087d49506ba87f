/** A refusal in the words of the Responses connection: an `error` event, with the lane of what it refuses. */
import { header, type RequestId } from '@metergate/core/id.ts';
import type { Refusal } from '@metergate/core/refusal.ts';
import { answerFor } from '../refusals.ts';
import { opcodes } from './frames.ts';
import { messageFrame } from './own-frames.ts';

/** The event as a frame for a caller. `id`: of the call that is refused. */
export function errorEvent(refusal: Refusal, id: RequestId, streamId: string | null): Buffer {
  const { status, code, type, message, retryAfterSeconds, budget } = answerFor(refusal);
  const headers = {
    [header.requestId]: id,
    ...(budget === undefined ? {} : { [header.budgetScope]: budget.scope, [header.budgetWindow]: budget.window }),
    ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
  };
  const lane = streamId === null ? {} : { stream_id: streamId };
  const event = { type: 'error', status, error: { type, code, message, param: null, headers }, ...lane };
  return messageFrame(Buffer.from(JSON.stringify(event)), opcodes.text, 'caller');
}
