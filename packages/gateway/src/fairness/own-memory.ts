/**
 * Copies of bytes that are kept for a while, in memory that they share with nothing. Node makes short buffers as parts of a room, of 8 KiB in Node 24
 * and of 64 in Node 26, and each part that is kept keeps its whole room: a piece of 5 KiB may hold thirteen times what it counts. For bytes that are
 * gone soon a room is cheaper.
 */

/** Shorter pieces of a body are rather copied together: as an object of its own each takes some hundred bytes besides. */
export const tinyBytesBelow = 4 * 1024;

/** A copy of these bytes. */
export function ownCopy(bytes: Uint8Array): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  return copy;
}

/** One copy of all these parts, which are so many bytes together. */
export function ownJoined(parts: readonly Uint8Array[], bytes: number): Buffer {
  const joined = Buffer.allocUnsafeSlow(bytes);
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}
