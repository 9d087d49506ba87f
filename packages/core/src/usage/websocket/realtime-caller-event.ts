/**
 * A caller's message on a Realtime or Live connection → what it may begin. `response.create` begins a response. For what is spoken, and for
 * whatever is not known to be harmless, the provider may begin one by itself, which no message asks for. Decision 0121.
 */
import { watched } from '../../json/watched-value.ts';
import { MessageLearner, type RepeatableReader } from './alike-messages.ts';
import { CallerEvents, unreadMessage, type CallerEvent } from './caller-event.ts';
import { SessionPlaces, type SessionModels } from './session-models.ts';
import { otherSpellings, TypeMember } from './type-member.ts';

/** Nothing is begun for these alone. */
const harmless: ReadonlySet<string> = new Set([
  'session.update', 'transcription_session.update', 'session.close', 'session.input_audio.mute', 'response.cancel',
  'input_audio_buffer.clear', 'output_audio_buffer.clear', 'conversation.item.delete', 'conversation.item.truncate', 'conversation.item.retrieve',
]);
/** Harmless as well with these items. Where one lets a tool be called, the provider goes on by itself. */
const itemCreate = 'conversation.item.create';
const harmlessItems: ReadonlySet<string> = new Set(['message', 'function_call', 'function_call_output']);

/** All that an event is made of, but for the caller's own name of the message, which is asked for in a request for a response alone. */
export function realtimeCallerLearner(): MessageLearner {
  return new MessageLearner(watched({
    background: watched(), stream_id: watched(), previous_response_id: watched(), model: watched(), ...new TypeMember().places,
    session: new SessionPlaces().place, item: watched(new TypeMember().places), ...otherSpellings('item'),
  }));
}

/** Reads one message after the other. Never throws. */
export class RealtimeCallerEvents implements RepeatableReader<CallerEvent> {
  readonly #session = new SessionPlaces();
  readonly #itemType = new TypeMember();
  readonly #otherItems = otherSpellings('item');
  readonly #events = new CallerEvents({ session: this.#session.place, item: watched(this.#itemType.places), ...this.#otherItems });
  #last: CallerEvent = unreadMessage;

  /** `text[from..to)`: the whole message, unmasked and decompressed. */
  read(text: Uint8Array, from: number = 0, to: number = text.length): CallerEvent {
    this.begin();
    this.push(text, from, to);
    return this.event();
  }

  /** A message follows that comes in pieces. */
  begin(): void {
    this.#events.begin();
    this.#itemType.begin();
  }

  /** More of it. */
  push(text: Uint8Array, from: number, to: number): void {
    this.#events.push(text, from, to);
  }

  /** What the message is, if it ends here. */
  event(): CallerEvent {
    return this.#last = this.#event();
  }

  #event(): CallerEvent {
    const event = this.#events.event();
    const { type } = this.#events;
    // What is no JSON begins nothing that was asked for. It leaves only where a response may be begun without having been asked for.
    if (type === null && !this.#events.isObject) return { ...event, begins: 'lead' };
    if (event.begins === 'response') return event;
    return { ...event, begins: type !== null && this.#isHarmless(type) ? 'nothing' : 'lead' };
  }

  /** The models that the message that was read sets; null: none. */
  get models(): SessionModels {
    return this.#session.read();
  }

  likeTheLast(): CallerEvent | null {
    const { response, transcription } = this.models;
    return this.#last.begins === 'response' || response !== null || transcription !== null ? null : { ...this.#last, eventId: null };
  }

  #isHarmless(type: string): boolean {
    return harmless.has(type) || (type === itemCreate && this.#isHarmlessItem());
  }

  /** Every reader sees the same one, and it lets no tool be called. */
  #isHarmlessItem(): boolean {
    const type = this.#itemType.text;
    return type !== null && harmlessItems.has(type) && Object.values(this.#otherItems).every(({ kind }) => kind === 'absent');
  }
}
