/** The pieces of a body that was held, as they are sent: with the one insertion where it is due. Nothing is copied. */
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
