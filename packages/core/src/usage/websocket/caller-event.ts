/**
 * A caller's message on a Responses connection → what it may begin. `response.create` begins a response, `response.steer` queues input from
 * which the provider begins one by itself, and nothing else begins any.
 *
 * Rule: whichever reading of a message could begin a response counts. Providers differ in how they read a `type` that comes twice, is written in
 * another case, or stands in a text that is no valid JSON. So a message begins nothing only if it is a JSON object whose `type` is a string
 * each time it comes, never `response.create`, and no other spelling of the name comes beside it.
 */
import { JsonScanner } from '../../json/json-scanner.ts';
import { WatchedValue, watched, type ValueKind } from '../../json/watched-value.ts';
import { EverSet } from '../background-scanner.ts';
import type { AskedLater } from '../unmetered.ts';

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

/** All spellings of `type` but the plain one: some JSON readers do not distinguish cases. */
const otherSpellings: readonly string[] = Array.from({ length: 15 }, (_, index) =>
  [...'type'].map((letter, place) => ((index + 1) >> place & 1) === 1 ? letter.toUpperCase() : letter).join(''));

/** A `type`, each time it comes. */
class EachType extends WatchedValue {
  couldCreate = false;

  constructor() {
    super(null, null);
  }

  override write(kind: ValueKind, source: Uint8Array, from: number, to: number): void {
    super.write(kind, source, from, to);
    if (this.string() === null || this.isString('response.create')) this.couldCreate = true;
  }
}

/** Reads one message after the other. Never throws. */
export class CallerEvents {
  readonly #type = new EachType();
  readonly #others = otherSpellings.map(() => watched());
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
      background: this.#background, type: this.#type, stream_id: this.#streamId, previous_response_id: this.#previous, model: this.#model,
      event_id: this.#eventId, ...places, ...Object.fromEntries(otherSpellings.map((name, index) => [name, this.#others[index]!])),
    });
    this.#scanner = new JsonScanner(this.#root);
  }

  /** Of the message that was read; null: it names none, or is no JSON object. */
  get type(): string | null {
    return this.isObject ? this.#type.string() : null;
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
    this.#type.couldCreate = false;
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
    if (!isObject || this.#type.couldCreate || this.#type.string() === null) return 'response';
    if (this.#others.some(({ kind }) => kind !== 'absent')) return 'response';
    return this.#type.isString('response.steer') ? 'successor' : 'nothing';
  }
}
