/**
 * The caller's side of a relay: the provider's head and bytes written to the caller as they came, with backpressure towards
 * the destination, and an end that is either clean or plainly broken. The gateway's own answers are in `respond.ts`.
 */
import { inboundResponseHeaders, type HeaderPairs } from '@metergate/core/call/header-pairs.ts';
import { resetSocket } from '@metergate/store/network/reset-socket.ts';
import { WholeResponse } from '../callers/whole-response.ts';
import { bodySlabs } from '../fairness/body-slabs.ts';
import { joinedTextBytesMax, type CallerRequest, type CallerResponse } from '../callers/caller-exchange.ts';
import { callerCloses, closeAfterThis, isLast } from '../callers/respond.ts';
import type { CallGuard } from './call-guard.ts';
import { bodyEnd, chunkEnd, framedChunk, framedLastChunk, framedTogether, joinedBytesMax, sizeLine } from '../http-parser/chunk-framing.ts';

/** The provider's response head, to be relayed. */
export interface RelayedHead {
  readonly status: number;
  readonly reason: string;
  readonly headers: HeaderPairs;
}

/** What is slowed down while the caller does not read. */
interface Source {
  pause(): void;
  resume(): void;
}

const nothing = Buffer.alloc(0);
const noHeaders = Object.freeze({});
const noPairs: string[] = Object.freeze([]) as never;

export class Answer {
  readonly #request: CallerRequest;
  readonly #response: CallerResponse;
  readonly #guard: CallGuard;
  #full = false;
  /** The body goes out in chunks. They are framed here and not by Node, which makes three writes of each. */
  #chunked = false;
  /** Pieces that are lent are given back once they are written. */
  #givesBack = false;
  /** A head is written that waits for the first bytes. */
  #headWaits = false;
  /** Short chunks that came in one read: they leave together when it is over. */
  #together: Buffer[] = [];
  /** The read that brought all of them; undefined: not known. */
  #cameIn: Buffer | undefined;
  /** What is slowed down if the caller does not take them. */
  #source: Source | null = null;

  constructor(request: CallerRequest, response: CallerResponse, guard: CallGuard) {
    this.#request = request;
    this.#response = response;
    this.#guard = guard;
  }

  /**
   * Writes the head; it leaves with the first bytes, or with `sendHead`. Nothing of Node's own is added but framing.
   * @throws if the head cannot be sent as it came; nothing has been sent then.
   */
  writeHead(own: readonly string[], { status, reason, headers }: RelayedHead): void {
    const pairs = inboundResponseHeaders(headers);
    pairs.push(...own);
    if (isLast(this.#request, this.#response) || callerCloses(this.#request)) {
      closeAfterThis(this.#request.socket);
      pairs.push('connection', 'close');
    }
    this.#response.sendDate = false;
    this.#response.removeHeader('connection');
    this.#response.writeHead(status, reason, pairs);
    this.#headWaits = true;
    this.#chunked = this.#response.chunkedEncoding;
    this.#response.chunkedEncoding = false;
    // Node keeps a request for as long as its answer lasts, which may be long. All that its headers say has been read.
    this.#request.headers = noHeaders;
    this.#request.rawHeaders = noPairs;
    if ('readHead' in this.#request) this.#request.readHead = null;
  }

  /** Nobody but the caller's connection still looks at the bytes that will be delivered: their memory is used again. */
  givesBack(): void {
    this.#givesBack = this.#response instanceof WholeResponse;
  }

  /** Sends a head that was written. Not by `flushHeaders`, which encodes header bytes above 0x7f a second time. */
  sendHead(): void {
    if (!this.#response.headersSent || this.#response.destroyed) return;
    this.#sendGathered();
    this.#headWaits = false;
    this.#response.write(nothing);
  }

  /** Writes body bytes; while the caller does not read, `source` is paused. `cameIn`: as `ExchangeObserver.data` has it. */
  deliver(chunk: Buffer, source: Source | null, cameIn?: Buffer): void {
    if (this.#response.destroyed || chunk.length === 0) return;
    if (this.#chunked && chunk.length <= joinedBytesMax) this.#gather(chunk, source, cameIn);
    else if (!this.#write(chunk)) this.#slowDown(source);
  }

  /** A chunk leaves at the end of the tick, which is that of the read with which it came. */
  #gather(chunk: Buffer, source: Source | null, cameIn: Buffer | undefined): void {
    this.#source = source;
    if (this.#together.push(chunk) === 1) {
      this.#cameIn = cameIn;
      process.nextTick(sendTogether, this);
    } else if (this.#cameIn !== cameIn) this.#cameIn = undefined;
  }

  /** The tick is over in which chunks were gathered. */
  endTick(): void {
    this.#guard.run('data', () => this.#sendGathered());
  }

  #sendGathered(): void {
    const chunks = this.#together;
    if (chunks.length === 0) return;
    this.#together = [];
    this.#headWaits = false;
    const cameIn = this.#cameIn;
    this.#cameIn = undefined;
    if (!this.#response.destroyed && !this.#response.write(framedTogether(chunks, cameIn))) this.#slowDown(this.#source);
  }

  #slowDown(source: Source | null): void {
    if (this.#full) return;
    this.#full = true;
    source?.pause();
    this.#response.once('drain', () => {
      this.#full = false;
      this.#guard.run('caller', () => source?.resume());
    });
  }

  /** The clean end, with the last bytes if there are some. */
  end(last?: Buffer): void {
    const holds = last !== undefined && last.length > 0;
    this.#sendGathered();
    if (!this.#chunked) {
      if (holds) this.#endWith(last);
      else this.#response.end();
    } else if (!holds) this.#endWith(bodyEnd);
    else if (last.length <= joinedBytesMax) this.#endWith(framedLastChunk(last));
    else {
      this.#write(last);
      this.#response.end(bodyEnd);
    }
  }

  #endWith(bytes: Buffer): void {
    if (this.#headWaits && bytes.length <= joinedTextBytesMax) return void this.#response.end(bytes.toString('latin1'), 'latin1');
    if (!this.#isLent(bytes)) return void this.#response.end(bytes);
    this.#writeLent(bytes);
    this.#response.end();
  }

  /** False if the caller must be waited for. */
  #write(chunk: Buffer): boolean {
    this.#sendGathered();
    this.#headWaits = false;
    if (!this.#chunked) return this.#isLent(chunk) ? this.#writeLent(chunk) : this.#response.write(chunk);
    if (chunk.length <= joinedBytesMax) return this.#response.write(framedChunk(chunk));
    this.#response.write(sizeLine(chunk), 'latin1');
    this.#response.write(chunk);
    return this.#response.write(chunkEnd);
  }

  #isLent(bytes: Buffer): boolean {
    return this.#givesBack && bodySlabs.hasLent(bytes);
  }

  #writeLent(piece: Buffer): boolean {
    return (this.#response as WholeResponse).write(piece, undefined, (error) => {
      if (error === null || error === undefined) bodySlabs.giveBack(piece);
    });
  }

  /** Ends the connection, after what was written, so that it cannot look complete. */
  break(): void {
    const { socket } = this.#response;
    if (socket === null && !this.#response.writableFinished && !this.#response.destroyed) {
      // It waits behind another answer on this connection, which must arrive whole; what was written of this one follows first.
      this.#response.once('socket', () => process.nextTick(() => this.#guard.contain(() => this.break())));
      return;
    }
    if (socket === null || socket.destroyed) return;
    this.#sendGathered();
    if (this.#request.httpVersionMinor === 0) {
      resetSocket(socket);
    } else {
      this.sendHead();
      // Node holds what was written in this turn until the next tick; ended before, the connection would lose it.
      process.nextTick(() => this.#guard.contain(() => socket.destroySoon()));
    }
  }
}

function sendTogether(answer: Answer): void {
  answer.endTick();
}
