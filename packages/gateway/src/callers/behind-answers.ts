/**
 * Requests that a caller pipelines on a connection of Node's server while answers to earlier ones wait behind the first. Once those are many
 * bytes, Node reads no more of the connection until the first answer has left, and its caller is not seen to leave: so it is read on here.
 * Decision 0105.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { endLingering } from '@metergate/store/network/lingering-end.ts';
import { discard } from './discarding.ts';
import { closeAfterThis } from './respond.ts';

/** Requests that are still served once Node would read no more. They bound what a connection's answers take while they wait. */
const servedMax = 64;

const behind = Symbol('behind');

/** What is Node's own is not in its types. `_paused`: it reads no more for now; in a Node without that note nothing is done here. */
type Pipelining = Socket & {
  _paused?: boolean;
  /** The answer whose turn it is. */
  readonly _httpMessage?: ServerResponse | null;
  readonly _handle?: { reading: boolean; readStart(): unknown } | null;
  [behind]?: { served: number; last: ServerResponse };
};

/** Whether this request, which has just come, is to be served. False: nothing is served any more behind the one before it. */
export function isServedBehind(request: IncomingMessage, response: ServerResponse): boolean {
  const socket: Pipelining = request.socket;
  const before = socket[behind];
  // A caller that does not read is waited for: what waits to be written tells of its leaving. Answers that are all written leave by themselves.
  const isFull = socket._paused === true && response.socket === null && !socket.writableNeedDrain && socket._httpMessage?.writableEnded !== true;
  const served = isFull && before !== undefined ? before.served + 1 : 0;
  if (served > servedMax) {
    serveNothingBehind(socket, before!.last);
    discard(request);
    return false;
  }
  if (before === undefined) socket[behind] = { served, last: response };
  else [before.served, before.last] = [served, response];
  if (isFull) {
    socket._paused = false;
    socket.resume();
  }
  return true;
}

function serveNothingBehind(socket: Pipelining, last: ServerResponse & { _last?: boolean }): void {
  last._last = true;
  closeAfterThis(socket);
  socket.destroySoon = () => endLingering(socket);
  // Node's parser is still in the bytes of this request.
  setImmediate(() => {
    if (!socket.destroyed) discardAll(socket);
  });
}

/** Takes the connection's reading off Node's server; writing stays with it. */
function discardAll(socket: Pipelining): void {
  for (const listener of socket.listeners('data')) socket.off('data', listener as () => void);
  // It would refuse the request that it has a part of, in place of the answer that is due.
  for (const listener of socket.listeners('end')) if (listener.name === 'bound socketOnEnd') socket.off('end', listener as () => void);
  socket._paused = false;
  discard(socket);
  // While Node's parser had the bytes, the stream took itself to be reading all along.
  const handle = socket._handle;
  if (handle?.reading !== false) return;
  handle.reading = true;
  handle.readStart();
}
