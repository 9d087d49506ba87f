/**
 * A caller's connection, as long as its requests are the usual ones: by HTTP/1.1, one at a time, whole within a moment, with nothing asked for
 * that needs more than an answer. Those are read and answered here, by Node's parser on Node's socket, for less than Node's server takes.
 * Anything else is left to Node's server, with the bytes as they came and from a request's first one on: what is malformed, slow, long, cut
 * in pieces, pipelined, of HTTP/1.0, or has an expectation, an upgrade, chunks or a connection to be closed. So there is one place
 * that refuses, and it reads the same bytes by the same parser. A connection that was left to it stays there.
 */
import type { Socket } from 'node:net';
import type { Refusal } from '@metergate/core/refusal.ts';
import type { CoarseClock, Watched } from '../coarse-clock.ts';
import { headBytesMax } from '../http-parser/native-parser.ts';
import type { CallerResponse } from './caller-exchange.ts';
import type { Connection } from './connections.ts';
import { refuseOnSocket } from './respond.ts';
import { readShared } from './shared-input.ts';
import { bodyBytesMax, UsualRequest } from './usual-request.ts';
import type { WholeRequest } from './whole-request.ts';
import { WholeResponse, type AnsweredConnection } from './whole-response.ts';

/** What all connections of a server share. */
export interface UsualCallers {
  /** Serves a request. Must not throw. */
  readonly serve: (request: WholeRequest, response: CallerResponse, connection: Connection) => void;
  /** Node's server takes the connection over. */
  readonly leaveToNode: (socket: Socket) => void;
  /** For limits of seconds. */
  readonly clock: CoarseClock;
  /** For requests that are not whole yet. */
  readonly momentClock: CoarseClock;
  readonly limits: CallerLimits;
  /** Bytes of requests that are not whole, on all connections. */
  keptBytes: number;
}

/** Milliseconds. */
export interface CallerLimits {
  /** Until the first byte of the first request. */
  readonly firstByteMs: number;
  /** Between an answer and the next request. */
  readonly keepAliveMs: number;
  /** Without a byte to the caller, while it waits for its answer. */
  readonly silenceMs: number;
  /** Within which a request that has begun comes whole, or is left to Node's server. */
  readonly momentMs: number;
}

/** What all connections may keep of requests that are not whole. Past it, requests that come in pieces are left to Node's server. Bytes. */
const keptBytesMax = 8 * 1024 * 1024;

/** `left`: Node's server has it. */
type Phase = 'new' | 'idle' | 'receiving' | 'serving' | 'left' | 'gone';

export class CallerConnection implements AnsweredConnection, Watched {
  readonly #callers: UsualCallers;
  readonly #socket: Socket;
  readonly #connection: Connection;
  readonly #request = new UsualRequest();
  readonly #stopReading: () => void;
  #phase: Phase = 'new';
  /** When what is waited for began, by their clocks. */
  #sinceMs: number;
  #sentBytes = 0;

  /** All that came of a request that was not whole at once. */
  #kept: Buffer[] = [];
  #keptBytes = 0;

  #response: WholeResponse | null = null;
  /** What came before the answer to the request before it had ended. */
  #early: Buffer | null = null;

  constructor(callers: UsualCallers, connection: Connection) {
    this.#callers = callers;
    this.#connection = connection;
    this.#socket = connection.socket;
    this.#sinceMs = callers.clock.heardMs;
    callers.clock.watch(this);
    this.#socket.on('error', ignore).on('end', this.#ended).on('close', this.#closed);
    this.#stopReading = readShared(this.#socket, (bytes) => this.#read(bytes));
  }

  /** It carries no request whose head has come. */
  get isIdle(): boolean {
    return this.#phase === 'new' || this.#phase === 'idle' || (this.#phase === 'receiving' && !this.#request.hasHead);
  }

  /** The node ends: a connection that waits for a request is not kept. */
  closeIfIdle(): void {
    if (this.#phase === 'new' || this.#phase === 'idle') this.#socket.destroySoon();
  }

  look(): void {
    const { clock, limits } = this.#callers;
    if (this.#phase === 'receiving') return;
    const isSending = this.#socket.writableLength > 0;
    if (this.#phase === 'serving' || isSending) this.#noteProgress();
    const waitedMs = clock.heardMs - this.#sinceMs;
    if (this.#phase === 'new') {
      if (waitedMs >= limits.firstByteMs) this.#refuse({ kind: 'request_timeout' });
    } else if (waitedMs >= (this.#phase === 'idle' && !isSending ? limits.keepAliveMs : limits.silenceMs)) {
      this.#socket.destroy();
    }
  }

  #noteProgress(): void {
    const { bytesWritten } = this.#socket;
    if (bytesWritten === this.#sentBytes) return;
    this.#sentBytes = bytesWritten;
    this.#sinceMs = this.#callers.clock.heardMs;
  }

  /** False: no more, for now. */
  #read(bytes: Buffer): boolean {
    if (this.#phase === 'left') return this.#socket.push(Buffer.from(bytes));
    if (this.#phase === 'gone') return false;
    if (this.#phase === 'serving') return this.#keepEarly(bytes);
    return this.#receive(bytes);
  }

  #receive(bytes: Buffer): boolean {
    const reading = this.#request.read(bytes);
    if (reading === 'unusual') this.#leave(bytes);
    else if (reading === 'whole') this.#serve();
    else if (reading === 'part') this.#keep(bytes);
    return true;
  }

  /** It is not whole yet. */
  #keep(bytes: Buffer): void {
    const keptBytes = this.#keptBytes + bytes.length;
    if (keptBytes > headBytesMax + bodyBytesMax || this.#callers.keptBytes + bytes.length > keptBytesMax) return this.#leave(bytes);
    this.#kept.push(Buffer.from(bytes));
    this.#keptBytes = keptBytes;
    this.#callers.keptBytes += bytes.length;
    if (this.#phase === 'receiving') return;
    this.#phase = 'receiving';
    this.#sinceMs = this.#callers.momentClock.heardMs;
    this.#callers.momentClock.watch(this.#moment);
  }

  readonly #moment: Watched = {
    look: () => {
      const { momentClock, limits } = this.#callers;
      if (momentClock.heardMs - this.#sinceMs >= limits.momentMs) this.#leave(null);
    },
  };

  #letGoOfKept(): void {
    if (this.#keptBytes === 0) return;
    this.#callers.momentClock.forget(this.#moment);
    this.#callers.keptBytes -= this.#keptBytes;
    this.#keptBytes = 0;
    this.#kept = [];
  }

  /** Node's server goes on with it, from the first byte of this request. */
  #leave(last: Buffer | null): void {
    const bytes = Buffer.concat(last === null ? this.#kept : [...this.#kept, last]);
    if (this.#socket.destroyed) return this.#letGo('gone');
    this.#letGo('left');
    this.#stopReading();
    this.#connection.reader = null;
    this.#socket.off('error', ignore).off('end', this.#ended).off('close', this.#closed);
    this.#socket.unshift(bytes);
    this.#callers.leaveToNode(this.#socket);
  }

  #letGo(phase: 'left' | 'gone'): void {
    this.#letGoOfKept();
    this.#takeEarly();
    this.#callers.clock.forget(this);
    this.#request.close();
    this.#phase = phase;
  }

  #serve(): void {
    const request = this.#request.take(this.#socket);
    this.#letGoOfKept();
    this.#phase = 'serving';
    this.#sinceMs = this.#callers.clock.heardMs;
    this.#response = new WholeResponse(this.#socket, this);
    this.#callers.serve(request, this.#response, this.#connection);
  }

  answered(isLast: boolean): void {
    if (this.#phase !== 'serving') return;
    this.#response = null;
    if (isLast) {
      this.#letGo('gone');
      this.#socket.destroySoon();
      return;
    }
    this.#phase = 'idle';
    this.#sinceMs = this.#callers.clock.heardMs;
    if (this.#early !== null) setImmediate(this.#next);
  }

  /** Bytes behind a request that is not answered: nothing more is read until it is. */
  #keepEarly(bytes: Buffer): boolean {
    if (this.#callers.keptBytes + bytes.length > keptBytesMax) {
      // There is no room for another request: its caller is told that this answer is the last one.
      this.#response!._last = true;
      return false;
    }
    this.#early = Buffer.from(bytes);
    this.#callers.keptBytes += bytes.length;
    this.#socket.pause();
    return false;
  }

  readonly #next = (): void => {
    if (this.#phase !== 'idle') return;
    const bytes = this.#takeEarly();
    if (bytes !== null) this.#receive(bytes);
    if (!this.#socket.destroyed) this.#socket.resume();
  };

  #takeEarly(): Buffer | null {
    const bytes = this.#early;
    this.#early = null;
    this.#callers.keptBytes -= bytes?.length ?? 0;
    return bytes;
  }

  readonly #ended = (): void => {
    if (this.#response !== null) this.#response._last = true;
    else if (this.#phase === 'receiving') this.#refuse({ kind: 'malformed_request', fault: 'The request is not valid HTTP/1.1.' });
    else this.#socket.end();
  };

  readonly #closed = (): void => {
    if (this.#phase === 'left' || this.#phase === 'gone') return;
    this.#letGo('gone');
  };

  #refuse(refusal: Refusal): void {
    this.#letGo('gone');
    refuseOnSocket(this.#socket, refusal);
  }
}

function ignore(): void {}
