/**
 * Reads a connection's requests one after the other, and tells the usual ones from those that need Node's server: a usual one is of HTTP/1.1,
 * has a body of known and moderate length or none, and asks for nothing but an answer. Spec: Service requests; decision 0042.
 */
import type { Socket } from 'node:net';
import { HeaderNames } from '@metergate/core/call/header-names.ts';
import type { Parser } from '../http-parser/native-parser.ts';
import { createRequestParser, type ParsedRequestHead, type RequestEvents } from '../http-parser/request-parser.ts';
import { WholeRequest } from './whole-request.ts';

/** Longer bodies are Node's server's to receive. Bytes. */
export const usualBodyBytesMax = 64 * 1024;

/** A request with one of these asks for more than an answer; `connection` unless it says what is so anyway. */
const oddNames = new HeaderNames(['connection', 'expect', 'te', 'trailer', 'transfer-encoding', 'upgrade']);

/** What the bytes read so far are: `none` of a request, a part of one, a whole one, or nothing that is usual. */
export type RequestProgress = 'none' | 'part' | 'whole' | 'unusual';

export class UsualRequest implements RequestEvents {
  readonly #parser: Parser = createRequestParser(this);
  #hasBegun = false;
  #isWhole = false;
  #isUnusual = false;
  #method = '';
  #target = '';
  #pairs: string[] | null = null;
  /** What the last bytes had of the body; theirs, until it is kept or taken. */
  #bodyPart: Buffer | null = null;
  /** What earlier bytes had of it, if it comes in pieces. */
  #bodyParts: Buffer[] = [];

  /** The next bytes. Before they go, a whole request is to be taken, or a copy of a part to be kept. After `unusual` it is not to be asked again. */
  read(bytes: Buffer): RequestProgress {
    const outcome = this.#parser.execute(bytes);
    if (this.#isUnusual || outcome instanceof Error) return 'unusual';
    if (this.#isWhole) return 'whole';
    return this.#hasBegun ? 'part' : 'none';
  }

  /** The head of a request has come. */
  get hasHead(): boolean {
    return this.#method !== '';
  }

  /** A copy of the last bytes read, of a request that is not whole. They end with what they have of the body. */
  keep(copy: Buffer): void {
    if (this.#bodyPart !== null) this.#bodyParts.push(copy.subarray(copy.length - this.#bodyPart.length));
    this.#bodyPart = null;
  }

  /** The whole request. The next bytes begin another. */
  take(socket: Socket): WholeRequest {
    const request = new WholeRequest(socket, {
      method: this.#method, target: this.#target, pairs: this.#pairs ?? [], content: this.#content(),
    });
    this.#forget();
    return request;
  }

  #content(): Buffer | null {
    if (this.#bodyPart === null) return null;
    return this.#bodyParts.length === 0 ? Buffer.from(this.#bodyPart) : Buffer.concat([...this.#bodyParts, this.#bodyPart]);
  }

  /** Frees the parser, and all that was read of a request. Not from within `read`. */
  close(): void {
    this.#parser.close();
    this.#forget();
  }

  #forget(): void {
    this.#hasBegun = this.#isWhole = false;
    this.#method = this.#target = '';
    this.#pairs = this.#bodyPart = null;
    if (this.#bodyParts.length > 0) this.#bodyParts = [];
  }

  begun(): void {
    // One behind another that is not answered.
    if (this.#isWhole) this.#isUnusual = true;
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

  headComplete(head: ParsedRequestHead): void {
    if (this.#isUnusual) return;
    this.#method = head.method;
    this.#target = head.target ?? this.#target;
    this.#pairs = head.pairs ?? this.#pairs ?? [];
    this.#isUnusual = head.majorVersion !== 1 || head.minorVersion !== 1 || head.upgrade || !head.keepAlive
      || head.method === '' || head.method === 'HEAD' || asksForMore(this.#pairs);
  }

  body(chunk: Buffer): void {
    // One part of what is read at a time: its length was declared.
    if (this.#bodyPart === null) this.#bodyPart = chunk;
    else this.#isUnusual = true;
  }

  complete(): void {
    this.#isWhole = true;
  }
}

/** Whether a head has anything that needs more than an answer, or announces a long body. */
function asksForMore(pairs: readonly string[]): boolean {
  for (let at = 0; at < pairs.length; at += 2) {
    const name = pairs[at]!;
    if (oddNames.has(name)) {
      if (name.length !== 10 || pairs[at + 1]!.toLowerCase() !== 'keep-alive') return true;
    } else if (name.length === 14 && name.toLowerCase() === 'content-length' && !(Number(pairs[at + 1]) <= usualBodyBytesMax)) {
      return true;
    }
  }
  return false;
}
