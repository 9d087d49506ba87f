/**
 * Bytes of a WebSocket connection, cut anywhere → its frames, whole and as they came (RFC 6455, 5.2). Nothing is unmasked or decompressed here:
 * that is done on a copy. A frame that comes whole in one piece of bytes is not copied.
 */
import { Pieces } from './pieces.ts';

/** One frame as it came. */
export interface Frame {
  readonly opcode: number;
  readonly isFinal: boolean;
  /** Its message is compressed; said by the first frame of a message alone. */
  readonly isCompressed: boolean;
  readonly bytes: Buffer;
}

export const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** Why bytes are no frames that may come here: `protocol` is no legal frame, `too_long` one that is longer than the bound. */
export type FrameFault = 'protocol' | 'too_long';

interface Head {
  readonly opcode: number;
  readonly isFinal: boolean;
  readonly isCompressed: boolean;
  /** Of the whole frame. */
  readonly bytes: number;
}

export interface FrameFinderOptions {
  /** A caller masks each of its frames, a provider none. */
  readonly masked: boolean;
  /** The longest payload of one frame, bytes. */
  readonly payloadBytesMax: number;
}

export class FrameFinder {
  readonly #options: FrameFinderOptions;
  readonly #pieces = new Pieces();
  /** Of the frame that is not whole; null where not even its head is. */
  #head: Head | null = null;

  constructor(options: FrameFinderOptions) {
    this.#options = options;
  }

  /** Bytes of a frame that is not whole. */
  get keptBytes(): number {
    return this.#pieces.bytes;
  }

  /** Hands on each frame that is whole. After a fault it is not to be given more. */
  push(chunk: Buffer, take: (frame: Frame) => void): FrameFault | null {
    if (this.#head === null) return this.#find(this.keptBytes === 0 ? chunk : this.#with(chunk), 0, take);
    const missing = this.#head.bytes - this.keptBytes;
    if (chunk.length < missing) return this.#keep(chunk);
    const { head, whole } = this.#whole(chunk.subarray(0, missing));
    take({ ...head, bytes: whole });
    return this.#find(chunk, missing, take);
  }

  #find(chunk: Buffer, from: number, take: (frame: Frame) => void): FrameFault | null {
    let at = from;
    while (at < chunk.length) {
      const head = headOf(chunk, at, this.#options);
      if (typeof head === 'string') return head;
      if (head === null || chunk.length - at < head.bytes) {
        this.#head = head;
        return this.#keep(chunk.subarray(at));
      }
      const { opcode, isFinal, isCompressed } = head;
      take({ opcode, isFinal, isCompressed, bytes: chunk.subarray(at, at + head.bytes) });
      at += head.bytes;
    }
    return null;
  }

  #keep(piece: Buffer): null {
    this.#pieces.add(piece);
    return null;
  }

  #whole(last: Buffer): { readonly head: Head; readonly whole: Buffer } {
    const head = this.#head!;
    this.#head = null;
    return { head, whole: this.#with(last) };
  }

  #with(last: Buffer): Buffer {
    this.#pieces.add(last);
    return this.#pieces.take();
  }
}

const controlPayloadMax = 125;

/** Null: it is not whole. */
function headOf(bytes: Buffer, at: number, { masked, payloadBytesMax }: FrameFinderOptions): Head | FrameFault | null {
  if (bytes.length - at < 2) return null;
  const [first, second] = [bytes[at]!, bytes[at + 1]!];
  const opcode = first & 0x0f;
  const [isFinal, isCompressed] = [(first & 0x80) !== 0, (first & 0x40) !== 0];
  if ((first & 0x30) !== 0 || (opcode > 2 && opcode < 8) || opcode > 10 || ((second & 0x80) !== 0) !== masked) return 'protocol';
  const short = second & 0x7f;
  if (opcode >= 8 && (!isFinal || isCompressed || short > controlPayloadMax)) return 'protocol';
  if (isCompressed && opcode === opcodes.continuation) return 'protocol';
  const lengthBytes = short < 126 ? 0 : short === 126 ? 2 : 8;
  if (bytes.length - at < 2 + lengthBytes) return null;
  const payloadBytes = lengthBytes === 0 ? short : lengthBytes === 2 ? bytes.readUInt16BE(at + 2) : longLength(bytes, at + 2);
  if (payloadBytes > payloadBytesMax) return 'too_long';
  return { opcode, isFinal, isCompressed, bytes: 2 + lengthBytes + (masked ? 4 : 0) + payloadBytes };
}

/** A length that no number holds exactly is longer than any bound. */
function longLength(bytes: Buffer, at: number): number {
  return bytes.readUInt32BE(at) * 2 ** 32 + bytes.readUInt32BE(at + 4);
}
