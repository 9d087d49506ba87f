/** Long texts that were decompressed and wait to be read: as many of an organization's as may be decompressed at once, and no more. */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { constants, deflateRawSync } from 'node:zlib';
import { frameOf } from '@metergate/testkit/websocket/wire.ts';
import { eventually } from '@metergate/testkit/eventually.ts';
import { frameAt, type Frame } from './frames.ts';
import { MessageCopy, messagesBeingRead } from './message-copy.ts';
import { longBytes, Message } from './message.ts';

const bytesMax = 1 << 24;
const text = JSON.stringify({ type: 'other', text: 'a'.repeat(2 * longBytes) });
const wire = frameOf(deflateRawSync(text, { finishFlush: constants.Z_SYNC_FLUSH }).subarray(0, -4), { reserved: 0x40 });
const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** A message that is read for this organization. `told` has it once it says what it holds. */
function reading(organization: string, told: Message[]): MessageCopy {
  const frame = frameAt(wire, 0, { masked: false, payloadBytesMax: bytesMax }) as Frame;
  const message = new Message(frame, frame);
  const compression = { parameters: {}, callerKeepsContext: true };
  const copy = new MessageCopy({ organization, run: (step) => step(), ofCaller: false, compression, bytesMax });
  copy.read(message, (fault) => {
    assert.equal(fault, null);
    told.push(message);
  });
  return copy;
}

test('a long text keeps its place until it was read', { timeout: 120_000 }, async () => {
  // Organizations of this test alone: one whose texts ended honestly has more places.
  const [told, others]: [Message[], Message[]] = [[], []];
  const copies = Array.from({ length: 12 }, () => reading('org_of_long_texts', told));
  await eventually(() => told.length >= 4);
  for (let at = 0; at < 4; at += 1) reading('org_beside_long_texts', others);
  await eventually(() => others.length >= 4);
  assert.equal(told.length, 4);
  const [one] = told;
  assert.equal(one!.content.toString(), text);
  one!.letTextGo();
  assert.equal(one!.textTo - one!.textFrom, text.length);
  // Its place is free, and there is one more for having ended honestly.
  await eventually(() => told.length >= 6);
  for (const each of [...told, ...others]) each.letTextGo();
  while (told.length < copies.length) {
    await turn();
    for (const each of told) each.letTextGo();
  }
  assert.equal(messagesBeingRead(), 0);
});
