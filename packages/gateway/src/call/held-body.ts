/**
 * A body that comes in pieces and is held until it is whole. What is held counts against its organization as it arrives. A body that comes too
 * slowly is refused with 408 (rule 8a). Past the bound it is streamed untouched, and the record says so.
 */
import { BodyPace } from '../fairness/body-pace.ts';
import type { Receiving } from '../callers/connections.ts';
import type { GatewayNode } from '../node/gateway-node.ts';
import type { HeldBytes } from '../fairness/held-bodies.ts';
import type { Refusal } from '@metergate/core/refusal.ts';
import { BodyReading } from './body-reading.ts';
import { PackedPieces } from '../fairness/packed-pieces.ts';
import type { StreamedReception } from './body-reception.ts';
import { streamedBody } from './streamed-body.ts';
import { WholeBody } from './whole-body.ts';

/** A declared body up to this length is held on any route: one write instead of a stream. */
export const shortBodyBytesMax = 64 * 1024;
/** A chat body past this is not looked into. */
export const heldBodyBytesMax = 32 * 1024 * 1024;

/** One body while it is being held. */
export class HeldBody implements Receiving {
  readonly #node: GatewayNode;
  readonly #reception: StreamedReception;
  readonly #declaredBytes: number | null;
  readonly #pieces = new PackedPieces();
  readonly #pace = new BodyPace();
  readonly #reading: BodyReading;
  #bytes = 0;
  /** Null while nothing is counted: a short body mostly comes in one piece, and is whole before there is anything to count. */
  #counted: HeldBytes | null = null;

  constructor(node: GatewayNode, reception: StreamedReception, declaredBytes: number | null) {
    this.#node = node;
    this.#reception = reception;
    this.#declaredBytes = declaredBytes;
    this.#reading = new BodyReading(reception);
  }

  receive(): void {
    const { request, connection } = this.#reception;
    connection.receiving.push(this);
    if ('joinsChunks' in request) request.joinsChunks = true;
    if (this.#declaredBytes === null || this.#declaredBytes > shortBodyBytesMax) this.#counted = this.#beginToCount();
    request.on('data', this.#take);
    request.on('end', this.#whole);
    // Its end came while its key was asked for, and nobody learned of it.
    if (connection.socket.readableEnded) setImmediate(() => { if (connection.receiving.includes(this)) this.callerEnded(); });
  }

  #beginToCount(): HeldBytes {
    const { request, organization } = this.#reception;
    return this.#node.heldBodies.begin(organization, { pause: () => request.pause(), resume: () => request.resume() });
  }

  /** Ends a body that comes too slowly. Time in which it waits for room is not its own. */
  checkPace(nowMs: number): void {
    if (this.#counted?.waiting === true) return this.#pace.restart();
    if (this.#pace.isLate(this.#bytes, nowMs)) this.#refuse({ kind: 'request_timeout' });
  }

  callerEnded(): void {
    const { request } = this.#reception;
    if (request.complete || !request.socket.writable) return;
    this.#refuse({ kind: 'malformed_request', fault: 'The request is not valid HTTP/1.1.' });
  }

  #refuse(refusal: Refusal): void {
    try {
      this.callerLeft();
      this.#reception.refused(refusal);
    } catch (cause) {
      this.#broke(cause);
    }
  }

  readonly #take = (chunk: Buffer): void => {
    try {
      this.#hold(chunk);
    } catch (cause) {
      this.#broke(cause);
    }
  };

  readonly #whole = (): void => {
    try {
      this.#sendWhole();
    } catch (cause) {
      this.#broke(cause);
    }
  };

  #broke(cause: unknown): void {
    this.callerLeft();
    this.#reception.broke(cause);
  }

  #hold(chunk: Buffer): void {
    this.#bytes += chunk.length;
    this.#reading.push(chunk);
    const memoryBytes = this.#pieces.add(chunk);
    if (this.#bytes > heldBodyBytesMax) return this.#streamOn(memoryBytes);
    if (this.#bytes === this.#declaredBytes) this.#counted?.finished();
    else this.#counted ??= this.#beginToCount();
    this.#counted?.add(memoryBytes);
  }

  #sendWhole(): void {
    this.#stopListening();
    const { ready, signs } = this.#reception;
    const pieces = this.#pieces.all();
    const read = this.#reading.result(pieces);
    this.#reading.release();
    ready(new WholeBody({ pieces, bytes: this.#bytes, counted: this.#counted, joins: signs }, read));
  }

  /** An undeclared body grew past the bound: what was held goes first, the rest follows as it comes. */
  #streamOn(memoryBytes: number): void {
    this.#stopListening();
    this.#counted?.add(memoryBytes);
    this.#reading.release();
    if ('joinsChunks' in this.#reception.request) this.#reception.request.joinsChunks = false;
    this.#reception.ready(streamedBody(this.#reception.request, {
      first: this.#pieces.all(), firstBytes: this.#bytes, contentLength: null, overBound: this.#reception.route.bodyHeld,
      release: () => this.#release(),
    }));
  }

  callerLeft(): void {
    this.#stopListening();
    this.#reading.release();
    this.#release();
  }

  #release(): void {
    this.#counted?.release();
    this.#counted = null;
  }

  /** No more of it is held: it is whole, too large, or will not come. */
  #stopListening(): void {
    const { request, connection } = this.#reception;
    this.#counted?.finished();
    const at = connection.receiving.indexOf(this);
    if (at !== -1) connection.receiving.splice(at, 1);
    request.off('data', this.#take);
    request.off('end', this.#whole);
  }
}
