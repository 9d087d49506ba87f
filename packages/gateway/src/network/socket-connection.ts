/**
 * One HTTP/1.1 connection: an exchange at a time, written in one go where its body is whole. A connection is used again only after an answer
 * that was whole by its own framing, that left nothing behind it, whose request was written to its end, and which is not the answer before it
 * once more (`answer-names.ts`). Whatever comes in while nothing is asked for ends it. Its limits of time are looked after by a clock that all
 * connections share.
 */
import type { Socket } from 'node:net';
import type { OrganizationId } from '@metergate/core/id.ts';
import { bodySlabs } from '../fairness/body-slabs.ts';
import { answerName, type AnswerNames } from './answer-names.ts';
import { answerTurns } from './answer-turns.ts';
import type { CoarseClock, Watched } from '../clock/coarse-clock.ts';
import type { DestinationTimeouts } from './destination.ts';
import type { Dialler } from './dialler.ts';
import { ExchangeError, isLengthInTrailers, notHttp } from './exchange-fault.ts';
import { AnswerReader, type AnswerEvents } from './answer-reader.ts';
import { incoming, incomingBytes } from './incoming-bytes.ts';
import { idleLimitMs } from './keep-alive.ts';
import type { ParsedHead } from '../http-parser/response-parser.ts';
import { readingTurns, type Resting } from './reading-turns.ts';
import { expectsPayload, requestHead } from './request-head.ts';
import { silenceFault, type Phase } from './silence-fault.ts';
import type { Carrier, SocketExchange } from './socket-exchange.ts';
import { statusOddity } from './status-oddity.ts';
import { StrictLength } from './strict-length.ts';
import { bytesOf, wholePieces, writeWholeRequest } from './write-whole-request.ts';

/** Whose connections these are. */
export interface ConnectionOwner {
  readonly host: string;
  readonly dialler: Dialler;
  readonly timeouts: DestinationTimeouts;
  readonly keepAliveMs: number;
  readonly clock: CoarseClock;
  readonly names: AnswerNames;
  /** It waits for the next exchange. False: none will come. */
  idle(connection: SocketConnection): boolean;
  gone(connection: SocketConnection): void;
}

/** The runtime reads on by itself behind a read of so many bytes. Smaller ones end its reading; TLS hands out pieces of 16 KiB. */
const largeBytesMin = 16 * 1024;

const twoAnswers = (): ExchangeError => new ExchangeError('protocol', 'Two answers came in at once.');
const lengthAndTab = new ExchangeError('protocol', 'The length in the answer is followed by a tab.');

export class SocketConnection implements Carrier, AnswerEvents, Watched, Resting {
  /** Whose calls it carries. */
  readonly keyId: string;
  readonly #organization: OrganizationId | undefined;
  readonly #owner: ConnectionOwner;
  readonly #reader: AnswerReader;
  readonly #socket: Socket;
  #phase: Phase = 'dialling';
  #exchange: SocketExchange | null;
  /** When the silence that is waited out began, by the owner's clock. */
  #sinceMs: number;
  #idleMs = 0;
  /** Pairs of a head that is not whole yet. */
  #pairs: string[] | null = null;
  #interimResponses = 0;
  readonly #length = new StrictLength();
  #held = false;
  /** Nothing is read until its turn comes. */
  #rests = false;
  /** What was read and waits until then, null if nothing does. */
  #unread: Buffer | null = null;
  /** As the answer says. */
  #keepAlive = false;
  /** Not after this exchange, whatever the answer says. */
  #isLast = false;
  #writing = false;
  #answerIsWhole = false;
  /** Something began behind a whole answer. */
  #unasked = false;
  /** The provider's name for the latest answer; undefined before the first one. */
  #answerName: string | null | undefined;

  /** Dials for this exchange. Throws if Node does. */
  constructor(owner: ConnectionOwner, exchange: SocketExchange) {
    this.keyId = exchange.request.keyId;
    this.#organization = exchange.request.organization;
    this.#owner = owner;
    this.#exchange = exchange;
    this.#reader = new AnswerReader(this);
    this.#sinceMs = owner.clock.awakeMs;
    this.#socket = owner.dialler.dial({
      onread: { buffer: incomingBytes, callback: (length) => this.#read(length) },
      opened: () => this.#write(),
    });
    this.#socket.on('error', this.#failed).on('end', this.#ended).on('close', this.#closed);
    // Last: what could not be dialled at all is watched by nobody.
    exchange.isCarriedBy(this);
    owner.clock.watch(this);
  }

  /** Takes it out of the idle ones for this exchange, which is written by `carry`. */
  keepFor(exchange: SocketExchange): void {
    this.#phase = 'kept';
    this.#exchange = exchange;
    exchange.isCarriedBy(this);
    this.#socket.ref();
  }

  /** Writes the exchange that it was kept for. False if the connection has ended meanwhile, and nothing was written. */
  carry(): boolean {
    if (this.#phase !== 'kept') return false;
    this.#write();
    return true;
  }

  hold(): void {
    if (this.#phase !== 'body' || this.#held) return;
    this.#held = true;
    this.#socket.pause();
  }

  resume(): void {
    if (!this.#held) return;
    this.#held = false;
    this.#sinceMs = this.#owner.clock.awakeMs;
    if (this.#rests) return;
    if (this.#unread === null) return void this.#socket.resume();
    // This may be called while other bytes stand where these are read.
    this.#rests = true;
    setImmediate(() => this.readOn());
  }

  readonly readOn = (): void => {
    this.#rests = false;
    if (this.#phase === 'gone' || this.#held) return;
    this.#sinceMs = this.#owner.clock.awakeMs;
    if (this.#unread === null || this.#takeUnread()) this.#socket.resume();
  };

  /** Looks at what was read before. False: no more, for now. */
  #takeUnread(): boolean {
    const unread = this.#unread!;
    this.#unread = null;
    const goesOn = this.#take(unread);
    bodySlabs.giveBack(unread);
    return goesOn;
  }

  destroy(): void {
    if (this.#phase === 'gone') return;
    this.#phase = 'gone';
    this.#exchange = null;
    this.#unread = null;
    this.#socket.destroy();
    this.#owner.clock.forget(this);
    this.#owner.gone(this);
    this.#reader.close();
  }

  look(): void {
    const { clock, timeouts } = this.#owner;
    if (this.#phase === 'idle') {
      if (clock.nowMs - this.#sinceMs >= this.#idleMs - clock.tickMs) this.destroy();
      return;
    }
    // A caller that writes slowly, or reads slowly, is not the destination's silence.
    if (this.#held || this.#rests || (this.#phase === 'head' && this.#writing && !this.#socket.writableNeedDrain)) this.#sinceMs = clock.awakeMs;
    const fault = silenceFault(this.#phase, clock.awakeMs - this.#sinceMs - clock.tickMs, timeouts);
    if (fault !== null) this.#broke(fault);
  }

  #write(): void {
    const exchange = this.#exchange;
    if (exchange === null) return this.destroy();
    const { request } = exchange;
    const pays = expectsPayload(request.method);
    const hasBody = exchange.body !== null || bytesOf(wholePieces(request)) > 0;
    this.#phase = 'head';
    this.#sinceMs = this.#owner.clock.awakeMs;
    this.#interimResponses = 0;
    this.#reader.begin();
    this.#answerIsWhole = false;
    this.#length.clear();
    // Some servers send a body after HEAD, or read none after GET.
    if (request.method === 'HEAD' || (hasBody && !pays)) this.#isLast = true;
    exchange.isWritten();
    const { host } = this.#owner;
    if (exchange.body === null) {
      writeWholeRequest(this.#socket, request, host);
    } else {
      this.#writing = true;
      const head = requestHead(request, host);
      const { contentLength } = request;
      exchange.body.start({ socket: this.#socket, head, contentLength, sendsLength: pays, sent: () => this.#bodySent() });
    }
  }

  #bodySent(): void {
    this.#writing = false;
    if (this.#phase === 'head') this.#sinceMs = this.#owner.clock.awakeMs;
  }

  /** False: no more, for now. */
  #read(length: number): boolean {
    if (incoming.areBeingRead()) {
      this.#broke(twoAnswers());
      return false;
    }
    if (this.#phase === 'idle' || this.#phase === 'kept') {
      // Nobody asked for these bytes. An exchange that it is kept for, of which nothing was written, goes elsewhere.
      this.destroy();
      return false;
    }
    if (this.#phase === 'gone') return false;
    const bytes = length === incomingBytes.length ? incomingBytes : incomingBytes.subarray(0, length);
    return !this.#waits(bytes) && this.#take(bytes);
  }

  /** Whether what was read waits for a later turn, since others' answers come, too. */
  #waits(bytes: Buffer): boolean {
    const organization = this.#organization;
    if (this.#unread === null && (organization === undefined || !answerTurns.waits(organization, bytes.length, this.readOn))) return false;
    // Only the first read waits for a turn. TLS hands out what it has decrypted behind it, whether or not it is to be read.
    this.#rests ||= this.#unread === null;
    this.#unread = this.#unread === null ? bodySlabs.copyOf(bytes) : Buffer.concat([this.#unread, bytes]);
    return true;
  }

  #take(bytes: Buffer): boolean {
    const isHead = this.#phase === 'head';
    const outcome = isHead && this.#length.refuses(bytes) ? lengthAndTab : this.#parse(bytes);
    if (isHead && this.#phase as Phase === 'head') this.#length.keep(bytes);
    return this.#afterRead(outcome, bytes.length);
  }

  #parse(bytes: Buffer): number | Error {
    incoming.begin();
    try {
      const outcome = this.#reader.read(bytes, this.#phase === 'head');
      return incoming.wereOverwritten ? twoAnswers() : outcome;
    } catch {
      // An observer must not throw. What it threw may hold anything, and is not handed on.
      return new ExchangeError('aborted', 'The answer could not be taken in.');
    } finally {
      incoming.end();
    }
  }

  #afterRead(outcome: number | Error, length: number): boolean {
    if (this.#phase as Phase === 'gone') return false;
    if (outcome instanceof Error && !this.#endsInTrailers(outcome)) {
      this.#broke(notHttp(outcome));
      return false;
    }
    if (this.#answerIsWhole) return this.#rest();
    if (length >= largeBytesMin && !this.#rests) this.#rests = readingTurns.restsAfter(this, length);
    return !this.#held && !this.#rests;
  }

  /** The body is whole, and the rest of its trailers cannot be read: the answer ends here, and the connection with it. */
  #endsInTrailers(fault: Error): boolean {
    if (this.#phase !== 'body' || this.#answerIsWhole || !isLengthInTrailers(fault)) return false;
    this.#isLast = true;
    this.complete();
    return true;
  }

  /** The answer is complete and was delivered. */
  #rest(): boolean {
    const { clock } = this.#owner;
    const isWritten = !this.#writing && this.#socket.writableLength === 0;
    if (!this.#keepAlive || this.#isLast || !isWritten || this.#unasked || this.#idleMs <= 0) {
      this.destroy();
      return false;
    }
    if (this.#held && !this.#rests) this.#socket.resume();
    this.#held = false;
    this.#phase = 'idle';
    this.#sinceMs = clock.nowMs;
    this.#socket.unref();
    if (this.#owner.idle(this)) return true;
    this.destroy();
    return false;
  }

  /** TLS says it behind the last bytes in one go, also while these wait. They are looked at first. */
  readonly #ended = (): void => {
    if (this.#unread !== null) this.#takeUnread();
    if (this.#phase !== 'head' && this.#phase !== 'body') {
      this.#broke(new ExchangeError('connect', 'The destination closed the connection.'));
    } else if (this.#phase === 'body' && !this.#keepAlive && this.#reader.endsHere()) {
      this.destroy();
    } else {
      this.#broke(new ExchangeError('reset', 'The destination closed the connection before its answer was whole.'));
    }
  };

  readonly #closed = (): void => this.#failed(new Error('The connection was closed.'));

  /** What came before that is looked at first. */
  readonly #failed = (cause: Error): void => {
    if (this.#unread !== null) this.#takeUnread();
    this.#broke(cause);
  };

  #broke(cause: Error): void {
    const exchange = this.#exchange;
    // Nothing of it was written: it goes elsewhere.
    const goesElsewhere = this.#phase === 'kept';
    this.destroy();
    if (!goesElsewhere) exchange?.fail(cause);
  }

  begun(): void {
    if (this.#answerIsWhole || this.#exchange === null) this.#unasked = true;
  }

  pairs(pairs: string[]): void {
    if (this.#phase === 'head' && this.#exchange !== null) this.#pairs = this.#pairs === null ? pairs : this.#pairs.concat(pairs);
  }

  headComplete({ status, reason, pairs, upgrade, keepAlive }: ParsedHead): boolean {
    const all = pairs ?? this.#pairs ?? [];
    this.#pairs = null;
    const exchange = this.#exchange;
    if (exchange === null || this.#answerIsWhole) {
      this.#unasked = true;
      return true;
    }
    if (status < 200) this.#interimResponses += 1;
    const oddity = statusOddity(status, { upgrade, interim: this.#interimResponses });
    if (oddity !== null) {
      this.#broke(new ExchangeError('protocol', oddity));
      return true;
    }
    this.#sinceMs = this.#owner.clock.awakeMs;
    if (status < 200) return false;
    this.#phase = 'body';
    this.#keepAlive = keepAlive;
    if (this.#isDoubled(all)) this.#isLast = true;
    this.#idleMs = idleLimitMs({ status, pairs: all }, this.#owner.keepAliveMs);
    if (exchange.paused) this.#held = true;
    const { method } = exchange.request;
    const isRead = this.#reader.expectBody({ method, status, pairs: all });
    exchange.head(status, reason, all);
    return isRead || method === 'HEAD';
  }

  /** The answer has the name of the one before it, so most likely the same answer came twice. */
  #isDoubled(pairs: readonly string[]): boolean {
    const before = this.#answerName;
    this.#answerName = answerName(pairs);
    return this.#owner.names.isDoubled(this.#answerName, before);
  }

  isUnasked(): void {
    this.#unasked = true;
  }

  body(chunk: Buffer, cameIn?: Buffer): void {
    this.#sinceMs = this.#owner.clock.awakeMs;
    if (!this.#answerIsWhole) this.#exchange?.data(chunk, cameIn);
  }

  complete(): void {
    const exchange = this.#exchange;
    if (this.#phase !== 'body' || this.#answerIsWhole || exchange === null) return;
    this.#answerIsWhole = true;
    this.#exchange = null;
    exchange.end();
  }
}
