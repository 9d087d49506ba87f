/** The copy of a binary event stream: whole, in single bytes, damaged, cut, and longer than is held. Decision 151. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventStreamCodec } from '@smithy/eventstream-codec';
import type { Reading } from '@metergate/core/usage/reading.ts';
import { createCopyReader } from './create-copy-reader.ts';

const codec = new EventStreamCodec((bytes) => Buffer.from(bytes).toString('utf8'), (text) => Buffer.from(text, 'utf8'));

function frame(type: string, payload: string): Buffer {
  const headers = { ':event-type': { type: 'string', value: type }, ':message-type': { type: 'string', value: 'event' } } as const;
  return Buffer.from(codec.encode({ headers, body: Buffer.from(payload) }));
}

function read(bytes: Buffer, step: number, ending: 'whole' | 'cut' = 'whole'): Promise<Reading> {
  const context = { wire: 'upstream', endpoint: 'other', streamed: true, dialect: 'bedrock-converse' } as const;
  const copy = createCopyReader({ context, contentEncoding: null, inFrames: true });
  for (let from = 0; from < bytes.length; from += step) copy.push(bytes.subarray(from, from + step));
  return new Promise((resolve) => copy.finish(ending, 250, resolve));
}

const usage = frame('metadata', '{"usage":\n{"inputTokens":30,"outputTokens":6}}');
const stream = Buffer.concat([frame('messageStart', '{"role":"assistant"}'), frame('messageStop', '{"stopReason":"end_turn"}'), usage]);

test('Usage is read however the frames are cut', async () => {
  for (const step of [1, 5, 64, stream.length]) {
    const { usage: state, tokens, finishReason } = await read(stream, step);
    assert.deepEqual([state, tokens.input, tokens.output, finishReason], ['reported', 30, 6, 'end_turn']);
  }
});

test('What is damaged, too long or no frame at all is not readable; what ended early is cut', async () => {
  const damaged = Buffer.from(stream);
  damaged[stream.length - 20]! ^= 1;
  const tooLong = Buffer.alloc(2 * 1024 * 1024);
  tooLong.writeUInt32BE(tooLong.length);
  for (const bytes of [damaged, tooLong, Buffer.from('{"message":"no frame"}'), stream.subarray(0, stream.length - 3)]) {
    const { usage: state, usageReason } = await read(bytes, 4_096);
    assert.deepEqual([state, usageReason], ['unknown', 'not_readable']);
  }
  assert.equal((await read(stream.subarray(0, stream.length - 3), 7, 'cut')).usageReason, 'cut');
});
