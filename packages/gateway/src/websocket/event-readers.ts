/**
 * Who reads the messages of a connection. A reader takes some kilobytes, and thousands of connections are silent, so a connection has none of its own
 * while it is silent.
 */
import type { AlikeMessages, RepeatableReader } from '@metergate/core/usage/websocket/alike-messages.ts';

/** Reads one message after the other. */
export interface EventReader<Event> {
  /** `text[from..to)` is a whole message. */
  read(text: Buffer, from: number, to: number): Event;
  /** A message follows that comes in pieces. */
  begin(): void;
  push(text: Buffer, from: number, to: number): void;
  /** What it is, if it ends here. */
  event(): Event;
}

/** One reader for the whole messages of all connections. A message in pieces has a reader until its event is asked for. */
export class BriefReader<Event, Reader extends EventReader<Event>> implements EventReader<Event> {
  readonly #shared: Reader;
  readonly #make: () => Reader;
  readonly #hasRead: (reader: Reader) => void;
  #own: Reader | null = null;

  /** `hasRead`: what else the reader has read in a message; it is another connection's afterwards. */
  constructor(shared: Reader, make: () => Reader, hasRead: (reader: Reader) => void = () => {}) {
    this.#shared = shared;
    this.#make = make;
    this.#hasRead = hasRead;
  }

  read(text: Buffer, from: number, to: number): Event {
    const event = this.#shared.read(text, from, to);
    this.#hasRead(this.#shared);
    return event;
  }

  begin(): void {
    this.#own = this.#make();
    this.#own.begin();
  }

  push(text: Buffer, from: number, to: number): void {
    this.#own!.push(text, from, to);
  }

  event(): Event {
    const own = this.#own!;
    this.#own = null;
    const event = own.event();
    this.#hasRead(own);
    return event;
  }
}

/** Skips reading a message that is like one before it. */
export class AlikeReader<Event, Reader extends EventReader<Event> & RepeatableReader<Event>> implements EventReader<Event> {
  readonly #alike: AlikeMessages<Event>;
  readonly #shared: Reader;
  readonly #others: BriefReader<Event, Reader>;
  readonly #hasRead: (reader: Reader | null) => void;

  /** As a `BriefReader`. `hasRead`: null after a message that was not read, which says nothing else. */
  constructor(alike: AlikeMessages<Event>, shared: Reader, make: () => Reader, hasRead: (reader: Reader | null) => void) {
    this.#alike = alike;
    this.#shared = shared;
    this.#hasRead = hasRead;
    this.#others = new BriefReader(shared, make, hasRead);
  }

  read(text: Buffer, from: number, to: number): Event {
    const event = this.#alike.eventOf(text, from, to);
    if (event === null) return this.#readOther(text, from, to);
    this.#hasRead(null);
    return event;
  }

  #readOther(text: Buffer, from: number, to: number): Event {
    const event = this.#others.read(text, from, to);
    this.#alike.wasRead(text, from, to, this.#shared);
    return event;
  }

  begin(): void {
    this.#others.begin();
  }

  push(text: Buffer, from: number, to: number): void {
    this.#others.push(text, from, to);
  }

  event(): Event {
    return this.#others.event();
  }
}

/** How many readers are kept for whoever needs one next. */
const keptMax = 64;

/** A reader that knows a message by the one before it, and is a connection's from a message until it is given back. */
export class LentReader<Event> implements EventReader<Event> {
  readonly #kept: EventReader<Event>[];
  readonly #make: () => EventReader<Event>;
  #lent: EventReader<Event> | null = null;
  /** A message is read in pieces. */
  #isReading = false;

  /** `kept`: readers that no connection uses. */
  constructor(kept: EventReader<Event>[], make: () => EventReader<Event>) {
    this.#kept = kept;
    this.#make = make;
  }

  read(text: Buffer, from: number, to: number): Event {
    return this.#reader().read(text, from, to);
  }

  begin(): void {
    this.#isReading = true;
    this.#reader().begin();
  }

  push(text: Buffer, from: number, to: number): void {
    this.#reader().push(text, from, to);
  }

  event(): Event {
    this.#isReading = false;
    return this.#reader().event();
  }

  giveBack(): void {
    if (this.#lent === null || this.#isReading) return;
    if (this.#kept.length < keptMax) this.#kept.push(this.#lent);
    this.#lent = null;
  }

  #reader(): EventReader<Event> {
    return this.#lent ??= this.#kept.pop() ?? this.#make();
  }
}
