/**
 * Reads a connection's requests one after the other, and tells the usual ones from those that need Node's server: a usual one is of HTTP/1.1,
 * has a body of a declared length, one in chunks or none, and asks for nothing but an answer. The parser is given heads alone: it would copy a
 * body, of which only bytes are counted or chunks are found. Spec: Service requests; decision 0042.
 */
import type { Socket } from 'node:net';
import { HeaderNames } from '@metergate/core/call/header-names.ts';
import type { Parser } from '../http-parser/native-parser.ts';
import { createRequestParser, type ParsedRequestHead, type RequestEvents } from '../http-parser/request-parser.ts';
import { ArrivingRequest } from './arriving-request.ts';
import { RepeatedHead, repeatedHeadBytesMax, type BodyLength } from './repeated-head.ts';
import type { ReadHead } from './read-head.ts';
import { WholeRequest } from './whole-request.ts';

/** A request with a longer body is served while it comes. Bytes. */
export const wholeBodyBytesMax = 64 * 1024;

/** A request with one of these asks for more than an answer; two of them unless they say what is usual. */
const oddNames = new HeaderNames(['connection', 'expect', 'te', 'trailer', 'transfer-encoding', 'upgrade']);

/** What a head ends with. The parser takes no other end of a line. */
const headEnd = '\r\n\r\n';
const headEndBytes = Buffer.from(headEnd, 'latin1');

/** Where so many heads in a row were all different, the connection's next ones will be, too: none is remembered any more. */
const differentHeadsMax = 8;

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * What the bytes read so far are: `none` of a request, a part of one, a whole one, the head of one that is served while its body arrives, or
 * nothing that is usual.
 */
type RequestProgress = 'none' | 'part' | 'whole' | 'arriving' | 'unusual';

export class UsualRequest implements RequestEvents {
  readonly #parser: Parser = createRequestParser(this);
  #hasBegun = false;
  #isHeadWhole = false;
  #isUnusual = false;
  #method = '';
  #target = '';
  #pairs: string[] | null = null;
  /** The last bytes of a head that is not whole, one character a byte: its end may be cut. */
  #headTail = '';
  #bodyBytes: BodyLength = 0;
  /** What of the body is still to come. */
  #bodyDue = 0;
  /** Where the body, or more of it, begins in the last bytes read. */
  #bodyAt = 0;
  /** What the last bytes had of the body; theirs, until it is kept or taken. */
  #bodyPart: Buffer | null = null;
  /** What earlier bytes had of it, if it comes in pieces. */
  #bodyParts: Buffer[] = [];
  /** The latest head, if it came in one piece. */
  #known: RepeatedHead | null = null;
  #differentHeads = 0;
  /** A request had a head that is remembered, or was, since this was last asked. */
  #hasHeard = false;

  /** The next bytes. Before they go, a request is to be taken, or a copy of a part to be kept. After `unusual` it is not to be asked again. */
  read(bytes: Buffer): RequestProgress {
    if (this.#isHeadWhole) return this.#readBody(bytes, 0);
    const headBytes = this.#hasBegun || this.#known === null ? 0 : this.#readAgain(this.#known, bytes);
    if (headBytes > 0) return this.#readBody(bytes, headBytes);
    const beginsHere = !this.#hasBegun;
    for (let from = 0; from < bytes.length;) {
      const to = this.#headEnd(bytes, from);
      const outcome = this.#parser.execute(from === 0 && to === bytes.length ? bytes : bytes.subarray(from, to));
      if (this.#isUnusual || outcome instanceof Error) return 'unusual';
      if (this.#isHeadWhole) {
        if (from === 0 && beginsHere) this.#remember(bytes, to);
        return this.#readBody(bytes, to);
      }
      from = to;
    }
    if (!this.#hasBegun) return 'none';
    this.#headTail = (this.#headTail + bytes.toString('latin1', Math.max(0, bytes.length - 3))).slice(-3);
    return 'part';
  }

  /** How many bytes the head takes if it is the known one once more; 0: it is not. */
  #readAgain(known: RepeatedHead, bytes: Buffer): number {
    const headBytes = known.again(bytes);
    if (headBytes === 0) {
      this.#known = null;
      this.#differentHeads += 1;
      return 0;
    }
    this.#differentHeads = 0;
    this.#hasHeard = this.#hasBegun = this.#isHeadWhole = true;
    this.#method = known.method;
    this.#target = known.target;
    this.#pairs = known.pairs;
    this.#expectBody(known.bodyBytes);
    return headBytes;
  }

  #remember(bytes: Buffer, headBytes: number): void {
    if (headBytes > repeatedHeadBytesMax || this.#differentHeads >= differentHeadsMax) return;
    this.#hasHeard = true;
    this.#known = new RepeatedHead(bytes.subarray(0, headBytes), {
      method: this.#method, target: this.#target, pairs: this.#pairs!, bodyBytes: this.#bodyBytes,
    });
  }

  /** Lets go of a head that no request came with since this was last called: a connection that rests, or streams for long, keeps none. */
  forgetUnheard(): void {
    if (!this.#hasHeard) this.#known = null;
    this.#hasHeard = false;
  }

  /** Where a head that is read ends in these bytes; their length if it does not. Empty lines before a head may be taken for one. */
  #headEnd(bytes: Buffer, from: number): number {
    if (this.#headTail !== '') {
      const at = (this.#headTail + bytes.toString('latin1', from, from + 3)).indexOf(headEnd);
      if (at >= 0) return from + at + headEnd.length - this.#headTail.length;
    }
    const at = bytes.indexOf(headEndBytes, from);
    return at < 0 ? bytes.length : at + headEnd.length;
  }

  #readBody(bytes: Buffer, from: number): RequestProgress {
    this.#bodyAt = from;
    if (this.#bodyBytes === 'chunks' || this.#bodyBytes > wholeBodyBytesMax) return 'arriving';
    const to = Math.min(bytes.length, from + this.#bodyDue);
    if (to > from) this.#bodyPart = bytes.subarray(from, to);
    this.#bodyDue -= to - from;
    if (this.#bodyDue > 0) return 'part';
    // One behind another that is not answered is not usual.
    return to === bytes.length || isBlank(bytes.subarray(to)) ? 'whole' : 'unusual';
  }

  /** The head of a request has come, and is a usual one. */
  get hasHead(): boolean {
    return this.#isHeadWhole;
  }

  /** A copy of the last bytes read, of a request that is not whole. They end with what they have of the body. */
  keep(copy: Buffer): void {
    if (this.#bodyPart !== null) this.#bodyParts.push(copy.subarray(copy.length - this.#bodyPart.length));
    this.#bodyPart = null;
  }

  /** The whole request. The next bytes begin another. */
  take(socket: Socket): WholeRequest {
    const request = new WholeRequest(socket, {
      method: this.#method, target: this.#target, pairs: this.#pairs ?? [], content: this.#content(), readHead: this.#readHead,
    });
    this.#forget();
    return request;
  }

  /**
   * The request whose body is still to come, what was kept of that, and where it begins in the last bytes read. Bytes behind it begin another.
   * @param nowMs by the connection's clock
   */
  takeHead(socket: Socket, nowMs: number): { readonly request: ArrivingRequest; readonly kept: readonly Buffer[]; readonly bodyAt: number } {
    const head = {
      method: this.#method, target: this.#target, pairs: this.#pairs ?? [], bodyBytes: this.#bodyBytes, readHead: this.#readHead,
    };
    const taken = { request: new ArrivingRequest(socket, nowMs, head), kept: this.#bodyParts, bodyAt: this.#bodyAt };
    this.#forget();
    return taken;
  }

  /** Of the request that is taken, if its head is known. */
  get #readHead(): ReadHead | null {
    return this.#known?.read ?? null;
  }

  #content(): Buffer | null {
    if (this.#bodyPart === null) return null;
    return this.#bodyParts.length === 0 ? Buffer.from(this.#bodyPart) : Buffer.concat([...this.#bodyParts, this.#bodyPart]);
  }

  /** Frees the parser, and all that was read of a request. Not from within `read`. */
  close(): void {
    this.#parser.close();
    this.#forget();
    this.#known = null;
  }

  #forget(): void {
    this.#hasBegun = this.#isHeadWhole = false;
    this.#method = this.#target = this.#headTail = '';
    this.#pairs = this.#bodyPart = null;
    this.#bodyBytes = this.#bodyDue = 0;
    if (this.#bodyParts.length > 0) this.#bodyParts = [];
  }

  begun(): void {
    this.#hasBegun = true;
  }

  pairs(pairs: string[], target: string): void {
    if (this.#method !== '') {
      this.#isUnusual = true;
      return;
    }
    this.#target += target;
    this.#pairs = this.#pairs === null ? pairs : this.#pairs.concat(pairs);
  }

  headComplete(head: ParsedRequestHead): boolean {
    this.#method = head.method;
    this.#target = head.target ?? this.#target;
    this.#pairs = head.pairs ?? this.#pairs ?? [];
    const bodyBytes = head.majorVersion !== 1 || head.minorVersion !== 1 || head.upgrade || !head.keepAlive || head.method === ''
      || head.method === 'HEAD' ? null : usualBodyBytes(this.#pairs);
    if (bodyBytes === null) this.#isUnusual = true;
    else this.#expectBody(bodyBytes);
    return true;
  }

  #expectBody(length: BodyLength): void {
    this.#bodyBytes = length;
    this.#bodyDue = length === 'chunks' ? 0 : length;
  }

  body(): void {
    this.#isUnusual = true;
  }

  complete(): void {
    this.#isHeadWhole = true;
  }
}

const digits = /^[0-9]{1,15}$/;
const connectionName = 'connection';
const framingName = 'transfer-encoding';

/** The length of the body that a head declares, 0 for none; null where it has anything that needs more than an answer. */
function usualBodyBytes(pairs: readonly string[]): BodyLength | null {
  let length: BodyLength | null = null;
  for (let at = 0; at < pairs.length; at += 2) {
    const name = pairs[at]!;
    if (oddNames.has(name)) {
      const value = pairs[at + 1]!.toLowerCase();
      if (name.length === connectionName.length && name.toLowerCase() === connectionName && value === 'keep-alive') continue;
      // With a length besides, or another of its kind, it is not for us to say which of them counts.
      if (length !== null || name.length !== framingName.length || name.toLowerCase() !== framingName || value !== 'chunked') return null;
      length = 'chunks';
    } else if (name.length === 14 && name.toLowerCase() === 'content-length') {
      if (!digits.test(pairs[at + 1]!) || length === 'chunks') return null;
      length = Number(pairs[at + 1]);
    }
  }
  return length ?? 0;
}

/** Nothing but ends of lines, which stand for nothing if no request has begun. */
export function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === lineFeed || byte === carriageReturn);
}
