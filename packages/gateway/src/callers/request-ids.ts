/**
 * Fresh request ids: 96 random bits, drawn from the system in blocks, one call for 256 ids, and then 32 bits that count time. The store finds
 * a record by those last digits; since they only grow, its index grows at one end, and shipping touches no old page of it.
 * Each id is one piece of text, not two that are joined: what writes text for the journal is slow with joined ones. Spec: Request identifier.
 */
import { randomFillSync } from 'node:crypto';
import { requestIdFrom, type RequestId } from '@metergate/core/id.ts';

const idsPerBlock = 256;
const randomBytes = 12;
const random = Buffer.allocUnsafeSlow(randomBytes * idsPerBlock);
const idCharacters = 36;
const timeDigits = 8;
const hexDigits = Buffer.from('0123456789abcdef', 'latin1');
const firstDigitAt = idCharacters - 2 * randomBytes - timeDigits;
/** The ids of a block, one character a byte; their last digits are those of the tick in which each is taken. */
const block = Buffer.from(requestIdFrom('0'.repeat(2 * randomBytes + timeDigits)).repeat(idsPerBlock), 'latin1');
let at = block.length;

/** Ids of one tick share their last digits: few enough to be distinguished by the rest. The count begins again every two years. */
const tickMs = 16;
const ticks = 2 ** 32;
let tick = -1;
const tickText = Buffer.allocUnsafeSlow(timeDigits);

/** A new `req_` id. `nowMs`: the wall clock; nothing rests on its being right. */
export function freshRequestId(nowMs: number = Date.now()): RequestId {
  if (at === block.length) drawBlock();
  const nowTick = Math.floor(nowMs / tickMs) % ticks;
  if (nowTick !== tick) {
    tick = nowTick;
    tickText.write(tick.toString(16).padStart(timeDigits, '0'), 'latin1');
  }
  const end = at + idCharacters;
  for (let digit = 0; digit < timeDigits; digit += 1) block[end - timeDigits + digit] = tickText[digit]!;
  const id = block.toString('latin1', at, end);
  at = end;
  return id as RequestId;
}

/** When a call with this id began, by the wall clock, a few milliseconds early; it is not more than two years ago. */
export function idTakenMs(id: RequestId, nowMs: number): number {
  const nowTick = Math.floor(nowMs / tickMs);
  const digits = Number.parseInt(id.slice(-timeDigits), 16);
  return (nowTick - ((nowTick - digits) % ticks + ticks) % ticks) * tickMs;
}

function drawBlock(): void {
  randomFillSync(random);
  for (let drawn = 0; drawn < random.length; drawn += 1) {
    const byte = random[drawn]!;
    const digitAt = Math.floor(drawn / randomBytes) * idCharacters + firstDigitAt + (drawn % randomBytes) * 2;
    block[digitAt] = hexDigits[byte >> 4]!;
    block[digitAt + 1] = hexDigits[byte & 0xf]!;
  }
  at = 0;
}
