/**
 * A caller's connection, as long as its requests are the usual ones: by HTTP/1.1, one at a time, whole within a moment, with nothing asked for
 * that needs more than an answer. Those are read and answered here, by Node's parser on Node's socket, for less than Node's server takes.
 * Anything else is left to Node's server, with the bytes as they came and from a request's first one on: what is malformed, slow, long,
 * pipelined, of HTTP/1.0, or has an expectation, an upgrade, chunks or a connection to be closed. So there is one place that refuses, and it
 * reads the same bytes by the same parser. A connection that was left to it stays there.
 */
import type { Socket } from 'node:net';
import type { Refusal } from '@metergate/core/refusal.ts';
import type { SilenceClock, Watched } from '../clock/coarse-clock.ts';
import { headBytesMax } from '../http-parser/native-parser.ts';
import type { CallerResponse } from './caller-exchange.ts';
import type { Connection, RequestReader } from './connections.ts';
import { largePieces } from '../fairness/large-pieces.ts';
import { Discarding } from './discarding.ts';
import { EarlyBytes, keptBytesMax } from './early-bytes.ts';
import { lingerMs } from '@metergate/store/network/lingering-end.ts';
import { RequestPart, type KeptRequests } from './request-part.ts';
import { refuseOnSocket } from './respond.ts';
import { leaveToOthers, readShared, type SocketReader } from './shared-input.ts';
import { usualBodyBytesMax, UsualRequest } from './usual-request.ts';
import type { WholeRequest } from './whole-request.ts';
import { WholeResponse, type AnsweredConnection } from './whole-response.ts';

/** What all connections of a server share. */
export interface UsualCallers extends KeptRequests {
  /** Serves a request. Must not throw. */
  readonly serve: (request: WholeRequest, response: CallerResponse, connection: Connection) => void;
  /** Node's server takes the connection over. */
  readonly leaveToNode: (socket: Socket) => void;
  /** For limits of seconds. */
  readonly clock: SilenceClock;
  readonly limits: CallerLimits;
}

/** Milliseconds. */
export interface CallerLimits {
  /** Until a first request has begun; if it is left to Node's server, until its head has come. */
  readonly firstRequestMs: number;
  /** Between an answer and the next request. */
  readonly keepAliveMs: number;
  /** Without a byte to the caller, while it waits for its answer. */
  readonly silenceMs: number;
  /** Within which a request that has begun comes whole, or is left to Node's server. */
  readonly momentMs: number;
}

/** `ending`: what was written leaves, nothing follows it, and the caller is given time to end its side. `left`: Node's server has it. */
type Phase = 'new' | 'idle' | 'receiving' | 'serving' | 'ending' | 'left' | 'gone';

export class CallerConnection implements AnsweredConnection, RequestReader, SocketReader, Watched {
  readonly #callers: UsualCallers;
  readonly #socket: Socket;
  readonly #connection: Connection;
  readonly #request = new UsualRequest();
  #phase: Phase = 'new';
  #hasServed = false;
  /** When what is waited for began, by the clock for seconds. */
  #sinceMs: number;
  #sentBytes = 0;
  /** Of a request that was not whole at once. */
  #part: RequestPart | null = null;
  #response: WholeResponse | null = null;
  /** What came before the answer to the request before it had ended. */
  #early: EarlyBytes | null = null;
  /** More than is kept came before that. It is read away, and the answer is the last one. */
  #discarding: Discarding | null = null;

  constructor(callers: UsualCallers, connection: Connection) {
    this.#callers = callers;
    this.#connection = connection;
    this.#socket = connection.socket;
    this.#sinceMs = callers.clock.awakeMs;
    callers.clock.watch(this);
    readShared(this.#socket, this);
  }

  get isIdle(): boolean {
    if (this.#early !== null || this.#socket.writableLength > 0) return false;
    return this.#phase === 'new' || this.#phase === 'idle' || this.#phase === 'ending' || (this.#phase === 'receiving' && !this.#request.hasHead);
  }

  closeIfIdle(): void {
    if (this.#phase === 'new' || (this.#phase === 'idle' && this.#early === null)) this.#end();
  }

  look(): void {
    const { clock, limits } = this.#callers;
    if (this.#socket.destroyed) return clock.forget(this);
    if (this.#phase === 'receiving') return;
    if (this.#discarding !== null) this.#discardOn(this.#discarding);
    const isSending = this.#socket.writableLength > 0;
    if (this.#phase === 'serving' || isSending) this.#noteProgress();
    const waitedMs = clock.awakeMs - this.#sinceMs;
    if (this.#phase === 'new' || this.#phase === 'left') {
      this.#lookForRequest(waitedMs);
    } else if (waitedMs >= (isSending ? limits.silenceMs : this.#patienceMs)) {
      this.#socket.destroy();
    }
  }

  /** How long nothing may come and go in this phase. */
  get #patienceMs(): number {
    const { limits } = this.#callers;
    if (this.#phase === 'idle') return limits.keepAliveMs;
    return this.#phase === 'ending' ? lingerMs : limits.silenceMs;
  }

  /** Node's server, if it has been left to it, knows only since when it has the connection, not when the caller connected. */
  #lookForRequest(waitedMs: number): void {
    if (this.#connection.hasAsked) this.#callers.clock.forget(this);
    else if (waitedMs >= this.#callers.limits.firstRequestMs) this.#refuse({ kind: 'request_timeout' });
  }

  #noteProgress(): void {
    const { bytesWritten } = this.#socket;
    if (bytesWritten === this.#sentBytes) return;
    this.#sentBytes = bytesWritten;
    this.#sinceMs = this.#callers.clock.awakeMs;
  }

  take(bytes: Buffer): boolean {
    largePieces.came(bytes.length);
    if (this.#phase === 'left') return this.#socket.push(Buffer.from(bytes));
    // Read and thrown away: the system resets a connection that is closed with bytes unread, and the caller may lose its answer.
    if (this.#phase === 'ending') return true;
    if (this.#phase === 'gone') return false;
    if (this.#phase === 'serving' || this.#early !== null) return this.#keepEarly(bytes);
    this.#receive(bytes);
    return true;
  }

  #receive(bytes: Buffer): void {
    const reading = this.#request.read(bytes);
    if (reading === 'unusual') this.#leave(bytes);
    else if (reading === 'whole') this.#serve();
    else if (reading === 'part') this.#keep(bytes);
  }

  /** It is not whole yet. */
  #keep(bytes: Buffer): void {
    const tooLong = (this.#part?.bytes ?? 0) + bytes.length > headBytesMax + usualBodyBytesMax;
    if (tooLong || this.#callers.keptBytes + bytes.length > keptBytesMax) return this.#leave(bytes);
    this.#phase = 'receiving';
    this.#part ??= new RequestPart(this.#callers, this.#callers.limits.momentMs, () => this.#leave(null));
    this.#request.keep(this.#part.add(bytes));
  }

  #letGoOfPart(): void {
    this.#part?.release();
    this.#part = null;
  }

  /** Node's server takes over, from the first byte of this request. */
  #leave(last: Buffer | null): void {
    const pieces = this.#part?.pieces ?? [];
    this.#release('left');
    if (this.#socket.destroyed) return;
    if (this.#hasServed) this.#callers.clock.forget(this);
    leaveToOthers(this.#socket);
    this.#connection.reader = null;
    if (this.#socket.readableEnded) return this.#leaveEnded(last!);
    if (last !== null) this.#socket.unshift(Buffer.from(last));
    for (let at = pieces.length - 1; at >= 0; at -= 1) this.#socket.unshift(pieces[at]);
    this.#callers.leaveToNode(this.#socket);
  }

  /** Nothing can be put back into a stream that has emitted its end, so these last bytes and the end are emitted once more. */
  #leaveEnded(last: Buffer): void {
    this.#callers.leaveToNode(this.#socket);
    this.#socket.emit('data', last);
    this.#socket.emit('end');
  }

  /** No more requests of it are read here. */
  #release(phase: 'ending' | 'left' | 'gone'): void {
    if (this.#phase !== 'ending' && this.#phase !== 'left') {
      this.#letGoOfPart();
      this.#takeEarly();
      this.#request.close();
    }
    this.#phase = phase;
  }

  #serve(): void {
    const request = this.#request.take(this.#socket);
    this.#letGoOfPart();
    this.#phase = 'serving';
    this.#hasServed = true;
    this.#sinceMs = this.#callers.clock.awakeMs;
    this.#response = new WholeResponse(this.#socket, this);
    this.#callers.serve(request, this.#response, this.#connection);
  }

  get hasNext(): boolean {
    return this.#early !== null;
  }

  answered(isLast: boolean): void {
    if (this.#phase !== 'serving') return;
    this.#response = null;
    if (isLast) return this.#end();
    this.#phase = 'idle';
    this.#sinceMs = this.#callers.clock.awakeMs;
    if (this.#socket.writableNeedDrain) this.#awaitReading();
    else if (this.#early !== null) setImmediate(() => this.#next());
  }

  /** The caller has to read what it asked for before it can ask for more. */
  #awaitReading(): void {
    this.#socket.pause();
    this.#socket.once('drain', () => this.#next());
  }

  /** Bytes behind a request that is not answered. False: nothing more is read for now. */
  #keepEarly(bytes: Buffer): boolean {
    if (this.#discarding !== null) return this.#discard(this.#discarding, bytes);
    // Some callers end a body with an empty line.
    if (this.#early === null && isBlank(bytes)) return true;
    const early = this.#early ??= new EarlyBytes(this.#callers);
    if (this.#response !== null && !early.hasRoomFor(bytes.length)) return this.#beginToDiscard(this.#response, bytes);
    early.add(bytes);
    if (this.#response !== null) return true;
    this.#socket.pause();
    return false;
  }

  /** There is no room for another request, so the answer says that it is the last one. */
  #beginToDiscard(response: WholeResponse, bytes: Buffer): boolean {
    this.#takeEarly();
    response._last = true;
    return this.#discard(this.#discarding = new Discarding(), bytes);
  }

  #discard(discarding: Discarding, bytes: Buffer): boolean {
    if (discarding.takes(bytes.length)) return true;
    this.#socket.pause();
    return false;
  }

  #discardOn(discarding: Discarding): void {
    discarding.nextSecond();
    if (this.#phase === 'serving') this.#socket.resume();
  }

  #next(): void {
    if (this.#phase !== 'idle' || this.#socket.destroyed) return;
    const bytes = this.#takeEarly();
    if (bytes !== null) this.#receive(bytes);
    this.#socket.resume();
    // Its end came while they were kept.
    if (this.#socket.readableEnded) this.ended();
  }

  #takeEarly(): Buffer | null {
    const bytes = this.#early?.taken() ?? null;
    this.#early = null;
    return bytes;
  }

  ended(): void {
    // First what came before the end.
    if (this.#early !== null) return;
    if (this.#response !== null) this.#response._last = true;
    else if (this.#phase === 'receiving') this.#refuse({ kind: 'malformed_request', fault: 'The request is not valid HTTP/1.1.' });
    else if (this.#phase === 'new' || this.#phase === 'idle') this.#end();
  }

  closed(): void {
    this.#release('gone');
    this.#callers.clock.forget(this);
  }

  /** What was written leaves, and our side ends behind it. The connection is closed when the caller has ended its side, or waits too long. */
  #end(): void {
    this.#release('ending');
    this.#sinceMs = this.#callers.clock.awakeMs;
    this.#socket.resume();
    this.#socket.end();
  }

  #refuse(refusal: Refusal): void {
    this.#release('ending');
    refuseOnSocket(this.#socket, refusal);
  }
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** Nothing but ends of lines, which stand for nothing if no request has begun. */
function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === lineFeed || byte === carriageReturn);
}
