/**
 * Callers' connections, a bound on them, and the calls under way on each. At the bound an idle connection is closed to make room for a new
 * one: first those that never had a call forwarded, oldest first. So a client that opens many without a key only closes its own. State is
 * kept per connection, not per call: a set that gains and loses an entry with every call discards tables that the young-generation collector
 * cannot free.
 */
import type { Socket } from 'node:net';
import { resetSocket } from '@metergate/store/network/reset-socket.ts';
import { leaveOn } from './leaving.ts';
import type { ShownKey } from './shown-key.ts';

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
  /** The connection is gone: the rest will not come. */
  callerLeft(): void;
  /** The caller sends no more: what is not here will not come. */
  callerEnded(): void;
  /** Ends it if it comes too slowly. */
  checkPace(nowMs: number): void;
}

/** One caller's connection. Calls under way on it are notified when the caller half-closes or is gone. */
export interface Connection {
  readonly socket: Socket;
  /** Calls under way; more than one only where the caller pipelines. */
  readonly relays: CallUnderWay[];
  /**
   * Request bodies that are being held, each from its first byte until it is whole or will not come. Of pipelined calls there may be several:
   * a call whose key is asked for begins to take its body behind the one that came after it.
   */
  readonly receiving: Receiving[];
  /** What reads its requests; null if Node's server does. */
  reader: RequestReader | null;
  /** Node's server has read a request on it. */
  hasAsked: boolean;
  /** The key that its latest request showed; null: none showed one. */
  shown: ShownKey | null;
}

/** Reads the requests of a connection. */
export interface RequestReader {
  /** It carries no request whose head has come, and all that was answered has left. */
  readonly isIdle: boolean;
  /** Closes the connection if it is waiting for a request. */
  closeIfIdle(): void;
}

export interface Connections {
  /** The connection of a socket; noted at its first use. */
  of(socket: Socket): Connection;
  /** Closes one that carries no call where there are too many; the newcomer itself where each of the others carries one. */
  makeRoom(newcomer: Connection): void;
  /** A call is forwarded on it. */
  began(connection: Connection, relay: CallUnderWay): void;
  /** A call on it is over. */
  ended(socket: Socket, relay: CallUnderWay): void;
  /** Ends the bodies that come too slowly. Called now and then. */
  checkPaces(nowMs: number): void;
  /** All that are open, and those whose calls outlive them. */
  readonly all: ReadonlySet<Connection>;
  /** From now on answers say that they are the last of their connection, also on connections that come later. */
  leave(): void;
  /** Closes all that are not Node's to close. */
  closeAll(): void;
  /** Every call under way, also those whose caller has gone. */
  underWay(): CallUnderWay[];
  /** Bodies that are being received on all of them, and those of them that are gone and not forgotten. */
  held(): { readonly receivers: number; readonly goneConnections: number };
}

/** @param connectionsMax callers' connections at once. */
export function createConnections(connectionsMax: number = Number.POSITIVE_INFINITY): Connections {
  const all = new Set<Connection>();
  /** Those that no call was forwarded on yet, oldest first. */
  const unproven = new Set<Connection>();
  const bySocket = new WeakMap<Socket, Connection>();
  let open = 0;
  let leaves = false;
  return {
    all,
    of(socket) {
      const known = bySocket.get(socket);
      if (known !== undefined) return known;
      const connection: Connection = { socket, relays: [], receiving: [], reader: null, hasAsked: false, shown: null };
      bySocket.set(socket, connection);
      all.add(connection);
      unproven.add(connection);
      open += 1;
      if (leaves) leaveOn(socket);
      socket.on('end', () => {
        connection.relays.forEach((relay) => relay.callerHalfClosed());
        // Node refuses a request that ends in the middle of its body by itself, but not one that asks for an upgrade.
        if (connection.receiving.length > 0) setImmediate(() => [...connection.receiving].forEach((body) => body.callerEnded()));
      });
      // All its calls are notified here, not by each answer, since Node does not notify an answer that waits behind another.
      socket.on('close', () => {
        open -= 1;
        unproven.delete(connection);
        if (connection.relays.length === 0) all.delete(connection);
        [...connection.receiving].forEach((body) => body.callerLeft());
        [...connection.relays].forEach((relay) => relay.callerLeft());
      });
      return connection;
    },
    makeRoom(newcomer) {
      if (open <= connectionsMax) return;
      const spare = idleOf(unproven, newcomer) ?? idleOf(all, newcomer);
      // A caller who has just connected may not have looked for an end when it sends: a reset tells it.
      if (spare === null) resetSocket(newcomer.socket);
      else spare.socket.destroy();
    },
    began(connection, relay) {
      unproven.delete(connection);
      connection.relays.push(relay);
    },
    ended(socket, relay) {
      const connection = bySocket.get(socket);
      if (connection === undefined) return;
      const at = connection.relays.indexOf(relay);
      if (at !== -1) connection.relays.splice(at, 1);
      if (socket.destroyed && connection.relays.length === 0) all.delete(connection);
    },
    checkPaces(nowMs) {
      for (const { receiving } of all) if (receiving.length > 0) [...receiving].forEach((body) => body.checkPace(nowMs));
    },
    leave() {
      leaves = true;
      for (const { socket } of all) leaveOn(socket);
    },
    closeAll() {
      for (const { reader, socket } of all) if (reader !== null) socket.destroy();
    },
    underWay: () => [...all].flatMap((connection) => connection.relays),
    held() {
      let receivers = 0;
      let goneConnections = 0;
      for (const { receiving, socket } of all) {
        receivers += receiving.length;
        if (socket.destroyed) goneConnections += 1;
      }
      return { receivers, goneConnections };
    },
  };
}

/** The first that is open and carries no call: nothing forwarded, and no request whose answer is due. */
function idleOf(connections: ReadonlySet<Connection>, newcomer: Connection): Connection | null {
  for (const connection of connections) {
    if (connection === newcomer || connection.socket.destroyed || connection.relays.length > 0) continue;
    if (connection.reader !== null) {
      if (connection.reader.isIdle) return connection;
      continue;
    }
    // Node's own note of the answer that is due; not in its types.
    if (((connection.socket as Socket & { _httpMessage?: unknown })._httpMessage ?? null) === null) return connection;
  }
  return null;
}
