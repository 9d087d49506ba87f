/**
 * An error of the HTTP client → the kind of fault the data path acts on. An unknown error is `connect` before a connection carried the
 * request, and `reset` after.
 */
import type { ExchangeFault } from './destination.ts';

/** A fault this package found itself, of a kind that is known. */
export class ExchangeError extends Error {
  readonly kind: ExchangeFault['kind'];
  constructor(kind: ExchangeFault['kind'], message: string) {
    super(message);
    this.name = 'ExchangeError';
    this.kind = kind;
  }
}

const kindsByCode: ReadonlyMap<string, ExchangeFault['kind']> = new Map([
  ['not_public', 'not_public'],
  ['UND_ERR_CONNECT_TIMEOUT', 'connect'],
  ['UND_ERR_DESTROYED', 'connect'],
  ['UND_ERR_CLOSED', 'connect'],
  ['UND_ERR_HEADERS_TIMEOUT', 'timeout'],
  ['UND_ERR_BODY_TIMEOUT', 'timeout'],
  ['UND_ERR_HEADERS_OVERFLOW', 'protocol'],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'protocol'],
  ['UND_ERR_INVALID_ARG', 'protocol'],
  ['UND_ERR_NOT_SUPPORTED', 'protocol'],
  ['ERR_ASSERTION', 'protocol'],
  ['UND_ERR_REQ_CONTENT_LENGTH_MISMATCH', 'aborted'],
  ['UND_ERR_ABORTED', 'aborted'],
]);

/** Messages of the client's socket error that mean bytes which are no answer to this request. */
const notAnAnswer: ReadonlySet<string> = new Set(['bad response', 'bad upgrade']);

/** `sent`: a connection was there and the request was, or was being, written to it. */
export function classifyFault(cause: Error, sent: boolean): ExchangeFault {
  // The parser's error carries a piece of the response; that must not travel into a log.
  if (cause.name === 'HTTPParserError') return { kind: 'protocol', cause: new ExchangeError('protocol', cause.message) };
  return { kind: kindOf(cause, sent), cause };
}

function kindOf(cause: Error, sent: boolean): ExchangeFault['kind'] {
  if (cause instanceof ExchangeError) return cause.kind;
  const code = (cause as NodeJS.ErrnoException).code ?? '';
  if (notAnAnswer.has(cause.message)) return 'protocol';
  return kindsByCode.get(code) ?? (sent ? 'reset' : 'connect');
}

/**
 * Whether a parser failed for a length among the trailers, where it means nothing (RFC 9110, 6.5.1): behind a head that it took, it finds lengths
 * nowhere else. The body was whole by then. Node's parser says so by a code, the client's by this message.
 */
export function isLengthInTrailers(cause: Error): boolean {
  if ((cause as NodeJS.ErrnoException).code === 'HPE_INVALID_CONTENT_LENGTH') return true;
  return cause.name === 'HTTPParserError' && cause.message.includes('Content-Length can\'t be present with Transfer-Encoding');
}

/** Of the parser's error only its code: no piece of an answer travels into a log. */
export function notHttp(cause: Error): ExchangeError {
  if (cause instanceof ExchangeError) return cause;
  return new ExchangeError('protocol', `The answer is not HTTP/1.1 (${(cause as NodeJS.ErrnoException).code ?? 'unread'}).`);
}
