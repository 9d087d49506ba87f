/**
 * What a node holds for requests and calls, by kind. Each figure is 0 when nothing is under way: what is left then was not given back, and
 * stays until a restart. `/metrics` shows them, and tests look at them after whatever was done to a node.
 */
import type { Connections } from './callers/connections.ts';
import type { GatewayNode } from './node/gateway-node.ts';
import { answerTurns } from './network/answer-turns.ts';
import { exchangesUnderWay } from './network/socket-exchange.ts';
import { messagesBeingRead } from './websocket/message-copy.ts';
import { heldForCopies, type HeldForCopies } from './usage/held-for-copies.ts';

export interface HeldForCalls extends HeldForCopies {
  /** Forwarded calls that are not over. */
  readonly calls: number;
  /** Bytes reserved for request bodies that are held. */
  readonly body_bytes: number;
  /** Held bodies that are not whole. */
  readonly unfinished_bodies: number;
  /** Held bodies that a connection tells of its end. */
  readonly body_receivers: number;
  /** Bytes of requests that are not whole, or came before their turn. */
  readonly early_bytes: number;
  /** Connections that are closed and not forgotten. */
  readonly gone_connections: number;
  /** Service keys that the store is asked for. */
  readonly asked_keys: number;
  /** Runs that the store is asked for. */
  readonly asked_runs: number;
  /** Rooms of the run registry that are kept for them. */
  readonly run_rooms: number;
  /** Calls that have a part in a run, or decide on it. */
  readonly run_calls: number;
  /** Calls that wait for a lease. */
  readonly lease_waits: number;
  /** Calls that are under way on leases. */
  readonly leased_calls: number;
  /** Steps of calls, and reads of answers, that wait for a later turn. */
  readonly waiting_steps: number;
  /** Calls that are read on after their caller left. */
  readonly drains: number;
  /** Requests to destinations that are not over. */
  readonly exchanges: number;
  /** WebSocket connections, and forwarded handshakes that may become some. */
  readonly websocket_connections: number;
  /** Bytes of their messages that are not handed on. */
  readonly websocket_bytes: number;
  /** Compressed messages that are read, or wait for their turn. */
  readonly websocket_messages: number;
}

/** The current counts. Walks over all connections. `earlyBytes`: what the connections keep that are read without Node's server. */
export function heldForCalls(node: GatewayNode, connections: Connections, earlyBytes: number): HeldForCalls {
  const { heldBodies, guards } = node;
  const { receivers, goneConnections } = connections.held();
  return {
    calls: node.counters.inFlight,
    body_bytes: heldBodies.heldBytes,
    unfinished_bodies: heldBodies.unfinished,
    body_receivers: receivers,
    early_bytes: earlyBytes,
    gone_connections: goneConnections,
    asked_keys: node.settings.asking,
    ...guards.held(),
    waiting_steps: node.turns.waiting + answerTurns.waiting,
    drains: node.drains.underWay,
    exchanges: exchangesUnderWay(),
    websocket_connections: node.sessions.places,
    websocket_bytes: node.sessions.heldBytes,
    websocket_messages: messagesBeingRead(),
    ...heldForCopies(),
  };
}
