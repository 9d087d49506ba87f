/** Memory of bodies that is used again: by one body at a time, whatever is given back, and not for longer than it is needed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { longPieceBytes } from '@metergate/store/threads/freed-memory.ts';
import { BodySlabs, slabBytes } from './body-slabs.ts';

const filled = (byte: number, bytes = slabBytes): Buffer => Buffer.alloc(bytes, byte);

test('a piece is a copy, and its slab is used again once it was given back', () => {
  const slabs = new BodySlabs();
  const bytes = filled(1, 40_000);
  const piece = slabs.copyOf(bytes);
  bytes.fill(9);
  assert.deepEqual(piece, filled(1, 40_000));
  slabs.giveBack(piece);
  assert.equal(slabs.spare, 1);
  const next = slabs.copyOf(filled(2));
  assert.deepEqual([next.buffer === piece.buffer, slabs.spare, next.length], [true, 0, slabBytes]);
  assert.deepEqual(next, filled(2));
});

test('a slab is never lent twice: neither by giving a piece back again, nor by a part of one, nor by what was not lent', () => {
  const slabs = new BodySlabs();
  const first = slabs.copyOf(filled(1));
  slabs.giveBack(first.subarray(0, 100));
  slabs.giveBack(filled(3));
  assert.equal(slabs.spare, 0);
  slabs.giveBack(first);
  const second = slabs.copyOf(filled(2));
  assert.equal(second.buffer, first.buffer);
  slabs.giveBack(first);
  assert.equal(slabs.spare, 0);
  const third = slabs.copyOf(filled(3));
  assert.notEqual(third.buffer, second.buffer);
  assert.deepEqual([second, third], [filled(2), filled(3)]);
});

test('a few parts that came at once share a slab, which is used again once each of them was given back', () => {
  const slabs = new BodySlabs();
  const parts = [filled(1, 16_000), filled(2, 100), filled(3, 20_000)];
  const pieces = slabs.copiesOf(parts);
  for (const part of parts) part.fill(9);
  assert.deepEqual(pieces, [filled(1, 16_000), filled(2, 100), filled(3, 20_000)]);
  assert.ok(pieces.every((piece) => piece.buffer === pieces[0]!.buffer && slabs.hasLent(piece)));
  slabs.giveBack(pieces[2]!);
  slabs.giveBack(pieces[2]!);
  slabs.giveBack(pieces[0]!.subarray(0, 10));
  slabs.giveBack(pieces[0]!);
  assert.equal(slabs.spare, 0);
  slabs.giveBack(pieces[1]!);
  assert.equal(slabs.spare, 1);
  assert.equal(slabs.copyOf(filled(4)).buffer, pieces[0]!.buffer);
});

test('parts that are too many, too short or too long together do not share', () => {
  const slabs = new BodySlabs();
  const many = Array.from({ length: 20 }, (_, at) => filled(at, 3_000));
  for (const parts of [[filled(1, 100), filled(2, 100)], many, [filled(1, 20_000), filled(2, 60_000)]]) {
    const pieces = slabs.copiesOf(parts);
    assert.deepEqual(pieces, parts);
    assert.deepEqual(pieces.map((piece) => slabs.hasLent(piece)), parts.map(({ length }) => length >= 32 * 1024));
  }
});

test('short pieces, and what is longer than a slab, are memory of their own', () => {
  const slabs = new BodySlabs();
  for (const bytes of [1, 4_000, 4_096, 32 * 1024 - 1, slabBytes + 1]) {
    const whole = filled(7, bytes);
    for (const piece of [slabs.copyOf(whole), slabs.joinedCopyOf([whole.subarray(0, 1), whole.subarray(1)])]) {
      assert.deepEqual([piece, slabs.hasLent(piece)], [whole, false]);
      if (bytes >= 4_096) assert.equal(piece.buffer.byteLength, bytes, 'and not a part of a room, which each of its parts would keep');
      slabs.giveBack(piece);
    }
  }
  assert.equal(slabs.spare, 0);
});

test('no more slabs are kept than their bound, and none once they have not been needed for a while', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const slabs = new BodySlabs();
  const pieces = Array.from({ length: 1_100 }, (_, at) => slabs.copyOf(filled(at % 256)));
  const freed = (): number => pieces.filter(({ buffer }) => buffer.byteLength === 0).length;
  for (const piece of pieces) slabs.giveBack(piece);
  assert.deepEqual([slabs.spare, freed()], [1_024, 76], 'those that are too many are freed at once');
  t.mock.timers.tick(5_000);
  assert.equal(slabs.spare, 1_024);
  t.mock.timers.tick(5_000);
  assert.deepEqual([slabs.spare, freed()], [0, 1_100]);
});

test('a slab is long enough to be taken from the system by itself, and is whole pages with what the C library writes', () => {
  // glibc puts the length of a piece before it and rounds up to 16 bytes; before a piece taken by itself stand 8 bytes more.
  const piece = Math.ceil((slabBytes + 8) / 16) * 16;
  assert.ok(piece >= longPieceBytes);
  assert.equal(Math.ceil((piece + 8) / 4_096), 16);
});
