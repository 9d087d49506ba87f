/**
 * Fresh request ids, 128 random bits each, drawn from the system in blocks: one call for 256 ids.
 * Spec: Request identifier.
 */
import { randomFillSync } from 'node:crypto';
import { requestIdFrom, type RequestId } from '@metergate/core/id.ts';

const block = Buffer.allocUnsafe(16 * 256);
let at = block.length;

/** A new `req_` id. */
export function freshRequestId(): RequestId {
  if (at === block.length) {
    randomFillSync(block);
    at = 0;
  }
  const hex = block.toString('hex', at, at + 16);
  at += 16;
  return requestIdFrom(hex);
}
