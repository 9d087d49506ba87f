/** The pieces of a body that was held, as they are sent: with the one insertion where it is due, and in one write where they are short. */
import { Readable } from 'node:stream';
import { includeUsageBytes } from '@metergate/core/call/include-usage.ts';

/** The chunks with the option put in at byte `at` of the whole. */
export function withInsertion(chunks: readonly Buffer[], at: number): Uint8Array[] {
  const parts: Uint8Array[] = [];
  let offset = 0;
  for (const chunk of chunks) {
    const within = at - offset;
    if (within > 0 && within <= chunk.length) parts.push(chunk.subarray(0, within), includeUsageBytes, chunk.subarray(within));
    else parts.push(chunk);
    offset += chunk.length;
  }
  return parts;
}

/** Short bodies as one buffer, for one write; long ones as a stream of the pieces, without a second copy. */
export function inOnePiece(parts: readonly Uint8Array[], bytes: number): Uint8Array | Readable {
  if (parts.length === 1) return parts[0]!;
  if (bytes <= 1024 * 1024) return Buffer.concat(parts, bytes);
  return Readable.from(parts, { objectMode: false });
}
