/**
 * Closes the connections of a node that leaves, each once it has carried nothing for a while. A caller that makes one call after the other is
 * told by an answer before that. A request that is on its way when its connection is closed would get no answer, and none can be held back for it.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Connection } from './connections.ts';
import { endLingering } from './lingering-end.ts';
import { closeAfterThis } from './respond.ts';

/** What a connection had carried at the last look that found it changed. Milliseconds, monotonic. */
interface Silence {
  readonly bytes: number;
  readonly sinceMs: number;
}

export class IdleClosing {
  readonly #server: Server;
  readonly #connections: ReadonlySet<Connection>;
  readonly #silences = new Map<Connection, Silence>();

  /** `connections`: those of the server, as they are at each look. */
  constructor(server: Server, connections: ReadonlySet<Connection>) {
    this.#server = server;
    this.#connections = connections;
  }

  /** Notes which connections have carried something since the last look. */
  look(nowMs: number): void {
    for (const connection of this.#silences.keys()) if (!this.#connections.has(connection)) this.#silences.delete(connection);
    for (const connection of this.#connections) {
      const bytes = connection.socket.bytesRead + connection.socket.bytesWritten;
      if (this.#silences.get(connection)?.bytes !== bytes) this.#silences.set(connection, { bytes, sinceMs: nowMs });
    }
  }

  /** Closes those that wait for a request and, as the looks show, have carried nothing for that long. */
  close(nowMs: number, quietMs: number): void {
    this.look(nowMs);
    const isQuiet = (connection: Connection): boolean => nowMs - this.#silences.get(connection)!.sinceMs >= quietMs;
    const nodes: Socket[] = [];
    for (const connection of this.#connections) {
      const { reader, socket } = connection;
      if (reader === null) nodes.push(asksFirst(socket, isQuiet(connection)));
      else if (isQuiet(connection)) reader.closeIfIdle();
    }
    this.#server.closeIdleConnections();
    for (const socket of nodes) delete (socket as { destroy?: unknown }).destroy;
  }
}

/** Only Node's server knows which of its connections are idle, and it destroys them. Until that is undone, this one only ends, or stays. */
function asksFirst(socket: Socket, isQuiet: boolean): Socket {
  socket.destroy = () => {
    if (isQuiet && !socket.writableEnded) {
      closeAfterThis(socket);
      endLingering(socket);
    }
    return socket;
  };
  return socket;
}
