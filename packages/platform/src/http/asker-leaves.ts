/** Whether whoever sent a request still waits for its answer. */
import type { Socket } from 'node:net';
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';

/** Of each connection, those of its requests that are not answered. */
const waiting = new WeakMap<Socket, Set<AbortController>>();

/**
 * Aborts once the request's connection has ended, or its answer has been sent. Never if the app is called without a socket. Older
 * versions of Node tell the end of a connection to the answer that is next on it, not to those behind, so the connection is watched as well.
 */
export function leavingOf(context: Context): AbortSignal {
  const leaving = new AbortController();
  const { incoming, outgoing } = (context.env ?? {}) as Partial<HttpBindings>;
  if (incoming === undefined || outgoing === undefined) return leaving.signal;
  const { socket } = incoming;
  if (outgoing.destroyed || socket.destroyed) {
    leaving.abort();
    return leaving.signal;
  }
  const all = waitingOn(socket);
  all.add(leaving);
  outgoing.once('close', () => {
    all.delete(leaving);
    leaving.abort();
  });
  return leaving.signal;
}

/** One listener for a connection, however many requests it has sent. */
function waitingOn(socket: Socket): Set<AbortController> {
  const known = waiting.get(socket);
  if (known !== undefined) return known;
  const all = new Set<AbortController>();
  waiting.set(socket, all);
  socket.once('close', () => { for (const leaving of all) leaving.abort(); });
  return all;
}
