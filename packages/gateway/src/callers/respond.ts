/**
 * The only writer of answers that the gateway itself originates: the envelope, both ids, and whether the connection stays open.
 * Spec: Error envelope; reliability: an early refusal never lets unread body bytes become a second request.
 */
import type { Socket } from 'node:net';
import { firstValue } from '@metergate/core/call/header-pairs.ts';
import { header, type RequestId } from '@metergate/core/id.ts';
import { endLingering } from '@metergate/store/network/lingering-end.ts';
import type { Refusal } from '@metergate/core/refusal.ts';
import { wireOf } from '@metergate/core/call/route.ts';
import { wires } from '@metergate/core/wire/wire.ts';
import type { CallerRequest, CallerResponse, StreamedRequest } from './caller-exchange.ts';
import { budgetBehind } from '../fairness/bytes-behind-refusals.ts';
import { discard, giveBackUnlessHeld } from './discarding.ts';
import { leavesWith } from './leaving.ts';
import { refusalShape, type ShapeRefusal } from './refusal-shape.ts';
import { answerFor } from './refusals.ts';
import { freshRequestId } from './request-ids.ts';

/** A body that is this short is read to its end after a refusal, and the connection lives on. */
const dumpedBodyBytesMax = 64 * 1024;
/**
 * How many bytes more are read of a longer one before the connection is closed. Many clients read an answer only once they have written their body: a
 * reset before that takes the answer from them.
 */
const lingerBytesMax = 64 * 1024 * 1024;
/** How long nothing may come of it, and how long it may take in all. */
const lingerMs = 2_000;
const lingerMsMax = 15_000;
/** How long the rest of a shorter one may take: as long as any body may stand still (rule 8a). */
const restMs = 60_000;

/** Connections that carry nothing further after an answer. What is pipelined behind it must not be served. */
const closing = new WeakSet<Socket>();

/** What still comes on this connection is not served. */
export function closeAfterThis(socket: Socket): void {
  closing.add(socket);
}

/** True if an answer announced the end of the connection, or our side has ended: a request that still comes is to be dropped unanswered. */
export function isClosing(socket: Socket): boolean {
  return closing.has(socket) || socket.writableEnded;
}

/** Sends a refusal as the whole answer of a request that got none yet. Returns the answer's own `x-request-id`; null: nothing was sent. */
export function sendRefusal(request: CallerRequest, response: CallerResponse, id: RequestId, refusal: Refusal): RequestId | null {
  if (response.headersSent || response.destroyed) return null;
  // A path that leads nowhere is answered as any such path is.
  const shape = refusal.kind === 'unknown_url' ? null : refusalShape(request.url ?? '');
  const { status, body, pairs, ownId } = envelope(refusal, id, shape);
  // Some providers' SDKs know a request by another header.
  const wire = wireOf(request.url ?? '');
  const ownHeader = wire === null ? null : wires[wire].requestIdHeader;
  if (ownHeader !== null) pairs.push(ownHeader, ownId);
  if (closesAlways.has(refusal.kind) || isLast(request, response) || mustClose(request)) {
    closeAfterThis(request.socket);
    pairs.push('connection', 'close');
    if (!request.complete) lingerOn(request.socket, request);
  } else if (!request.complete) {
    awaitRest(request);
  }
  // Node reads the rest away once this answer has left. Until those before it have, it would read nothing more of the connection.
  if (!request.complete && response.socket === null) discard(request);
  response.removeHeader('date');
  response.removeHeader('connection');
  // The reason is given again: one of the provider's that could not be sent is still held by the response, and would throw.
  response.writeHead(status, reasons[status] ?? 'Error', pairs);
  response.end(request.method === 'HEAD' ? undefined : body);
  return ownId;
}

/** Refusals after which the caller and the gateway may not agree where the next request begins (rule 3), or which gave up on a body. */
const closesAlways: ReadonlySet<Refusal['kind']> = new Set(['malformed_request', 'expectation_unknown', 'request_timeout']);

/** What `HEAD` asked for has no body (RFC 9110, 9.3.2). */
type BodyOfAnswer = 'with_body' | 'head_alone';

/** Sends a refusal on a bare socket, where the parser gave no request to answer, and closes it. */
export function refuseOnSocket(socket: Socket, refusal: Refusal, ofAnswer: BodyOfAnswer = 'with_body'): void {
  if (!socket.writable || socket.destroyed) {
    socket.destroy();
    return;
  }
  const { status, body, pairs } = envelope(refusal, freshRequestId());
  const lines = [`HTTP/1.1 ${status} ${reasons[status] ?? 'Error'}`, 'connection: close'];
  for (let at = 0; at < pairs.length; at += 2) lines.push(`${pairs[at]}: ${pairs[at + 1]}`);
  socket.end(`${lines.join('\r\n')}\r\n\r\n${ofAnswer === 'with_body' ? body : ''}`, () => socket.destroy());
}

/**
 * Ends a connection behind its last answer. What its caller still sends is read away meanwhile: closed with that unread, the connection would be
 * reset, and the answer lost.
 */
export function endBehindAnswer(socket: Socket): void {
  if (socket.destroyed) return;
  discard(socket);
  endLingering(socket);
}

const reasons: Readonly<Record<number, string>> = {
  400: 'Bad Request', 401: 'Unauthorized', 402: 'Payment Required', 403: 'Forbidden', 404: 'Not Found', 408: 'Request Timeout',
  413: 'Content Too Large', 417: 'Expectation Failed', 426: 'Upgrade Required', 429: 'Too Many Requests', 431: 'Request Header Fields Too Large',
  500: 'Internal Server Error', 502: 'Bad Gateway', 503: 'Service Unavailable',
};

function envelope(
  refusal: Refusal, id: RequestId, shape: ShapeRefusal | null = null,
): { status: number; body: string; pairs: string[]; ownId: RequestId } {
  const answer = answerFor(refusal);
  const { status, code, type, message, retryAfterSeconds, shouldRetry, budget } = answer;
  const ownId = freshRequestId();
  const shaped = shape === null ? null : shape(answer, ownId);
  const body = JSON.stringify(shaped === null ? { error: { message, type, param: null, code } } : shaped.body);
  const pairs = [
    'content-type', 'application/json',
    'content-length', String(Buffer.byteLength(body)),
    header.requestId, id,
    'x-request-id', ownId,
    ...shaped?.pairs ?? [],
  ];
  if (budget !== undefined) pairs.push(header.budgetScope, budget.named, header.budgetWindow, budget.window);
  if (retryAfterSeconds !== undefined) pairs.push('retry-after', String(retryAfterSeconds));
  if (shouldRetry === false) pairs.push('x-should-retry', 'false');
  // What the gateway speaks instead, as RFC 9110, 15.5.22 asks of this answer.
  if (status === 426) pairs.push('upgrade', 'HTTP/1.1', 'connection', 'upgrade');
  return { status, body, pairs, ownId };
}

/** A connection is kept only where the rest of the request is short and known, and the caller wants it kept. */
function mustClose(request: CallerRequest): boolean {
  if (callerCloses(request)) return true;
  if (request.complete) return false;
  const declared = Number(firstValue(request.rawHeaders, 'content-length') ?? Number.NaN);
  if (firstValue(request.rawHeaders, 'transfer-encoding') === null && Number.isNaN(declared)) return false;
  return !(declared <= dumpedBodyBytesMax) || request.headers.expect !== undefined;
}

/**
 * This answer is the last one of its connection: the node leaves, or the caller has sent its FIN. The latter Node knows by a field that is not in
 * its types, and forgets it when a `Connection` header is removed, so it must be set again with the head.
 */
export function isLast(request: CallerRequest, response: CallerResponse): boolean {
  return (response as CallerResponse & { _last: boolean })._last || leavesWith(request, response);
}

/** The caller asked for the connection to end with this answer, or speaks HTTP/1.0, where persistence is never assumed. */
export function callerCloses(request: CallerRequest): boolean {
  if (request.httpVersionMajor === 1 && request.httpVersionMinor === 0) return true;
  const connection = request.headers.connection;
  return connection !== undefined && /(?:^|[\s,])close(?:$|[\s,])/i.test(connection);
}

/** What is left of a refused request's body is short, and read away; if it does not come, its connection is not kept for it. */
function awaitRest(request: StreamedRequest): void {
  const timer = setTimeout(() => request.socket.destroy(), restMs).unref();
  request.once('close', () => clearTimeout(timer));
}

/** Node closes at once after the last answer; unread bytes would then reset the connection before the answer is read. */
function lingerOn(socket: Socket, request: StreamedRequest): void {
  socket.destroySoon = () => endBehindBody(socket, request);
}

/** Ends our side of a connection while the body of its last request still comes, and closes it behind that, or once that takes too long. */
export function endBehindBody(socket: Socket, request: StreamedRequest): void {
  let lingered = 0;
  const budget = budgetBehind(request);
  socket.end();
  const timers = [lingerMs, lingerMsMax].map((ms) => setTimeout(() => socket.destroy(), ms).unref());
  socket.once('close', () => { for (const timer of timers) clearTimeout(timer); });
  request.on('data', (chunk: Buffer) => {
    timers[0]!.refresh();
    const goesOn = budget.came(chunk.length, lingered);
    lingered += chunk.length;
    giveBackUnlessHeld(request, chunk);
    if (!goesOn || lingered > lingerBytesMax) socket.destroy();
  });
  request.once('end', () => socket.destroy());
}
