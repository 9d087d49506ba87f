/**
 * The body of a request that comes in chunks (RFC 9112, 7.1). Plain chunks are parsed here. From the first on that is not, all is left to Node's
 * parser, behind a head that says no more than that chunks follow: extensions, spaces, trailers, sizes of many digits. So it judges them as it does
 * for Node's server. Decision 0276.
 */
import type { Refusal } from '@metergate/core/refusal.ts';
import { ChunkWalk, digitOf } from '../http-parser/chunk-walk.ts';
import type { Parser } from '../http-parser/native-parser.ts';
import { createRequestParser, type RequestEvents } from '../http-parser/request-parser.ts';

const chunkedHead = Buffer.from('POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n', 'latin1');
const lineFeed = 0x0a;
const lineEndBytes = 2;

const noChunks: Refusal = { kind: 'malformed_request', fault: 'The request is not valid HTTP/1.1.' };

/**
 * What bytes brought: parts of the body, each of one chunk (those of plain chunks are these bytes themselves); and how many of them are not another
 * request's.
 */
interface ReadChunks {
  readonly parts: readonly Buffer[];
  readonly taken: number;
}

export class ArrivingChunks {
  #walk: ChunkWalk | null = new ChunkWalk();
  #odd: OddChunks | null = null;
  /** The last chunk and all behind it that belongs to the body has come. */
  isWhole = false;
  /** The bytes are not chunks, and this is how to refuse them. */
  fault: Refusal | null = null;

  /** The next bytes; not after the body is whole or at fault. */
  read(bytes: Buffer): ReadChunks {
    if (this.#walk === null) return this.#readOdd(this.#odd!, bytes);
    const parts: Buffer[] = [];
    const walk = this.#walk;
    const walked = walk.walk(bytes, { body: (part) => { parts.push(part); } });
    if (walked === 'invalid') this.fault = noChunks;
    if (walked === 'whole') this.isWhole = true;
    if (walked !== 'unusual') return { parts, taken: walked === 'whole' ? walk.at : bytes.length };
    this.#walk = null;
    const odd = this.#odd = new OddChunks();
    // This is the beginning of a line that is cut. It has no bytes of a body.
    if (walk.cut !== '') odd.read(Buffer.from(walk.cut, 'latin1'));
    const { parts: others, taken } = this.#readOdd(odd, bytes.subarray(walk.at));
    return { parts: parts.concat(others), taken: walk.at + taken };
  }

  #readOdd(odd: OddChunks, bytes: Buffer): ReadChunks {
    const read = odd.read(bytes);
    if (odd.isWhole) this.isWhole = true;
    if (odd.error !== null) {
      this.fault = (odd.error as NodeJS.ErrnoException).code === 'HPE_HEADER_OVERFLOW' ? { kind: 'headers_too_large' } : noChunks;
    }
    return read;
  }

  /** Frees the parser, if there is one. */
  close(): void {
    this.#odd?.close();
    this.#odd = null;
  }
}

/**
 * Chunks that Node's parser reads and judges. It does not say where in some bytes a body ended, so it must not be given bytes of the next request:
 * all up to the last chunk's line goes to it at once, and behind that one line of trailers after the other, of which it takes no more than of a head.
 */
class OddChunks implements RequestEvents {
  readonly #parser: Parser;
  readonly #framing = new ChunkFraming();
  isWhole = false;
  error: Error | null = null;
  /** The head is read that is ours. */
  #isHeadRead = false;
  /** The parts of the body in the bytes that are read now. */
  #parts: Buffer[] = [];

  constructor() {
    this.#parser = createRequestParser(this);
    this.#execute(chunkedHead);
    this.#isHeadRead = true;
  }

  read(bytes: Buffer): ReadChunks {
    const parts: Buffer[] = [];
    this.#parts = parts;
    let at = this.#framing.endOfChunks(bytes);
    if (at > 0) this.#execute(bytes.subarray(0, at));
    // Whole before the last chunk: the parser and the framing do not mean the same, and what it read may be another request's.
    if (this.isWhole && this.error === null) this.error = new Error('The body ended before its last chunk.');
    while (at < bytes.length && !this.isWhole && this.error === null) {
      const end = bytes.indexOf(lineFeed, at) + 1 || bytes.length;
      this.#execute(bytes.subarray(at, end));
      at = end;
    }
    return { parts, taken: at };
  }

  #execute(bytes: Buffer): void {
    const outcome = this.#parser.execute(bytes);
    if (outcome instanceof Error) this.error = outcome;
  }

  close(): void {
    this.#parser.close();
  }

  begun(): void {}

  pairs(): void {}

  headComplete(): boolean {
    return false;
  }

  body(chunk: Buffer): void {
    this.#parts.push(chunk);
  }

  complete(): void {
    if (this.#isHeadRead) this.isWhole = true;
  }
}

/** How large each chunk is, and no more: what else its line says, and whether it may, is the parser's to judge. */
class ChunkFraming {
  /** Bytes of a chunk, and of the end of its line, that are still to come. */
  #due = 0;
  #size = 0;
  /** The digits of the line are over. */
  #isBehindSize = false;
  #isLast = false;

  /** Index behind the line of the last chunk, or the end of these bytes; 0 after that line has come. */
  endOfChunks(bytes: Buffer): number {
    let at = 0;
    while (at < bytes.length && !this.#isLast) {
      if (this.#due > 0) {
        const skipped = Math.min(this.#due, bytes.length - at);
        this.#due -= skipped;
        at += skipped;
      } else at = this.#isBehindSize ? this.#skipLine(bytes, at) : this.#readDigit(bytes, at);
    }
    return at;
  }

  #readDigit(bytes: Buffer, at: number): number {
    const digit = digitOf(bytes[at]!);
    if (digit < 0) {
      this.#isBehindSize = true;
      return at;
    }
    this.#size = this.#size * 16 + digit;
    return at + 1;
  }

  #skipLine(bytes: Buffer, at: number): number {
    const end = bytes.indexOf(lineFeed, at) + 1;
    if (end === 0) return bytes.length;
    this.#isLast = this.#size === 0;
    this.#due = this.#size + lineEndBytes;
    this.#size = 0;
    this.#isBehindSize = false;
    return end;
  }
}
