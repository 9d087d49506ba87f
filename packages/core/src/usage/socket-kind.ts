/**
 * The path of a WebSocket handshake → the API that is spoken on it, and so what its messages mean. An API that is not known is forwarded, and what
 * is done on it is not reported in words that are read. Decision 0121.
 */
import { wires, type Wire } from '../wire/wire.ts';
import { plainOperationOf } from './operation.ts';

/** `unread`: everything else, live translation too, which reports no usage. */
export type SocketKind = 'responses' | 'realtime' | 'live' | 'unread';

const responses = /^\/v1\/(?:.+\/)?responses$/;
const realtime = /^\/v1\/(?:.+\/)?realtime$/;
const live = /^\/v1\/(?:.+\/)?live(?:\/.*)?$/;

/** `path`: as called, without its query, in any spelling. */
export function socketKindOf({ wire, path }: { readonly wire: Wire; readonly path: string }): SocketKind {
  if (!wires[wire].speaksWebSocket) return 'unread';
  const plain = plainOperationOf(path);
  if (responses.test(plain)) return 'responses';
  if (realtime.test(plain)) return 'realtime';
  return live.test(plain) ? 'live' : 'unread';
}
