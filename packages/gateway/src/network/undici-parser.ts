/**
 * Corrects the HTTP client's response parser in four things: a `100 Continue` nobody asked for, which HTTP allows and it refuses (RFC 9110,
 * 15.2: a client must be able to parse one); a reason phrase with bytes above 0x7f, which it reads as UTF-8, and only the last piece of one
 * that comes in pieces; a body that lasts until its connection ends, which it takes for whole where that is reset; and an answer with the
 * provider's name for the one before it, after which the connection is not used again (decision 0108). The parser is not
 * public: it is found on the socket and adjusted there, for that connection alone. If a later version of the client has no such parser,
 * nothing is adjusted: such a 100 is then a fault `protocol` again, and tests show it.
 */
import type { Socket } from 'node:net';
import { answerName, type AnswerNames } from './answer-names.ts';

/** Stands before a reason that holds one character a byte. The client itself never makes one that begins so. */
const byteMark = '\uffff';
/** An interim status that the client skips; nobody sees it. */
const processing = 102;

interface ResponseParser {
  statusText: string;
  shouldKeepAlive: boolean;
  /** Names and values. */
  headers: Buffer[];
  onStatus(bytes: Buffer): number;
  onHeadersComplete(status: number, upgrade: boolean, shouldKeepAlive: boolean): number;
}

/** Call this once the client has taken the connection, before it has read from it. */
export function adjustResponseParser(socket: Socket, names: AnswerNames): void {
  const parser = parserOf(socket);
  if (parser === null) return;
  const completeHead = parser.onHeadersComplete.bind(parser);
  parser.onStatus = (bytes) => {
    parser.statusText += (parser.statusText === '' ? byteMark : '') + bytes.toString('latin1');
    return 0;
  };
  let latest: string | null | undefined;
  parser.onHeadersComplete = (status, upgrade, shouldKeepAlive) => {
    const before = latest;
    if (status >= 200) latest = answerName(parser.headers.map((part) => part.toString('latin1')));
    const isDoubled = status >= 200 && names.isDoubled(latest ?? null, before);
    return completeHead(status === 100 && !upgrade ? processing : status, upgrade, shouldKeepAlive && !isDoubled);
  };
  // Before the client's own listener, which otherwise ends the answer for it.
  socket.prependListener('error', () => {
    parser.shouldKeepAlive = true;
  });
}

/** The reason phrase as the client gives it → one character a byte. */
export function reasonBytes(reason: string): string {
  return reason.startsWith(byteMark) ? reason.slice(byteMark.length) : Buffer.from(reason, 'utf8').toString('latin1');
}

function parserOf(socket: Socket): ResponseParser | null {
  const symbol = Object.getOwnPropertySymbols(socket).find(({ description }) => description === 'parser');
  const parser = symbol === undefined ? null : (socket as unknown as Record<symbol, Partial<ResponseParser> | null>)[symbol];
  if (typeof parser?.statusText !== 'string') return null;
  if (typeof parser.shouldKeepAlive !== 'boolean' || !Array.isArray(parser.headers)) return null;
  return typeof parser.onStatus === 'function' && typeof parser.onHeadersComplete === 'function' ? parser as ResponseParser : null;
}
