/** Frames of WebSocket as data, in every form, legal or not, and their reading, for both ends of tests (RFC 6455, 5.2; RFC 7692). */
import { constants, createDeflateRaw, createInflateRaw, type DeflateRaw, type InflateRaw } from 'node:zlib';

export interface FrameForm {
  readonly opcode?: number;
  readonly isFinal?: boolean;
  /** RSV1 to RSV3 as bits 0x40, 0x20 and 0x10. */
  readonly reserved?: number;
  readonly mask?: Buffer | null;
  /** How the length is written; as short as it can be by default. */
  readonly lengthBytes?: 0 | 2 | 8;
}

/** One frame; a final text by default. */
export function frameOf(payload: string | Buffer, { opcode = 1, isFinal = true, reserved = 0, mask = null, lengthBytes }: FrameForm = {}): Buffer {
  const content = Buffer.from(payload);
  const bytes = lengthBytes ?? (content.length < 126 ? 0 : content.length < 65_536 ? 2 : 8);
  const length = Buffer.alloc(1 + bytes);
  length[0] = bytes === 0 ? content.length : bytes === 2 ? 126 : 127;
  if (bytes === 2) length.writeUInt16BE(content.length, 1);
  if (bytes === 8) length.writeBigUInt64BE(BigInt(content.length), 1);
  if (mask === null) return Buffer.concat([Buffer.from([(isFinal ? 0x80 : 0) | reserved | opcode]), length, content]);
  length[0]! |= 0x80;
  const masked = content.map((byte, at) => byte ^ mask[at & 3]!);
  return Buffer.concat([Buffer.from([(isFinal ? 0x80 : 0) | reserved | opcode]), length, mask, masked]);
}

/** A close with a code and a reason. */
export function closeOf(code: number, reason: string = '', mask: Buffer | null = null): Buffer {
  return frameOf(Buffer.concat([Buffer.from([code >> 8, code & 255]), Buffer.from(reason)]), { opcode: 8, mask });
}

export interface ReadFrame {
  readonly opcode: number;
  readonly isFinal: boolean;
  readonly isCompressed: boolean;
  readonly isMasked: boolean;
  readonly payload: Buffer;
}

/** The whole frames of these bytes, and how many bytes they take. */
export function framesOf(bytes: Buffer): { readonly frames: readonly ReadFrame[]; readonly taken: number } {
  const frames: ReadFrame[] = [];
  let at = 0;
  while (bytes.length - at >= 2) {
    const short = bytes[at + 1]! & 0x7f;
    const isMasked = (bytes[at + 1]! & 0x80) !== 0;
    const lengthBytes = short < 126 ? 0 : short === 126 ? 2 : 8;
    const head = 2 + lengthBytes + (isMasked ? 4 : 0);
    if (bytes.length - at < head) break;
    const length = lengthBytes === 0 ? short : lengthBytes === 2 ? bytes.readUInt16BE(at + 2) : Number(bytes.readBigUInt64BE(at + 2));
    if (bytes.length - at < head + length) break;
    const mask = bytes.subarray(at + head - 4, at + head);
    const payload = Buffer.from(bytes.subarray(at + head, at + head + length)).map((byte, place) => isMasked ? byte ^ mask[place & 3]! : byte);
    frames.push({
      opcode: bytes[at]! & 0x0f, isFinal: (bytes[at]! & 0x80) !== 0, isCompressed: (bytes[at]! & 0x40) !== 0, isMasked, payload: Buffer.from(payload),
    });
    at += head + length;
  }
  return { frames, taken: at };
}

/** Compresses messages as permessage-deflate does, with or without what was compressed before. */
export class Deflater {
  readonly #keepsContext: boolean;
  #stream: DeflateRaw | null = null;

  constructor(keepsContext: boolean) {
    this.#keepsContext = keepsContext;
  }

  async message(text: string | Buffer): Promise<Buffer> {
    const stream = this.#stream ?? createDeflateRaw();
    this.#stream = this.#keepsContext ? stream : null;
    const pieces: Buffer[] = [];
    const take = (piece: Buffer): void => void pieces.push(piece);
    stream.on('data', take);
    stream.write(text);
    await new Promise<void>((resolve) => stream.flush(constants.Z_SYNC_FLUSH, () => resolve()));
    stream.off('data', take);
    return Buffer.concat(pieces).subarray(0, -4);
  }
}

/** Undoes what `Deflater` does. */
export class Inflater {
  readonly #keepsContext: boolean;
  #stream: InflateRaw | null = null;

  constructor(keepsContext: boolean) {
    this.#keepsContext = keepsContext;
  }

  async message(payload: Buffer): Promise<string> {
    const stream = this.#stream ?? createInflateRaw();
    this.#stream = this.#keepsContext ? stream : null;
    const pieces: Buffer[] = [];
    const take = (piece: Buffer): void => void pieces.push(piece);
    stream.on('data', take);
    stream.write(Buffer.concat([payload, Buffer.from([0, 0, 255, 255])]));
    await new Promise<void>((resolve, reject) => {
      stream.once('error', reject);
      stream.flush(() => resolve());
    });
    stream.off('data', take);
    return Buffer.concat(pieces).toString();
  }
}
