/** Rule 8a: how many compressed copies of an organization are decoded at once, on a clock of numbers, and counted in open decoders. */
import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import zlib from 'node:zlib';
import type { Reading } from '@metergate/core/usage/reading.ts';
import { defaultCopyLimits } from './copy-limits.ts';
import { createCopyReader } from './create-copy-reader.ts';
import { createDecodingTurns } from './decoding-turns.ts';
import { DecodingPlaces, type Placed } from './decoding-places.ts';
import { createMarkerReader, marker } from './test-support/marker-reader.ts';

function placesByHand() {
  const clock = { nowMs: 1_000 };
  const rests: [delayMs: number, task: () => void][] = [];
  const places = new DecodingPlaces({ monotonicMs: () => clock.nowMs, after: (...rest) => rests.push(rest) });
  const begun: string[] = [];
  const copies = (organization: string, count: number): Placed[] => Array.from({ length: count }, (_, at) => {
    const copy = { begin: () => void begun.push(`${organization} ${at}`) };
    places.seek(organization, copy);
    return copy;
  });
  return { clock, rests, places, begun, copies };
}

test('four copies of an organization are decoded at once, the others wait in order; another organization has separate places', () => {
  const { places, begun, copies } = placesByHand();
  const own = copies('a', 6);
  copies('b', 1);
  assert.deepEqual(begun, ['a 0', 'a 1', 'a 2', 'a 3', 'b 0']);
  places.leave('a', own[4]!);
  places.leave('a', own[0]!);
  assert.deepEqual(begun.slice(5), ['a 5'], 'who waits no longer is passed over');
  places.leave('a', own[0]!);
  assert.equal(begun.length, 6);
});

test('each copy that ends gives its organization one more place, sixteen at most', () => {
  const { places, begun, copies } = placesByHand();
  const own = copies('a', 100);
  for (let ended = 1; ended <= 30; ended += 1) {
    places.leave('a', own[ended - 1]!);
    assert.equal(begun.length - ended, Math.min(4 + ended, 16));
  }
});

test('after a copy that expanded without end its organization rests, longer each time, and decodes one copy at a time for ten seconds', () => {
  const { clock, rests, places, begun, copies } = placesByHand();
  const bombs = copies('bombs', 10);
  places.leaveExpanding('bombs', bombs[0]!);
  copies('b', 5);
  assert.equal(begun.length, 8, 'nobody else rests');
  bombs.slice(1, 4).forEach((bomb) => places.leave('bombs', bomb));
  for (const [at, restMs] of [[4, 50], [5, 100], [6, 200], [7, 400]] as const) {
    const [delayMs, wake] = rests.pop()!;
    assert.deepEqual([delayMs, rests.length], [restMs, 0]);
    clock.nowMs += delayMs;
    wake();
    assert.deepEqual(begun.slice(8), bombs.slice(4, at + 1).map((_, n) => `bombs ${4 + n}`));
    places.leaveExpanding('bombs', bombs[at]!);
  }
  assert.equal(rests[0]![0], 400);
  clock.nowMs += 10_001;
  rests.pop()![1]();
  assert.deepEqual(begun.slice(12), ['bombs 8', 'bombs 9']);
  places.leaveExpanding('bombs', bombs[8]!);
  copies('bombs', 1);
  assert.equal(rests[0]![0], 50, 'as after a first one');
});

test('if many organizations are remembered, those without a current copy are forgotten, but not one whose copy decompressed to much', () => {
  const { places, begun, copies } = placesByHand();
  const [bomb] = copies('bombs', 1);
  places.leaveExpanding('bombs', bomb!);
  for (let at = 0; at < 1_000; at += 1) places.leave(`org_${at}`, copies(`org_${at}`, 1)[0]!);
  assert.ok(places.remembered <= 257, `${places.remembered}`);
  copies('bombs', 1);
  assert.equal(begun.length, 1_001, 'it rests');
});

const zeros = Buffer.alloc(16 * 1024 * 1024);

for (const { coding, opener, compress } of [
  { coding: 'gzip', opener: 'createGunzip', compress: zlib.gzipSync },
  { coding: 'deflate', opener: 'createInflate', compress: zlib.deflateSync },
  { coding: 'zstd', opener: 'createZstdDecompress', compress: zlib.zstdCompressSync },
  { coding: 'br', opener: 'createBrotliDecompress', compress: zlib.brotliCompressSync },
] as const) {
  test(`190 ${coding} bodies at once that expand without end open four decoders, and the body of another organization is read`, async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const opened = mock.method(zlib, opener);
    try {
      const places = new DecodingPlaces({ monotonicMs: () => 0, after: () => {} });
      const turns = createDecodingTurns({ monotonicMs: () => performance.now(), workedMs: () => 0, after: () => {} });
      const read = (organization: string, body: Buffer, wire: 'openai' | 'upstream' = 'upstream'): Promise<Reading> => {
        const copy = createCopyReader({
          context: { wire, endpoint: 'chat.completions', streamed: false }, contentEncoding: coding, organization, places, turns,
          limits: { ...defaultCopyLimits, waiting: { now: 0, max: defaultCopyLimits.waiting.max } }, runtimeVersion: '26.12.1',
          createReader: () => createMarkerReader({ keep: organization === 'honest' || wire === 'openai' }),
        });
        copy.push(body);
        return new Promise((resolve) => copy.finish('whole', 250, resolve));
      };
      const bomb = compress(zeros);
      const bombs = Array.from({ length: 190 }, () => read('bombs', bomb));
      assert.equal((await read('honest', compress(Buffer.from(`{${marker}}`)))).usage, 'reported');
      assert.deepEqual((await Promise.all(bombs.slice(0, 4))).map(({ usageReason }) => usageReason), Array(4).fill('decode_limit'));
      for (let ms = 0; ms < 250; ms += 10) mock.timers.tick(10);
      assert.deepEqual(new Set((await Promise.all(bombs.slice(4))).map(({ usageReason }) => usageReason)), new Set(['decode_late']));
      assert.equal(opened.mock.callCount(), 5);
      const provider = read('bombs', compress(Buffer.from(`{${marker}}`)), 'openai');
      assert.equal((await provider).usage, 'reported', 'what another wire answers to the same organization is read');
    } finally {
      opened.mock.restore();
      mock.timers.reset();
    }
  });
}
