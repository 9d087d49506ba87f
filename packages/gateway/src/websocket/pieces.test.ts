/** Pieces of every size, joined on their way or not, come back as one. */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { Pieces } from './pieces.ts';

for (const [name, sizes] of [
  ['empty ones', Array.from({ length: 1_000 }, () => 0)],
  ['single bytes', Array.from({ length: 70_000 }, () => 1)],
  ['long ones', Array.from({ length: 600 }, () => 2_000)],
  ['long and short ones', Array.from({ length: 2_000 }, (_, at) => at % 7 === 0 ? 9_000 : at % 3)],
] as const) {
  test(`${name} come back in their order, twice`, () => {
    const pieces = new Pieces();
    for (let round = 0; round < 2; round += 1) {
      const all = sizes.map((size, at) => Buffer.alloc(size, at + round));
      for (const piece of all) pieces.add(piece);
      const whole = Buffer.concat(all);
      assert.equal(pieces.bytes, whole.length);
      assert.ok(pieces.take().equals(whole));
      assert.equal(pieces.bytes, 0);
    }
  });
}

test('a single piece is not copied', () => {
  const pieces = new Pieces();
  const piece = Buffer.from('one');
  pieces.add(piece);
  assert.equal(pieces.take(), piece);
});
