/**
 * A destination over a pool of HTTP/1.1 connections for each key: one request on a connection at a time, as many connections as there
 * are calls under way, one attempt per call. A request whose body is a stream is dispatched when the first bytes of it are there. No
 * redirect, no decoding, no proxy variable. Rules: Forwarding.
 * What the client refuses to send (a bad header, a bad target) is a fault `protocol`, not an exception.
 */
import { Readable } from 'node:stream';
import { reachOf } from '@metergate/store/network/address-guard.ts';
import { Pool } from 'undici';
import { BodySource } from './body-source.ts';
import { headBytesMax } from '../http-parser/native-parser.ts';
import { idleConnectionMs, idleConnectionsMax, parseOrigin, type DestinationOptions, type DispatchIn } from './destination-options.ts';
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
  const pools = new KeyPools(Math.min(options.idleMax ?? Infinity, idleConnectionsMax), () => new Pool(url.origin, {
    connect, connections: null, pipelining: 1, allowH2: false, maxHeaderSize: headBytesMax,
    headersTimeout: timeouts.headMs, bodyTimeout: timeouts.idleBodyMs,
    keepAliveTimeout: keepAliveMs, keepAliveMaxTimeout: keepAliveMs,
  }));
  let closing: Promise<void> | null = null;
  return {
    send: (request, observer) => send(pools, options.dispatchIn ?? setImmediate, request, observer),
    // Callers are not upgraded where this client is used: Node's server is set so.
    upgrade(_request, observer) {
      process.nextTick(() => observer.failed({ kind: 'protocol', cause: new ExchangeError('protocol', 'This client asks for no WebSocket.') }));
      return { pause() {}, resume() {}, abort() {} };
    },
    // After the dispatches that still wait for their turn: what was sent before the close is an exchange like any other.
    close: () => closing ??= new Promise<void>((resolve) => setImmediate(resolve)).then(() => pools.close()),
  };
}

/**
 * The dispatch waits for the check phase of the event loop. The client then looks at an idle connection for one whole turn
 * before it writes, so that whatever came in unasked before this call is found and the connection closed. Dispatched from
 * within the poll phase it would write at the end of that same phase and take such bytes, delivered while the process was
 * busy, for the answer to this call.
 */
function send(pools: KeyPools, dispatchIn: DispatchIn, request: OutboundRequest, observer: ExchangeObserver): UndiciExchange {
  const exchange = new UndiciExchange(observer);
  const body = request.body instanceof Readable ? exchange.carry(new BodySource(request.body)) : inOnePiece(request.body);
  const dispatch = (): void => {
    if (exchange.over) return;
    if (request.method === 'CONNECT') exchange.fail(new ExchangeError('protocol', 'CONNECT is not forwarded.'));
    else pools.of(request.keyId).dispatch({ path: request.target, method: request.method, headers: framed(request), body }, exchange);
  };
  dispatchIn(() => {
    if (body instanceof Readable && !exchange.over) body.once('readable', () => dispatchIn(dispatch));
    else dispatch();
  });
  return exchange;
}

/** A pool for each key: calls of different keys never share a connection. The one that was used the longest ago gives way to a new one. */
class KeyPools {
  readonly #max: number;
  readonly #open: () => Pool;
  readonly #pools = new Map<string, Pool>();
  readonly #closing = new Set<Promise<void>>();
  #isClosed = false;

  constructor(max: number, open: () => Pool) {
    this.#max = max;
    this.#open = open;
  }

  of(keyId: string): Pool {
    const pool = this.#pools.get(keyId) ?? this.#open();
    this.#pools.delete(keyId);
    this.#pools.set(keyId, pool);
    if (this.#isClosed) this.#end(keyId, pool);
    else if (this.#pools.size > this.#max) this.#end(...this.#pools.entries().next().value!);
    return pool;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const [keyId, pool] of this.#pools) this.#end(keyId, pool);
    await Promise.all(this.#closing);
  }

  /** Calls under way run to their end. */
  #end(keyId: string, pool: Pool): void {
    this.#pools.delete(keyId);
    const closing = pool.close().finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }
}

function inOnePiece(body: Uint8Array | readonly Uint8Array[] | null): Uint8Array | null {
  return body === null || body instanceof Uint8Array ? body : Buffer.concat(body);
}

/** The client writes the length of a whole body by itself; the length of a streamed one must be given. */
function framed({ headers, body, contentLength }: OutboundRequest): string[] {
  return body instanceof Readable && contentLength !== null ? [...headers, 'content-length', String(contentLength)] : headers;
}
