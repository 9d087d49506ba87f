/**
 * How a server of Node leaves without a reset: while it leaves, every answer says `Connection: close`; closed, it first ends the connections that
 * carry nothing. The gateway's, which also reads requests past Node's server, has its own (`gateway/src/callers/leaving.ts`). Decision 0106.
 */
import type { RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { closeListeners } from './closing-listener.ts';
import { endIdle, quietMsWithin, SocketSilence } from './idle-sockets.ts';
import { endLingering } from './lingering-end.ts';
import type { Listeners } from './wide-listener.ts';

const sweepMs = 50;

interface LeavingServer {
  /** From now on answers say that they are the last of their connection. Everything is still accepted. */
  leave(): void;
  /**
   * Takes no more connections and resolves once all are closed: the others than the idle ones after `graceMs` at the latest. `listeners`: what
   * listens for the server, by default itself.
   */
  close(graceMs: number, listeners?: Listeners): Promise<void>;
}

/** Has a server's requests answered by `listener`, except those that come behind a last answer. The server must have no other listener. */
export function answerUntilLeft(server: Server, listener: RequestListener): LeavingServer {
  /** The newest answer of each connection; null: nothing was asked on it yet, or the answer is whole. */
  const newest = new Map<Socket, ServerResponse | null>();
  const silence = new SocketSilence();
  let leaves = false;

  function note(socket: Socket, response: ServerResponse): void {
    const former = newest.get(socket) ?? null;
    // Another request has come behind it, which is answered too.
    if (leaves && former?.headersSent === false) former.shouldKeepAlive = true;
    newest.set(socket, response);
    response.once('close', () => {
      if (newest.get(socket) === response) newest.set(socket, null);
    });
    if (leaves) isLast(socket, response);
  }

  server.on('connection', (socket: Socket) => {
    newest.set(socket, null);
    socket.once('close', () => newest.delete(socket));
  });
  server.on('request', (request, response) => {
    const { socket } = request;
    const former = newest.get(socket);
    // Nothing can be answered on it any more.
    if (socket.writableEnded || (leaves && former?.headersSent === true && !former.shouldKeepAlive)) return;
    note(socket, response);
    listener(request, response);
  });
  return {
    leave() {
      leaves = true;
      silence.look(newest.keys(), performance.now());
      for (const [socket, response] of newest) if (response?.headersSent === false) isLast(socket, response);
    },
    close(graceMs, listeners = [server]) {
      const quietMs = quietMsWithin(graceMs);
      const sweepNow = (): void => {
        const nowMs = performance.now();
        silence.look(newest.keys(), nowMs);
        endIdle(server, [...newest.keys()], (socket) => silence.isQuiet(socket, nowMs, quietMs));
      };
      return new Promise((resolve) => {
        const sweep = setInterval(() => setImmediate(sweepNow), sweepMs);
        const grace = setTimeout(() => server.closeAllConnections(), graceMs);
        closeListeners(listeners, {
          closed: () => {
            this.leave();
            sweepNow();
          },
          ended() {
            clearInterval(sweep);
            clearTimeout(grace);
            resolve();
          },
        });
      });
    },
  };
}

function isLast(socket: Socket, response: ServerResponse): void {
  response.shouldKeepAlive = false;
  // Node closes at once after the last answer, with whatever has come by then.
  socket.destroySoon = () => endLingering(socket);
}
