/**
 * Where the bytes of all connections to destinations come in: one buffer, whose bytes are read before the next ones can come. As far as is known
 * no bytes come while others are read; if they ever did, neither connection could trust what it read.
 */
import { slabBytes } from '../fairness/body-slabs.ts';

/** What one read brings fits into a slab. */
export const incomingBytes = Buffer.allocUnsafeSlow(slabBytes);

let [reading, overwritten] = [false, false];

export const incoming = {
  /** True: others are being read, and were just overwritten. */
  areBeingRead(): boolean {
    if (reading) overwritten = true;
    return reading;
  },
  begin(): void {
    reading = true;
  },
  /** Others came in since `begin`. */
  get wereOverwritten(): boolean {
    return overwritten;
  },
  end(): void {
    reading = overwritten = false;
  },
};
