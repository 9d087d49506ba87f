/**
 * Has a socket's bytes read into one buffer that many sockets share. Node offers that for sockets which it dials (`onread`), not for those
 * that a server accepts, though both are the same class: so the fields of that offer are set on the socket itself. Where this Node has no such
 * fields the bytes come in buffers of their own, as `data`; that costs more and is otherwise the same.
 */
import type { Socket } from 'node:net';

/** Takes bytes that are only there until it returns. False: no more of them until the socket is resumed. */
export type TakeBytes = (bytes: Buffer) => boolean;

const shared = Buffer.allocUnsafeSlow(64 * 1024);

interface SocketFields {
  _handle?: { useUserBuffer?: (buffer: Uint8Array) => void } | null;
  [field: symbol]: unknown;
}

/**
 * To be called as soon as the socket is accepted. Returns what is to be called before something else listens for `data`: `take` may then still
 * be given bytes that nothing else reads.
 */
export function readShared(socket: Socket, take: TakeBytes): () => void {
  const fields = socket as Socket & SocketFields;
  const names = namesOf(socket);
  const handle = fields._handle;
  if (names === null || typeof handle?.useUserBuffer !== 'function') {
    const read = (chunk: Buffer): void => { if (!take(chunk)) socket.pause(); };
    socket.on('data', read);
    return () => { socket.off('data', read); };
  }
  fields[names.buffer] = shared;
  fields[names.callback] = (length: number) => take(length === shared.length ? shared : shared.subarray(0, length));
  handle.useUserBuffer(shared);
  return () => {};
}

interface FieldNames {
  readonly buffer: symbol;
  readonly callback: symbol;
}

let known: FieldNames | null | undefined;

/** The same for all sockets, since Node makes each field's name once. */
function namesOf(socket: Socket): FieldNames | null {
  if (known !== undefined) return known;
  const named = (text: string): symbol | undefined => Object.getOwnPropertySymbols(socket).find(({ description }) => description === text);
  const [buffer, callback] = [named('kBuffer'), named('kBufferCb')];
  return known = buffer === undefined || callback === undefined ? null : { buffer, callback };
}
