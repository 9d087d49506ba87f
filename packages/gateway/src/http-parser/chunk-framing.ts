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
  const buffer = Buffer.allocUnsafe(framedBytes(bytes));
  frame(bytes, buffer, 0);
  return buffer;
}

/** The chunk of these bytes and the end of the body. */
export function framedLastChunk(bytes: Uint8Array): Buffer {
  const buffer = Buffer.allocUnsafe(framedBytes(bytes) + bodyEnd.length);
  buffer.set(bodyEnd, frame(bytes, buffer, 0));
  return buffer;
}

/** One chunk after the other, each of at most `joinedBytesMax` and not empty. */
export function framedChunks(all: readonly Uint8Array[]): Buffer {
  let bytes = 0;
  for (const each of all) bytes += framedBytes(each);
  const buffer = Buffer.allocUnsafe(bytes);
  let at = 0;
  for (const each of all) at = frame(each, buffer, at);
  return buffer;
}

function sizeDigits(length: number): number {
  return length < 0x10 ? 1 : length < 0x100 ? 2 : length < 0x1000 ? 3 : 4;
}

function framedBytes({ length }: Uint8Array): number {
  return sizeDigits(length) + length + 4;
}

/** Writes the chunk there; where it ends. */
function frame(bytes: Uint8Array, buffer: Buffer, from: number): number {
  const { length } = bytes;
  let at = from;
  for (let shift = (sizeDigits(length) - 1) * 4; shift >= 0; shift -= 4) buffer[at++] = digits[(length >> shift) & 0xf]!;
  buffer[at++] = carriageReturn;
  buffer[at++] = lineFeed;
  buffer.set(bytes, at);
  at += length;
  buffer[at++] = carriageReturn;
  buffer[at++] = lineFeed;
  return at;
}
