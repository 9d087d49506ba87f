/**
 * A request that is served while its body comes: HTTP/1.1, with a body of a declared length or in chunks, and it asks for nothing but an answer. The
 * body is a stream, as that of a request on Node's server; its bytes are copied once, from where they come in.
 * The stream holds what is being read and no more. What comes faster than it is read waits here in as little memory as its bytes take, however short
 * the pieces are (decision 317).
 */
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { Refusal } from '@metergate/core/refusal.ts';
import { bodySlabs, slabBytes } from '../fairness/body-slabs.ts';
import { PackedPieces } from '../fairness/packed-pieces.ts';
import { ArrivingChunks } from './arriving-chunks.ts';
import type { ReadHead } from './read-head.ts';
import type { BodyLength } from './repeated-head.ts';
import type { WholeRequest } from './whole-request.ts';

/**
 * How much may wait here for its reader before no more is read, in bytes. Of a declared length that nobody reads for now, what came first is mostly a
 * head shorter than a read, and enough: many bodies that wait for room would hold another read each, which no budget counts. A reader that is there
 * takes it in this tick: a pause would only have the system watch the socket anew.
 */
const waitingBytesMax = { unread: slabBytes / 2, otherwise: 64 * 1024 } as const;
/** Chunks of one read that are shorter in the mean, with their lines, are one piece: each would be ten times its size. Bytes. */
const shortChunkBytes = 512;

export class ArrivingRequest extends Readable {
  readonly method: string;
  /** The target as it came. */
  readonly url: string;
  rawHeaders: string[];
  headers: WholeRequest['headers'] = {};
  readonly httpVersionMajor = 1;
  readonly httpVersionMinor = 1;
  readonly socket: Socket;
  /** The same as of a whole request. */
  readHead: ReadHead | null;
  /** All of the body has come. */
  complete = false;
  /** When its body began to come, milliseconds by the clock of its connection. */
  readonly sinceMs: number;
  /** Why its body broke off; null: it did not. */
  fault: Refusal | null = null;
  /** Whoever takes the body does not tell chunks apart: those that came at once are one piece. */
  joinsChunks = false;
  /** Whoever takes the body writes its chunks one behind the other, and gives each of them back: those that came at once share their memory. */
  passesChunks = false;
  /** Bytes that are still to come, of a declared length. */
  #due: number;
  /** For a body in chunks. */
  readonly #chunks: ArrivingChunks | null;
  /** Nothing more of the body is read until more is wanted. */
  #holdsSocket = false;
  /** The stream asked for more and got nothing yet. */
  #wanted = false;
  /** What the stream did not ask for yet; null: nothing. */
  #waiting: PackedPieces | null = null;
  #waitingBytes = 0;

  constructor(socket: Socket, sinceMs: number, head: {
    readonly method: string; readonly target: string; readonly pairs: string[]; readonly bodyBytes: BodyLength;
    readonly readHead?: ReadHead | null;
  }) {
    // It asks for more once all that it has was read.
    super({ highWaterMark: 1 });
    this.socket = socket;
    this.method = head.method;
    this.url = head.target;
    this.rawHeaders = head.pairs;
    this.#due = head.bodyBytes === 'chunks' ? 0 : head.bodyBytes;
    this.#chunks = head.bodyBytes === 'chunks' ? new ArrivingChunks() : null;
    this.readHead = head.readHead ?? null;
    this.sinceMs = sinceMs;
  }

  /** The next bytes; how many of them are the body's, of which a copy is made. Where enough waits here, the socket is paused. */
  receive(bytes: Buffer): number {
    return this.#chunks === null ? this.#receiveCounted(bytes) : this.#receiveChunks(this.#chunks, bytes);
  }

  #receiveCounted(bytes: Buffer): number {
    const count = Math.min(bytes.length, this.#due);
    this.#due -= count;
    // With its last bytes it is whole, also for whoever receives those.
    if (this.#due === 0) this.complete = true;
    if (this.destroyed) return count;
    this.#give(bodySlabs.copyOf(bytes.subarray(0, count)));
    this.#wasReceived();
    return count;
  }

  #receiveChunks(chunks: ArrivingChunks, bytes: Buffer): number {
    const { parts, taken } = chunks.read(bytes);
    this.complete = chunks.isWhole;
    this.fault = chunks.fault;
    if (this.complete || this.fault !== null) chunks.close();
    if (this.destroyed) return taken;
    const joins = parts.length > 1 && (this.joinsChunks || bytes.length < parts.length * shortChunkBytes);
    if (joins) this.#give(bodySlabs.joinedCopyOf(parts));
    else if (this.passesChunks) for (const part of bodySlabs.copiesOf(parts)) this.#give(part);
    else for (const part of parts) this.#give(bodySlabs.copyOf(part));
    this.#wasReceived();
    return taken;
  }

  #give(piece: Buffer): void {
    if (this.#wanted || (this.readableLength === 0 && this.#waiting === null)) {
      this.#wanted = false;
      this.push(piece);
    } else {
      this.#waitingBytes += piece.length;
      (this.#waiting ??= new PackedPieces()).add(piece);
    }
  }

  #wasReceived(): void {
    if (!this.complete) {
      const isUnread = this.#chunks === null && this.readableFlowing !== true;
      const most = isUnread ? waitingBytesMax.unread : waitingBytesMax.otherwise;
      if (this.readableLength + this.#waitingBytes >= most) this.#hold();
    } else if (this.#waiting === null) this.push(null);
  }

  /** Its connection is gone. */
  leave(): void {
    this.#chunks?.close();
    this.destroy(new Error('The caller has left.'));
  }

  #hold(): void {
    this.#holdsSocket = true;
    this.socket.pause();
  }

  override _read(): void {
    if (this.#waiting === null) this.#wanted = true;
    else this.#giveWaiting(this.#waiting);
    if (!this.#holdsSocket) return;
    this.#holdsSocket = false;
    if (!this.socket.destroyed) this.socket.resume();
  }

  #giveWaiting(waiting: PackedPieces): void {
    this.#waiting = null;
    this.#waitingBytes = 0;
    for (const piece of waiting.all()) this.push(piece);
    if (this.complete) this.push(null);
  }

  /** As with Node's: without a listener for errors none is emitted. */
  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#waiting = null;
    done(this.listenerCount('error') > 0 ? error : null);
  }
}
