/**
 * Refuses, before routing, requests that other software may read differently, as the gateway does (rules 2 and 3). So a proxy in front and
 * the platform always agree on path and host. Everything else reaches `next` unchanged.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { framingFaultOf } from '@metergate/core/call/framing.ts';
import { errorResponse, HttpRefusal, notFound } from './envelope.ts';

/** A segment that decodes to `.` or `..`, and a backslash, which some read as a slash. */
const treacherous = /(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)|\\/i;

export function withFraming(next: RequestListener): RequestListener {
  return (request, response) => {
    const refusal = refusalOf(request);
    if (refusal === null) return next(request, response);
    void answerRefused(response, refusal);
  };
}

/** For a request that the app's own listener cannot parse. */
export function malformedRequest(fault: string = 'The request is not valid HTTP/1.1.'): HttpRefusal {
  return new HttpRefusal(400, 'invalid_request', fault);
}

function refusalOf(request: IncomingMessage): HttpRefusal | null {
  const { url: rawTarget = '', rawHeaders: headers, httpVersionMajor: httpMajorVersion, httpVersionMinor: httpMinorVersion } = request;
  const fault = framingFaultOf({ rawTarget, headers, httpMajorVersion, httpMinorVersion });
  if (fault !== null) return malformedRequest(fault);
  return treacherous.test(rawTarget.split('?', 1)[0]!) ? notFound() : null;
}

/** Answers without the app. The connection ends with it: nothing of the request is read. */
export async function answerRefused(response: ServerResponse, refusal: HttpRefusal): Promise<void> {
  const answer = errorResponse(refusal);
  response.writeHead(answer.status, {
    'content-type': 'application/json', 'cache-control': 'no-store', connection: 'close', ...refusal.headers,
  });
  response.end(await answer.text());
}
