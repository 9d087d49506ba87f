/**
 * The chunks of an answer's body as nearly all servers write them (RFC 9112, 7.1): a size in at most eight digits, the bytes, and no more than the
 * last chunk at the end. Node's parser copies each chunk into new memory. Whatever else comes, extensions and trailers for example, is
 * left to it, from the beginning of a chunk on.
 */

/** Receives the bytes of chunks, in their order; a chunk that is cut comes in parts. `cameIn`: what is walked, of which they are a part. */
interface ChunkSink {
  body(part: Buffer, cameIn: Buffer): void;
}

/** What the bytes were: a part of the body, its end (bytes may stand behind it), something for the parser, or no chunks at all. */
export type Walked = 'part' | 'whole' | 'unusual' | 'invalid';

const expectSize = 0;
const expectBytes = 1;
const expectLineEnd = 2;
const expectLineFeed = 3;

const carriageReturn = 0x0d;
const lineFeed = 0x0a;
const digitsMax = 8;
const last = '0\r\n\r\n';
/** A line of a size that is cut: at most its digits and a carriage return. */
const cutMax = digitsMax + 1;

export class ChunkWalk {
  /** Index after what was read of the last bytes; `unusual`: where the parser is to read on, with `cut` before it. */
  at = 0;
  /** The beginning of a size's line, or of the last chunk, that came with earlier bytes. */
  cut = '';
  #expecting: number = expectSize;
  /** Bytes of the chunk that are still to come. */
  #due = 0;

  /** The next bytes. Parts of them are handed to the sink, and not copied. */
  walk(bytes: Buffer, sink: ChunkSink): Walked {
    this.at = 0;
    while (this.at < bytes.length) {
      if (this.#expecting === expectSize) {
        const walked = this.cut === '' ? this.#readSize(bytes) : this.#readCutSize(bytes);
        if (walked !== 'part') return walked;
      } else if (this.#expecting === expectBytes) {
        const from = this.at;
        this.at = Math.min(bytes.length, from + this.#due);
        this.#due -= this.at - from;
        if (this.#due === 0) this.#expecting = expectLineEnd;
        sink.body(bytes.subarray(from, this.at), bytes);
      } else {
        const isLineEnd = this.#expecting === expectLineEnd;
        if (bytes[this.at] !== (isLineEnd ? carriageReturn : lineFeed)) return 'invalid';
        this.#expecting = isLineEnd ? expectLineFeed : expectSize;
        this.at += 1;
      }
    }
    return 'part';
  }

  #readSize(bytes: Buffer): Walked {
    const from = this.at;
    let size = 0;
    let at = from;
    for (; at < bytes.length; at += 1) {
      const digit = digitOf(bytes[at]!);
      if (digit < 0) break;
      size = size * 16 + digit;
    }
    const digits = at - from;
    if (digits > digitsMax || (at < bytes.length && (digits === 0 || bytes[at] !== carriageReturn))) return 'unusual';
    if (at + 1 >= bytes.length) return this.#keepCut(bytes, from);
    if (bytes[at + 1] !== lineFeed) return 'unusual';
    if (size === 0) return this.#readLast(bytes, from);
    this.#begin(size, at + 2);
    return 'part';
  }

  #begin(size: number, at: number): void {
    this.#due = size;
    this.#expecting = expectBytes;
    this.at = at;
  }

  #readLast(bytes: Buffer, from: number): Walked {
    const text = bytes.toString('latin1', from, from + last.length);
    if (text === last) {
      this.at = from + last.length;
      return 'whole';
    }
    return last.startsWith(text) ? this.#keepCut(bytes, from) : 'unusual';
  }

  /** The rest of the bytes is the beginning of a line. */
  #keepCut(bytes: Buffer, from: number): Walked {
    this.cut = bytes.toString('latin1', from);
    this.at = bytes.length;
    return 'part';
  }

  /** As `#readSize`, for a line of which a part came before: it is put together with as much as a line can have. */
  #readCutSize(bytes: Buffer): Walked {
    const { cut } = this;
    const line = new ChunkWalk();
    const together = Buffer.from(cut + bytes.toString('latin1', 0, cutMax + last.length), 'latin1');
    const walked = line.#readSize(together);
    if (walked === 'unusual') return walked;
    this.cut = line.cut;
    this.at = Math.min(bytes.length, line.at - cut.length);
    if (walked === 'part' && line.cut === '') this.#begin(line.#due, this.at);
    return walked;
  }
}

/** The value of a byte as a hexadecimal digit; -1: it is not one. */
export function digitOf(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
