/** The events of Realtime that tests send, as frames of either end. */
import { fromCaller, fromProvider } from './events.ts';

export const realtimePath = '/v1/realtime?model=gpt-realtime';

/** Of a response with sound and an image as its input, and of which much was cached. */
const spokenUsage = {
  total_tokens: 1_600, input_tokens: 1_400, output_tokens: 200,
  input_token_details: {
    text_tokens: 400, audio_tokens: 700, image_tokens: 300, cached_tokens: 600,
    cached_tokens_details: { text_tokens: 200, audio_tokens: 300, image_tokens: 100 },
  },
  output_token_details: { text_tokens: 50, audio_tokens: 150 },
};

export const sessionCreated = (session: object = {}): Buffer => fromProvider({
  type: 'session.created', event_id: 'event_1',
  session: { type: 'realtime', model: 'gpt-realtime-2025-08-28', audio: { input: { transcription: { model: 'whisper-1' } } }, ...session },
});

export const ask = (more: object = {}): Buffer => fromCaller({ type: 'response.create', ...more });

export const begun = (id: string): Buffer => fromProvider({
  type: 'response.created', event_id: `event_${id}`,
  response: { object: 'realtime.response', id, status: 'in_progress', status_details: null, usage: null },
});

export const spoken = (id: string): Buffer => fromProvider({
  type: 'response.output_audio.delta', event_id: `event_d_${id}`,
  response_id: id, item_id: 'item_1', output_index: 0, content_index: 0, delta: 'AAAA',
});

/** `more`: further fields of the response. */
export const done = (id: string, more: object = {}): Buffer => fromProvider({
  type: 'response.done', event_id: `event_e_${id}`,
  response: { object: 'realtime.response', id, status: 'completed', status_details: null, output: [], usage: spokenUsage, ...more },
});

export const transcribed = (item: string, usage: object): Buffer => fromProvider({
  type: 'conversation.item.input_audio_transcription.completed', event_id: `event_t_${item}`,
  item_id: item, content_index: 0, transcript: 'Hello.', usage,
});

export const heard = (): Buffer => fromCaller({ type: 'input_audio_buffer.append', audio: 'AAAA' });
