/** The events of the Responses API that tests send, as frames of either end. */
import { frameOf } from '@metergate/testkit/websocket/wire.ts';

export const mask = Buffer.from([0x11, 0x22, 0x33, 0x44]);
export const usage = { input_tokens: 11, output_tokens: 7, total_tokens: 18 };
export const model = 'gpt-5.2-2025-12-11';

export function fromCaller(event: unknown): Buffer {
  return frameOf(JSON.stringify(event), { mask });
}

export function fromProvider(event: unknown): Buffer {
  return frameOf(JSON.stringify(event));
}

/** Asks for a response. */
export function create(more: object = {}): Buffer {
  return fromCaller({ type: 'response.create', model, input: 'hello', ...more });
}

/** `response`: further fields of the response; `event`: of the event itself. */
export function created(id: string, { response = {}, event = {} }: { readonly response?: object; readonly event?: object } = {}): Buffer {
  return fromProvider({ type: 'response.created', response: { id, status: 'in_progress', ...response }, ...event });
}

export function delta(event: object = {}): Buffer {
  return fromProvider({ type: 'response.output_text.delta', item_id: 'msg_1', delta: 'word', ...event });
}

export function completed(id: string, event: object = {}): Buffer {
  return fromProvider({ type: 'response.completed', response: { id, status: 'completed', model, output: [], usage }, ...event });
}
