/**
 * Raw socket bytes → HTTP/1.1 messages, for the testkit's provider and its client. Nothing is normalised: it keeps head bytes, the case,
 * order and duplicates of headers, and the body both as sent and without its chunk framing.
 * Deliberately forgiving: it shows what was sent and does not judge it. A head it cannot read throws; its user then drops the socket.
 */

/** One header line: name and value as sent, latin1. */
export type HeaderPair = readonly [name: string, value: string];

/** One whole or unfinished message as it came off the wire. */
export interface HttpMessage {
  /** The start line without its line end: `POST /v1/x HTTP/1.1` or `HTTP/1.1 200 OK`. */
  readonly startLine: string;
  /** Start line and header lines, including the empty line. */
  readonly head: Buffer;
  readonly headers: readonly HeaderPair[];
  /** The body's bytes without chunk framing. */
  readonly body: Buffer;
  /** The body's bytes as sent, chunk sizes and trailers included. */
  readonly bodyRaw: Buffer;
  /** Sizes of the chunks of a chunked body, in order; empty otherwise. */
  readonly chunkSizes: readonly number[];
  /** False if the connection ended first. */
  readonly whole: boolean;
}

/** What the parser reports as bytes arrive. */
export interface MessageEvents {
  onHead?(message: { readonly startLine: string; readonly headers: readonly HeaderPair[] }): void;
  /** De-chunked body bytes, as they arrive. */
  onBody?(bytes: Buffer): void;
  onMessage(message: HttpMessage): void;
}

/** The first value of a header, its name in any case; null if absent. */
export function headerValue(headers: readonly HeaderPair[], name: string): string | null {
  const wanted = name.toLowerCase();
  return headers.find(([each]) => each.toLowerCase() === wanted)?.[1] ?? null;
}

/** Every value of a header, in order. */
export function headerValues(headers: readonly HeaderPair[], name: string): string[] {
  const wanted = name.toLowerCase();
  return headers.filter(([each]) => each.toLowerCase() === wanted).map(([, value]) => value);
}

type State = 'head' | 'length' | 'until-close' | 'chunk-size' | 'chunk-data' | 'chunk-end' | 'trailers';

/** Takes socket chunks and reports messages. `keepBodies: false` counts and reports body bytes without keeping them. */
export class MessageParser {
  readonly #events: MessageEvents;
  readonly #responses: boolean;
  readonly #keepBodies: boolean;
  /** Set by a client before a HEAD call: the next response has no body whatever its head says. */
  bodyless = false;
  #state: State = 'head';
  #pending: Buffer = Buffer.alloc(0);
  #remaining = 0;
  #head: Buffer = Buffer.alloc(0);
  #startLine = '';
  #headers: HeaderPair[] = [];
  #body: Buffer[] = [];
  #raw: Buffer[] = [];
  #chunkSizes: number[] = [];

  constructor(kind: 'requests' | 'responses', events: MessageEvents, options: { keepBodies?: boolean } = {}) {
    this.#events = events;
    this.#responses = kind === 'responses';
    this.#keepBodies = options.keepBodies ?? true;
  }

  /** True between messages: if the connection ends here, no message is cut. */
  get idle(): boolean {
    return this.#state === 'head' && this.#pending.length === 0;
  }

  /** The next bytes, cut anywhere. @throws Error on a head or chunk size that is not HTTP. */
  push(chunk: Buffer): void {
    this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    while (this.#step());
  }

  /** The connection ended: a body that ends with the connection is now whole, any other is reported as cut. */
  end(cut: boolean): void {
    if (this.#state === 'head') return;
    this.#finish(this.#state === 'until-close' && !cut);
  }

  #step(): boolean {
    switch (this.#state) {
      case 'head': return this.#readHead();
      case 'length': return this.#readCounted('head');
      case 'until-close': return this.#readToClose();
      case 'chunk-size': return this.#readChunkSize();
      case 'chunk-data': return this.#readCounted('chunk-end');
      case 'chunk-end': return this.#readChunkEnd();
      case 'trailers': return this.#readTrailer();
    }
  }

  #readHead(): boolean {
    const end = this.#pending.indexOf('\r\n\r\n');
    if (end === -1) return false;
    this.#head = this.#take(end + 4);
    const lines = this.#head.toString('latin1').slice(0, -4).split('\r\n');
    this.#startLine = lines[0] ?? '';
    this.#headers = lines.slice(1).map((line) => {
      const colon = line.indexOf(':');
      if (colon === -1) throw new Error(`testkit: not a header line: ${line}`);
      return [line.slice(0, colon), line.slice(colon + 1).trim()] as const;
    });
    this.#events.onHead?.({ startLine: this.#startLine, headers: this.#headers });
    this.#chooseBody();
    return true;
  }

  #chooseBody(): void {
    const status = this.#responses ? Number(this.#startLine.split(' ')[1]) : 0;
    const bodyless = this.#responses && (this.bodyless || status < 200 || status === 204 || status === 304);
    if (this.#responses && status >= 200) this.bodyless = false;
    if (bodyless) return this.#finish(true);
    if (/chunked/i.test(headerValue(this.#headers, 'transfer-encoding') ?? '')) {
      this.#state = 'chunk-size';
      return;
    }
    const length = headerValue(this.#headers, 'content-length');
    if (length === null && this.#responses) {
      this.#state = 'until-close';
      return;
    }
    this.#remaining = Number(length ?? 0);
    this.#state = 'length';
    if (this.#remaining === 0) this.#finish(true);
  }

  #readCounted(next: 'head' | 'chunk-end'): boolean {
    if (this.#pending.length === 0) return false;
    const bytes = this.#take(Math.min(this.#remaining, this.#pending.length));
    this.#remaining -= bytes.length;
    this.#keep(bytes);
    if (next === 'chunk-end') this.#keepRaw(bytes);
    if (this.#remaining > 0) return false;
    if (next === 'head') this.#finish(true);
    else this.#state = next;
    return true;
  }

  #readToClose(): boolean {
    if (this.#pending.length > 0) this.#keep(this.#take(this.#pending.length));
    return false;
  }

  #readChunkSize(): boolean {
    const line = this.#takeLine();
    if (line === null) return false;
    const size = Number.parseInt(line, 16);
    if (!Number.isSafeInteger(size) || size < 0) throw new Error('testkit: not a chunk size');
    if (size > 0) this.#chunkSizes.push(size);
    this.#remaining = size;
    this.#state = size === 0 ? 'trailers' : 'chunk-data';
    return true;
  }

  #readChunkEnd(): boolean {
    if (this.#takeLine() === null) return false;
    this.#state = 'chunk-size';
    return true;
  }

  #readTrailer(): boolean {
    const line = this.#takeLine();
    if (line === null) return false;
    if (line === '') this.#finish(true);
    return true;
  }

  #takeLine(): string | null {
    const end = this.#pending.indexOf('\r\n');
    if (end === -1) return null;
    const line = this.#take(end + 2);
    this.#keepRaw(line);
    return line.toString('latin1').slice(0, -2);
  }

  #take(length: number): Buffer {
    const taken = this.#pending.subarray(0, length);
    this.#pending = this.#pending.subarray(length);
    return taken;
  }

  #keep(bytes: Buffer): void {
    this.#events.onBody?.(bytes);
    if (this.#keepBodies) this.#body.push(bytes);
  }

  #keepRaw(bytes: Buffer): void {
    if (this.#keepBodies) this.#raw.push(bytes);
  }

  #finish(whole: boolean): void {
    const body = Buffer.concat(this.#body);
    const message: HttpMessage = {
      startLine: this.#startLine, head: this.#head, headers: this.#headers, body,
      bodyRaw: this.#raw.length > 0 ? Buffer.concat(this.#raw) : body, chunkSizes: this.#chunkSizes, whole,
    };
    this.#state = 'head';
    this.#body = [];
    this.#raw = [];
    this.#chunkSizes = [];
    this.#events.onMessage(message);
  }
}
