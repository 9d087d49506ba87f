/** Closes the callers' connections of a node that leaves, whoever reads them, once they have carried nothing for a while. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { endIdle, SocketSilence } from '@metergate/store/network/idle-sockets.ts';
import type { Connection } from './connections.ts';

export class IdleClosing {
  readonly #server: Server;
  readonly #connections: ReadonlySet<Connection>;
  readonly #silence = new SocketSilence();

  /** `connections`: those of the server, as they are at each look. */
  constructor(server: Server, connections: ReadonlySet<Connection>) {
    this.#server = server;
    this.#connections = connections;
  }

  /** Notes which of them have carried something since the last look. */
  look(nowMs: number): void {
    const sockets: Socket[] = [];
    for (const { socket } of this.#connections) sockets.push(socket);
    this.#silence.look(sockets, nowMs);
  }

  /** Closes those that wait for a request and, as the looks show, have carried nothing for that long. */
  close(nowMs: number, quietMs: number): void {
    this.look(nowMs);
    const isQuiet = (socket: Socket): boolean => this.#silence.isQuiet(socket, nowMs, quietMs);
    const nodes: Socket[] = [];
    for (const { reader, socket } of this.#connections) {
      if (reader === null) nodes.push(socket);
      else if (isQuiet(socket)) reader.closeIfIdle();
    }
    endIdle(this.#server, nodes, isQuiet);
  }
}
