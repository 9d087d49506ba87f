/**
 * Buffers for what comes on a connection and, as a rule, has left it again before anything else is read. They are used again: 8 KB of sound would
 * otherwise be allocated for every message, and collecting that cost as much as all else that is done for it.
 */

/** Pieces of fewer bytes share a buffer of Node's. So no buffer from here is more than four times as long as what is in it. */
const bytesMin = 4 * 1024;
const sizes = [16 * 1024, 64 * 1024] as const;
/** How many of each size are kept for their next use. */
const keptMax = 8;

const kept: Readonly<Record<number, Buffer[]>> = { [sizes[0]]: [], [sizes[1]]: [] };

/** A buffer for a piece of so many bytes, to be given back once nobody has any part of it; null: the piece is too short, or too long. */
export function passingBuffer(bytes: number): Buffer | null {
  if (bytes < bytesMin || bytes > sizes[1]) return null;
  const size = bytes > sizes[0] ? sizes[1] : sizes[0];
  return kept[size]!.pop() ?? Buffer.allocUnsafeSlow(size);
}

/** Nobody reads or writes it any more. One of which that is not sure is left to the collector instead. */
export function giveBack(buffer: Buffer): void {
  const those = kept[buffer.length]!;
  if (those.length < keptMax) those.push(buffer);
}
