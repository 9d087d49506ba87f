/**
 * Fresh request ids: 96 random bits, drawn from the system in blocks, one call for 256 ids, and then 32 bits that count time. The store finds
 * a record by those last digits; since they only grow, its index grows at one end, and shipping touches no old page of it.
 * Spec: Request identifier.
 */
import { randomFillSync } from 'node:crypto';
import { requestIdFrom, type RequestId } from '@metergate/core/id.ts';

const idBytes = 16;
const tickAt = 12;
/** Ids of one tick share their last digits: few enough to be told apart by the rest. The count begins again every two years. */
const tickMs = 16;
const ticks = 2 ** 32;
const block = Buffer.allocUnsafe(idBytes * 256);
let at = block.length;

/** A new `req_` id. `nowMs`: the wall clock; nothing rests on its being right. */
export function freshRequestId(nowMs: number = Date.now()): RequestId {
  if (at === block.length) {
    randomFillSync(block);
    at = 0;
  }
  block.writeUInt32BE(Math.floor(nowMs / tickMs) % ticks, at + tickAt);
  const hex = block.toString('hex', at, at + idBytes);
  at += idBytes;
  return requestIdFrom(hex);
}
