/**
 * Closes the connections of a server that leaves, each once it has carried nothing for a while. A peer that asks again and again learns it from an
 * answer before that. A request that is on its way when its connection is closed gets no answer: none can be held back for it.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { endLingering } from './lingering-end.ts';

/** A connection that carried something within this time is not closed yet: its peer may be about to ask again. At most a third of the grace. */
const quietMsMax = 1_000;

/** How long a connection must have carried nothing before it is closed. Milliseconds. */
export function quietMsWithin(graceMs: number): number {
  return Math.min(quietMsMax, graceMs / 3);
}

/**
 * Since when each connection has carried nothing, as looks show it. Look behind what a turn of the event loop reads (`setImmediate`): a timer comes
 * before that, and after a stall of this thread it would take requests that have come and are not read for silence.
 */
export class SocketSilence {
  readonly #sockets = new Map<Socket, { readonly bytes: number; readonly sinceMs: number }>();

  /** Notes which of them have carried something since the last look. `sockets`: all that are open. `nowMs`: monotonic. */
  look(sockets: Iterable<Socket>, nowMs: number): void {
    for (const socket of this.#sockets.keys()) if (socket.destroyed) this.#sockets.delete(socket);
    for (const socket of sockets) {
      const bytes = socket.bytesRead + socket.bytesWritten;
      if (this.#sockets.get(socket)?.bytes !== bytes) this.#sockets.set(socket, { bytes, sinceMs: nowMs });
    }
  }

  /** False for one that no look has seen. */
  isQuiet(socket: Socket, nowMs: number, quietMs: number): boolean {
    const seen = this.#sockets.get(socket);
    return seen !== undefined && nowMs - seen.sinceMs >= quietMs;
  }
}

/**
 * Ends those of `sockets` that are quiet and that Node's server, which reads them, takes for idle. Only Node knows which are, and it destroys
 * them: until this returns, to destroy one of them is to end it, or to leave it. One that never carried a byte Node does not take for idle.
 */
export function endIdle(server: Server, sockets: readonly Socket[], isQuiet: (socket: Socket) => boolean): void {
  for (const socket of sockets) {
    const ends = isQuiet(socket);
    if (ends && socket.bytesRead === 0 && !socket.writableEnded) endLingering(socket);
    socket.destroy = () => {
      if (ends && !socket.writableEnded) endLingering(socket);
      return socket;
    };
  }
  server.closeIdleConnections();
  for (const socket of sockets) delete (socket as { destroy?: unknown }).destroy;
}
