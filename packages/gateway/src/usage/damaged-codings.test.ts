/**
 * What is read of a compressed JSON answer with something behind its end, a wrong check sum or damage inside depends on its bytes alone, not on the
 * pieces in which they arrive. Decision 371.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import zlib from 'node:zlib';
import type { Reading } from '@metergate/core/usage/reading.ts';
import { defaultCopyLimits } from './copy-limits.ts';
import { createCopyReader } from './create-copy-reader.ts';
import { DecodingPlaces } from './decoding-places.ts';
import { createDecodingTurns } from './decoding-turns.ts';

const text = 'so '.repeat(40);
const usage = { prompt_tokens: 3, completion_tokens: 4 };
const whole = Buffer.from(JSON.stringify({ model: 'm', choices: [{ message: { content: text } }], usage }));
const events = Buffer.from([{ model: 'm', choices: [{ delta: { content: text } }] }, { choices: [], usage }]
  .map((event) => `data: ${JSON.stringify(event)}\n\n`).join('') + 'data: [DONE]\n\n');
const withSum = { params: { [zlib.constants.ZSTD_c_checksumFlag]: 1 } };

interface CodedBody {
  readonly coding: string;
  readonly runtimeVersion: string;
  readonly encode: (bytes: Buffer) => Buffer;
  /** Bytes of the check sum at its end. */
  readonly sumBytes: number;
}
const belowFloor = '26.12.0';
const codings: Record<string, CodedBody> = {
  gzip: { coding: 'gzip', runtimeVersion: belowFloor, encode: (bytes) => zlib.gzipSync(bytes), sumBytes: 8 },
  deflate: { coding: 'deflate', runtimeVersion: belowFloor, encode: (bytes) => zlib.deflateSync(bytes), sumBytes: 4 },
  'bare deflate': { coding: 'deflate', runtimeVersion: belowFloor, encode: (bytes) => zlib.deflateRawSync(bytes), sumBytes: 0 },
  br: { coding: 'br', runtimeVersion: belowFloor, encode: (bytes) => zlib.brotliCompressSync(bytes), sumBytes: 0 },
  'br by the runtime': { coding: 'br', runtimeVersion: '26.12.1', encode: (bytes) => zlib.brotliCompressSync(bytes), sumBytes: 0 },
  zstd: { coding: 'zstd', runtimeVersion: belowFloor, encode: (bytes) => zlib.zstdCompressSync(bytes), sumBytes: 0 },
  'zstd with a check sum': { coding: 'zstd', runtimeVersion: belowFloor, encode: (bytes) => zlib.zstdCompressSync(bytes, withSum), sumBytes: 4 },
};

/** Turns in which no organization ever rests. */
const restless = createDecodingTurns({ monotonicMs: () => performance.now(), workedMs: () => 0, after: () => {} });

async function read({ coding, runtimeVersion }: CodedBody, streamed: boolean, pieces: readonly Buffer[]): Promise<string> {
  const copy = createCopyReader({
    context: { wire: 'openai', endpoint: 'chat.completions', streamed }, contentEncoding: coding, runtimeVersion,
    limits: { ...defaultCopyLimits, waiting: { now: 0, max: defaultCopyLimits.waiting.max } }, turns: restless, places: new DecodingPlaces(),
  });
  for (const piece of pieces) copy.push(piece);
  const { usage: state, usageReason, tokens } = await new Promise<Reading>((resolve) => copy.finish('whole', 60_000, resolve));
  return `${state} ${usageReason} ${tokens.input} ${tokens.output}`;
}

/** What is read of these bytes: at once, cut in two at every place, and byte by byte. */
async function verdicts(coded: CodedBody, streamed: boolean, bytes: Buffer): Promise<readonly string[]> {
  const found = new Set<string>();
  for (let at = 0; at <= bytes.length; at += 1) {
    const pieces = at < bytes.length ? [bytes.subarray(0, at), bytes.subarray(at)] : [...bytes].map((byte) => Buffer.from([byte]));
    found.add(await read(coded, streamed, pieces));
  }
  return [...found].sort();
}

const reported = 'reported null 3 4';
const failed = 'unknown decode_failed null null';
const behind = ['junk', '\0\0\0\0', '\x1f\x8b\x08\xff junk', '(\xb5/', 'P*M\x18\x03\0\0\0abc'];

for (const [name, coded] of Object.entries(codings)) {
  test(`junk behind the end of ${name} has one verdict for a JSON text; a stream is settled by its end, or damaged`, async () => {
    for (const junk of behind) {
      const isDamage = coded.coding === 'gzip' && !junk.startsWith('\0');
      const after = (body: Buffer): Buffer => Buffer.concat([coded.encode(body), Buffer.from(junk, 'latin1')]);
      assert.deepEqual(await verdicts(coded, false, after(whole)), [isDamage ? failed : reported], JSON.stringify(junk));
      assert.deepEqual(await verdicts(coded, true, after(events)), isDamage ? [reported, failed] : [reported], JSON.stringify(junk));
    }
  });

  if (coded.sumBytes > 0) {
    test(`a wrong check sum of ${name} fails the reading`, async () => {
      const wrong = coded.encode(whole);
      wrong[wrong.length - coded.sumBytes]! ^= 0x40;
      assert.deepEqual(await verdicts(coded, false, wrong), [failed]);
    });
  }

  test(`damage anywhere in ${name} has one verdict`, async () => {
    const encoded = coded.encode(whole);
    for (let at = 0; at < encoded.length; at += 13) {
      const damaged = Buffer.from(encoded);
      damaged[at]! ^= 0x55;
      const found = await verdicts(coded, false, damaged);
      assert.equal(found.length, 1, `${at}: ${JSON.stringify(found)}`);
    }
  });
}

test('several members of gzip and frames of zstd are one body', async () => {
  for (const coded of [codings['gzip']!, codings['zstd']!]) {
    const both = Buffer.concat([coded.encode(whole.subarray(0, 50)), coded.encode(whole.subarray(50))]);
    assert.deepEqual(await verdicts(coded, false, both), [reported]);
  }
});
