/**
 * A caller's connection, as long as its requests are the usual ones: by HTTP/1.1, one at a time, with heads that come whole within a moment, and
 * with nothing asked for that needs more than an answer. Those are read and answered here, by Node's parser on Node's socket, for less than
 * Node's server takes. A short body is waited for, for a moment; a request with a longer or slower one is served while that comes.
 * Anything else is left to Node's server, with the bytes as they came and from a request's first one on: what is malformed, pipelined, of
 * HTTP/1.0, has a slow head, or has an expectation, an upgrade or a connection to be closed. So there is one place that refuses, and it
 * reads the same bytes by the same parser. A connection that was left to it stays there.
 */
import type { Socket } from 'node:net';
import type { Refusal } from '@metergate/core/refusal.ts';
import type { SilenceClock, Watched } from '../clock/coarse-clock.ts';
import { headBytesMax } from '../http-parser/native-parser.ts';
import type { ArrivingRequest } from './arriving-request.ts';
import type { CallerRequest, CallerResponse } from './caller-exchange.ts';
import type { Connection, RequestReader } from './connections.ts';
import { Discarding } from './discarding.ts';
import { EarlyBytes, keptBytesMax } from './early-bytes.ts';
import { lingerMs } from '@metergate/store/network/lingering-end.ts';
import { RequestPart, type KeptRequests } from './request-part.ts';
import { endBehindBody, refuseOnSocket } from './respond.ts';
import { leaveToOthers, readShared, type SocketReader } from './shared-input.ts';
import { isBlank, UsualRequest, wholeBodyBytesMax } from './usual-request.ts';
import { WholeResponse, type AnsweredConnection } from './whole-response.ts';

/** What all connections of a server share. */
export interface UsualCallers extends KeptRequests {
  /** Serves a request. Must not throw. */
  readonly serve: (request: CallerRequest, response: CallerResponse, connection: Connection) => void;
  /** Node's server takes the connection over. */
  readonly leaveToNode: (socket: Socket) => void;
  /** For limits of seconds. */
  readonly clock: SilenceClock;
  readonly limits: CallerLimits;
}

/** Milliseconds. */
interface CallerLimits {
  /** Until a first request has begun; if it is left to Node's server, until its head has come. */
  readonly firstRequestMs: number;
  /** Between an answer and the next request. */
  readonly keepAliveMs: number;
  /** Without a byte to the caller, while it waits for its answer. */
  readonly silenceMs: number;
  /** Within which a request that has begun comes whole; else it is served without its body, or, without a head, left to Node's server. */
  readonly momentMs: number;
  /** Within which the body of a request that is being served comes whole. */
  readonly bodyMs: number;
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
  /** The part that came of a request that did not come whole at once. */
  #part: RequestPart | null = null;
  /** The request that is being served, or was answered, while its body still comes. */
  #arriving: ArrivingRequest | null = null;
  /** A request whose body turned out to be malformed. */
  #broken: ArrivingRequest | null = null;
  #response: WholeResponse | null = null;
  /** What came before the answer to the request before it had ended. */
  #early: EarlyBytes | null = null;
  /** The kept bytes that are being read now. */
  #reading: EarlyBytes | null = null;
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
    if (this.#phase === 'serving') return this.#response === null;
    return this.#phase === 'new' || this.#phase === 'idle' || this.#phase === 'ending' || (this.#phase === 'receiving' && !this.#request.hasHead);
  }

  closeIfIdle(): void {
    if (this.#phase === 'new' || (this.#phase === 'idle' && this.#early === null)) this.#end();
  }

  look(): void {
    const { clock, limits } = this.#callers;
    if (this.#socket.destroyed) return clock.forget(this);
    this.#request.forgetUnheard();
    if (this.#phase === 'receiving') return;
    if (this.#discarding !== null) this.#discardOn(this.#discarding);
    if (this.#arriving !== null && clock.awakeMs - this.#arriving.sinceMs >= limits.bodyMs) return this.#breakRequest({ kind: 'request_timeout' });
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
    if (this.#arriving !== null) return this.#takeBody(this.#arriving, bytes);
    return this.#phase === 'left' ? this.#socket.push(Buffer.from(bytes)) : this.#takeNext(bytes);
  }

  /** Takes bytes of the body of the request that is being served, and of what comes behind it. */
  #takeBody(request: ArrivingRequest, bytes: Buffer): boolean {
    this.#sinceMs = this.#callers.clock.awakeMs;
    const taken = request.receive(bytes);
    if (request.fault !== null) return this.#endBroken(request, request.fault);
    if (!request.complete) return true;
    this.#arriving = null;
    if (this.#phase === 'serving' && this.#response === null) this.#waitForNext();
    if (taken === bytes.length) return true;
    const rest = bytes.subarray(taken);
    return this.#phase === 'idle' && this.#socket.isPaused() ? this.#keepEarly(rest) : this.#takeNext(rest);
  }

  /** Its body is malformed from here on, so nothing behind it can be read as a request. */
  #endBroken(request: ArrivingRequest, refusal: Refusal): boolean {
    this.#arriving = null;
    this.#broken = request;
    this.#breakRequest(refusal);
    return true;
  }

  #takeNext(bytes: Buffer): boolean {
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
    else if (reading === 'whole') this.#serve(this.#request.take(this.#socket));
    else if (reading === 'arriving') this.#serveArriving(bytes);
    else if (reading === 'part') this.#keep(bytes);
  }

  /** It is not whole yet. */
  #keep(bytes: Buffer): void {
    const tooLong = (this.#part?.bytes ?? 0) + bytes.length > headBytesMax + wholeBodyBytesMax;
    if (tooLong || this.#callers.keptBytes + bytes.length > keptBytesMax) return this.#waitNoLonger(bytes);
    this.#phase = 'receiving';
    this.#part ??= new RequestPart(this.#callers, this.#callers.limits.momentMs, () => this.#waitNoLonger(null));
    this.#request.keep(this.#part.add(bytes));
  }

  #waitNoLonger(last: Buffer | null): void {
    if (this.#request.hasHead) this.#serveArriving(last);
    else this.#leave(last);
  }

  /** `last`: bytes that were read of it and not kept. */
  #serveArriving(last: Buffer | null): void {
    const { request, kept, bodyAt } = this.#request.takeHead(this.#socket, this.#callers.clock.awakeMs);
    this.#arriving = request;
    this.#serve(request);
    for (const piece of kept) request.receive(piece);
    if (last !== null && bodyAt < last.length) this.#takeBody(request, last.subarray(bodyAt));
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
      this.#releaseEarly();
      this.#request.close();
    }
    this.#phase = phase;
  }

  #serve(request: CallerRequest): void {
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
    if (this.#arriving !== null) this.#awaitBody(this.#arriving, isLast);
    else if (isLast) this.#end();
    else this.#waitForNext();
  }

  /** Its request is answered before its body is whole. The rest is read away. */
  #awaitBody(request: ArrivingRequest, isLast: boolean): void {
    if (isLast) {
      this.#release('ending');
      this.#sinceMs = this.#callers.clock.awakeMs;
      endBehindBody(this.#socket, request);
    }
    request.resume();
  }

  #waitForNext(): void {
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
    if (this.#early === null && this.#reading?.keepsOnly(bytes) === true) this.#early = this.#reading;
    else {
      const early = this.#early ??= new EarlyBytes(this.#callers);
      if (this.#response !== null && !early.hasRoomFor(bytes.length)) return this.#beginToDiscard(this.#response, bytes);
      early.add(bytes);
    }
    if (this.#response !== null) return true;
    this.#socket.pause();
    return false;
  }

  /** There is no room for another request, so the answer says that it is the last one. */
  #beginToDiscard(response: WholeResponse, bytes: Buffer): boolean {
    this.#releaseEarly();
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
    this.#receiveEarly();
    this.#socket.resume();
    // Its end came while they were kept.
    if (this.#socket.readableEnded) this.ended();
  }

  #receiveEarly(): void {
    const early = this.#early;
    if (early === null) return;
    this.#early = null;
    this.#reading = early;
    this.#receive(early.all());
    this.#reading = null;
    if (this.#early !== early) early.release();
  }

  #releaseEarly(): void {
    this.#early?.release();
    this.#early = null;
  }

  ended(): void {
    // First what came before the end.
    if (this.#early !== null) return;
    if (this.#arriving !== null) this.#breakRequest({ kind: 'malformed_request', fault: 'The request is not valid HTTP/1.1.' });
    else if (this.#response !== null) this.#response._last = true;
    else if (this.#phase === 'receiving') this.#refuse({ kind: 'malformed_request', fault: 'The request is not valid HTTP/1.1.' });
    else if (this.#phase === 'new' || this.#phase === 'idle') this.#end();
  }

  /** The body of the request that is being served does not come. */
  #breakRequest(refusal: Refusal): void {
    if (this.#response?.headersSent === true) this.#socket.destroy();
    else this.#refuse(refusal);
  }

  closed(): void {
    this.#release('gone');
    this.#arriving?.leave();
    this.#broken?.leave();
    this.#arriving = this.#broken = null;
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
