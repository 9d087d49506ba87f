/**
 * Reads the answers of one connection, one after the other. Heads are Node's parser's. A body of declared length is counted here instead, and
 * plain chunks are separated here: the parser takes twice the time to copy them. Everything else is the parser's.
 */
import { bodySlabs, pieceBytesMin } from '../fairness/body-slabs.ts';
import { bodyBytesAhead, copied, isPlainlyChunked } from './body-ahead.ts';
import { ChunkWalk } from '../http-parser/chunk-walk.ts';
import type { Parser } from '../http-parser/native-parser.ts';
import { createResponseParser, reportEnds, type ParsedHead, type ResponseEvents } from '../http-parser/response-parser.ts';

/** What a head says that decides where its body ends. */
interface HeadOfBody {
  readonly method: string;
  readonly status: number;
  readonly pairs: readonly string[];
}

/** The events of a parser, and those of this. */
export interface AnswerEvents extends ResponseEvents {
  /** Bytes stand behind a whole answer. */
  isUnasked(): void;
}

/** What a head ends with. The parser takes no other end of a line. */
const headEnd = Buffer.from('\r\n\r\n', 'latin1');
/** Given first to a parser that gets a body in chunks from the beginning of a chunk on. */
const chunkedHead = Buffer.from('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n', 'latin1');
const noChunks = new Error('The chunks of the answer are malformed.');

const closeParser = (parser: Parser): void => parser.close();

export class AnswerReader implements ResponseEvents {
  readonly #events: AnswerEvents;
  #parser: Parser = createResponseParser(this);
  /** A part of this answer's head was read before, or an interim response. */
  #isHeadBegun = false;
  /** What the parser is given ends with a head. */
  #isHeadAlone = false;
  /** The parser is given a head of ours. */
  #isHeadOurs = false;
  /** Bytes of a body that are to come and are not for the parser. */
  #due = 0;
  /** Of a body in chunks that are not for the parser. */
  #chunks: ChunkWalk | null = null;
  /** The parser reports beginnings and ends. */
  #reportsEnds = true;

  constructor(events: AnswerEvents) {
    this.#events = events;
  }

  /** Another answer is to come. */
  begin(): void {
    this.#isHeadBegun = false;
    this.#due = 0;
    this.#chunks = null;
    this.#reportEnds(false);
  }

  #reportEnds(told: boolean): void {
    if (told === this.#reportsEnds) return;
    this.#reportsEnds = told;
    reportEnds(this.#parser, told);
  }

  /** The next bytes. `inHead`: the head is not whole yet. */
  read(bytes: Buffer, inHead: boolean): number | Error {
    if (this.#due > 0) return this.#readCounted(bytes, 0);
    if (this.#chunks !== null) return this.#readChunks(this.#chunks, bytes);
    const endAt = inHead && !this.#isHeadBegun ? bytes.indexOf(headEnd) : -1;
    if (inHead) this.#isHeadBegun = true;
    return endAt < 0 ? this.#parser.execute(bytes) : this.#readCutOff(bytes, endAt + headEnd.length);
  }

  /** The head is cut off behind its end, so that what follows need not go through the parser. */
  #readCutOff(bytes: Buffer, headBytes: number): number | Error {
    this.#isHeadAlone = true;
    const outcome = this.#parser.execute(bytes.subarray(0, headBytes));
    this.#isHeadAlone = false;
    if (outcome instanceof Error || headBytes === bytes.length) return outcome;
    if (this.#due > 0) return this.#readCounted(bytes, headBytes);
    const rest = bytes.subarray(headBytes);
    return this.#chunks === null ? this.#parser.execute(rest) : this.#readChunks(this.#chunks, rest);
  }

  #readCounted(bytes: Buffer, from: number): number {
    const to = Math.min(bytes.length, from + this.#due);
    this.#due -= to - from;
    if (to < bytes.length) this.#events.isUnasked();
    this.#events.body(this.#copied(bytes, from, to));
    if (this.#due === 0) this.#events.complete();
    return bytes.length;
  }

  /** Short ones leave at once, and are parts of rooms of Node's. */
  #copied(bytes: Buffer, from: number, to: number): Buffer {
    return to - from >= pieceBytesMin ? bodySlabs.copyOf(bytes.subarray(from, to)) : copied(bytes, from, to);
  }

  #readChunks(chunks: ChunkWalk, bytes: Buffer): number | Error {
    const own = copied(bytes, 0, bytes.length);
    const walked = chunks.walk(own, this.#events);
    if (walked === 'part') return bytes.length;
    this.#chunks = null;
    if (walked === 'invalid') return noChunks;
    if (walked === 'unusual') return this.#leaveToParser(chunks.cut, own.subarray(chunks.at));
    if (chunks.at < own.length) this.#events.isUnasked();
    this.#events.complete();
    return bytes.length;
  }

  /** The chunks that begin here are the parser's to read. */
  #leaveToParser(cut: string, rest: Buffer): number | Error {
    this.close();
    this.#parser = createResponseParser(this);
    this.#reportsEnds = true;
    this.#isHeadOurs = true;
    const outcome = this.#parser.execute(chunkedHead);
    this.#isHeadOurs = false;
    if (outcome instanceof Error) return outcome;
    return this.#parser.execute(cut === '' ? rest : Buffer.concat([Buffer.from(cut, 'latin1'), rest]));
  }

  /** Whether a body that lasts until its connection ends has ended in order. */
  endsHere(): boolean {
    return this.#due === 0 && this.#chunks === null && this.#parser.finish() === undefined;
  }

  /** How the body of this head is read. Called where the head is reported; true: not by the parser. */
  expectBody({ method, status, pairs }: HeadOfBody): boolean {
    if (this.#isHeadAlone) {
      this.#due = bodyBytesAhead(method, status, pairs);
      if (this.#due === 0 && isPlainlyChunked(method, status, pairs)) this.#chunks = new ChunkWalk();
    }
    const isOurs = this.#due > 0 || this.#chunks !== null;
    if (!isOurs) this.#reportEnds(true);
    return isOurs;
  }

  /** Frees the parser once nothing reads with it: this may be called from within. */
  close(): void {
    setImmediate(closeParser, this.#parser);
  }

  begun(): void {
    if (!this.#isHeadOurs) this.#events.begun();
  }

  pairs(pairs: string[]): void {
    this.#events.pairs(pairs);
  }

  headComplete(head: ParsedHead): boolean {
    return !this.#isHeadOurs && this.#events.headComplete(head);
  }

  body(chunk: Buffer): void {
    this.#events.body(chunk);
  }

  complete(): void {
    this.#events.complete();
  }
}
