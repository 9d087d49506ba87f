/** Where runs of plain bytes end, found 16 bytes at once, against a loop over bytes. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { plainRunEnd } from './plain-run.ts';

const isPlain = (byte: number): boolean => byte >= 0x20 && byte < 0x80 && byte !== 0x22 && byte !== 0x5c;

function slowRunEnd(source: Uint8Array, from: number, to: number): number {
  let at = from;
  while (at < to && isPlain(source[at]!)) at += 1;
  return at;
}

test('every byte that does not stand for itself ends a run, at any position', () => {
  const source = new Uint8Array(3_000).fill(0x61);
  for (let byte = 0; byte < 256; byte += 1) {
    for (const at of [0, 1, 127, 128, 129, 143, 144, 145, 1_151, 1_152, 1_153, 2_998, 2_999]) {
      source[at] = byte;
      assert.equal(plainRunEnd(source, 0, source.length), isPlain(byte) ? 3_000 : at, `byte ${byte} at ${at}`);
      source[at] = 0x61;
    }
  }
});

test('a run ends at the given position, also if what follows is not plain, or was not in the run before', () => {
  const source = new Uint8Array(200_000).fill(0x7f);
  source[150_000] = 0x0a;
  for (const from of [0, 1, 7, 100_000]) {
    for (const bytes of [0, 1, 15, 16, 17, 128, 129, 144, 145, 1_152, 1_153, 66_688, 66_689, 99_000, 200_000]) {
      const to = Math.min(source.length, from + bytes);
      assert.equal(plainRunEnd(source, from, to), slowRunEnd(source, from, to), `from ${from} to ${to}`);
    }
  }
  assert.equal(plainRunEnd(source.subarray(10, 300), 0, 290), 290);
});

test('runs of any lengths end as they do when read byte by byte', () => {
  let seed = 1;
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
  for (let round = 0; round < 2_000; round += 1) {
    const source = new Uint8Array(random(4_000)).map(() => 0x20 + random(2));
    for (let odd = random(3); odd > 0; odd -= 1) source[random(source.length)] = random(256);
    const from = random(source.length);
    assert.equal(plainRunEnd(source, from, source.length), slowRunEnd(source, from, source.length));
  }
});

test('if WebAssembly is not available, it is tried once, and runs end as they do with it', async (t) => {
  const here = Object.getOwnPropertyDescriptor(globalThis, 'WebAssembly')!;
  let asked = 0;
  Object.defineProperty(globalThis, 'WebAssembly', { configurable: true, get: () => void (asked += 1) });
  t.after(() => Object.defineProperty(globalThis, 'WebAssembly', here));
  const without = await import(`./plain-run.ts?${'without'}`) as { readonly plainRunEnd: typeof plainRunEnd };
  const source = new Uint8Array(3_000).fill(0x61);
  source[2_000] = 0x22;
  assert.deepEqual([0, 1, 2].map((from) => without.plainRunEnd(source, from, 3_000)), [2_000, 2_000, 2_000]);
  assert.equal(asked, 1);
});
