/** One whole message of an end of a connection: its frames as they came, and what they say. */
import type { Frame } from './frames.ts';

/** A text longer than this is read in slices, each in a turn of its organization. Bytes. */
export const longBytes = 64 * 1024;

export class Message {
  readonly opcode: number;
  readonly isCompressed: boolean;
  /** Its frames: `source[from..to)`. */
  readonly source: Buffer;
  readonly from: number;
  readonly to: number;
  /** Where the payload of its only frame begins; −1: it has several. */
  readonly payloadFrom: number;
  /**
   * Unmasked and decompressed: `text[textFrom..textTo)`. Set when it has been read. Of a caller's short message it is there only until the step
   * ends that reads it.
   */
  text: Buffer;
  textFrom: number;
  textTo: number;
  #content: Buffer | null = null;
  /** Runs when its text is let go of. */
  #textGone: (() => void) | null = null;

  /** @param first of several frames, which stand in `source[from..to)`, if it is not the only one. */
  constructor(first: Pick<Frame, 'opcode' | 'isCompressed'>, where: Pick<Frame, 'source' | 'from' | 'to' | 'payloadFrom'>) {
    const { source, from, to, payloadFrom } = where;
    this.opcode = first.opcode;
    this.isCompressed = first.isCompressed;
    this.source = this.text = source;
    this.from = from;
    this.to = to;
    this.payloadFrom = payloadFrom;
    this.textFrom = this.textTo = 0;
  }

  /** Of its frames, bytes. */
  get wireBytes(): number {
    return this.to - this.from;
  }

  get isLong(): boolean {
    return this.textTo - this.textFrom > longBytes;
  }

  /** What it says. */
  get content(): Buffer {
    return this.#content ??= this.text.subarray(this.textFrom, this.textTo);
  }

  /** What it says is in these bytes. `gone`: runs once, when they are let go of. */
  says(text: Buffer, from: number, to: number, gone: (() => void) | null = null): void {
    this.text = text;
    this.textFrom = from;
    this.textTo = to;
    this.#content = null;
    this.#textGone = gone;
  }

  /** Everything has been read in its text, which may be a thousand times as long as what came. Its length stays known. Idempotent. */
  letTextGo(): void {
    this.text = this.source;
    this.#content = null;
    const gone = this.#textGone;
    this.#textGone = null;
    gone?.();
  }
}
