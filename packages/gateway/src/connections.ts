/**
 * Callers' connections and the calls under way on each. Kept per connection, not per call: a set that takes and loses an
 * entry with every call leaves a trail of discarded tables that the young-generation collector cannot free.
 */
import type { Socket } from 'node:net';
import type { Relay } from './call/relay.ts';

/** One caller's connection. */
export interface Connection {
  /** Calls under way; more than one only where the caller pipelines. */
  readonly relays: Relay[];
}

export interface Connections {
  /** The connection of a socket; noted at its first use. */
  of(socket: Socket): Connection;
  /** A call on it is over. */
  ended(socket: Socket, relay: Relay): void;
  /** Every call under way, also those whose caller has gone. */
  underWay(): Relay[];
}

export function createConnections(): Connections {
  const all = new Set<Connection>();
  const bySocket = new WeakMap<Socket, Connection>();
  return {
    of(socket) {
      const known = bySocket.get(socket);
      if (known !== undefined) return known;
      const connection: Connection = { relays: [] };
      bySocket.set(socket, connection);
      all.add(connection);
      socket.once('close', () => {
        if (connection.relays.length === 0) all.delete(connection);
      });
      return connection;
    },
    ended(socket, relay) {
      const connection = bySocket.get(socket);
      if (connection === undefined) return;
      const at = connection.relays.indexOf(relay);
      if (at !== -1) connection.relays.splice(at, 1);
      if (socket.destroyed && connection.relays.length === 0) all.delete(connection);
    },
    underWay: () => [...all].flatMap((connection) => connection.relays),
  };
}
