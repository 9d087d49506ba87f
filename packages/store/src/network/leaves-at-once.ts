/**
 * Whether the system takes what was written to a socket. Node says that a socket is full by how much was written to it, before the system was asked:
 * a head and one read of 64 KiB fill it. Whoever stops reading for that has a socket taken out of what is watched and put back, for nothing.
 */
import type { Socket } from 'node:net';

/** Hands over what waits for the end of the tick. True: nothing waits any more. */
export function leavesAtOnce(socket: Socket): boolean {
  while (socket.writableCorked > 0) socket.uncork();
  return socket.writableLength === 0;
}
