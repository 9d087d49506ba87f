/** Node's HTTP parser, set up for requests. `native-parser.ts` says what it is, and when there is none. */
import { METHODS } from 'node:http';
import {
  createParser, headBytesMax, usableParser, type MessageKind, type NativeParser, type NativeParserClass, type Parser,
} from './native-parser.ts';

/** The events of a parser. Called within `execute` and `finish`; must not throw. */
export interface RequestEvents {
  /** The first byte of a request. */
  begun(): void;
  /** A part of a long header list, with its target where it is the first part; or trailers. */
  pairs(pairs: string[], target: string): void;
  /** The head, or the rest of it. True: what follows is no body to this parser, but the next request. */
  headComplete(head: ParsedRequestHead): boolean;
  /** A part of the body, copied. */
  body(chunk: Buffer): void;
  /** The request is whole by its own framing. */
  complete(): void;
}

export interface ParsedRequestHead {
  /** Empty if this Node has none. */
  readonly method: string;
  /** One character a byte. Null, as the pairs, where all of it came before. */
  readonly target: string | null;
  readonly pairs: string[] | null;
  readonly minorVersion: number;
  readonly majorVersion: number;
  /** It asks for another protocol, or is a CONNECT. */
  readonly upgrade: boolean;
  /** By the request's version and `Connection`. */
  readonly keepAlive: boolean;
}

const long = Array.from({ length: 40 }, (_, at) => `A${at}: b\r\n`).join('');
const longHeard = Array.from({ length: 40 }, (_, at) => `A${at},b`);

/** What the self-test feeds the parser, and the events that must follow. */
const asked: readonly (readonly [text: string, heard: string])[] = [
  ['POST /a?b HTTP/1.1\r\nA: \xe9b\r\nContent-Length: 2\r\n\r\nok', 'begun POST /a?b 1.1 [A,\xe9b,Content-Length,2] true false "ok" whole'],
  ['\r\nGET * HTTP/1.0\r\n\r\n', 'begun GET * 1.0 [] false false whole'],
  ['POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n2\r\nok\r\n0\r\nX: y\r\n\r\n',
    'begun POST / 1.1 [Transfer-Encoding,chunked,Connection,close] false false "ok" pairs [X,y] / whole'],
  [`POST / HTTP/1.1\r\n${long}\r\n`,
    `begun pairs [${longHeard.slice(0, 31).join()}] / pairs [${longHeard.slice(31).join()}] POST  1.1 [] true false whole`],
  ['GET / HTTP/1.1\r\n\r\nGET /b HTTP/1.1\r\n\r\n', 'begun GET / 1.1 [] true false whole begun GET /b 1.1 [] true false whole'],
  ['GET / HTTP/1.1\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n', 'begun GET / 1.1 [Connection,upgrade,Upgrade,x] true true whole'],
  ['GET /\xe9 HTTP/1.1\r\n\r\n', 'error'],
  ['GET / HTTP/1.1\nA: b\n\n', 'error'],
  ['POST / HTTP/1.1\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n', 'error'],
  ['POST / HTTP/1.1\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n', 'error'],
  ['POST / HTTP/1.1\r\nContent-Length: +2\r\n\r\nok', 'error'],
  ['POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\nok\r\n0\r\n\r\n', 'error'],
  ['GET / HTTP/1.1\r\nA : b\r\n\r\n', 'error'],
  ['GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n', 'error'],
  ['GET / HTTP/1.1\r\nA: b\0\r\n\r\n', 'error'],
  [`GET / HTTP/1.1\r\nA: ${'b'.repeat(headBytesMax)}\r\n\r\n`, 'error'],
];

/** The same for heads whose bodies are not given to the parser. */
const headsInRow = Buffer.from([
  'POST / HTTP/1.1\r\nContent-Length: 2', 'POST / HTTP/1.1\r\nTransfer-Encoding: chunked', 'GET /b HTTP/1.1', '',
].join('\r\n\r\n'));
const headsHeard = 'begun POST / 1.1 [Content-Length,2] true false whole begun POST / 1.1 [Transfer-Encoding,chunked] true false whole '
  + 'begun GET /b 1.1 [] true false whole';

/** Names of methods by the number that the parser gives, as it gave them: the list that Node uses is not public. */
const methodNames: string[] = [];

const requests: MessageKind<RequestEvents> = { type: ({ REQUEST }) => REQUEST, onHeaders, onHeadersComplete };

const parserClass = usableParser((Parser) => {
  for (const name of METHODS) learnNumber(Parser, name);
  return readsRightly(Parser);
});

/** Whether this Node has the parser. */
export const hasRequestParser = parserClass !== null;

/** Throws if this Node has no such parser. */
export function createRequestParser(owner: RequestEvents): Parser {
  if (parserClass === null) throw new Error('This version of Node has no HTTP parser that is known.');
  return createParser(parserClass, requests, owner);
}

function onHeaders(this: NativeParser<RequestEvents>, pairs: string[], target: string): void {
  this.owner.pairs(pairs, target);
}

function onHeadersComplete(this: NativeParser<RequestEvents>, ...parts: [number, number, string[] | undefined, number, string | undefined, unknown,
  unknown, boolean, boolean]): number {
  return this.owner.headComplete({
    majorVersion: parts[0], minorVersion: parts[1], pairs: parts[2] ?? null, method: methodNames[parts[3]] ?? '', target: parts[4] ?? null,
    upgrade: parts[7], keepAlive: parts[8],
  }) ? 1 : 0;
}

function learnNumber(Parser: NativeParserClass, name: string): void {
  const onNumber = (...parts: [unknown, unknown, unknown, number]): number => {
    methodNames[parts[3]] = name;
    return 0;
  };
  const deaf: RequestEvents = { begun() {}, pairs() {}, headComplete: () => false, body() {}, complete() {} };
  const parser = createParser(Parser, { ...requests, onHeadersComplete: onNumber }, deaf);
  parser.execute(Buffer.from(`${name} / HTTP/1.1\r\n\r\n`));
  parser.close();
}

/** Whether the parser of this Node still behaves as expected. */
function readsRightly(Parser: NativeParserClass): boolean {
  return asked.every(([text, heard]) => readBy(Parser, Buffer.from(text, 'latin1')) === heard) && readBy(Parser, headsInRow, true) === headsHeard;
}

function readBy(Parser: NativeParserClass, bytes: Buffer, headsAlone = false): string {
  const heard: string[] = [];
  const parser = createParser(Parser, requests, {
    begun: () => heard.push('begun'),
    pairs: (pairs, target) => heard.push(`pairs [${pairs.join()}]${target === '' ? '' : ` ${target}`}`),
    headComplete({ method, target, majorVersion, minorVersion, pairs, keepAlive, upgrade }) {
      heard.push(`${method} ${target ?? ''} ${majorVersion}.${minorVersion} [${(pairs ?? []).join()}] ${keepAlive} ${upgrade}`);
      return headsAlone;
    },
    body: (chunk) => heard.push(JSON.stringify(chunk.toString())),
    complete: () => heard.push('whole'),
  });
  const outcome = parser.execute(bytes);
  parser.close();
  return outcome === bytes.length ? heard.join(' ') : 'error';
}
