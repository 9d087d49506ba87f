/**
 * The body of a request that comes in chunks (RFC 9112, 7.1). Plain chunks are told apart here. From the first on that is not, all is left to Node's
 * parser, behind a head that says no more than that chunks follow: extensions, spaces, trailers, sizes of many digits. So it judges them as it does
 * for Node's server. Decision 0276.
 */
import type { Refusal } from '@metergate/core/refusal.ts';
import { ChunkWalk } from '../http-parser/chunk-walk.ts';
import type { Parser } from '../http-parser/native-parser.ts';
import { createRequestParser, type RequestEvents } from '../http-parser/request-parser.ts';

const chunkedHead = Buffer.from('POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n', 'latin1');
const lineFeed = 0x0a;

const noChunks: Refusal = { kind: 'malformed_request', fault: 'The request is not valid HTTP/1.1.' };

/** What bytes brought: parts of the body, which are theirs and not copied, each of one chunk; and how many of them are not another request's. */
export interface ReadChunks {
  readonly parts: readonly Buffer[];
  readonly taken: number;
}

export class ArrivingChunks {
  #walk: ChunkWalk | null = new ChunkWalk();
  #odd: OddChunks | null = null;
  /** The last chunk and all behind it that belongs to the body has come. */
  isWhole = false;
  /** They are none, and this is what is to be said of it. */
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
    // It belongs to a line that is cut, and has no bytes of a body.
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

/** Chunks that Node's parser reads, line by line: where a line ends is the only place where a body may end and another request begin. */
class OddChunks implements RequestEvents {
  readonly #parser: Parser;
  isWhole = false;
  error: Error | null = null;
  /** The head is read that is ours. */
  #isHeadRead = false;
  /** What the parser found in the last line. */
  #found = 0;

  constructor() {
    this.#parser = createRequestParser(this);
    const outcome = this.#parser.execute(chunkedHead);
    if (outcome instanceof Error) this.error = outcome;
    this.#isHeadRead = true;
  }

  /** Parts of one chunk in these bytes are one part. */
  read(bytes: Buffer): ReadChunks {
    const parts: Buffer[] = [];
    let [at, from] = [0, 0];
    const keepUntil = (to: number): void => { if (to > from) parts.push(bytes.subarray(from, to)); };
    while (at < bytes.length && !this.isWhole && this.error === null) {
      const end = bytes.indexOf(lineFeed, at) + 1 || bytes.length;
      this.#found = 0;
      const outcome = this.#parser.execute(bytes.subarray(at, end));
      if (outcome instanceof Error) this.error = outcome;
      // A line that is not all of a chunk begins with what is: framing stands behind it, or before.
      if (this.#found < end - at) {
        keepUntil(at + this.#found);
        from = end;
      }
      at = end;
    }
    keepUntil(Math.max(from, at));
    return { parts, taken: at };
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
    this.#found += chunk.length;
  }

  complete(): void {
    if (this.#isHeadRead) this.isWhole = true;
  }
}
