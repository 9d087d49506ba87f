/**
 * A stopping node says so: the answers that it gives from then on carry `Connection: close`, so that its callers take their next
 * calls elsewhere before a connection is closed under them. Decision 0106.
 */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { CallerRequest, CallerResponse } from './caller-exchange.ts';
import { endLingering } from '@metergate/store/network/lingering-end.ts';
import { WholeResponse } from './whole-response.ts';

/** Answers look nothing up until a node of this process leaves. */
let someLeave = false;
const leaving = new WeakSet<Socket>();

/** The node of this connection is stopping. */
export function leaveOn(socket: Socket): void {
  someLeave = true;
  leaving.add(socket);
}

/** How many requests a connection has had; of a request, which of them it is. */
const place = Symbol('place');
type Placed = { [place]?: number };

/** Node's server reads, and serves, what a caller pipelines behind a request that is not answered. Call this for each request of it. */
export function noteRequest(request: IncomingMessage): void {
  const socket = request.socket as Socket & Placed;
  socket[place] = (request as IncomingMessage & Placed)[place] = (socket[place] ?? 0) + 1;
}

/**
 * Whether this answer, whose head is written now, is the last one of its connection because the node leaves. Not if another request has come
 * behind it: that one is answered too, and then says so.
 */
export function leavesWith(request: CallerRequest, response: CallerResponse): boolean {
  if (!someLeave || !leaving.has(request.socket)) return false;
  if (response instanceof WholeResponse) return !response.hasNext;
  const socket: Socket & Placed = request.socket;
  if ((request as CallerRequest & Placed)[place] !== socket[place]) return false;
  // Node closes at once after the last answer, with whatever has come by then.
  socket.destroySoon = () => endLingering(socket);
  return true;
}
