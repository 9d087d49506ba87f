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

/**
 * As `framedChunks`. Where these stand in what was read just as they are framed here, one behind the other, it is that part of it, and nothing is
 * copied. `cameIn`: the bytes of one read, of which all these are parts.
 */
export function framedTogether(all: readonly Uint8Array[], cameIn: Buffer | undefined): Buffer {
  if (cameIn !== undefined) {
    const from = beginOf(all[0]!, cameIn);
    let at = from;
    for (const each of all) {
      if (at < 0 || beginOf(each, cameIn) !== at || !isFramedAt(each, cameIn, at)) return framedChunks(all);
      at += framedBytes(each);
    }
    return cameIn.subarray(from, at);
  }
  return all.length === 1 ? framedChunk(all[0]!) : framedChunks(all);
}

/** Where the chunk of these bytes would begin. */
function beginOf(bytes: Uint8Array, cameIn: Buffer): number {
  return bytes.byteOffset - cameIn.byteOffset - sizeDigits(bytes.length) - 2;
}

/** Whether what stands around these bytes is what `frame` writes. */
function isFramedAt({ length }: Uint8Array, cameIn: Buffer, from: number): boolean {
  let at = from;
  for (let shift = (sizeDigits(length) - 1) * 4; shift >= 0; shift -= 4) if (cameIn[at++] !== digits[(length >> shift) & 0xf]) return false;
  if (cameIn[at] !== carriageReturn || cameIn[at + 1] !== lineFeed) return false;
  at += 2 + length;
  return cameIn[at] === carriageReturn && cameIn[at + 1] === lineFeed;
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
