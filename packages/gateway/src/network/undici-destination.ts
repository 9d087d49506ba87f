/**
 * A destination over one pool of HTTP/1.1 connections: one request on a connection at a time, as many connections as there
 * are calls under way, one attempt per call. No redirect, no decoding, no proxy variable. Rules: Forwarding.
 * What the client refuses to send (a bad header, a bad target) is a fault `protocol`, not an exception.
 */
import { Readable } from 'node:stream';
import { reachOf } from '@metergate/store/network/address-guard.ts';
import { Pool } from 'undici';
import { BodySource } from './body-source.ts';
import { headBytesMax } from '../http-parser/native-parser.ts';
import { idleConnectionMs, parseOrigin, type DestinationOptions, type DispatchIn } from './destination-options.ts';
import type { Destination, ExchangeObserver, OutboundRequest } from './destination.ts';
import { ExchangeError } from './exchange-fault.ts';
import { createConnector } from './guarded-connector.ts';
import { UndiciExchange } from './undici-exchange.ts';

/** Throws a TypeError if `origin` is not a valid origin. */
export function createUndiciDestination(options: DestinationOptions): Destination {
  const { timeouts } = options;
  const keepAliveMs = options.keepAliveMs ?? idleConnectionMs;
  const { url } = parseOrigin(options.origin);
  const connect = createConnector({ connectMs: timeouts.connectMs, guard: options.guard, reach: reachOf(url), ca: options.tls?.ca });
  const pool = new Pool(url.origin, {
    connect, connections: null, pipelining: 1, allowH2: false, maxHeaderSize: headBytesMax,
    headersTimeout: timeouts.headMs, bodyTimeout: timeouts.idleBodyMs,
    keepAliveTimeout: keepAliveMs, keepAliveMaxTimeout: keepAliveMs,
  });
  let closing: Promise<void> | null = null;
  return {
    send: (request, observer) => send(pool, options.dispatchIn ?? setImmediate, request, observer),
    // After the dispatches that still wait for their turn: what was sent before the close is an exchange like any other.
    close: () => closing ??= new Promise<void>((resolve) => setImmediate(resolve)).then(() => pool.close()),
  };
}

/**
 * The dispatch waits for the check phase of the event loop. The client then looks at an idle connection for one whole turn
 * before it writes, so that whatever came in unasked before this call is found and the connection closed. Dispatched from
 * within the poll phase it would write at the end of that same phase and take such bytes, delivered while the process was
 * busy, for the answer to this call.
 */
function send(pool: Pool, dispatchIn: DispatchIn, request: OutboundRequest, observer: ExchangeObserver): UndiciExchange {
  const exchange = new UndiciExchange(observer);
  const body = request.body instanceof Readable ? exchange.carry(new BodySource(request.body)) : request.body;
  dispatchIn(() => {
    if (exchange.over) return;
    if (request.method === 'CONNECT') exchange.fail(new ExchangeError('protocol', 'CONNECT is not forwarded.'));
    else pool.dispatch({ path: request.target, method: request.method, headers: framed(request), body }, exchange);
  });
  return exchange;
}

/** The client writes the length of a whole body by itself; the length of a streamed one must be given. */
function framed({ headers, body, contentLength }: OutboundRequest): string[] {
  return body instanceof Readable && contentLength !== null ? [...headers, 'content-length', String(contentLength)] : headers;
}
