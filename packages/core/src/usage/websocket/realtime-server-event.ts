/**
 * A provider's message on a Realtime or Live connection → the response or transcription that it is of, whether it ends it, and what it says of
 * the connection itself. An event of Live that wraps one of a response is read as that one. Its usage is read by the reader of streams.
 */
import { JsonScanner } from '../../json/json-scanner.ts';
import { watched, type WatchedValue } from '../../json/watched-value.ts';
import { MessageLearner, type RepeatableReader } from './alike-messages.ts';
import { untoldEvent, type ServerEvent } from './server-event.ts';
import { SessionPlaces, type SessionModels } from './session-models.ts';

const ends: ReadonlySet<string> = new Set(['response.done', 'response.completed', 'response.incomplete', 'response.failed', 'response.cancelled']);
/** Events that a response's own are followed by, when it is over. */
const isOfPlayback = (type: string): boolean => type.startsWith('output_audio_buffer.');
const transcription = 'conversation.item.input_audio_transcription.';

/** Transcriptions that nothing names, of all readers: messages of one connection are read by several of them. */
let unnamed = 0;

interface EventPlaces {
  readonly type: WatchedValue;
  readonly responseId: WatchedValue;
  readonly innerId: WatchedValue;
}

const eventPlaces = (): EventPlaces => ({ type: watched(), responseId: watched(), innerId: watched() });
const fieldsOf = ({ type, responseId, innerId }: EventPlaces) => ({ type, response_id: responseId, response: watched({ id: innerId }) });

/** All that an event of a response is made of. */
export function realtimeServerLearner(): MessageLearner {
  return new MessageLearner(watched({
    ...fieldsOf(eventPlaces()), event: watched(fieldsOf(eventPlaces())), session: new SessionPlaces().place,
  }));
}

/** Reads one message after the other. Never throws. */
export class RealtimeServerEvents implements RepeatableReader<ServerEvent> {
  readonly #own = eventPlaces();
  readonly #wrapped = eventPlaces();
  readonly #session = new SessionPlaces();
  readonly #usage = watched();
  readonly #eventId = watched();
  readonly #itemId = watched();
  readonly #contentIndex = watched();
  readonly #refused = watched();
  readonly #refusedOfLive = watched();
  readonly #root = watched({
    ...fieldsOf(this.#own), event: watched(fieldsOf(this.#wrapped)), session: this.#session.place, usage: this.#usage,
    event_id: this.#eventId, item_id: this.#itemId, content_index: this.#contentIndex,
    error: watched({ event_id: this.#refused, client_event_id: this.#refusedOfLive }),
  });
  readonly #scanner = new JsonScanner(this.#root);
  #last: ServerEvent = untoldEvent;
  #isOfResponse = false;

  /** `text[from..to)`: the whole message, decompressed. */
  read(text: Uint8Array, from: number = 0, to: number = text.length): ServerEvent {
    this.begin();
    this.push(text, from, to);
    return this.event();
  }

  /** A message follows that comes in pieces. */
  begin(): void {
    this.#scanner.clear();
  }

  /** More of it. */
  push(text: Uint8Array, from: number, to: number): void {
    this.#scanner.push(text, from, to);
  }

  /** What the message is, if it ends here. */
  event(): ServerEvent {
    this.#isOfResponse = false;
    return this.#last = this.#event();
  }

  #event(): ServerEvent {
    const type = this.#scanner.verdict() === 'valid' ? this.#own.type.string() : null;
    if (type === null) return untoldEvent;
    if (type === 'error') return { ...untoldEvent, kind: 'error', refusedEventId: this.#refused.string() ?? this.#refusedOfLive.string() };
    if (type.startsWith('session.')) return { ...untoldEvent, isUsageOfConnection: this.#usage.kind === 'object' };
    if (type.startsWith(transcription)) return this.#ofTranscription(type.slice(transcription.length));
    // Of providers that transcribe alone.
    if (type === 'transcription.done') return this.#ofTranscription('completed');
    this.#isOfResponse = true;
    return type === 'response.event' ? this.#ofResponse(this.#wrapped) : this.#ofResponse(this.#own);
  }

  /** The models that the message that was read names. */
  get models(): SessionModels {
    return this.#session.read();
  }

  likeTheLast(): ServerEvent | null {
    const { response, transcription } = this.models;
    return this.#isOfResponse && response === null && transcription === null ? this.#last : null;
  }

  #ofResponse({ type, responseId, innerId }: EventPlaces): ServerEvent {
    const name = type.string();
    const carried = innerId.string();
    const id = carried ?? responseId.string();
    if (name === null || id === null) return untoldEvent;
    return { ...untoldEvent, kind: ends.has(name) ? 'ends' : 'other', responseId: id, mayBegin: !isOfPlayback(name), tells: carried !== null };
  }

  /** `step`: of `delta`, `segment`, `completed` and `failed`. One that failed has cost something only if it had begun. */
  #ofTranscription(step: string): ServerEvent {
    const isEnd = step === 'completed' || step === 'failed';
    const item = this.#itemId.string();
    const index = this.#contentIndex.plainWholeNumber();
    if (item === null && !isEnd) return untoldEvent;
    const named = item === null || index <= 0 ? item : `${item}#${index}`;
    const responseId = named ?? this.#eventId.string() ?? `transcription ${unnamed += 1}`;
    return {
      ...untoldEvent, work: 'transcription', kind: isEnd ? 'ends' : 'other', responseId, mayBegin: step !== 'failed', tells: step === 'completed',
    };
  }
}
