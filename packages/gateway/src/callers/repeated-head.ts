/**
 * The latest head of a connection, as its bytes and as what the parser read of them. Clients send the same one with each request, but for the length
 * of the body. Where the next request begins with the same bytes, but for the digits of that length, the parser would read the same of them: it is
 * not asked again. Decision 0275.
 */
import { timingSafeEqual } from 'node:crypto';
import { ownCopy } from '../fairness/own-memory.ts';
import { ReadHead } from './read-head.ts';

/** How long a body is, as its head says, bytes; 0: there is none. */
export type BodyLength = number | 'chunks';

/** A usual head, as the parser read it. */
interface UsualHead {
  readonly method: string;
  readonly target: string;
  readonly pairs: string[];
  readonly bodyBytes: BodyLength;
}

/** A longer one is parsed each time. Bytes. */
export const repeatedHeadBytesMax = 4 * 1024;

const lengthName = 'content-length';
const zero = 0x30;
const nine = 0x39;

export class RepeatedHead implements UsualHead {
  readonly method: string;
  readonly target: string;
  /** Not to be changed: other requests may have the same list. */
  pairs: string[];
  bodyBytes: BodyLength;
  readonly read: ReadHead;
  /** Of the whole head, with the digits of the latest length that was looked for. */
  readonly #bytes: Buffer;
  /** Where the digits of the length are, and how many: 0 where there are none that stand alone. -1: not looked for yet. */
  #digitsAt = -1;
  #digits = 0;
  /** Index of the length among the pairs. */
  #lengthAt = 0;

  /** @param bytes all of the head, to the empty line behind it; they are copied. */
  constructor(bytes: Buffer, { method, target, pairs, bodyBytes }: UsualHead) {
    this.#bytes = ownCopy(bytes);
    this.method = method;
    this.target = target;
    this.pairs = pairs;
    this.bodyBytes = bodyBytes;
    this.read = new ReadHead({ method, target, pairs, majorVersion: 1, minorVersion: 1 });
  }

  /**
   * How many of these bytes are this head once more; its length and pairs are then those of these bytes. 0: they begin with another, and this one
   * is of no more use. Takes the same time wherever they differ: keys are in there, and a balancer's connection carries those of many.
   */
  again(bytes: Buffer): number {
    const { length } = this.#bytes;
    if (bytes.length < length) return 0;
    const isOtherLength = this.#takeDigits(bytes);
    if (isOtherLength === null || !timingSafeEqual(this.#bytes, bytes.length === length ? bytes : bytes.subarray(0, length))) return 0;
    if (isOtherLength) this.#takeLength();
    this.read.comesAgain = true;
    return length;
  }

  /** Whether their length is another one with as many digits; null: what stands in its place is no such length. */
  #takeDigits(bytes: Buffer): boolean | null {
    if (this.#digitsAt < 0) this.#findDigits();
    let differs = false;
    const end = this.#digitsAt + this.#digits;
    for (let at = this.#digitsAt; at < end; at += 1) {
      const digit = bytes[at]!;
      if (digit === this.#bytes[at]) continue;
      // A zero in front is for the parser to judge, and for `framingFaultOf`.
      if (digit > nine || digit < zero || (digit === zero && at === this.#digitsAt)) return null;
      this.#bytes[at] = digit;
      differs = true;
    }
    return differs;
  }

  #takeLength(): void {
    const text = this.#bytes.toString('latin1', this.#digitsAt, this.#digitsAt + this.#digits);
    const pairs = this.pairs.slice();
    pairs[this.#lengthAt] = text;
    this.pairs = pairs;
    this.bodyBytes = Number(text);
  }

  /** Where the one field of that name has nothing but a number from 1 on: its digits. Otherwise only the very same head is known again. */
  #findDigits(): void {
    this.#digitsAt = 0;
    const { pairs } = this;
    let found = -1;
    for (let at = 0; at < pairs.length; at += 2) {
      if (pairs[at]!.length !== lengthName.length || pairs[at]!.toLowerCase() !== lengthName) continue;
      if (found >= 0) return;
      found = at;
    }
    if (found < 0 || !/^[1-9][0-9]{0,14}$/.test(pairs[found + 1]!)) return;
    const line = `\r\n${pairs[found]!}: ${pairs[found + 1]!}\r\n`;
    const at = this.#bytes.indexOf(line, 0, 'latin1');
    if (at < 0) return;
    this.#lengthAt = found + 1;
    this.#digits = pairs[found + 1]!.length;
    this.#digitsAt = at + line.length - 2 - this.#digits;
  }
}
