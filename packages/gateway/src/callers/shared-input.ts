/**
 * Has a socket's bytes read into one buffer that many sockets share. Node offers that for sockets which it dials (`onread`), not for those
 * that a server accepts, though both are the same class: so the fields of that offer are set on the socket itself. Where this Node has no such
 * fields the bytes come in new buffers, as `data`; that costs more and is otherwise the same.
 */
import { Socket } from 'node:net';
import { mayUseInternals } from '@metergate/store/threads/node-internals.ts';
import { slabBytes } from '../fairness/body-slabs.ts';

/** Receives the events of a socket. */
export interface SocketReader {
  /** Takes bytes that are only there until it returns. False: no more of them until the socket is resumed. */
  take(bytes: Buffer): boolean;
  /** The other side sends no more. */
  ended(): void;
  /** The socket is closed. */
  closed(): void;
}

/** What one read brings fits into a slab. */
const shared = Buffer.allocUnsafeSlow(slabBytes);

/** A socket's reader. Here, and not in functions of the socket's own: those of 10,000 idle connections would take memory. */
const reader = Symbol('reader');

type ReadSocket = Socket & { [reader]: SocketReader };

interface SocketFields {
  _handle?: { useUserBuffer?: (buffer: Uint8Array) => void } | null;
  [field: symbol]: unknown;
}

/** Call this as soon as the socket is accepted. An error of the socket is ignored: it is reported as `closed`. */
export function readShared(socket: Socket, by: SocketReader): void {
  const fields = socket as Socket & SocketFields;
  fields[reader] = by;
  socket.on('error', ignore).on('end', onEnd).on('close', onClose);
  const names = namesOf(socket);
  const handle = fields._handle;
  if (names === null || typeof handle?.useUserBuffer !== 'function') {
    socket.on('data', onData);
    return;
  }
  fields[names.buffer] = shared;
  fields[names.callback] = onBytes;
  handle.useUserBuffer(shared);
}

/** Call this before something else listens to the socket. The reader may then still be given bytes, which nothing else reads. */
export function leaveToOthers(socket: Socket): void {
  socket.off('error', ignore).off('end', onEnd).off('close', onClose).off('data', onData);
}

// Called with the socket as their `this`.

function onBytes(this: ReadSocket, length: number): boolean {
  return this[reader].take(length === shared.length ? shared : shared.subarray(0, length));
}

function onData(this: ReadSocket, chunk: Buffer): void {
  if (!this[reader].take(chunk)) this.pause();
}

function onEnd(this: ReadSocket): void {
  this[reader].ended();
}

function onClose(this: ReadSocket): void {
  this[reader].closed();
}

function ignore(): void {}

/** Whether this Node has the fields. */
export function sharesInput(): boolean {
  return namesOf(new Socket()) !== null;
}

interface FieldNames {
  readonly buffer: symbol;
  readonly callback: symbol;
}

let known: FieldNames | null | undefined;

/** The same for all sockets, since Node makes each field's name once. */
function namesOf(socket: Socket): FieldNames | null {
  if (known !== undefined) return known;
  if (!mayUseInternals) return known = null;
  const named = (text: string): symbol | undefined => Object.getOwnPropertySymbols(socket).find(({ description }) => description === text);
  const [buffer, callback] = [named('kBuffer'), named('kBufferCb')];
  return known = buffer === undefined || callback === undefined ? null : { buffer, callback };
}
