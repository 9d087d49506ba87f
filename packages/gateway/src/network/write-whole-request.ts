/** A request whose body is here, or which has none, goes out in one write; its length is declared. RFC 9112, 6.3. */
import type { Socket } from 'node:net';
import type { OutboundRequest } from './destination.ts';
import { expectsPayload, requestHead } from './request-head.ts';

/** A body of up to this many bytes is copied behind its head, so that both are one buffer; a longer one is not copied. */
const copiedBodyBytesMax = 16 * 1024;

const noPieces: readonly Uint8Array[] = [];

/** The pieces of a body that is no stream. */
export function wholePieces({ body }: OutboundRequest): readonly Uint8Array[] {
  if (body === null) return noPieces;
  return body instanceof Uint8Array ? [body] : body as readonly Uint8Array[];
}

export function bytesOf(pieces: readonly Uint8Array[]): number {
  let bytes = 0;
  for (const { length } of pieces) bytes += length;
  return bytes;
}

/** `request` has no problem, and its body is no stream. */
export function writeWholeRequest(socket: Socket, request: OutboundRequest, host: string): void {
  const head = requestHead(request, host);
  const pieces = wholePieces(request);
  const bodyBytes = bytesOf(pieces);
  if (bodyBytes === 0) {
    socket.write(expectsPayload(request.method) ? `${head}content-length: 0\r\n\r\n` : `${head}\r\n`, 'latin1');
    return;
  }
  const declared = `${head}content-length: ${bodyBytes}\r\n\r\n`;
  if (bodyBytes <= copiedBodyBytesMax) {
    const bytes = Buffer.allocUnsafe(declared.length + bodyBytes);
    let at = bytes.write(declared, 'latin1');
    for (const piece of pieces) {
      bytes.set(piece, at);
      at += piece.length;
    }
    socket.write(bytes);
  } else {
    // They are written together, as one list.
    socket.cork();
    socket.write(declared, 'latin1');
    const { written } = request;
    const last = pieces.length - 1;
    for (let at = 0; at < last; at += 1) socket.write(pieces[at]!);
    if (written === undefined) socket.write(pieces[last]!);
    else socket.write(pieces[last]!, (error) => { if (error === null || error === undefined) written(); });
    socket.uncork();
  }
}
