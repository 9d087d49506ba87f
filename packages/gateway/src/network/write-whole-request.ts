/** A request whose body is here, or which has none, goes out in one write; its length is declared. RFC 9112, 6.3. */
import type { Socket } from 'node:net';
import type { OutboundRequest } from './destination.ts';
import { expectsPayload, requestHead } from './request-head.ts';

/** A body of up to this many bytes is copied behind its head, so that both are one buffer; a longer one is not copied. */
const copiedBodyBytesMax = 16 * 1024;

/** `request` has no problem, and its body is no stream. */
export function writeWholeRequest(socket: Socket, request: OutboundRequest, host: string): void {
  const head = requestHead(request, host);
  const body = request.body as Uint8Array | null;
  if (body === null || body.length === 0) {
    socket.write(expectsPayload(request.method) ? `${head}content-length: 0\r\n\r\n` : `${head}\r\n`, 'latin1');
    return;
  }
  const declared = `${head}content-length: ${body.length}\r\n\r\n`;
  if (body.length <= copiedBodyBytesMax) {
    const bytes = Buffer.allocUnsafe(declared.length + body.length);
    bytes.write(declared, 'latin1');
    bytes.set(body, declared.length);
    socket.write(bytes);
  } else {
    socket.cork();
    socket.write(declared, 'latin1');
    socket.write(body);
    socket.uncork();
  }
}
