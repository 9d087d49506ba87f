/**
 * A destination over our own HTTP/1.1 connections: one request on a connection at a time, as many connections as there are calls under
 * way, each for the calls of one key (decision 0108), one attempt per call. No redirect, no decoding, no proxy variable. Rules: Forwarding;
 * decision 0041. A request whose body is a stream gets a connection when the first bytes of it are there: nothing is written without them.
 *
 * An idle connection is kept for an exchange for one whole turn of the event loop, from check phase to check phase, before the exchange is
 * written to it: whatever came in unasked before the call, or while the process was busy, is read in the turn's poll phase and ends the
 * connection, and the call goes to a new one. Written at once, such bytes would be taken for the answer to this call.
 */
import { clockFor, type CoarseClock } from '../clock/coarse-clock.ts';
import { AnswerNames } from './answer-names.ts';
import { idleConnectionMs, idleConnectionsMax, parseOrigin, type DestinationOptions, type DispatchIn } from './destination-options.ts';
import type { Destination, DestinationTimeouts, Exchange, ExchangeObserver, OutboundRequest, UpgradeObserver } from './destination.ts';
import { Dialler } from './dialler.ts';
import { ExchangeError } from './exchange-fault.ts';
import { KeyConnections } from './key-connections.ts';
import { requestProblem } from './request-head.ts';
import { SocketConnection, type ConnectionOwner } from './socket-connection.ts';
import { SocketExchange } from './socket-exchange.ts';
import { upgradeConnection } from './upgrade-connection.ts';

/** Throws a TypeError if `origin` is not a valid origin, and where this Node has no parser (`hasResponseParser`). */
export function createSocketDestination(options: DestinationOptions): Destination {
  return new SocketDestination(options);
}

interface Kept {
  readonly exchange: SocketExchange;
  readonly connection: SocketConnection;
}

class SocketDestination implements Destination, ConnectionOwner {
  readonly host: string;
  readonly dialler: Dialler;
  readonly timeouts: DestinationTimeouts;
  readonly keepAliveMs: number;
  readonly clock: CoarseClock;
  readonly names = new AnswerNames();
  readonly #dispatchIn: DispatchIn;
  readonly #connections: KeyConnections;
  #kept: Kept[] = [];
  #closing: Promise<void> | null = null;
  #closed: (() => void) | null = null;

  constructor(options: DestinationOptions) {
    const { url, scheme } = parseOrigin(options.origin);
    const { timeouts, keepAliveMs = idleConnectionMs } = options;
    this.host = url.host;
    this.dialler = new Dialler({ url, scheme, guard: options.guard, ca: options.tls?.ca });
    this.#connections = new KeyConnections(Math.min(options.idleMax ?? Infinity, idleConnectionsMax));
    this.timeouts = timeouts;
    this.keepAliveMs = keepAliveMs;
    this.clock = clockFor(Math.min(timeouts.connectMs, timeouts.headMs, timeouts.idleBodyMs, keepAliveMs));
    this.#dispatchIn = options.dispatchIn ?? setImmediate;
  }

  send(request: OutboundRequest, observer: ExchangeObserver): Exchange {
    const exchange = new SocketExchange(request, observer);
    this.#dispatchIn(() => this.#dispatch(exchange));
    return exchange;
  }

  upgrade(request: OutboundRequest, observer: UpgradeObserver): Exchange {
    const exchange = new SocketExchange(request, observer);
    this.#dispatchIn(() => {
      if (exchange.over) return;
      const problem = requestProblem(request, this.host);
      if (problem !== null) return exchange.fail(new ExchangeError('protocol', problem));
      if (this.#closed !== null) return exchange.fail(new ExchangeError('connect', 'The destination is closed.'));
      const refusal = this.dialler.refusal();
      if (refusal !== null) return exchange.fail(refusal);
      try {
        upgradeConnection(this, exchange, observer);
      } catch (cause) {
        exchange.fail(cause as Error);
      }
    });
    return exchange;
  }

  /** After the dispatches that still wait for their turn: what was sent before the close is an exchange like any other. */
  close(): Promise<void> {
    return this.#closing ??= new Promise<void>((resolve) => setImmediate(resolve)).then(() => this.#close());
  }

  idle(connection: SocketConnection): boolean {
    if (this.#closed !== null) return false;
    this.#connections.rests(connection);
    return true;
  }

  gone(connection: SocketConnection): void {
    this.#connections.gone(connection);
    if (this.#connections.size === 0) this.#closed?.();
  }

  #close(): Promise<void> {
    return new Promise((resolve) => {
      this.#closed = resolve;
      this.#connections.closeIdle();
      if (this.#connections.size === 0) resolve();
    });
  }

  #dispatch(exchange: SocketExchange): void {
    if (exchange.over) return;
    const problem = requestProblem(exchange.request, this.host);
    if (problem !== null) return failLater(exchange, new ExchangeError('protocol', problem));
    if (this.#closed !== null) return failLater(exchange, new ExchangeError('connect', 'The destination is closed.'));
    if (exchange.body?.hasBegun === false) return exchange.body.onceBegun(() => this.#dispatchIn(() => this.#dispatch(exchange)));
    const connection = this.#connections.take(exchange.request.keyId);
    if (connection === undefined) return this.#dial(exchange);
    connection.keepFor(exchange);
    if (this.#kept.push({ exchange, connection }) === 1) setImmediate(this.#carryKept);
  }

  readonly #carryKept = (): void => {
    const kept = this.#kept;
    this.#kept = [];
    for (const { exchange, connection } of kept) {
      if (!exchange.over && !connection.carry()) this.#dial(exchange);
    }
  };

  #dial(exchange: SocketExchange): void {
    const refusal = this.dialler.refusal();
    if (refusal !== null) return failLater(exchange, refusal);
    try {
      this.#connections.opened(new SocketConnection(this, exchange));
    } catch (cause) {
      // For example, settings of TLS that are not valid.
      failLater(exchange, cause as Error);
    }
  }
}

/** Nothing is reported before `send` has returned. */
function failLater(exchange: SocketExchange, cause: Error): void {
  process.nextTick(() => exchange.fail(cause));
}
