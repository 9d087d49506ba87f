/** Node's HTTP parser, set up for responses. `native-parser.ts` says what it is, and when there is none. */
import {
  createParser, headBytesMax, reportEndsOf, usableParser, type MessageKind, type NativeParser, type NativeParserClass, type Parser,
} from './native-parser.ts';

/** The events of a parser. Called within `execute` and `finish`; must not throw. */
export interface ResponseEvents {
  /** The first byte of a response, interim ones included. This and `complete` where `reportEnds` did not ask for silence. */
  begun(): void;
  /** A part of a long header list, or trailers. */
  pairs(pairs: string[]): void;
  /** The rest of the header list, or null if all of it came before. True: this response has no body, whatever its head says. */
  headComplete(head: ParsedHead): boolean;
  /** `cameIn`: the bytes of one read, with the framing of the chunks in it, of which this is a part; absent: they are not at hand. */
  body(chunk: Buffer, cameIn?: Buffer): void;
  /** The response is whole by its own framing. */
  complete(): void;
}

export interface ParsedHead {
  readonly status: number;
  /** One character a byte. */
  readonly reason: string;
  readonly pairs: string[] | null;
  readonly upgrade: boolean;
  /** By the response's version, `Connection` and framing. */
  readonly keepAlive: boolean;
}

const skipBody = 1;

/** What the self-test feeds the parser, and the events that must follow. */
const asked: readonly (readonly [text: string, heard: string])[] = [
  ['HTTP/1.1 200 O\xe9\r\nA: b\r\nContent-Length: 2\r\n\r\nok', '200 O\xe9 [A,b,Content-Length,2] true "ok" whole'],
  ['HTTP/1.1 103 X\r\n\r\nHTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX: y\r\n\r\n',
    '103 X [] true whole 200  [Transfer-Encoding,chunked] true "ok" pairs [X,y] whole'],
  ['HTTP/1.1 200 OK\r\n\r\nhello', '200 OK [] false "hello"'],
  ['HTTP/1.1 200 OK\nA: b\n\n', 'error'],
  ['HTTP/1.1 200 OK\r\nA: b\n\n', 'error'],
  ['HTTP/1.1 200 OK\r\nA: b\r\n\n', 'error'],
  ['HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n', 'error'],
  ['HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n', 'error'],
  ['HTTP/1.1 200 OK\r\nA : b\r\n\r\n', 'error'],
  ['HTTP/1.1 200 OK\r\nA: b\0\r\n\r\n', 'error'],
  [`HTTP/1.1 200 OK\r\nA: ${'b'.repeat(headBytesMax)}\r\n\r\n`, 'error'],
];

const responses: MessageKind<ResponseEvents> = { type: ({ RESPONSE }) => RESPONSE, onHeaders, onHeadersComplete };

const parserClass = usableParser(readsRightly);

/** Whether this Node has the parser. */
export const hasResponseParser = parserClass !== null;

/** Throws if this Node has no such parser. */
export function createResponseParser(owner: ResponseEvents): Parser {
  if (parserClass === null) throw new Error('This version of Node has no HTTP parser that is known.');
  return createParser(parserClass, responses, owner);
}

/** Whether beginnings and ends are reported, as they are at first. Each takes a tenth of what reading a short head takes. */
export function reportEnds(parser: Parser, told: boolean): void {
  if (parserClass !== null) reportEndsOf(parserClass, parser as NativeParser<ResponseEvents>, told);
}

function onHeaders(this: NativeParser<ResponseEvents>, pairs: string[]): void {
  this.owner.pairs(pairs);
}

function onHeadersComplete(this: NativeParser<ResponseEvents>, ...parts: [number, number, string[] | undefined, unknown, unknown, number, string,
  boolean, boolean]): number {
  const head = { status: parts[5], reason: parts[6], pairs: parts[2] ?? null, upgrade: parts[7], keepAlive: parts[8] };
  return this.owner.headComplete(head) ? skipBody : 0;
}

/** Whether the parser of this Node still behaves as expected. */
function readsRightly(Parser: NativeParserClass): boolean {
  return asked.every(([text, heard]) => readBy(Parser, Buffer.from(text, 'latin1')) === heard);
}

function readBy(Parser: NativeParserClass, bytes: Buffer): string {
  const heard: string[] = [];
  const parser = createParser(Parser, responses, {
    begun() {},
    pairs: (pairs) => heard.push(`pairs [${pairs.join()}]`),
    headComplete({ status, reason, pairs, keepAlive }) {
      heard.push(`${status} ${reason} [${(pairs ?? []).join()}] ${keepAlive}`);
      return false;
    },
    body: (chunk) => heard.push(JSON.stringify(chunk.toString())),
    complete: () => heard.push('whole'),
  });
  const outcome = parser.execute(bytes);
  parser.close();
  return outcome === bytes.length ? heard.join(' ') : 'error';
}
