/**
 * What is read of a compressed answer with something behind its end, a wrong check sum or damage inside depends on its bytes alone, not on the
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
const noSum = { params: {} };
const withSum = { params: { [zlib.constants.ZSTD_c_checksumFlag]: 1 } };

type Form = 'whole' | 'events';
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
  zstd: { coding: 'zstd', runtimeVersion: belowFloor, encode: (bytes) => zlib.zstdCompressSync(bytes, noSum), sumBytes: 0 },
  'zstd with a check sum': { coding: 'zstd', runtimeVersion: belowFloor, encode: (bytes) => zlib.zstdCompressSync(bytes, withSum), sumBytes: 4 },
};

/** Turns in which no organization ever rests. */
const restless = createDecodingTurns({ monotonicMs: () => performance.now(), workedMs: () => 0, after: () => {} });

function read({ coding, runtimeVersion }: CodedBody, form: Form, pieces: readonly Buffer[]): Promise<Reading> {
  const copy = createCopyReader({
    context: { wire: 'openai', endpoint: 'chat.completions', streamed: form === 'events' }, contentEncoding: coding, runtimeVersion,
    limits: { ...defaultCopyLimits, waiting: { now: 0, max: defaultCopyLimits.waiting.max } }, turns: restless, places: new DecodingPlaces(),
  });
  for (const piece of pieces) copy.push(piece);
  return new Promise((resolve) => copy.finish('whole', 60_000, resolve));
}

/** What is read of these bytes, in whatever pieces they come; each cut is tried. */
async function verdictOf(coded: CodedBody, form: Form, bytes: Buffer): Promise<string> {
  const verdicts = new Map<string, number>();
  for (let at = 0; at <= bytes.length; at++) {
    const pieces = at < bytes.length ? [bytes.subarray(0, at), bytes.subarray(at)] : [...bytes].map((byte) => Buffer.from([byte]));
    const { usage: state, usageReason, tokens } = await read(coded, form, pieces);
    verdicts.set(`${state} ${usageReason} ${tokens.input} ${tokens.output}`, at);
  }
  assert.equal(verdicts.size, 1, JSON.stringify([...verdicts]));
  return [...verdicts.keys()][0]!;
}

const reported = 'reported null 3 4';
const failed = 'unknown decode_failed null null';

for (const [name, coded] of Object.entries(codings)) {
  test(`what stands behind the end of ${name} is ignored`, async () => {
    for (const [form, body] of [['whole', whole], ['events', events]] as const) {
      const encoded = coded.encode(body);
      for (const behind of ['junk', '\0\0\0\0', '\x1f\x8b\x08\xff junk', '\x1f\x8b', '(\xb5/', 'P*M\x18\x03\0\0\0abc']) {
        const verdict = await verdictOf(coded, form, Buffer.concat([encoded, Buffer.from(behind, 'latin1')]));
        assert.equal(verdict, reported, `${form}: ${JSON.stringify(behind)}`);
      }
    }
  });

  test(`a wrong check sum of ${name} fails the reading, unless the dialogue has ended before it`, { skip: coded.sumBytes === 0 }, async () => {
    for (const [form, body, expected] of [['whole', whole, failed], ['events', events, reported]] as const) {
      const encoded = coded.encode(body);
      for (const back of [1, coded.sumBytes]) {
        const wrong = Buffer.from(encoded);
        wrong[wrong.length - back]! ^= 0x40;
        assert.equal(await verdictOf(coded, form, wrong), expected, `${form}, ${back} from the end`);
        assert.equal(await verdictOf(coded, form, Buffer.concat([wrong, Buffer.from('junk')])), expected, `${form}, ${back} and junk`);
      }
    }
  });

  test(`${name} that ends within its check sum has told what it held`, { skip: coded.sumBytes === 0 }, async () => {
    for (let back = 1; back < coded.sumBytes; back++) assert.equal(await verdictOf(coded, 'whole', coded.encode(whole).subarray(0, -back)), reported);
  });

  test(`damage anywhere in ${name} has one verdict`, async () => {
    const encoded = coded.encode(whole);
    for (let at = 0; at < encoded.length; at += 13) {
      const damaged = Buffer.from(encoded);
      damaged[at]! ^= 0x55;
      await verdictOf(coded, 'whole', damaged);
    }
  });
}

test('several members of gzip and frames of zstd are one body, with every field that a header may have', async () => {
  const [first, second] = [whole.subarray(0, 50), whole.subarray(50)];
  const { gzip, zstd, 'zstd with a check sum': summed } = codings;
  assert.equal(await verdictOf(gzip!, 'whole', Buffer.concat([gzip!.encode(first), gzip!.encode(second)])), reported);
  const skippable = Buffer.from('5a2a4d18020000004142', 'hex');
  assert.equal(await verdictOf(zstd!, 'whole', Buffer.concat([skippable, zstd!.encode(first), skippable, summed!.encode(second)])), reported);
  const plain = zlib.gzipSync(whole);
  const fields = ['\x03\0abc', 'a name\0', 'a comment\0', '\x12\x34'] as const;
  for (const flags of [1, 2, 4, 8, 16, 6, 24, 31]) {
    const [extra, called, comment, sum] = [4, 8, 16, 2].map((flag, at) => (flags & flag) === 0 ? '' : fields[at]);
    const fixed = plain.subarray(0, 10);
    fixed[3] = flags;
    const coded = Buffer.concat([fixed, Buffer.from(`${extra}${called}${comment}${sum}`, 'latin1'), plain.subarray(10)]);
    assert.equal(await verdictOf(gzip!, 'whole', coded), reported, `flags ${flags}`);
  }
});

test('a body of very many members is not read to its end', async () => {
  const { gzip, 'zstd with a check sum': summed } = codings;
  for (const coded of [gzip!, summed!]) {
    const empty = coded.encode(Buffer.alloc(0));
    const many = Buffer.concat([coded.encode(whole), ...Array.from({ length: 1_001 }, () => empty)]);
    assert.equal((await read(coded, 'whole', [many])).usageReason, 'decode_failed');
  }
});
