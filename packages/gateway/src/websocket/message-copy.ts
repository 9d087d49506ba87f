/**
 * One direction's messages, read. What is not compressed is read where it stands (`plain-text.ts`). A copy of what is compressed is given to `ws`,
 * which decompresses it and checks it to be UTF-8 where it is text; it waits for a place and for its turn among all copies of the node (rule
 * 8a). One message at a time.
 */
import { PerMessageDeflate, Receiver } from 'ws';
import { nodePlaces, type Placed } from '../usage/decoding-places.ts';
import { nodeTurns } from '../usage/decoding-turns.ts';
import type { Compression } from './extensions.ts';
import type { SlicedWork } from './in-slices.ts';
import { longBytes, type Message } from './message.ts';
import { readLong, readShort, type PlainTextOptions } from './plain-text.ts';

/** Why a message could not be read, as the code that a connection is closed with for it. */
export interface UnreadableMessage {
  readonly closeCode: 1002 | 1007 | 1009;
}

export interface MessageCopyOptions extends Pick<SlicedWork, 'organization' | 'run'> {
  /** Its messages are masked. */
  readonly ofCaller: boolean;
  readonly compression: Compression | null;
  /** The longest message, decompressed, bytes. */
  readonly bytesMax: number;
}

/** With why it cannot be read, or null: the message says what it holds. */
type Done = (fault: UnreadableMessage | null) => void;

const notText: UnreadableMessage = { closeCode: 1007 };
const tooLong: UnreadableMessage = { closeCode: 1009 };
const notAgreed: UnreadableMessage = { closeCode: 1002 };

const closeCodes: ReadonlyMap<string, UnreadableMessage['closeCode']> = new Map([
  ['WS_ERR_UNSUPPORTED_MESSAGE_LENGTH', 1009], ['WS_ERR_INVALID_UTF8', 1007], ['Z_DATA_ERROR', 1007],
]);

let reading = 0;

/** Compressed messages of this thread that are read, or wait for their turn. */
export function messagesBeingRead(): number {
  return reading;
}

export class MessageCopy {
  readonly #options: MessageCopyOptions;
  readonly #plain: PlainTextOptions;
  /** Made with the first compressed message: a connection that is idle keeps no decoder. */
  #receiver: Receiver | null = null;
  #deflate: PerMessageDeflate | null = null;
  #message: Message | null = null;
  #done: Done | null = null;
  #placed: Placed | null = null;
  #dropped = false;
  /** Bytes are being decompressed: what does that must not be taken away under it. */
  #isInflating = false;

  constructor(options: MessageCopyOptions) {
    this.#options = options;
    const { organization, run, ofCaller, bytesMax } = options;
    this.#plain = { organization, run, form: { masked: ofCaller, payloadBytesMax: bytesMax } };
  }

  /** Reads one whole message, and says so once: at once if it is short and not compressed. The one before it has been read. */
  read(message: Message, done: Done): void {
    if (message.isCompressed) return this.#readCompressed(message, done);
    if (message.wireBytes <= longBytes) return done(readShort(message, this.#plain.form) ? null : notText);
    readLong(message, this.#plain, (isText) => {
      const isTooLong = message.textTo - message.textFrom > this.#options.bytesMax;
      done(isTooLong ? tooLong : isText ? null : notText);
    });
  }

  #readCompressed(message: Message, done: Done): void {
    const { organization, compression, ofCaller } = this.#options;
    if (compression === null) return done(notAgreed);
    this.#message = message;
    this.#done = done;
    const wire = message.source.subarray(message.from, message.to);
    // What is masked is unmasked in its place.
    const copy = ofCaller ? Buffer.from(wire) : wire;
    reading += 1;
    this.#placed = { begin: () => nodeTurns.next(organization, () => this.#inflate(copy)) };
    nodePlaces.seek(this.#placesOf, this.#placed);
  }

  #inflate(copy: Buffer): void {
    if (this.#dropped) return;
    this.#isInflating = true;
    (this.#receiver ??= this.#createReceiver()).write(copy);
  }

  /** The parameters of compression were seen to be some (`extensions.ts`). */
  #createReceiver(): Receiver {
    const { compression, ofCaller, bytesMax } = this.#options;
    this.#deflate = new PerMessageDeflate({ isServer: ofCaller, maxPayload: bytesMax });
    this.#deflate.accept([structuredClone(compression!.parameters)]);
    const receiver = new Receiver({ isServer: ofCaller, maxPayload: bytesMax, extensions: { 'permessage-deflate': this.#deflate } });
    receiver.on('message', (text: Buffer) => {
      const isLong = text.length > longBytes;
      this.#message?.says(text, 0, text.length, isLong ? this.#textIsGone : null);
      this.#tell(null, isLong && this.#message !== null);
    });
    receiver.on('error', (fault: NodeJS.ErrnoException) => this.#tell({ closeCode: closeCodes.get(fault.code ?? '') ?? 1002 }));
    return receiver;
  }

  /** The result is no longer wanted. What is being decompressed is done first, and keeps its place until then. Idempotent. */
  drop(): void {
    if (this.#dropped) return;
    this.#dropped = true;
    this.#done = this.#message = null;
    if (!this.#isInflating) this.#letGo();
  }

  #letGo(): void {
    this.#leavePlace(false);
    this.#receiver?.destroy();
    this.#deflate?.cleanup();
  }

  /** `isKept`: its text is long and is still to be read. It keeps the place: what waits to be read is no more than what is decompressed at once. */
  #tell(fault: UnreadableMessage | null, isKept = false): void {
    this.#isInflating = false;
    if (!isKept) this.#leavePlace(fault?.closeCode === 1009);
    if (this.#dropped) return this.#letGo();
    const done = this.#done;
    this.#done = this.#message = null;
    done?.(fault);
  }

  readonly #textIsGone = (): void => this.#leavePlace(false);

  get #placesOf(): string {
    return `${this.#options.organization} websocket`;
  }

  #leavePlace(expandedWithoutEnd: boolean): void {
    if (this.#placed === null) return;
    const placed = this.#placed;
    this.#placed = null;
    reading -= 1;
    if (expandedWithoutEnd) nodePlaces.leaveExpanding(this.#placesOf, placed);
    else nodePlaces.leave(this.#placesOf, placed);
  }
}
