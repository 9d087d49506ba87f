/** Pieces of a body that are packed: the same bytes in the same order, in memory that is used again, of which each byte is counted. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { draws, fc } from '@metergate/testkit/drawn.ts';
import { bodySlabs, pieceBytesMin, slabBytes } from './body-slabs.ts';
import { PackedPieces } from './packed-pieces.ts';

let filler = 0;
const filled = (bytes: number): Buffer => Buffer.alloc(bytes, filler = (filler + 1) % 251);

const memoryOf = (pieces: readonly Buffer[]): number =>
  pieces.reduce((bytes, piece) => bytes + (bodySlabs.hasLent(piece) ? slabBytes : piece.length), 0);

test('short pieces that fill no slab stay as they are', () => {
  const pieces = [filled(10_000), filled(slabBytes - 10_001)];
  const packed = new PackedPieces();
  assert.deepEqual(pieces.map((piece) => packed.add(piece)), [10_000, slabBytes - 10_001]);
  assert.deepEqual(packed.all(), pieces);
});

test('pieces of any lengths are the same bytes afterwards, and what they take is what was counted', () => {
  const one = fc.oneof(fc.nat({ max: 3_000 }), fc.nat({ max: 40_000 }), fc.constantFrom(pieceBytesMin, slabBytes, 70_000, 200_000));
  const lengths = fc.array(one, { maxLength: 20 });
  fc.assert(fc.property(lengths, (all) => {
    const packed = new PackedPieces();
    const pieces: Buffer[] = [];
    const copies: Buffer[] = [];
    let counted = 0;
    for (const bytes of all) {
      const piece = bodySlabs.copyOf(filled(bytes));
      pieces.push(piece);
      copies.push(Buffer.from(piece));
      counted += packed.add(piece);
    }
    const result = packed.all();
    assert.equal(Buffer.concat(result).equals(Buffer.concat(copies)), true);
    // Tiny ones stand in rooms that are doubled whenever they are full.
    assert.ok(memoryOf(result) <= counted && counted <= 2 * memoryOf(result) + 2_048, `${memoryOf(result)} ${counted}`);
    for (const piece of result) bodySlabs.giveBack(piece);
  }), { numRuns: draws(300) });
});

test('a hundred thousand pieces of one byte are few pieces, and take what is counted', () => {
  const packed = new PackedPieces();
  const count = 100_000;
  let counted = 0;
  for (let at = 0; at < count; at += 1) counted += packed.add(Buffer.from([at % 256]));
  const result = packed.all();
  assert.ok(result.length <= 2, `${result.length} pieces`);
  assert.equal(Buffer.concat(result).every((byte, at) => byte === at % 256), true);
  assert.ok(counted >= count && counted <= 2 * count, String(counted));
});
