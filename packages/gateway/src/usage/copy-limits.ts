/**
 * The limits of decoding a copy. Honest bodies stay within them, even the 100 MB of a large embeddings answer. A body that expands a
 * thousandfold is given up early, whatever its size. Giving up costs that call its usage figure (`decode_limit`, `decode_late`), and affects
 * no other.
 */

export interface CopyLimits {
  /** Most decoded bytes of one response. */
  readonly decodedBytesMax: number;
  /** Decoded bytes that every response may have, however few bytes were received. */
  readonly decodedBytesFloor: number;
  /** Beyond the floor, decoded bytes for each byte received. Text compresses 3 to 30 times, runs of zeros 1,000 times and more. */
  readonly decodedPerReceived: number;
  /** Received bytes of one response that may wait for its decoder. */
  readonly waitingBytesMax: number;
  /** The same over all responses together: one count, shared by the copies of a process. */
  readonly waiting: WaitingBytes;
}

/** Received bytes that wait for decoders, over all calls. */
interface WaitingBytes {
  now: number;
  readonly max: number;
}

const mebibyte = 1024 * 1024;

export const defaultCopyLimits: CopyLimits = {
  decodedBytesMax: 128 * mebibyte,
  decodedBytesFloor: 8 * mebibyte,
  decodedPerReceived: 64,
  waitingBytesMax: 32 * mebibyte,
  waiting: { now: 0, max: 128 * mebibyte },
};

/** The most that a response may have expanded to after this many received bytes. */
export function decodedAllowance(limits: CopyLimits, receivedBytes: number): number {
  return Math.min(limits.decodedBytesMax, limits.decodedBytesFloor + receivedBytes * limits.decodedPerReceived);
}
