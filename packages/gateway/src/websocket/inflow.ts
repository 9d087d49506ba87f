/**
 * One direction of a connection: bytes of one end → its messages, each whole, as it came and as it reads, in their order. The next is handed on
 * when the one before it is done with. Control frames are handed on at once, also between the frames of a message; a close comes in its place.
 * What cannot be read ends the flow. An end that sends faster than its messages are taken is not read.
 */
import type { Socket } from 'node:net';
import type { OrganizationId } from '@metergate/core/id.ts';
import { readShared, type SocketReader } from '../callers/shared-input.ts';
import type { HeldBodies, HeldBytes } from '../fairness/held-bodies.ts';
import { FrameFinder, opcodes, type Frame } from './frames.ts';
import { MessageCopy, type MessageCopyOptions, type UnreadableMessage } from './message-copy.ts';
import { Message } from './message.ts';
import { giveBack, passingBuffer } from './passing-bytes.ts';
import { Pieces } from './pieces.ts';

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

interface InflowOptions extends MessageCopyOptions {
  readonly organization: OrganizationId;
  readonly held: HeldBodies;
  readonly events: InflowEvents;
  readonly connection: FlowConnection;
}

/** Whose flow it is. */
export interface FlowConnection {
  /** Whether all that was handed on has been taken by the end it is for, and nobody has any of it. */
  readonly hasAllLeft: boolean;
  /** Runs a step for bytes that came. What it hands on leaves behind it, in as few pieces as it can. */
  inOneGo(step: () => void): void;
}

type Waiting =
  | { readonly kind: 'message'; readonly message: Message; readonly held: HeldBytes | null; readonly bytes: number }
  | { readonly kind: 'closing'; readonly wire: Buffer; readonly bytes: number }
  | { readonly kind: 'ended'; readonly wire: Buffer; readonly bytes: number }
  | { readonly kind: 'unreadable'; readonly wire: Buffer; readonly closeCode: number; readonly bytes: number };

/** Past it the end is not read until messages have been taken. */
const waitingBytesMax = 64 * 1024;
/** Frames of one message: more make it cost more than its bytes say. */
const fragmentsMax = 65_536;
const nothing = Buffer.alloc(0);

export class Inflow implements SocketReader {
  readonly #source: Socket;
  readonly #options: InflowOptions;
  readonly #finder: FrameFinder;
  readonly #copy: MessageCopy;
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  /** What began and is not whole, and its frames. */
  #part: { readonly opcode: number; readonly isCompressed: boolean; frames: number } | null = null;
  readonly #frames = new Pieces();
  /** What is held of a message that does not come whole at once. */
  #held: HeldBytes | null = null;
  /** A close came: what comes behind it is nothing (RFC 6455, 5.5.1). */
  #hasClosed = false;
  /** A message was handed on and is not done with, and what it holds. */
  #isBusy = false;
  #busyHeld: HeldBytes | null = null;
  #busyBytes = 0;
  /** The message that is read, and the one that was handed on and is not done with. */
  #reading: Message | null = null;
  #busy: Message | null = null;
  #isPumping = false;
  #isOver = false;
  readonly #pausedFor = new Set<'sink' | 'queue' | 'memory'>();
  /** What came last, while it is looked through. */
  #came: Buffer = nothing;
  /** In which something stands that came and may not have left. */
  #passing: Buffer | null = null;
  /** Whether that has left is looked at behind this turn. */
  #looksAgain = false;

  constructor(source: Socket, options: InflowOptions) {
    this.#source = source;
    this.#options = options;
    this.#finder = new FrameFinder({ masked: options.ofCaller, payloadBytesMax: options.bytesMax });
    this.#copy = new MessageCopy(options);
  }

  /** Received and not handed on, bytes. */
  get heldBytes(): number {
    return this.#waitingBytes + this.#busyBytes + this.#frames.bytes + this.#finder.keptBytes;
  }

  /** `for`: one of several reasons not to read. */
  pause(reason: 'sink' | 'queue' | 'memory'): void {
    this.#pausedFor.add(reason);
    this.#source.pause();
  }

  resume(reason: 'sink' | 'queue' | 'memory'): void {
    if (this.#pausedFor.size > 0 && this.#pausedFor.delete(reason) && this.#pausedFor.size === 0 && !this.#source.destroyed) this.#source.resume();
  }

  /** Nothing more is read or handed on; what comes is thrown away. Idempotent. */
  stop(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (!this.#source.destroyed) this.#source.resume();
    for (const one of this.#waiting) if (one.kind === 'message') one.held?.release();
    this.#isDoneWith();
    this.#waiting = [];
    this.#part = null;
    this.#frames.take();
    this.#waitingBytes = 0;
    this.#held?.release();
    this.#held = null;
    this.#passing = null;
    this.#copy.drop();
  }

  /** `first`: came with the handshake, before anything else. What came while that was under way waits in the socket. */
  begin(first: Buffer): void {
    const rest = this.#source.read() as Buffer | null;
    readShared(this.#source, this);
    for (const bytes of [first, rest ?? nothing]) if (bytes.length > 0) this.#receive(bytes);
    if (this.#source.readableEnded) this.ended();
    else if (this.#pausedFor.size === 0) this.#source.resume();
  }

  /** Bytes of the socket, which are there only now. */
  take(bytes: Buffer): boolean {
    if (this.#isOver) return true;
    // What is still in use is not waited for: what comes meanwhile has a buffer of its own.
    const passing = this.#passing === null ? passingBuffer(bytes.length) : null;
    const own = passing === null ? Buffer.allocUnsafe(bytes.length) : passing.subarray(0, bytes.length);
    own.set(bytes);
    if (passing !== null) this.#passing = passing;
    this.#receive(own);
    this.#hasPassed();
    return true;
  }

  #receive(bytes: Buffer): void {
    this.#came = bytes;
    this.#options.connection.inOneGo(this.#look);
    this.#came = nothing;
  }

  /** Nothing that came is waiting for anything here. */
  get #isAtRest(): boolean {
    return !this.#isBusy && this.#waiting.length === 0 && this.#part === null && this.#finder.keptBytes === 0;
  }

  /** All that came is done with. A TLS socket tells only behind this step that it has taken what was written: it is looked at once more then. */
  #hasPassed(): void {
    if (this.#passing === null || !this.#isAtRest) return;
    if (this.#options.connection.hasAllLeft) return this.#letPassingGo(this.#passing);
    if (this.#looksAgain) return;
    this.#looksAgain = true;
    setImmediate(this.#lookAgain);
  }

  readonly #lookAgain = (): void => {
    this.#looksAgain = false;
    if (this.#passing !== null && this.#isAtRest) this.#letPassingGo(this.#passing);
  };

  /** If an end has not taken it all, the buffer is its own until it has. */
  #letPassingGo(passing: Buffer): void {
    this.#passing = null;
    if (this.#options.connection.hasAllLeft) giveBack(passing);
  }

  readonly #look = (): void => {
    const chunk = this.#came;
    this.#held?.add(chunk.length);
    const fault = this.#finder.push(chunk, this.#take);
    if (this.#isOver) return;
    if (fault !== null) return this.#breakOff(fault === 'too_long' ? 1009 : 1002, chunk);
    if (this.#finder.keptBytes + this.#frames.bytes > 0) this.#holdPart();
    this.#pump();
  };

  ended(): void {
    this.#options.run(() => {
      if (!this.#isOver) this.#put({ kind: 'ended', wire: nothing, bytes: 0 });
      this.#pump();
    });
  }

  closed(): void {
    this.ended();
  }

  /** A message has begun and is not whole: what there is of it counts for the node's memory. */
  #holdPart(): void {
    if (this.#held !== null) return;
    const { held, organization } = this.#options;
    this.#held = held.begin(organization, { pause: () => this.pause('memory'), resume: () => this.resume('memory') });
    this.#held.add(this.#finder.keptBytes + this.#frames.bytes);
  }

  readonly #take = (frame: Frame): void => {
    if (this.#isOver || this.#hasClosed) return;
    const { opcode } = frame;
    if (opcode === opcodes.close) {
      this.#hasClosed = true;
      // It may wait for responses to end, when what else came with it has passed.
      return this.#put({ kind: 'closing', wire: Buffer.from(frame.bytes), bytes: frame.to - frame.from });
    }
    if (opcode > opcodes.close) return this.#options.events.control(frame.bytes);
    const begins = opcode !== opcodes.continuation;
    if (begins !== (this.#part === null)) return this.#breakOff(1002, frame.bytes);
    if (begins && frame.isFinal) return this.#cameWhole(new Message(frame, frame));
    this.#takePart(frame);
  };

  #takePart(frame: Frame): void {
    const part = this.#part ??= { opcode: frame.opcode, isCompressed: frame.isCompressed, frames: 0 };
    part.frames += 1;
    this.#frames.add(frame.bytes);
    if (part.frames > fragmentsMax) return this.#breakOff(1002, frame.bytes);
    if (this.#frames.bytes > this.#options.bytesMax + fragmentsMax * 14) return this.#breakOff(1009, frame.bytes);
    if (!frame.isFinal) return;
    const wire = this.#frames.take();
    this.#part = null;
    this.#cameWhole(new Message(part, { source: wire, from: 0, to: wire.length, payloadFrom: -1 }));
  }

  /** Passed on at once if nothing waits before it. */
  #cameWhole(message: Message): void {
    const held = this.#held;
    this.#held = null;
    held?.finished();
    // Its last bytes may have come with those for which it was paused: it waits for room no more, so nothing else would resume the flow.
    this.resume('memory');
    if (this.#isBusy || this.#isPumping || this.#waiting.length > 0) {
      this.#put({ kind: 'message', message, held, bytes: this.#keptFor(message) });
      return this.#pump();
    }
    this.#isPumping = this.#isBusy = true;
    try {
      this.#handOnMessage(message, held);
    } finally {
      this.#isPumping = false;
    }
  }

  /** What a message that waits keeps: the piece in which it stands, which may be control frames for the rest, if no message before it keeps that. */
  #keptFor({ source, wireBytes }: Message): number {
    const last = this.#waiting.at(-1);
    return last?.kind === 'message' && last.message.source === source ? wireBytes : source.length;
  }

  #breakOff(closeCode: number, bytes: Buffer): void {
    this.#put({ kind: 'unreadable', wire: bytes, closeCode, bytes: bytes.length });
    this.#pump();
  }

  #put(one: Waiting): void {
    const last = this.#waiting.at(-1)?.kind;
    if (last === 'unreadable' || last === 'ended') return;
    this.#waiting.push(one);
    this.#waitingBytes += one.bytes;
    if (this.#waitingBytes > waitingBytesMax) this.pause('queue');
  }

  /** Hands on what waits, until somebody takes their time over it. */
  #pump(): void {
    if (this.#isPumping) return;
    this.#isPumping = true;
    try {
      while (!this.#isBusy && !this.#isOver) {
        const one = this.#waiting.shift();
        if (one === undefined) break;
        this.#waitingBytes -= one.bytes;
        if (this.#pausedFor.size > 0 && this.#waitingBytes <= waitingBytesMax) this.resume('queue');
        this.#isBusy = true;
        this.#handOn(one);
      }
    } finally {
      this.#isPumping = false;
    }
  }

  #handOn(one: Waiting): void {
    const { events } = this.#options;
    if (one.kind === 'ended') return events.ended();
    if (one.kind === 'unreadable') return events.unreadable(one.closeCode, one.wire);
    if (one.kind === 'closing') return events.closing(one.wire, this.#next);
    this.#handOnMessage(one.message, one.held);
  }

  #handOnMessage(message: Message, held: HeldBytes | null): void {
    this.#busyHeld = held;
    this.#busyBytes = message.wireBytes;
    this.#reading = message;
    this.#copy.read(message, this.#wasRead);
  }

  readonly #wasRead = (fault: UnreadableMessage | null): void => {
    const message = this.#reading!;
    this.#reading = null;
    if (this.#isOver) return;
    if (this.#isPumping) this.#tell(message, fault);
    else this.#options.run(() => this.#tell(message, fault));
  };

  #tell(message: Message, fault: UnreadableMessage | null): void {
    const { events } = this.#options;
    if (fault === null) {
      this.#busy = message;
      return events.message(message, this.#next);
    }
    this.#isDoneWith();
    events.unreadable(fault.closeCode, message.source.subarray(message.from, message.to));
  }

  #isDoneWith(): void {
    this.#busy?.letTextGo();
    this.#busy = null;
    this.#busyHeld?.release();
    this.#busyHeld = null;
    this.#busyBytes = 0;
  }

  /** The message is done with. */
  readonly #next = (): void => {
    if (this.#isOver) return;
    this.#isDoneWith();
    this.#isBusy = false;
    if (this.#isPumping) return;
    this.#options.run(() => this.#pump());
    // Behind what is written for it.
    if (this.#passing !== null) process.nextTick(() => this.#hasPassed());
  };
}
