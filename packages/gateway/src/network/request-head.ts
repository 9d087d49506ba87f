/**
 * The head of a request as it goes out, and why one cannot: whatever could be read as more than one field, one head or one request is
 * refused before a byte of it leaves. RFC 9110, 5.5 and 9.1; RFC 9112, 3.
 */
import { HeaderNames } from '@metergate/core/call/header-names.ts';
import type { OutboundRequest } from './destination.ts';

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** What no field value may hold: a control but a tab, and what is not a byte. */
const noValue = /[^\t\x20-\x7e\x80-\xff]/;
const noTarget = /[^\x21-\xff]/;

/** The client's own, or those of one connection: with one of them in the list a request would have two framings or two hosts. */
const refusedNames = new HeaderNames([
  'host', 'content-length', 'transfer-encoding', 'connection', 'keep-alive', 'upgrade', 'expect',
]);

/** Methods whose requests declare an absent body. */
const payloadMethods: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'QUERY', 'PROPFIND', 'PROPPATCH']);

/** Whether a request of this method is expected to have a body. After any other with a body, the connection is not used again. */
export function expectsPayload(method: string): boolean {
  return payloadMethods.has(method);
}

/** Why this request cannot be written to that host; null if it can. Names the part, but never its content. */
export function requestProblem(request: OutboundRequest, host: string): string | null {
  const { contentLength, kept } = request;
  // A head is only made where there is no problem.
  const isHeadGood = kept !== undefined && kept !== null && kept.textFor(host) !== null;
  const problem = isHeadGood ? null : lineProblem(request);
  if (problem !== null) return problem;
  if (contentLength !== null && !(Number.isSafeInteger(contentLength) && contentLength >= 0)) return 'The length is none.';
  return isHeadGood ? null : headersProblem(request);
}

function lineProblem({ method, target }: OutboundRequest): string | null {
  if (method === 'CONNECT') return 'CONNECT is not forwarded.';
  if (!expectsPayload(method) && !token.test(method)) return 'The method is none.';
  return !target.startsWith('/') || noTarget.test(target) ? 'The target is none.' : null;
}

function headersProblem({ headers }: OutboundRequest): string | null {
  if (headers.length % 2 !== 0) return 'A header has no value.';
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at]!;
    if (!token.test(name)) return 'The name of a header is none.';
    if (refusedNames.has(name)) return `The header ${name.toLowerCase()} is not forwarded.`;
    if (noValue.test(headers[at + 1]!)) return 'A header has a value that HTTP does not allow.';
  }
  return null;
}

/** Request line and fields, without the fields of framing and without the empty line. Of a request without a problem. */
export function requestHead(request: OutboundRequest, host: string): string {
  const { kept } = request;
  if (kept === undefined || kept === null) return headText(request, host);
  const known = kept.textFor(host);
  if (known !== null) return known;
  const text = headText(request, host);
  kept.keep(host, text);
  return text;
}

function headText({ method, target, headers }: OutboundRequest, host: string): string {
  let head = `${method} ${target} HTTP/1.1\r\nhost: ${host}\r\nconnection: ${method === 'HEAD' ? 'close' : 'keep-alive'}\r\n`;
  for (let at = 0; at < headers.length; at += 2) head += `${headers[at]}: ${headers[at + 1]}\r\n`;
  return head;
}
