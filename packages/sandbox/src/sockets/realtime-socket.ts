/**
 * Realtime without sound: items with text are kept for as long as the connection lasts, and each `response.create` is answered with the words that
 * the Responses API would say to them. Sound is answered with an error.
 */
import type { WebSocket } from 'ws';
import type { AnswerTo } from './socket-answer.ts';

interface Said {
  readonly type?: unknown;
  readonly event_id?: unknown;
  readonly item?: { readonly role?: unknown; readonly content?: unknown };
  readonly response?: { readonly input?: unknown; readonly instructions?: unknown };
  readonly session?: object;
}

interface Answered {
  readonly type: string;
  readonly delta?: string;
  readonly response?: { readonly usage?: { readonly input_tokens: number; readonly output_tokens: number; readonly total_tokens: number } | null };
}

/** One connection. `target`: path and query of its handshake. */
export class RealtimeConversation {
  readonly #socket: WebSocket;
  readonly #answerTo: AnswerTo;
  readonly #model: string;
  readonly #items: { readonly role: string; readonly content: string }[] = [];
  #serial = 0;
  #session: object;

  constructor(socket: WebSocket, target: string, answerTo: AnswerTo) {
    this.#socket = socket;
    this.#answerTo = answerTo;
    this.#model = new URLSearchParams(target.split('?')[1] ?? '').get('model') ?? 'gpt-realtime';
    this.#session = { type: 'realtime', object: 'realtime.session', id: 'sess_sandbox', model: this.#model, output_modalities: ['text'] };
    this.#say('session.created', { session: this.#session });
  }

  hear(said: Said | null): void {
    if (said?.type === 'session.update') {
      this.#session = { ...this.#session, ...said.session, model: this.#model };
      this.#say('session.updated', { session: this.#session });
    } else if (said?.type === 'conversation.item.create') this.#keep(said);
    else if (said?.type === 'response.create') this.#respond(said);
    else this.#refuse(said, "Metergate's sandbox speaks Realtime in text alone: session.update, conversation.item.create and response.create.");
  }

  #keep(said: Said): void {
    const text = textOf(said.item?.content);
    if (text === null) return this.#refuse(said, 'The item has no text.');
    const id = `item_sandbox_${this.#serial += 1}`;
    this.#items.push({ role: said.item?.role === 'assistant' ? 'assistant' : 'user', content: text });
    const item = { ...said.item, id, object: 'realtime.item', status: 'completed' };
    this.#say('conversation.item.added', { previous_item_id: null, item });
    this.#say('conversation.item.done', { previous_item_id: null, item });
  }

  #respond(said: Said): void {
    const { instructions } = said.response ?? {};
    const input = this.#items.length === 0 ? String(instructions ?? 'Hello.') : this.#items;
    const answered = this.#answerTo(Buffer.from(JSON.stringify({ model: this.#model, input, stream: true })));
    if (answered?.kind !== 'events') return this.#refuse(said, 'The message is no request for a response.');
    const events = answered.events.map(({ data }) => data as Answered);
    const words = events.filter(({ type }) => type === 'response.output_text.delta').map(({ delta }) => delta!);
    const usage = events.at(-1)?.response?.usage ?? { input_tokens: 0, output_tokens: 0, total_tokens: 0 };
    this.#sayResponse(words, usage);
  }

  #sayResponse(words: readonly string[], { input_tokens: input, output_tokens: output, total_tokens: total }: {
    readonly input_tokens: number; readonly output_tokens: number; readonly total_tokens: number;
  }): void {
    const [id, itemId] = [`resp_sandbox_${this.#serial += 1}`, `item_sandbox_${this.#serial += 1}`];
    const begun = { object: 'realtime.response', id, status: 'in_progress', status_details: null, output: [] };
    const response = { ...begun, output_modalities: ['text'], usage: null };
    const place = { response_id: id, item_id: itemId, output_index: 0, content_index: 0 };
    const text = words.join('');
    const content = [{ type: 'output_text', text }];
    const item = { id: itemId, object: 'realtime.item', type: 'message', status: 'completed', role: 'assistant', content };
    this.#items.push({ role: 'assistant', content: text });
    this.#say('response.created', { response });
    this.#say('response.output_item.added', { response_id: id, output_index: 0, item: { ...item, status: 'in_progress', content: [] } });
    for (const delta of words) this.#say('response.output_text.delta', { ...place, delta });
    this.#say('response.output_text.done', { ...place, text });
    this.#say('response.output_item.done', { response_id: id, output_index: 0, item });
    this.#say('response.done', { response: { ...response, status: 'completed', output: [item], usage: {
      total_tokens: total, input_tokens: input, output_tokens: output,
      input_token_details: { text_tokens: input, audio_tokens: 0, image_tokens: 0, cached_tokens: 0 },
      output_token_details: { text_tokens: output, audio_tokens: 0 },
    } } });
  }

  #refuse(said: Said | null, message: string): void {
    const name = typeof said?.event_id === 'string' ? said.event_id : null;
    this.#say('error', { error: { type: 'invalid_request_error', code: 'invalid_request', message, param: null, event_id: name } });
  }

  #say(type: string, more: object): void {
    this.#socket.send(JSON.stringify({ type, event_id: `event_sandbox_${this.#serial += 1}`, ...more }));
  }
}

/** The text of an item's parts; null: there is none. */
function textOf(content: unknown): string | null {
  const parts = Array.isArray(content) ? content as { readonly text?: unknown }[] : [];
  const texts = parts.map((part) => part?.text).filter((text) => typeof text === 'string');
  return texts.length === 0 ? null : texts.join('\n');
}
