/**
 * A copy of one direction's messages, read: unmasked, joined, decompressed, and checked to be UTF-8 where it is text. `ws` does all of that. One
 * message at a time; a compressed one waits for a place and for its turn among all copies of the node (rule 8a), an uncompressed one for nothing.
 */
import { PerMessageDeflate, Receiver } from 'ws';
import { nodePlaces, type Placed } from '../usage/decoding-places.ts';
import { nodeTurns } from '../usage/decoding-turns.ts';
import type { Compression } from './extensions.ts';

/** Why a message could not be read, as the code that a connection is closed with for it. */
export interface UnreadableMessage {
  readonly closeCode: 1002 | 1007 | 1009;
}

export interface MessageCopyOptions {
  /** Its messages are masked. */
  readonly ofCaller: boolean;
  readonly compression: Compression | null;
  readonly organization: string;
  /** The longest message, decompressed, bytes. */
  readonly bytesMax: number;
}

type Done = (read: Buffer | UnreadableMessage) => void;

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
  readonly #receiver: Receiver;
  readonly #deflate: PerMessageDeflate | null = null;
  #done: Done | null = null;
  #placed: Placed | null = null;
  #dropped = false;
  /** Bytes are being decompressed: what does that must not be taken away under it. */
  #isInflating = false;

  /** @throws if the parameters of compression are none. */
  constructor(options: MessageCopyOptions) {
    this.#options = options;
    const { ofCaller, compression, bytesMax } = options;
    if (compression !== null) {
      this.#deflate = new PerMessageDeflate({ isServer: ofCaller, maxPayload: bytesMax });
      this.#deflate.accept([structuredClone(compression.parameters)]);
    }
    this.#receiver = new Receiver({
      isServer: ofCaller, maxPayload: bytesMax, ...(this.#deflate === null ? {} : { extensions: { 'permessage-deflate': this.#deflate } }),
    });
    this.#receiver.on('message', (message: Buffer) => this.#tell(message));
    this.#receiver.on('error', (fault: NodeJS.ErrnoException) => this.#tell({ closeCode: closeCodes.get(fault.code ?? '') ?? 1002 }));
  }

  /** Reads one whole message, given as its frames, and says so once: at once if it is not compressed. The one before it has been read. */
  read(frames: Buffer, isCompressed: boolean, done: Done): void {
    this.#done = done;
    // What is masked is unmasked in its place.
    const copy = this.#options.ofCaller ? Buffer.from(frames) : frames;
    if (!isCompressed) return void this.#receiver.write(copy);
    const { organization } = this.#options;
    reading += 1;
    this.#placed = { begin: () => nodeTurns.next(organization, () => this.#inflate(copy)) };
    nodePlaces.seek(this.#placesOf, this.#placed);
  }

  #inflate(copy: Buffer): void {
    if (this.#dropped) return;
    this.#isInflating = true;
    this.#receiver.write(copy);
  }

  /** Nobody is told any more. What is being decompressed is done first, and keeps its place until then. Idempotent. */
  drop(): void {
    if (this.#dropped) return;
    this.#dropped = true;
    this.#done = null;
    if (!this.#isInflating) this.#letGo();
  }

  #letGo(): void {
    this.#leavePlace(false);
    this.#receiver.destroy();
    this.#deflate?.cleanup();
  }

  #tell(read: Buffer | UnreadableMessage): void {
    this.#isInflating = false;
    this.#leavePlace('closeCode' in read && read.closeCode === 1009);
    if (this.#dropped) return this.#letGo();
    const done = this.#done;
    this.#done = null;
    done?.(read);
  }

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
