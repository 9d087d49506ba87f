/**
 * A `text/event-stream`, in bytes cut anywhere → the data of its events, piece by piece (WHATWG HTML, 9.2.6). Lines end in
 * CR, LF or CRLF; a byte order mark at the start, comments and fields other than `data` are skipped: an event's name is not trusted. Nothing
 * is buffered: data goes to the consumer as it comes, however long the line.
 */

/** Receives the events of one stream. */
export interface EventConsumer {
  /** More bytes of the current data line: `chunk[from..to)`, without the field's name and its one space. */
  data(chunk: Uint8Array, from: number, to: number): void;
  /** The newline of a data line. A further data line may follow in the same event. */
  dataLineEnded(): void;
  /** The blank line: what came since the last one was one event (one without data does not count). */
  eventEnded(): void;
}

const atStart = 0;
const atLineStart = 1;
const inName = 2;
const afterColon = 3;
const inData = 4;
const inOther = 5;

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const space = 0x20;
const colon = 0x3a;
const dataName = [0x64, 0x61, 0x74, 0x61];
const byteOrderMark = [0xef, 0xbb, 0xbf];

/** Splits one stream into the data of its events. */
export class EventStreamSplitter {
  readonly #consumer: EventConsumer;
  #state = atStart;
  /** Bytes of the name `data`, or at the start of the byte order mark, that have matched. */
  #matched = 0;
  /** The last byte was a CR: an LF now belongs to the same line end. */
  #afterCarriageReturn = false;
  #eventJustEnded = false;

  constructor(consumer: EventConsumer) {
    this.#consumer = consumer;
  }

  /** The next bytes. */
  push(chunk: Uint8Array): void {
    let from = 0;
    while (from < chunk.length) from = this.pushEvent(chunk, from);
  }

  /** Whether a line begins here with nothing pending: at the beginning of an event, or between its lines. */
  get atLineStart(): boolean {
    return this.#state === atLineStart && !this.#afterCarriageReturn;
  }

  /** The next bytes from `from` on, up to the end of an event or of the chunk; the index to continue from. */
  pushEvent(chunk: Uint8Array, from: number): number {
    const to = chunk.length;
    let i = from;
    this.#eventJustEnded = false;
    while (i < to) {
      const byte = chunk[i]!;
      if (this.#afterCarriageReturn) {
        this.#afterCarriageReturn = false;
        if (byte === lineFeed) {
          i++;
          continue;
        }
      }
      if (this.#eventJustEnded) return i;
      if (this.#state === inData || this.#state === inOther) {
        const end = lineEnd(chunk, i, to);
        if (this.#state === inData && end > i) this.#consumer.data(chunk, i, end);
        i = end;
        if (i < to) this.#endLine(chunk[i++]!);
      } else if (byte === lineFeed || byte === carriageReturn) {
        this.#endLine(byte);
        i++;
      } else {
        i += this.#takeNameByte(byte);
      }
    }
    return i;
  }

  /** Resets it for the next stream. */
  clear(): void {
    this.#state = atStart;
    this.#matched = 0;
    this.#afterCarriageReturn = false;
  }

  /** The body ended: a data line without its newline counts as ended, the event without its blank line does not. */
  end(): void {
    if (this.#hasDataLine()) this.#consumer.dataLineEnded();
    this.#state = inOther;
  }

  /** One byte before the value of a field; how many bytes that uses up: 0 if it is the value's first. */
  #takeNameByte(byte: number): 0 | 1 {
    switch (this.#state) {
      case atStart:
        if (byte === byteOrderMark[this.#matched]) {
          if (++this.#matched === byteOrderMark.length) this.#startLine();
          return 1;
        }
        if (this.#matched > 0) return this.#skipLine();
        this.#startLine();
        return 0;
      case atLineStart:
      case inName:
        if (byte === dataName[this.#matched]) {
          this.#matched++;
          this.#state = inName;
          return 1;
        }
        if (byte !== colon || this.#matched !== dataName.length) return this.#skipLine();
        this.#state = afterColon;
        return 1;
      default:
        this.#state = inData;
        return byte === space ? 1 : 0;
    }
  }

  #startLine(): void {
    this.#state = atLineStart;
    this.#matched = 0;
  }

  #skipLine(): 1 {
    this.#state = inOther;
    return 1;
  }

  #endLine(byte: number): void {
    this.#afterCarriageReturn = byte === carriageReturn;
    const blank = this.#state === atLineStart || (this.#state === atStart && this.#matched === 0);
    const dataLine = this.#hasDataLine();
    this.#startLine();
    this.#eventJustEnded = blank;
    if (blank) this.#consumer.eventEnded();
    else if (dataLine) this.#consumer.dataLineEnded();
  }

  /** The current line is a `data` field; the bare name is one with an empty value. */
  #hasDataLine(): boolean {
    return this.#state === inData || this.#state === afterColon || (this.#state === inName && this.#matched === dataName.length);
  }
}

/** Index of the first CR or LF from `from` on, or `to`. */
function lineEnd(chunk: Uint8Array, from: number, to: number): number {
  let i = from;
  while (i < to && chunk[i] !== lineFeed && chunk[i] !== carriageReturn) i++;
  return i;
}
