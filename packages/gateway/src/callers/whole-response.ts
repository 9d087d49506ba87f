/**
 * The answer to a request that came whole. Its head waits for the first bytes, so that both leave in one write. What may stand in a head is
 * checked as Node checks it. RFC 9112, 6: framed by the length that it declares, by chunks, or without a body where its status has none.
 */
import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { Socket } from 'node:net';
import { joinedTextBytesMax, type CallerResponse } from './caller-exchange.ts';

/** Whose turn it was. */
export interface AnsweredConnection {
  /** This answer is written to its end. True: it was the last one of its connection. */
  answered(isLast: boolean): void;
  /** Bytes have come behind the request that is being answered. */
  readonly hasNext: boolean;
}

type Written = (error?: Error | null) => void;

export class WholeResponse implements CallerResponse {
  readonly #socket: Socket;
  readonly #connection: AnsweredConnection;
  /** A head that is not sent yet. */
  #head = '';
  #ended = false;
  headersSent = false;
  chunkedEncoding = false;
  sendDate = false;
  /** Nothing follows it on its connection. The name is Node's. */
  _last = false;

  constructor(socket: Socket, connection: AnsweredConnection) {
    this.#socket = socket;
    this.#connection = connection;
  }

  /** The caller has sent more, which is served after this answer. */
  get hasNext(): boolean {
    return this.#connection.hasNext;
  }

  get socket(): Socket | null {
    return this.#ended ? null : this.#socket;
  }

  get destroyed(): boolean {
    return this.#socket.destroyed;
  }

  get writableFinished(): boolean {
    return this.#ended && this.#socket.writableLength === 0;
  }

  /** Nothing is ever set that is not in the pairs of the head. */
  removeHeader(): void {}

  writeHead(status: number, reason: string, pairs: readonly string[]): void {
    if (this.headersSent) throw new Error('The head of this answer was written before.');
    validateHeaderValue('reason', reason);
    let head = `HTTP/1.1 ${status} ${reason}\r\n`;
    let isFramed = status === 204 || status === 304;
    for (let at = 0; at < pairs.length; at += 2) {
      const name = pairs[at]!;
      const value = pairs[at + 1]!;
      validateHeaderName(name);
      validateHeaderValue(name, value);
      head += `${name}: ${value}\r\n`;
      if (name.length === 14 && name.toLowerCase() === 'content-length') isFramed = true;
      else if (name.length === 10 && name.toLowerCase() === 'connection' && value === 'close') this._last = true;
    }
    this.chunkedEncoding = !isFramed;
    this.#head = isFramed ? `${head}\r\n` : `${head}Transfer-Encoding: chunked\r\n\r\n`;
    this.headersSent = true;
  }

  writeContinue(): void {
    this.#socket.write('HTTP/1.1 100 Continue\r\n\r\n', 'latin1');
  }

  /** What is written in one tick leaves in one write. `written` runs once the system has taken all of the chunk, or with the error that it met. */
  write(chunk: Uint8Array | string, encoding?: BufferEncoding, written?: Written): boolean {
    if (this.#socket.writableCorked === 0) {
      this.#socket.cork();
      process.nextTick(uncork, this.#socket);
    }
    return this.#write(chunk, encoding, written);
  }

  #write(chunk: Uint8Array | string, encoding?: BufferEncoding, written?: Written): boolean {
    if (this.#ended || this.#socket.destroyed) return true;
    const head = this.#head;
    if (head === '') return chunk.length === 0 || this.#socket.write(chunk, encoding, written);
    this.#head = '';
    if (chunk.length === 0) return this.#socket.write(head, 'latin1');
    if (typeof chunk === 'string' && encoding === 'latin1') return this.#socket.write(head + chunk, 'latin1');
    return this.#writeWithHead(head, typeof chunk === 'string' ? Buffer.from(chunk) : chunk, written);
  }

  #writeWithHead(head: string, chunk: Uint8Array, written?: Written): boolean {
    if (chunk.length <= joinedTextBytesMax) return this.#socket.write(head + textOf(chunk), 'latin1', written);
    this.#socket.cork();
    this.#socket.write(head, 'latin1');
    const hasRoom = this.#socket.write(chunk, written);
    this.#socket.uncork();
    return hasRoom;
  }

  end(chunk: Uint8Array | string = '', encoding?: BufferEncoding): void {
    if (this.#ended) return;
    this.#write(chunk, encoding);
    this.#socket.uncork();
    this.#ended = true;
    this.#connection.answered(this._last);
  }

  /** A second answer never waits for this one's connection: there is no 'socket' to wait for. */
  once(event: 'drain' | 'socket', listener: () => void): void {
    if (event === 'drain') this.#socket.once('drain', listener);
  }

  destroy(): void {
    this.#socket.destroy();
  }
}

function uncork(socket: Socket): void {
  socket.uncork();
}

/** One character a byte. */
function textOf(bytes: Uint8Array): string {
  return (bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)).toString('latin1');
}
