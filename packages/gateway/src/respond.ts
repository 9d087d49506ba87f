/**
 * The only writer of answers that the gateway itself originates: the envelope, both ids, and how the connection goes on.
 * Spec: Error envelope; reliability: an early refusal never lets unread body bytes become a second request.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { RequestId } from '@metergate/core/id.ts';
import type { Refusal } from '@metergate/core/refusal.ts';
import { answerFor } from './refusals.ts';
import { freshRequestId } from './request-ids.ts';

/** A body that is this short is read to its end after a refusal, and the connection lives on. */
const dumpedBodyBytesMax = 64 * 1024;
/** How much more is read of a longer one, so that the answer is not lost to a reset, before the connection is closed. */
const lingerBytesMax = 1024 * 1024;
const lingerMs = 2_000;

/** Sends a refusal as the whole answer of a request that got none yet. */
export function refuse(request: IncomingMessage, response: ServerResponse, id: RequestId, refusal: Refusal): void {
  if (response.headersSent || response.destroyed) return;
  const { status, body, pairs } = envelope(refusal, id);
  if (mustClose(request)) {
    pairs.push('connection', 'close');
    if (!request.complete) lingerOn(request.socket, request);
  }
  response.removeHeader('date');
  response.removeHeader('connection');
  response.writeHead(status, pairs);
  response.end(request.method === 'HEAD' ? undefined : body);
}

/** Sends a refusal on a bare socket, where the parser gave no request to answer, and closes it. */
export function refuseOnSocket(socket: Socket, refusal: Refusal): void {
  if (!socket.writable || socket.destroyed) {
    socket.destroy();
    return;
  }
  const { status, body, pairs } = envelope(refusal, freshRequestId());
  const lines = [`HTTP/1.1 ${status} ${reasons[status] ?? 'Error'}`, 'connection: close'];
  for (let at = 0; at < pairs.length; at += 2) lines.push(`${pairs[at]}: ${pairs[at + 1]}`);
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

const reasons: Readonly<Record<number, string>> = {
  400: 'Bad Request', 404: 'Not Found', 408: 'Request Timeout', 431: 'Request Header Fields Too Large',
};

function envelope(refusal: Refusal, id: RequestId): { status: number; body: string; pairs: string[] } {
  const { status, code, type, message } = answerFor(refusal);
  const body = JSON.stringify({ error: { message, type, param: null, code } });
  const pairs = [
    'content-type', 'application/json',
    'content-length', String(Buffer.byteLength(body)),
    'x-svc-request-id', id,
    'x-request-id', freshRequestId(),
  ];
  return { status, body, pairs };
}

/** A connection is kept only where the rest of the request is short and known, and the caller wants it kept. */
function mustClose(request: IncomingMessage): boolean {
  if (callerCloses(request)) return true;
  if (request.complete) return false;
  const declared = Number(request.headers['content-length'] ?? Number.NaN);
  if (request.headers['transfer-encoding'] === undefined && Number.isNaN(declared)) return false;
  return !(declared <= dumpedBodyBytesMax) || request.headers.expect !== undefined;
}

/** The caller asked for the connection to end with this answer, or speaks HTTP/1.0, where persistence is never assumed. */
export function callerCloses(request: IncomingMessage): boolean {
  if (request.httpVersionMajor === 1 && request.httpVersionMinor === 0) return true;
  const connection = request.headers.connection;
  return connection !== undefined && /(?:^|[\s,])close(?:$|[\s,])/i.test(connection);
}

/** Node closes at once after the last answer; unread bytes would then reset the connection before the answer is read. */
function lingerOn(socket: Socket, request: IncomingMessage): void {
  let lingered = 0;
  socket.destroySoon = () => {
    socket.end();
    const timer = setTimeout(() => socket.destroy(), lingerMs);
    timer.unref();
    socket.once('close', () => clearTimeout(timer));
    request.on('data', (chunk: Buffer) => {
      lingered += chunk.length;
      if (lingered > lingerBytesMax) socket.destroy();
    });
    request.once('end', () => socket.destroy());
  };
}
