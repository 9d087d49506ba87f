/**
 * The form of a response's body: one JSON text, or a stream of events. Fills a dialect's watched places and says, at the end, whether the
 * body had that form at all.
 */
import { JsonScanner } from '../json/json-scanner.ts';
import type { Dialect } from './dialect.ts';
import { EventPattern } from './event-pattern.ts';
import { EventStreamSplitter, type EventConsumer } from './sse.ts';

/** `readable`: of the expected form, as far as it came. `empty`: nothing came. `not_readable`: (partly) of another form. */
export type FormVerdict = 'readable' | 'empty' | 'not_readable';

/** One body being read. */
export interface BodyForm {
  push(chunk: Uint8Array): void;
  readonly dialogueEnded: boolean;
  /** The body ended. The dialect then holds all that could be read. */
  end(ending: 'whole' | 'cut'): FormVerdict;
  /** Resets it for the next body. The dialect's owner clears the dialect. */
  clear(): void;
}

const byteOrderMark = [0xef, 0xbb, 0xbf];

/** A JSON body. Skips a byte order mark before it, as callers do. */
export class JsonBodyForm implements BodyForm {
  readonly dialogueEnded = false;
  readonly #dialect: Dialect;
  readonly #scanner: JsonScanner;
  /** Bytes of the byte order mark passed over, or 3 once there can be none. */
  #markBytes = 0;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
    this.#scanner = new JsonScanner(dialect.body);
  }

  push(chunk: Uint8Array): void {
    let from = 0;
    while (this.#markBytes < byteOrderMark.length && from < chunk.length) {
      if (chunk[from] === byteOrderMark[this.#markBytes]) {
        this.#markBytes++;
        from++;
      } else {
        this.#markBytes = byteOrderMark.length;
      }
    }
    this.#scanner.push(chunk, from);
  }

  clear(): void {
    this.#scanner.clear();
    this.#markBytes = 0;
  }

  end(ending: 'whole' | 'cut'): FormVerdict {
    const verdict = this.#scanner.verdict();
    if (verdict === 'empty') return 'empty';
    const { kind, tally } = this.#dialect.body;
    // A stream may be one array; its dialect takes each of its elements as it ends.
    const isExpected = kind === 'object' || (kind === 'array' && tally !== null);
    const readable = isExpected && (verdict === 'valid' || (verdict === 'incomplete' && ending === 'cut'));
    if (!readable) return 'not_readable';
    this.#dialect.takeBody();
    return 'readable';
  }
}

const doneWord = '[DONE]';
const lineFeedChunk = new Uint8Array([0x0a]);

/**
 * A stream of events. What comes after the end of the dialogue is not read. An event that differs from the one before it only in unwatched
 * parts is recognized by its bytes (`EventPattern`); the watched places then already hold its values.
 */
export class EventStreamForm implements BodyForm, EventConsumer {
  dialogueEnded = false;
  readonly #dialect: Dialect;
  readonly #pattern = new EventPattern();
  readonly #scanner: JsonScanner;
  readonly #splitter = new EventStreamSplitter(this);
  #received = false;
  #eventsRead = 0;
  #eventsUnread = 0;
  /** Data lines of the current event that have begun. */
  #dataLines = 0;
  #lineOpen = false;
  /** Characters of `[DONE]` matched in the current event's first data line; −1 once it is something else. */
  #doneMatched = 0;
  /** An event of one data line was read last, and its values still stand in their places. */
  #holdsEvent = false;
  /** Where that line ended in the chunk. */
  #dataTo = 0;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
    this.#scanner = new JsonScanner(dialect.event, this.#pattern);
  }

  push(chunk: Uint8Array): void {
    if (chunk.length > 0) this.#received = true;
    let at = 0;
    while (at < chunk.length && !this.dialogueEnded) {
      const next = this.#pattern.known && this.#splitter.atLineStart ? this.#pattern.endOfAlike(chunk, at) : -1;
      if (next > 0) this.#takeEvent();
      at = next > 0 ? next : this.#pushEvent(chunk, at);
    }
  }

  /** Reads an event, or as much as there is of it, and learns what it looks like where it is here as a whole. */
  #pushEvent(chunk: Uint8Array, from: number): number {
    const beginsHere = this.#splitter.atLineStart && this.#dataLines === 0;
    if (this.#holdsEvent) this.#clearEvent();
    this.#pattern.forget();
    const to = this.#splitter.pushEvent(chunk, from);
    if (beginsHere && this.#holdsEvent && this.#splitter.atLineStart) this.#pattern.learn(chunk, { from, dataTo: this.#dataTo, to });
    return to;
  }

  data(chunk: Uint8Array, from: number, to: number): void {
    if (this.dialogueEnded) return;
    this.#openLine();
    if (this.#doneMatched >= 0) this.#matchDone(chunk, from, to);
    this.#scanner.push(chunk, from, to);
    this.#dataTo = to;
  }

  dataLineEnded(): void {
    if (this.dialogueEnded) return;
    this.#openLine();
    this.#lineOpen = false;
    if (this.#doneMatched === doneWord.length) this.dialogueEnded = this.#dialect.endsWithDone;
    else if (this.#scanner.complete && this.#dialect.endsDialogue()) {
      this.dialogueEnded = true;
      this.#takeEvent();
    }
  }

  eventEnded(): void {
    if (this.dialogueEnded || this.#dataLines === 0) return;
    const verdict = this.#scanner.verdict();
    if (verdict === 'valid') this.#takeEvent();
    else if (this.#doneMatched !== doneWord.length && verdict !== 'empty') this.#eventsUnread++;
    this.#holdsEvent = verdict === 'valid' && this.#dataLines === 1;
    if (this.#holdsEvent) this.#dataLines = 0;
    else this.#clearEvent();
  }

  clear(): void {
    this.#clearEvent();
    this.#pattern.forget();
    this.#splitter.clear();
    this.dialogueEnded = false;
    this.#received = false;
    this.#eventsRead = 0;
    this.#eventsUnread = 0;
    this.#lineOpen = false;
  }

  end(ending: 'whole' | 'cut'): FormVerdict {
    if (!this.dialogueEnded) this.#splitter.end();
    const whole = ending === 'whole' || this.dialogueEnded;
    if (!this.dialogueEnded && this.#dataLines > 0) {
      if (this.#scanner.verdict() === 'valid') this.#takeEvent();
      else if (whole && this.#doneMatched !== doneWord.length) this.#eventsUnread++;
    }
    if (this.#eventsUnread > 0 && (whole || this.#eventsRead === 0)) return 'not_readable';
    if (this.#eventsRead > 0 || this.dialogueEnded) return 'readable';
    return this.#received && whole ? 'not_readable' : 'empty';
  }

  /** A newline separates a further data line of the same event from the one before. */
  #openLine(): void {
    if (this.#lineOpen) return;
    this.#lineOpen = true;
    if (++this.#dataLines === 1) return;
    this.#doneMatched = -1;
    this.#scanner.push(lineFeedChunk);
  }

  #matchDone(chunk: Uint8Array, from: number, to: number): void {
    for (let i = from; i < to; i++) {
      const byte = chunk[i]!;
      if (this.#doneMatched < doneWord.length && byte === doneWord.charCodeAt(this.#doneMatched)) this.#doneMatched++;
      else if (byte !== 0x20 || (this.#doneMatched > 0 && this.#doneMatched < doneWord.length)) {
        this.#doneMatched = -1;
        return;
      }
    }
  }

  #takeEvent(): void {
    this.#eventsRead++;
    this.#dialect.takeEvent();
  }

  #clearEvent(): void {
    this.#scanner.clear();
    this.#holdsEvent = false;
    this.#dataLines = 0;
    this.#doneMatched = 0;
  }
}
