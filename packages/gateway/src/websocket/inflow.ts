/**
 * One direction of a connection: bytes of one end → its messages, each whole, as it came and as it reads, in their order. The next is handed on
 * when the one before it is done with. Control frames are handed on at once, also between the frames of a message; a close comes in its place.
 * What cannot be read ends the flow. An end that sends faster than its messages are taken is not read.
 */
import type { Duplex } from 'node:stream';
import type { HeldBodies, HeldBytes } from '../held-bodies.ts';
import type { OrganizationId } from '@metergate/core/id.ts';
import { FrameFinder, opcodes, type Frame } from './frames.ts';
import { MessageCopy, type MessageCopyOptions } from './message-copy.ts';
import { Pieces } from './pieces.ts';

export interface Message {
  /** Its frames as they came. */
  readonly wire: Buffer;
  readonly opcode: number;
  readonly isCompressed: boolean;
  /** Unmasked and decompressed. */
  readonly text: Buffer;
}

export interface InflowEvents {
  /** `next` is to be called once, when the message is done with. */
  message(message: Message, next: () => void): void;
  control(bytes: Buffer): void;
  /** Behind all messages: the end wants to close. */
  closing(bytes: Buffer, next: () => void): void;
  /** Behind all messages: what came then cannot be read. `bytes`: as far as it came. */
  unreadable(closeCode: number, bytes: Buffer): void;
  /** Behind all messages: nothing more comes. */
  ended(): void;
}

export interface InflowOptions extends MessageCopyOptions {
  readonly organization: OrganizationId;
  readonly held: HeldBodies;
  /** Runs a step of the connection: what it throws ends that. */
  readonly run: (step: () => void) => void;
  readonly events: InflowEvents;
}

type Waiting =
  | { readonly kind: 'message'; readonly wire: Buffer; readonly opcode: number; readonly isCompressed: boolean; readonly held: HeldBytes | null }
  | { readonly kind: 'closing'; readonly wire: Buffer }
  | { readonly kind: 'unreadable'; readonly wire: Buffer; readonly closeCode: number }
  | { readonly kind: 'ended'; readonly wire: Buffer };

/** Past it the end is not read until messages have been taken. */
const waitingBytesMax = 256 * 1024;
/** Frames of one message: more make it cost more than its bytes say. */
const fragmentsMax = 65_536;
const nothing = Buffer.alloc(0);

export class Inflow {
  readonly #source: Duplex;
  readonly #options: InflowOptions;
  readonly #finder: FrameFinder;
  readonly #copy: MessageCopy;
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  /** What began and is not whole, and its frames. */
  #message: { readonly opcode: number; readonly isCompressed: boolean; frames: number } | null = null;
  readonly #frames = new Pieces();
  /** Of a message that does not come whole at once. */
  #held: HeldBytes | null = null;
  /** A close came: what comes behind it is nothing (RFC 6455, 5.5.1). */
  #hasClosed = false;
  #isBusy = false;
  #isOver = false;
  readonly #pausedFor = new Set<'sink' | 'queue' | 'memory'>();

  constructor(source: Duplex, options: InflowOptions) {
    this.#source = source;
    this.#options = options;
    this.#finder = new FrameFinder({ masked: options.ofCaller, payloadBytesMax: options.bytesMax });
    this.#copy = new MessageCopy(options);
    source.on('data', this.#data).on('end', this.#end).on('close', this.#end);
  }

  /** Received and not handed on, bytes. */
  get heldBytes(): number {
    return this.#waitingBytes + this.#frames.bytes + this.#finder.keptBytes;
  }

  /** `for`: one of several reasons not to read. */
  pause(reason: 'sink' | 'queue' | 'memory'): void {
    this.#pausedFor.add(reason);
    this.#source.pause();
  }

  resume(reason: 'sink' | 'queue' | 'memory'): void {
    if (this.#pausedFor.delete(reason) && this.#pausedFor.size === 0 && !this.#source.destroyed) this.#source.resume();
  }

  /** Nothing more is read or handed on; what comes is thrown away. Idempotent. */
  stop(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#source.off('data', this.#data).off('end', this.#end).off('close', this.#end);
    if (!this.#source.destroyed) this.#source.on('data', () => {}).resume();
    for (const one of this.#waiting) if (one.kind === 'message') one.held?.release();
    this.#waiting = [];
    this.#message = null;
    this.#frames.take();
    this.#waitingBytes = 0;
    this.#held?.release();
    this.#held = null;
    this.#copy.drop();
  }

  /** Bytes that came with the handshake, before anything else. */
  first(bytes: Buffer): void {
    if (bytes.length > 0) this.#data(bytes);
  }

  readonly #data = (chunk: Buffer): void => this.#options.run(() => {
    this.#held?.add(chunk.length);
    const fault = this.#finder.push(chunk, (frame) => this.#take(frame));
    if (this.#isOver) return;
    if (fault !== null) return this.#breakOff(fault === 'too_long' ? 1009 : 1002, chunk);
    if (this.#finder.keptBytes + this.#frames.bytes > 0) this.#holdPart();
    this.#pump();
  });

  readonly #end = (): void => this.#options.run(() => {
    if (!this.#isOver) this.#put({ kind: 'ended', wire: nothing });
    this.#pump();
  });

  /** A message has begun and is not whole: what there is of it counts for the node's memory. */
  #holdPart(): void {
    if (this.#held !== null) return;
    const { held, organization } = this.#options;
    this.#held = held.begin(organization, { pause: () => this.pause('memory'), resume: () => this.resume('memory') });
    this.#held.add(this.#finder.keptBytes + this.#frames.bytes);
  }

  #take(frame: Frame): void {
    if (this.#isOver || this.#hasClosed) return;
    if (frame.opcode === opcodes.close) {
      this.#hasClosed = true;
      return this.#put({ kind: 'closing', wire: frame.bytes });
    }
    if (frame.opcode > opcodes.close) return this.#options.events.control(frame.bytes);
    const begins = frame.opcode !== opcodes.continuation;
    if (begins !== (this.#message === null)) return this.#breakOff(1002, frame.bytes);
    this.#message ??= { opcode: frame.opcode, isCompressed: frame.isCompressed, frames: 0 };
    this.#message.frames += 1;
    this.#frames.add(frame.bytes);
    if (this.#message.frames > fragmentsMax) return this.#breakOff(1002, frame.bytes);
    if (this.#frames.bytes > this.#options.bytesMax + fragmentsMax * 14) return this.#breakOff(1009, frame.bytes);
    if (frame.isFinal) this.#messageCame();
  }

  #messageCame(): void {
    const { opcode, isCompressed } = this.#message!;
    const wire = this.#frames.take();
    this.#message = null;
    this.#held?.finished();
    this.#put({ kind: 'message', wire, opcode, isCompressed, held: this.#held });
    this.#held = null;
  }

  #breakOff(closeCode: number, bytes: Buffer): void {
    this.#put({ kind: 'unreadable', wire: bytes, closeCode });
    this.#pump();
  }

  #put(one: Waiting): void {
    const last = this.#waiting.at(-1)?.kind;
    if (last === 'unreadable' || last === 'ended') return;
    this.#waiting.push(one);
    this.#waitingBytes += one.wire.length;
    if (this.#waitingBytes > waitingBytesMax) this.pause('queue');
  }

  /** Hands on what waits, until somebody takes their time over it. */
  #pump(): void {
    while (!this.#isBusy && !this.#isOver) {
      const one = this.#waiting.shift();
      if (one === undefined) return;
      this.#waitingBytes -= one.wire.length;
      if (this.#waitingBytes <= waitingBytesMax) this.resume('queue');
      this.#isBusy = true;
      this.#handOn(one);
    }
  }

  #handOn(one: Waiting): void {
    const { events } = this.#options;
    if (one.kind === 'ended') return events.ended();
    if (one.kind === 'unreadable') return events.unreadable(one.closeCode, one.wire);
    const held = one.kind === 'message' ? one.held : null;
    let inTurn = true;
    const next = (): void => this.#options.run(() => {
      held?.release();
      this.#isBusy = false;
      if (!inTurn) this.#pump();
    });
    this.#handOnInOrder(one, held, next);
    inTurn = false;
  }

  #handOnInOrder(one: Waiting & { kind: 'message' | 'closing' }, held: HeldBytes | null, next: () => void): void {
    const { events } = this.#options;
    if (one.kind === 'closing') return events.closing(one.wire, next);
    const { wire, opcode, isCompressed } = one;
    this.#copy.read(wire, isCompressed, (text) => this.#options.run(() => {
      if (this.#isOver) return held?.release();
      if (Buffer.isBuffer(text)) return events.message({ wire, opcode, isCompressed, text }, next);
      held?.release();
      events.unreadable(text.closeCode, wire);
    }));
  }
}
