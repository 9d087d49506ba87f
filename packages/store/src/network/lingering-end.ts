/**
 * The end of a connection that its caller may still be writing to. The system resets a connection that is closed with bytes unread or still on
 * their way, and the caller may lose an answer that it has not read. So our side ends, and what still comes is read and thrown away.
 */
import type { Socket } from 'node:net';

/** How long the caller has to end its side. */
export const lingerMs = 2_000;

/** Ends our side behind what was written. The connection is closed once the caller has ended its side, or after `lingerMs`. */
export function endLingering(socket: Socket): void {
  if (socket.destroyed) return;
  socket.end();
  const timer = setTimeout(() => socket.destroy(), lingerMs).unref();
  socket.once('close', () => clearTimeout(timer));
  socket.resume();
}
