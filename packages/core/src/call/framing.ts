/**
 * Refuses, before anything is routed, requests that our HTTP parser accepts but another server may read differently.
 * Rule 3; one strict reading on the way in, and everything is framed again on the way out.
 */
import { firstValue, type HeaderPairs } from './header-pairs.ts';

/** What is wrong with a request's framing, as a sentence for the caller. */
export type FramingFault =
  | 'The request must be HTTP/1.0 or HTTP/1.1.'
  | 'The request has no Host header.'
  | 'The request has more than one Host header.'
  | 'The Host header is malformed.'
  | 'The request target must be a path.'
  | 'The Content-Length header is malformed.'
  | 'Transfer-Encoding must be exactly "chunked".'
  | 'HTTP/1.0 has no Transfer-Encoding.';

const hostForm = /^[A-Za-z0-9.\-_~!$&'()*+,;=:%[\]]*$/;

interface RequestHead {
  readonly rawTarget: string;
  readonly headers: HeaderPairs;
  readonly httpMajorVersion: number;
  readonly httpMinorVersion: number;
}

/** The first framing fault of a request head, or null if there is only one way to read it. */
export function framingFaultOf(head: RequestHead): FramingFault | null {
  if (head.httpMajorVersion !== 1) return 'The request must be HTTP/1.0 or HTTP/1.1.';
  if (head.rawTarget.charCodeAt(0) !== 0x2f && head.rawTarget !== '*') return 'The request target must be a path.';
  let hosts = 0;
  for (let at = 0; at < head.headers.length; at += 2) {
    const name = head.headers[at]!;
    if (name.length === 4 && name.toLowerCase() === 'host') {
      hosts += 1;
      if (hosts > 1) return 'The request has more than one Host header.';
      if (!hostForm.test(head.headers[at + 1]!)) return 'The Host header is malformed.';
    } else if (name.length === 14 && name.toLowerCase() === 'content-length') {
      if (!/^(?:0|[1-9]\d{0,15})$/.test(head.headers[at + 1]!)) return 'The Content-Length header is malformed.';
    } else if (name.length === 17 && name.toLowerCase() === 'transfer-encoding') {
      if (head.headers[at + 1]!.toLowerCase() !== 'chunked') return 'Transfer-Encoding must be exactly "chunked".';
      if (head.httpMinorVersion === 0) return 'HTTP/1.0 has no Transfer-Encoding.';
    }
  }
  if (hosts === 0 && head.httpMinorVersion >= 1) return 'The request has no Host header.';
  return null;
}

/** The declared length of a body in bytes; null for a chunked body; 0 for none. Call after `framingFaultOf` found nothing. */
export function declaredBodyBytes(headers: HeaderPairs): number | null {
  const length = firstValue(headers, 'content-length');
  if (length !== null) return Number(length);
  return firstValue(headers, 'transfer-encoding') === null ? 0 : null;
}
