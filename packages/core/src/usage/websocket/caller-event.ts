/**
 * A caller's message on a Responses connection → what it may begin. `response.create` begins a response, `response.steer` queues input from
 * which the provider begins one by itself, and nothing else begins any.
 *
 * Rule: whichever reading of a message could begin a response counts. Providers differ in how they read a `type` that comes twice, is written in
 * another case, or stands in a text that is no valid JSON. So a message begins nothing only if it is a JSON object with one `type`, in no second
 * spelling, which is a string and does not begin with `response.create` in any case.
 */
import { JsonScanner } from '../../json/json-scanner.ts';
import { watched, type WatchedValue } from '../../json/watched-value.ts';
import { EverSet } from '../later-scanner.ts';
import type { AskedLater } from '../unmetered.ts';
import { TypeMember } from './type-member.ts';

export interface CallerEvent {
  /** `lead`: the provider may begin a response by itself for it, as after words that were spoken. */
  readonly begins: 'response' | 'successor' | 'lead' | 'nothing';
  /** The lane; null if it names none. */
  readonly streamId: string | null;
  readonly previousResponseId: string | null;
  /** The model that is asked for. */
  readonly model: string | null;
  /** The caller's own name of the message; null if it gave none, or where none is read. */
  readonly eventId: string | null;
  /** Whether it asks for its work to be done in the background. */
  readonly asksLater: AskedLater;
}

/** A message that nobody reads. */
export const unreadMessage: CallerEvent = Object.freeze({
  begins: 'lead', streamId: null, previousResponseId: null, model: null, eventId: null, asksLater: 'unread',
});

/** Also for a reader that ignores case, what stands around a name, or what follows a NUL. */
const couldBe = (type: string, name: 'RESPONSE.CREATE' | 'RESPONSE.STEER'): boolean => type.trim().toUpperCase().startsWith(name);

/** Reads one message after the other. Never throws. */
export class CallerEvents {
  readonly #type = new TypeMember();
  readonly #streamId = watched();
  readonly #previous = watched();
  readonly #model = watched();
  readonly #eventId = watched();
  readonly #background = new EverSet();
  readonly #root: WatchedValue;
  readonly #scanner: JsonScanner;

  /** `places`: of further members that somebody else reads, when a message was read. */
  constructor(places: Readonly<Record<string, WatchedValue>> = {}) {
    this.#root = watched({
      background: this.#background, stream_id: this.#streamId, previous_response_id: this.#previous, model: this.#model,
      event_id: this.#eventId, ...this.#type.places, ...places,
    });
    this.#scanner = new JsonScanner(this.#root);
  }

  /** Of the message that was read; null: it names none that every reader sees, or is no JSON object. */
  get type(): string | null {
    return this.isObject ? this.#type.text : null;
  }

  /** The message that was read is a JSON object. */
  get isObject(): boolean {
    return this.#root.kind === 'object' && this.#scanner.verdict() === 'valid';
  }

  /** `text[from..to)`: the whole message, unmasked and decompressed. */
  read(text: Uint8Array, from: number = 0, to: number = text.length): CallerEvent {
    this.begin();
    this.push(text, from, to);
    return this.event();
  }

  /** A message follows that comes in pieces. */
  begin(): void {
    this.#scanner.clear();
    this.#type.begin();
    this.#background.begin();
  }

  /** More of it. */
  push(text: Uint8Array, from: number, to: number): void {
    this.#scanner.push(text, from, to);
  }

  /** What the message is, if it ends here. */
  event(): CallerEvent {
    const { isObject } = this;
    return {
      begins: this.#begins(isObject), streamId: this.#streamId.string(), previousResponseId: this.#previous.string(), model: this.#model.string(),
      eventId: this.#eventId.string(), asksLater: this.#background.wasSet ? 'yes' : isObject ? 'no' : 'unread',
    };
  }

  #begins(isObject: boolean): CallerEvent['begins'] {
    const type = isObject ? this.#type.text : null;
    if (type === null || couldBe(type, 'RESPONSE.CREATE')) return 'response';
    return couldBe(type, 'RESPONSE.STEER') ? 'successor' : 'nothing';
  }
}
