/** The end of a connection by a reset, as a caller or provider does it in tests. */
import type { Socket } from 'node:net';

/** Resets a connection. One that is just being ended is only closed: Node refuses its reset and would keep the descriptor for ever. */
export function abortSocket(socket: Socket): void {
  if (socket.writableEnded && !socket.writableFinished) socket.destroy();
  else socket.resetAndDestroy();
}
