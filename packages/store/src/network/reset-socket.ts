/** The end of a connection by a reset. */
import type { Socket } from 'node:net';

/**
 * Ends a connection with a reset, as far as the runtime can: while a socket that was ended is still saying so, Node refuses the reset, keeps the
 * descriptor for ever, and neither its thread nor its process can end any more. Such a socket is closed without one.
 */
export function resetSocket(socket: Socket): void {
  if (socket.writableEnded && !socket.writableFinished) socket.destroy();
  else socket.resetAndDestroy();
}
