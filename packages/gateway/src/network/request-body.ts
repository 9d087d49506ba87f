/**
 * The caller's body stream on its way to a connection: as it comes, with backpressure, in its declared length or in chunks. The head leaves
 * with its first bytes, which are kept here until a connection is there. The stream is the caller's: it is
 * never destroyed here, and left paused and open when the exchange is over.
 */
import type { Readable } from 'node:stream';
import type { Socket } from 'node:net';
import { bodySlabs } from '../fairness/body-slabs.ts';
import { framedChunk } from '../http-parser/chunk-framing.ts';
import { ExchangeError } from './exchange-fault.ts';

/** What is written in shorter pieces costs the socket an object for each, many times their size: few of them wait there. Bytes. */
const shortBytesBelow = 1024;
const shortWritesMax = 64;

interface BodyDuty {
  readonly socket: Socket;
  /** Without framing. */
  readonly head: string;
  /** Declared; null: chunked. */
  readonly contentLength: number | null;
  /** Whether a request without a body has to say so. */
  readonly sendsLength: boolean;
  /** Runs once, when all of it has been written. */
  readonly sent: () => void;
}

export class RequestBody {
  readonly #source: Readable;
  readonly #broken: (cause: Error) => void;
  #duty: BodyDuty | null = null;
  /** Came before a connection was there. */
  #first: Buffer | null = null;
  #begun: (() => void) | null = null;
  #ended = false;
  #released = false;
  #bytes = 0;
  /** Short pieces that the system has not taken. */
  #shortWrites = 0;
  /** The stream is paused until it has taken some of them. */
  #awaitsShort = false;

  /** `broken` runs once, where the stream ends before it is whole, or is not as long as declared; never before this returns. */
  constructor(source: Readable, broken: (cause: Error) => void) {
    this.#source = source;
    this.#broken = broken;
    source.on('data', this.#onData).on('end', this.#onEnd).on('error', this.#onBreak).on('close', this.#onBreak);
    source.pause();
    // A stream that was read to its end is destroyed as well: what it ended with is asked first.
    if (source.readableEnded) this.#ended = true;
    else if (source.destroyed || source.errored !== null) queueMicrotask(this.#onBreak);
  }

  /** Its first bytes are here, or its end. */
  get hasBegun(): boolean {
    return this.#ended || this.#first !== null;
  }

  /** Runs once, when it has begun; not if it breaks, or is released, before. */
  onceBegun(run: () => void): void {
    this.#begun = run;
    this.#source.resume();
  }

  /** A connection is there, and the body has begun. */
  start(duty: BodyDuty): void {
    this.#duty = duty;
    duty.socket.on('drain', this.#onDrain);
    const first = this.#first;
    this.#first = null;
    const hasRoom = first === null || this.#forward(duty, first);
    if (this.#released) return;
    if (this.#ended) this.#finish(duty);
    else if (hasRoom) this.#source.resume();
  }

  /** Nothing more is read. Idempotent. */
  release(): void {
    if (this.#released) return;
    this.#released = true;
    this.#first = null;
    this.#begun = null;
    this.#duty?.socket.off('drain', this.#onDrain);
    this.#source.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onBreak);
    this.#source.pause();
    // A late error of an abandoned stream must not end the process: the error listener is swapped, not removed.
    this.#source.off('error', this.#onBreak).on('error', ignore);
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#released || chunk.length === 0) return;
    if (this.#duty === null) {
      this.#first = this.#first === null ? chunk : Buffer.concat([this.#first, chunk]);
      this.#source.pause();
      this.#tellBegun();
    } else if (!this.#forward(this.#duty, chunk)) {
      this.#source.pause();
    }
  };

  /** False: no more, for now. */
  #forward({ socket, head, contentLength }: BodyDuty, chunk: Buffer): boolean {
    if (contentLength !== null && this.#bytes + chunk.length > contentLength) {
      this.#break();
      return false;
    }
    // What is forwarded in one tick leaves in one write: a read may bring many chunks.
    if (socket.writableCorked === 0) {
      socket.cork();
      process.nextTick(uncork, socket);
    }
    if (this.#bytes === 0) {
      socket.write(`${head}${contentLength === null ? 'transfer-encoding: chunked' : `content-length: ${contentLength}`}\r\n\r\n`, 'latin1');
    }
    this.#bytes += chunk.length;
    if (chunk.length < shortBytesBelow) return this.#forwardShort(socket, contentLength === null ? framedCopy(chunk) : chunk);
    if (contentLength === null) socket.write(`${chunk.length.toString(16)}\r\n`, 'latin1');
    let hasRoom = bodySlabs.hasLent(chunk) ? socket.write(chunk, (error) => giveBack(chunk, error)) : socket.write(chunk);
    if (contentLength === null) hasRoom = socket.write('\r\n', 'latin1');
    return hasRoom;
  }

  #forwardShort(socket: Socket, bytes: Buffer): boolean {
    this.#shortWrites += 1;
    const hasRoom = bodySlabs.hasLent(bytes) ? socket.write(bytes, (error) => {
      giveBack(bytes, error);
      this.#onShortWritten(error);
    }) : socket.write(bytes, this.#onShortWritten);
    if (this.#shortWrites >= shortWritesMax) this.#awaitsShort = true;
    return hasRoom && !this.#awaitsShort;
  }

  readonly #onShortWritten = (error?: Error | null): void => {
    this.#shortWrites -= 1;
    if (error || !this.#awaitsShort || this.#shortWrites >= shortWritesMax / 2) return;
    this.#awaitsShort = false;
    if (this.#duty?.socket.writableNeedDrain === false) this.#onDrain();
  };

  readonly #onDrain = (): void => {
    if (!this.#released && !this.#awaitsShort) this.#source.resume();
  };

  readonly #onEnd = (): void => {
    this.#ended = true;
    if (this.#released) return;
    if (this.#duty !== null) this.#finish(this.#duty);
    else this.#tellBegun();
  };

  #tellBegun(): void {
    const begun = this.#begun;
    this.#begun = null;
    begun?.();
  }

  readonly #onBreak = (): void => {
    if (!this.#ended) this.#break();
  };

  #break(): void {
    if (this.#released) return;
    this.release();
    this.#broken(new ExchangeError('aborted', 'The request body broke off.'));
  }

  #finish(duty: BodyDuty): void {
    if (duty.contentLength !== null && duty.contentLength !== this.#bytes) return this.#break();
    this.release();
    if (this.#bytes === 0) duty.socket.write(`${duty.head}${duty.sendsLength ? 'content-length: 0\r\n' : ''}\r\n`, 'latin1');
    else if (duty.contentLength === null) duty.socket.write('0\r\n\r\n', 'latin1');
    duty.sent();
  }
}

/** The chunk is not looked at any more. */
function framedCopy(chunk: Buffer): Buffer {
  const framed = framedChunk(chunk);
  bodySlabs.giveBack(chunk);
  return framed;
}

function giveBack(chunk: Buffer, error: Error | null | undefined): void {
  if (error === null || error === undefined) bodySlabs.giveBack(chunk);
}

function uncork(socket: Socket): void {
  socket.uncork();
}

function ignore(): void {}
