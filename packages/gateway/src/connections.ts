/**
 * Callers' connections and the calls under way on each. Kept per connection, not per call: a set that takes and loses an
 * entry with every call leaves a trail of discarded tables that the young-generation collector cannot free.
 */
import type { Socket } from 'node:net';

/** A forwarded call, as its caller's connection knows it. */
export interface CallUnderWay {
  /** The caller's side sent a FIN. */
  callerHalfClosed(): void;
  /** The connection is gone. */
  callerLeft(): void;
  /** The call ends here and is recorded as cut. */
  cutNow(): void;
}

/** A body that is being received whole. */
export interface Receiving {
  /** Ends it where it comes too slowly. */
  checkPace(nowMs: number): void;
}

/** One caller's connection. */
export interface Connection {
  /** Calls under way; more than one only where the caller pipelines. */
  readonly relays: CallUnderWay[];
  /** The request body that is being held; one at most, since a request's body ends before the next one's begins. */
  receiving: Receiving | null;
}

export interface Connections {
  /** The connection of a socket; noted at its first use. */
  of(socket: Socket): Connection;
  /** A call on it is over. */
  ended(socket: Socket, relay: CallUnderWay): void;
  /** Ends the bodies that come too slowly. Called now and then. */
  checkPaces(nowMs: number): void;
  /** Every call under way, also those whose caller has gone. */
  underWay(): CallUnderWay[];
}

export function createConnections(): Connections {
  const all = new Set<Connection>();
  const bySocket = new WeakMap<Socket, Connection>();
  return {
    of(socket) {
      const known = bySocket.get(socket);
      if (known !== undefined) return known;
      const connection: Connection = { relays: [], receiving: null };
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
    checkPaces(nowMs) {
      for (const { receiving } of all) receiving?.checkPace(nowMs);
    },
    underWay: () => [...all].flatMap((connection) => connection.relays),
  };
}
