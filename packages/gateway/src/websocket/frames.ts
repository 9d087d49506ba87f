/**
 * Bytes of a WebSocket connection, cut anywhere → its frames, whole and as they came (RFC 6455, 5.2). Nothing is unmasked or decompressed here:
 * that is done on a copy. A frame that comes whole in one piece of bytes is not copied.
 */
import { ownCopy } from '../fairness/own-memory.ts';
import { Pieces } from './pieces.ts';

/** One frame as it came: `source[from..to)`, with its payload from `payloadFrom` on. */
export class Frame {
  readonly source: Buffer;
  readonly from: number;
  readonly payloadFrom: number;
  readonly to: number;

  constructor(source: Buffer, from: number, payloadFrom: number, to: number) {
    this.source = source;
    this.from = from;
    this.payloadFrom = payloadFrom;
    this.to = to;
  }

  get opcode(): number {
    return this.source[this.from]! & 0x0f;
  }

  get isFinal(): boolean {
    return (this.source[this.from]! & 0x80) !== 0;
  }

  /** Its message is compressed; only the first frame of a message shows it. */
  get isCompressed(): boolean {
    return (this.source[this.from]! & 0x40) !== 0;
  }

  get bytes(): Buffer {
    return this.source.subarray(this.from, this.to);
  }
}

export const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** Why bytes are no frames that may come here: `protocol` is no legal frame, `too_long` one that is longer than the bound. */
type FrameFault = 'protocol' | 'too_long';

export interface FrameFinderOptions {
  /** A caller masks each of its frames, a provider none. */
  readonly masked: boolean;
  /** The longest payload of one frame, bytes. */
  readonly payloadBytesMax: number;
}

export class FrameFinder {
  readonly #options: FrameFinderOptions;
  readonly #pieces = new Pieces();
  /** What is missing of a frame that is not whole; 0 if not even its head is. */
  #missingBytes = 0;

  constructor(options: FrameFinderOptions) {
    this.#options = options;
  }

  /** Bytes of a frame that is not whole. */
  get keptBytes(): number {
    return this.#pieces.bytes;
  }

  /** Hands on each frame that is whole. After a fault it is not to be given more. */
  push(chunk: Buffer, take: (frame: Frame) => void): FrameFault | null {
    if (this.#missingBytes === 0) return this.#find(this.keptBytes === 0 ? chunk : this.#with(chunk), 0, take);
    const missing = this.#missingBytes;
    if (chunk.length < missing) {
      this.#missingBytes -= chunk.length;
      return this.#keep(chunk);
    }
    this.#missingBytes = 0;
    // Its head was legal before.
    take(frameAt(this.#with(chunk.subarray(0, missing)), 0, this.#options) as Frame);
    return this.#find(chunk, missing, take);
  }

  #find(chunk: Buffer, from: number, take: (frame: Frame) => void): FrameFault | null {
    let at = from;
    while (at < chunk.length) {
      const frame = frameAt(chunk, at, this.#options);
      if (typeof frame === 'string') return frame;
      if (frame === null || frame.to > chunk.length) {
        this.#missingBytes = frame === null ? 0 : frame.to - chunk.length;
        // A few bytes of a long piece would keep all of it.
        const rest = chunk.subarray(at);
        return this.#keep(rest.length * 2 < chunk.length ? ownCopy(rest) : rest);
      }
      take(frame);
      at = frame.to;
    }
    return null;
  }

  #keep(piece: Buffer): null {
    this.#pieces.add(piece);
    return null;
  }

  #with(last: Buffer): Buffer {
    this.#pieces.add(last);
    return this.#pieces.take();
  }
}

const controlPayloadMax = 125;

/** The frame whose head stands at `at`; it may end behind these bytes. Null: its head is not whole. */
export function frameAt(bytes: Buffer, at: number, { masked, payloadBytesMax }: FrameFinderOptions): Frame | FrameFault | null {
  if (bytes.length - at < 2) return null;
  const first = bytes[at]!;
  const second = bytes[at + 1]!;
  const opcode = first & 0x0f;
  const isCompressed = (first & 0x40) !== 0;
  if ((first & 0x30) !== 0 || (opcode > 2 && opcode < 8) || opcode > 10 || ((second & 0x80) !== 0) !== masked) return 'protocol';
  const short = second & 0x7f;
  if (opcode >= 8 && ((first & 0x80) === 0 || isCompressed || short > controlPayloadMax)) return 'protocol';
  if (isCompressed && opcode === opcodes.continuation) return 'protocol';
  const lengthBytes = short < 126 ? 0 : short === 126 ? 2 : 8;
  if (bytes.length - at < 2 + lengthBytes) return null;
  const payloadBytes = lengthBytes === 0 ? short : lengthBytes === 2 ? bytes.readUInt16BE(at + 2) : longLength(bytes, at + 2);
  if (payloadBytes > payloadBytesMax) return 'too_long';
  const payloadFrom = at + 2 + lengthBytes + (masked ? 4 : 0);
  return new Frame(bytes, at, payloadFrom, payloadFrom + payloadBytes);
}

/** A length that no number holds exactly is longer than any bound. */
function longLength(bytes: Buffer, at: number): number {
  return bytes.readUInt32BE(at) * 2 ** 32 + bytes.readUInt32BE(at + 4);
}
