/** Texts that are remembered are those that decoding gives. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '@metergate/testkit/drawn.ts';
import { recentString } from './recent-strings.ts';

const encoder = new TextEncoder();

/** From the middle of a longer text, as it stands in a chunk. */
function read(raw: string): string {
  const bytes = encoder.encode(`"${raw}"`);
  return recentString(bytes, 1, bytes.length - 1);
}

test('a string reads as JavaScript reads it, the first time and again', () => {
  const character = fc.constantFrom('a', 'b', '\\n', '\\u0061', '\\\\', '\\"', 'é', '🙂', '\uFEFF', '-');
  fc.assert(fc.property(fc.array(fc.array(character, { maxLength: 5 }).map((each) => each.join('')), { maxLength: 40 }), (raws) => {
    for (const raw of [...raws, ...raws]) assert.equal(read(raw), JSON.parse(`"${raw}"`));
  }));
});

test('strings that share a place, and long ones, are distinguished', () => {
  for (let round = 0; round < 2; round += 1) {
    for (let number = 0; number < 3_000; number += 1) assert.equal(read(`a${number}z`), `a${number}z`);
    for (const raw of ['', 'x'.repeat(64), 'x'.repeat(65), `${'x'.repeat(63)}y`, '\\u0078'.repeat(20)]) {
      assert.equal(read(raw), JSON.parse(`"${raw}"`));
    }
  }
});
