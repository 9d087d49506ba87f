/**
 * The copy that usage is read from: every coding in every cut gives the reader the provider's own bytes, and whatever is
 * broken, endless or slow costs that call its usage figure, says why, and nothing else. Reliability U12 to U14, V14.
 */
import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import zlib from 'node:zlib';
import { eventually } from '@metergate/testkit/eventually.ts';
import type { Reading, ReadingContext } from '@metergate/core/usage/reading.ts';
import { wasmBrotliDecodersAlive } from './brotli-wasm.ts';
import { defaultCopyLimits, type CopyLimits } from './copy-limits.ts';
import type { CopyReader } from './copy-reader.ts';
import { createCopyReader } from './create-copy-reader.ts';
import { DecodingPlaces } from './decoding-places.ts';
import { createDecodingTurns } from './decoding-turns.ts';
import { createMarkerReader, marker, type MarkerReader } from './test-support/marker-reader.ts';

const context: ReadingContext = { wire: 'openai', endpoint: 'chat.completions', streamed: false };
const belowFloor = '26.12.0';
const aboveFloor = '26.12.1';
const words = Array.from({ length: 4_000 }, (_, n) => `${n * 7919 % 1000} `);
const body = Buffer.from(`{"text":${JSON.stringify(words)},${marker}}`);

const encode: Record<string, (bytes: Buffer) => Buffer> = {
  identity: (bytes) => bytes,
  gzip: (bytes) => zlib.gzipSync(bytes),
  'x-gzip': (bytes) => zlib.gzipSync(bytes),
  deflate: (bytes) => zlib.deflateSync(bytes),
  'deflate (bare)': (bytes) => zlib.deflateRawSync(bytes),
  br: (bytes) => zlib.brotliCompressSync(bytes, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 5 } }),
  zstd: (bytes) => zlib.zstdCompressSync(bytes),
};

/** Turns in which no organization ever rests, so that one test's bombs do not delay another's. */
const restless = createDecodingTurns({ monotonicMs: () => performance.now(), workedMs: () => 0, after: () => {} });

interface Copying {
  readonly copy: CopyReader;
  readonly reader: MarkerReader;
  finish(ending: 'whole' | 'cut', waitMs?: number): Promise<Reading>;
}

function start(contentEncoding: string | null, { runtimeVersion = aboveFloor, limits = fresh(), keep = true } = {}): Copying {
  const reader = createMarkerReader({ keep });
  const places = new DecodingPlaces();
  const copy = createCopyReader({ context, contentEncoding, limits, runtimeVersion, turns: restless, places, createReader: () => reader });
  return { copy, reader, finish: (ending, waitMs = 10_000) => new Promise((resolve) => copy.finish(ending, waitMs, resolve)) };
}

/** Limits with a separate count of waiting bytes, so that each test can see it return to zero. */
function fresh(changes: Partial<CopyLimits> = {}): CopyLimits {
  return { ...defaultCopyLimits, waiting: { now: 0, max: defaultCopyLimits.waiting.max }, ...changes };
}

/** A fixed sequence of cuts: every run is the same. */
function* pieces(bytes: Buffer, seed: number): Generator<Buffer> {
  for (let at = 0, state = seed; at < bytes.length;) {
    state = (state * 48_271) % 2_147_483_647;
    const size = 1 + state % (state % 5 === 0 ? 7 : 900);
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

describe('a copy in any coding, cut anywhere', () => {
  for (const [name, compress] of Object.entries(encode)) {
    for (const runtimeVersion of name === 'br' ? [aboveFloor, belowFloor] : [aboveFloor]) {
      it(`reaches the reader whole: ${name}, runtime ${runtimeVersion}`, async () => {
        for (const seed of [1, 77, 4_242]) {
          const limits = fresh();
          const { copy, reader, finish } = start(name.replace(' (bare)', '').toUpperCase(), { runtimeVersion, limits });
          for (const piece of pieces(compress(body), seed)) copy.push(piece);
          const reading = await finish('whole');
          assert.deepEqual([reading.usage, reading.tokens.input, reader.endings], ['reported', 7, ['whole']]);
          assert.ok(reader.bytes().equals(body));
          assert.equal(limits.waiting.now, 0);
        }
        assert.equal(wasmBrotliDecodersAlive(), 0);
      });
    }
  }

  it('reaches the reader at every cut into two, each coding', async () => {
    const small = Buffer.from(`{"a":1,${marker}}`);
    for (const [name, compress] of Object.entries(encode)) {
      const bytes = compress(small);
      for (let at = 0; at <= bytes.length; at++) {
        const { copy, reader, finish } = start(name.replace(' (bare)', ''), { runtimeVersion: belowFloor });
        copy.push(bytes.subarray(0, at));
        copy.push(bytes.subarray(at));
        assert.equal((await finish('whole')).usage, 'reported', `${name} cut at ${at}`);
        assert.ok(reader.bytes().equals(small));
      }
    }
  });

  it('reaches the reader through two codings, the last one decoded first', async () => {
    const names = ['gzip', 'deflate', 'br', 'zstd'];
    for (const inner of names) {
      for (const outer of names) {
        const { copy, reader, finish } = start(`${inner}, identity, ${outer}`, { runtimeVersion: belowFloor });
        for (const piece of pieces(encode[outer]!(encode[inner]!(body)), 5)) copy.push(piece);
        assert.equal((await finish('whole')).usage, 'reported', `${inner} in ${outer}`);
        assert.ok(reader.bytes().equals(body));
      }
    }
  });

  it('of no bytes ends at once, in any coding', () => {
    for (const coding of [null, '', 'gzip', 'br', 'zstd', 'deflate']) {
      const { copy, reader } = start(coding);
      const readings: Reading[] = [];
      copy.finish('whole', 10_000, (reading) => readings.push(reading));
      assert.deepEqual([readings.length, reader.endings], [1, ['whole']], String(coding));
    }
  });

  it('shows what was flushed so far, before the response ends: a stream of events', async () => {
    for (const [coding, make, flush] of [
      ['gzip', () => zlib.createGzip(), zlib.constants.Z_SYNC_FLUSH],
      ['br', () => zlib.createBrotliCompress(), zlib.constants.BROTLI_OPERATION_FLUSH],
      ['zstd', () => zlib.createZstdCompress(), zlib.constants.ZSTD_e_flush],
    ] as const) {
      const { copy, reader, finish } = start(coding, { runtimeVersion: belowFloor });
      const compressor = make();
      compressor.on('data', (chunk: Buffer) => copy.push(chunk));
      for (const event of ['data: {}\n\n', `data: {${marker}}\n\n`, 'data: [DONE]\n\n']) {
        compressor.write(event);
        await new Promise<void>((resolve) => compressor.flush(flush, resolve));
        await eventually(() => reader.bytes().includes(event));
      }
      assert.equal(copy.dialogueEnded, true, coding);
      let given: Reading | null = null;
      copy.finish('whole', 10_000, (reading) => { given = reading; });
      assert.equal((given as Reading | null)?.usage, 'reported', 'with the dialogue ended nothing is waited for');
      compressor.destroy();
      assert.equal((await Promise.race([finish('whole'), Promise.resolve('silent')])), 'silent', 'a second finish is not answered');
    }
  });
});

describe('a copy that cannot be read to its end', () => {
  it('says decode_failed for a coding that is not known or stacked too high, and touches no byte', async () => {
    for (const coding of ['compress', 'gzip, gzip, gzip', 'gzip;q=1', 'aes128gcm', 'br, exi']) {
      const { copy, reader, finish } = start(coding);
      copy.push(encode['gzip']!(body));
      const reading = await finish('whole');
      assert.deepEqual([reading.usage, reading.usageReason, reader.pieces()], ['unknown', 'decode_failed', 0], coding);
    }
  });

  it('says decode_failed if the bytes are not in that coding', async () => {
    for (const coding of ['gzip', 'deflate', 'br', 'zstd']) {
      const { copy, finish } = start(coding, { runtimeVersion: belowFloor });
      copy.push(Buffer.from('{"this is":"plain text, announced as something else"}'.repeat(20)));
      assert.equal((await finish('whole')).usageReason, 'decode_failed', coding);
      copy.push(Buffer.from('more'));
    }
  });

  it('keeps usage that came before a truncated coding ended (V14), else says decode_failed, or cut if the response was cut', async () => {
    const late = Buffer.from(`{"a":"${'x1y2z3'.repeat(50)}",${marker}`);
    for (const [name, compress] of Object.entries(encode)) {
      if (name === 'identity') continue;
      const coding = name.replace(' (bare)', '');
      const flushed = await withUsageFlushedFirst(coding, name.includes('bare'));
      const early = start(coding, { runtimeVersion: belowFloor });
      early.copy.push(flushed);
      assert.equal((await early.finish('whole')).usage, 'reported', name);
      for (let at = 1; at < flushed.length; at++) {
        const inTwo = start(coding, { runtimeVersion: belowFloor });
        inTwo.copy.push(flushed.subarray(0, at));
        inTwo.copy.push(flushed.subarray(at));
        assert.equal((await inTwo.finish('cut')).usage, 'reported', `${name} in two chunks at ${at}, then cut at once`);
      }
      const bytes = compress(late);
      const none = start(coding, { runtimeVersion: belowFloor });
      none.copy.push(bytes.subarray(0, Math.floor(bytes.length / 3)));
      assert.deepEqual(pick(await none.finish('whole')), ['unknown', 'decode_failed'], name);
      const cut = start(coding, { runtimeVersion: belowFloor });
      cut.copy.push(bytes.subarray(0, Math.floor(bytes.length / 3)));
      assert.deepEqual(pick(await cut.finish('cut')), ['unknown', 'cut'], name);
    }
  });

  it('says decode_limit for bombs after decoding little of them: 64 MiB of zeros in every coding, and in two', async () => {
    const zeros = Buffer.alloc(64 * 1024 * 1024);
    const [gzip, br] = [zlib.gzipSync(zeros), zlib.brotliCompressSync(zeros)];
    const bombs: [string, Buffer][] = [
      ['gzip', gzip], ['deflate', zlib.deflateSync(zeros)], ['zstd', zlib.zstdCompressSync(zeros)], ['br', br],
      ['gzip, gzip', zlib.gzipSync(gzip)], ['br, gzip', zlib.gzipSync(br)], ['gzip, br', zlib.brotliCompressSync(gzip)],
    ];
    for (const runtimeVersion of [aboveFloor, belowFloor]) {
      for (const [coding, bytes] of bombs) {
        const limits = fresh();
        const { copy, reader, finish } = start(coding, { runtimeVersion, limits, keep: false });
        copy.push(bytes);
        const reading = await finish('whole');
        assert.deepEqual(pick(reading), ['unknown', 'decode_limit'], `${coding}, ${runtimeVersion}`);
        assert.ok(reader.bytesSeen() <= 13 * 1024 * 1024, `${coding}: ${reader.bytesSeen()} bytes were read`);
        assert.equal(limits.waiting.now, 0);
      }
    }
    assert.equal(wasmBrotliDecodersAlive(), 0);
  });

  it('does not count a large honest body as a bomb: usage is found behind 40 MB', async () => {
    const some = Buffer.from(Array.from({ length: 50_000 }, (_, n) => `${(n * 0.618_033_988_7 % 1).toFixed(16)},`).join(''));
    const numbers = Buffer.concat(Array<Buffer>(40).fill(some));
    assert.ok(numbers.length > 36_000_000);
    const limits = fresh();
    const { copy, finish, reader } = start('gzip', { limits });
    const encoded = zlib.gzipSync(Buffer.concat([numbers, Buffer.from(marker)]), { strategy: zlib.constants.Z_HUFFMAN_ONLY });
    for (let at = 0; at < encoded.length; at += 65_536) {
      copy.push(encoded.subarray(at, at + 65_536));
      await eventually(() => limits.waiting.now <= 1024 * 1024);
    }
    assert.equal((await finish('whole')).usage, 'reported');
    assert.equal(reader.bytes().length, numbers.length + marker.length);
  });

  it('says decode_late when the decoder is not done in time, and answers once', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const { copy } = start('gzip');
      copy.push(zlib.gzipSync(body));
      const readings: Reading[] = [];
      copy.finish('whole', 250, (reading) => readings.push(reading));
      for (let ms = 0; ms < 249; ms += 1) mock.timers.tick(1);
      assert.equal(readings.length, 0);
      mock.timers.tick(1);
      assert.deepEqual(readings.map(pick), [['unknown', 'decode_late']]);
      for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
      assert.equal(readings.length, 1);
    } finally {
      mock.timers.reset();
    }
  });

  it('says decode_late when more waits for the decoder than one response, or all together, may hold', async () => {
    const noise = zlib.gzipSync(Buffer.from(Array.from({ length: 60_000 }, (_, n) => (n * 2_654_435_761) % 251)), { level: 0 });
    const waiting = { now: 0, max: 50_000 };
    for (const limits of [fresh({ waitingBytesMax: 50_000 }), fresh({ waiting })]) {
      const { copy, finish } = start('gzip', { limits });
      copy.push(noise.subarray(0, 30_000));
      copy.push(noise.subarray(30_000));
      assert.equal(limits.waiting.now, 0, 'what was given up holds nothing');
      assert.deepEqual(pick(await finish('whole')), ['unknown', 'decode_late']);
    }
    const next = start('gzip', { limits: fresh({ waiting }) });
    next.copy.push(zlib.gzipSync(body));
    assert.equal((await next.finish('whole')).usage, 'reported', 'and the next response is read');
  });

  it('says reader_fault if the reader throws, at any point', async () => {
    for (const place of ['create', 'push', 'finish']) {
      for (const coding of [null, 'gzip']) {
        const broken = (): never => { throw new Error('broken'); };
        const copy = createCopyReader({
          context, contentEncoding: coding, limits: fresh(),
          createReader: () => place === 'create' ? broken()
            : { push: place === 'push' ? broken : () => {}, dialogueEnded: false, finish: broken },
        });
        copy.push(coding === null ? body : zlib.gzipSync(body));
        const reading = await new Promise<Reading>((resolve) => copy.finish('whole', 10_000, resolve));
        assert.deepEqual(pick(reading), ['unknown', 'reader_fault'], `${place}, ${coding}`);
      }
    }
  });

  it('says that no usage is due only if the response was read; otherwise its cost is unknown', async () => {
    const read = async (contentEncoding: string, bytes: Buffer): Promise<Reading> => {
      const copy = createCopyReader({ context: { ...context, endpoint: 'other', without: 'none' }, contentEncoding, limits: fresh() });
      copy.push(bytes);
      return new Promise((resolve) => copy.finish('whole', 10_000, resolve));
    };
    assert.equal((await read('gzip', zlib.gzipSync('{"id":"file_1"}'))).usage, 'none');
    for (const coding of ['compress', 'gzip']) {
      assert.deepEqual(pick(await read(coding, Buffer.from('not gzip'))), ['unknown', 'decode_failed'], coding);
    }
  });
});

it('An uncompressed copy is finished at once and holds nothing, with the real reader (rules: Journal)', () => {
  const copy = createCopyReader({ context, contentEncoding: null });
  copy.push(Buffer.from('{"model":"m","choices":[],"usage":{"prompt_tokens":3,'));
  copy.push(Buffer.from('"completion_tokens":4}}'));
  const readings: Reading[] = [];
  copy.finish('whole', 250, (reading) => readings.push(reading));
  const { usage, tokens, model } = readings[0]!;
  assert.deepEqual([usage, tokens.input, tokens.output, model], ['reported', 3, 4, 'm']);
});

function pick(reading: Reading): [string, string | null] {
  return [reading.usage, reading.usageReason];
}

/** The usage flushed to a separate block, and the stream never ended. */
async function withUsageFlushedFirst(coding: string, bare: boolean): Promise<Buffer> {
  const [compressor, flush] = coding === 'br' ? [zlib.createBrotliCompress(), zlib.constants.BROTLI_OPERATION_FLUSH] as const
    : coding === 'zstd' ? [zlib.createZstdCompress(), zlib.constants.ZSTD_e_flush] as const
      : [coding !== 'deflate' ? zlib.createGzip() : bare ? zlib.createDeflateRaw() : zlib.createDeflate(),
        zlib.constants.Z_SYNC_FLUSH] as const;
  const chunks: Buffer[] = [];
  compressor.on('data', (chunk: Buffer) => chunks.push(chunk));
  compressor.write(`{${marker}`);
  await new Promise<void>((resolve) => compressor.flush(flush, resolve));
  compressor.destroy();
  return Buffer.concat(chunks);
}
