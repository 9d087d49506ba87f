/**
 * Body bytes → a chunk of HTTP/1.1 as one buffer (RFC 9112, 7.1). Node writes the size, the bytes and the line's end of each chunk by
 * themselves: three writes, which for the small events of a stream is most of what sending them costs. No extensions, no trailers.
 */

/** Longer pieces are not copied: they go out in three writes. */
export const joinedBytesMax = 4096;

/** The end of a chunk. */
export const chunkEnd = Buffer.from('\r\n');
/** The last chunk, and the end of the body. */
export const bodyEnd = Buffer.from('0\r\n\r\n');

const carriageReturn = 0x0d;
const lineFeed = 0x0a;
const digits = Buffer.from('0123456789abcdef');

/** The line before a chunk's bytes. `bytes` is not empty: a chunk of size 0 would end the body. */
export function sizeLine(bytes: Uint8Array): string {
  return `${bytes.length.toString(16)}\r\n`;
}

/** The chunk of these bytes, at most `joinedBytesMax` and not empty. */
export function framedChunk(bytes: Uint8Array): Buffer {
  return framed(bytes, 0);
}

/** The chunk of these bytes and the end of the body. */
export function framedLastChunk(bytes: Uint8Array): Buffer {
  const buffer = framed(bytes, bodyEnd.length);
  buffer.set(bodyEnd, buffer.length - bodyEnd.length);
  return buffer;
}

function framed(bytes: Uint8Array, roomBehind: number): Buffer {
  const { length } = bytes;
  const sizeDigits = length < 0x10 ? 1 : length < 0x100 ? 2 : length < 0x1000 ? 3 : 4;
  const buffer = Buffer.allocUnsafe(sizeDigits + length + 4 + roomBehind);
  let at = 0;
  for (let shift = (sizeDigits - 1) * 4; shift >= 0; shift -= 4) buffer[at++] = digits[(length >> shift) & 0xf]!;
  buffer[at++] = carriageReturn;
  buffer[at++] = lineFeed;
  buffer.set(bytes, at);
  at += length;
  buffer[at++] = carriageReturn;
  buffer[at] = lineFeed;
  return buffer;
}
