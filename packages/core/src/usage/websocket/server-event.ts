/**
 * A provider's message on a Responses connection → the response that it is of, and whether it ends it. Its usage is read elsewhere, by the
 * reader of streams. A message that is like the one before it is recognized by its bytes (`EventPattern`): most of them are pieces of one text.
 */
import { JsonScanner } from '../../json/json-scanner.ts';
import { watched } from '../../json/watched-value.ts';
import { EventPattern } from '../event-pattern.ts';

export interface ServerEvent {
  /** `ends`: the last event of a response. `error`: of a response, or of a request for one. */
  readonly kind: 'ends' | 'error' | 'other';
  /** The lane; null if it names none. */
  readonly streamId: string | null;
  /** Null: the event carries no response. */
  readonly responseId: string | null;
  readonly previousResponseId: string | null;
  /** Of an error: the status that HTTP would have had, from 100 to 599; null if it names none. */
  readonly status: number | null;
  /** An error within a response that had begun, not one of a request for a response. */
  readonly isOfStream: boolean;
  /** A transcription is charged beside the responses; its name stands in `responseId`. */
  readonly work: 'response' | 'transcription';
  /** What it names may have been begun by it. */
  readonly mayBegin: boolean;
  /** A model, a usage or an end may be read in it. */
  readonly tells: boolean;
  /** Of an error: the caller's own name of the message that it is about; null if it names none. */
  readonly refusedEventId: string | null;
  /** It reports what the connection itself has used so far. */
  readonly isUsageOfConnection: boolean;
}

const ends = ['response.completed', 'response.incomplete', 'response.failed', 'response.cancelled', 'response.done'] as const;

/** This message shows nothing. */
export const untoldEvent: ServerEvent = Object.freeze({
  kind: 'other', streamId: null, responseId: null, previousResponseId: null, status: null, isOfStream: false,
  work: 'response', mayBegin: false, tells: false, refusedEventId: null, isUsageOfConnection: false,
});

/** Reads one message after the other. Never throws. */
export class ServerEvents {
  readonly #type = watched();
  readonly #streamId = watched();
  readonly #id = watched();
  readonly #previous = watched();
  readonly #root = watched({
    type: this.#type, stream_id: this.#streamId, response: watched({ id: this.#id, previous_response_id: this.#previous }),
  });
  readonly #pattern = new EventPattern();
  readonly #scanner = new JsonScanner(this.#root, this.#pattern);
  /** What only errors are asked for: numbers, which would make each event unlike the one before it. */
  readonly #status = watched();
  readonly #number = watched();
  readonly #ofError = new JsonScanner(watched({ status: this.#status, sequence_number: this.#number }));
  /** What the learnt message was. */
  #last: ServerEvent = untoldEvent;

  /** `text[from..to)`: the whole message, decompressed. */
  read(text: Uint8Array, from: number = 0, to: number = text.length): ServerEvent {
    if (this.#pattern.known && this.#pattern.isAlike(text, from, to)) return this.#last;
    this.begin();
    this.#scanner.push(text, from, to);
    if (this.#type.isString('error')) this.#ofError.push(text, from, to);
    const event = this.event();
    // The numbers of an error may differ where nothing else does.
    if (event.kind === 'other' && event !== untoldEvent) this.#pattern.learn(text, { from, dataTo: to, to });
    this.#last = event;
    return event;
  }

  /** A message follows that comes in pieces. */
  begin(): void {
    this.#pattern.forget();
    this.#scanner.clear();
    this.#ofError.clear();
  }

  /** More of it. */
  push(text: Uint8Array, from: number, to: number): void {
    this.#scanner.push(text, from, to);
    this.#ofError.push(text, from, to);
  }

  /** What the message is, if it ends here. */
  event(): ServerEvent {
    if (this.#scanner.verdict() !== 'valid') return untoldEvent;
    const kind = ends.some((type) => this.#type.isString(type)) ? 'ends' : this.#type.isString('error') ? 'error' : 'other';
    const status = this.#status.plainWholeNumber();
    const responseId = this.#id.string();
    return {
      kind,
      streamId: this.#streamId.string(),
      responseId,
      previousResponseId: this.#previous.string(),
      status: kind === 'error' && status >= 100 && status <= 599 ? status : null,
      isOfStream: kind === 'error' && this.#number.kind === 'number',
      work: 'response', mayBegin: true, tells: responseId !== null, refusedEventId: null, isUsageOfConnection: false,
    };
  }
}
