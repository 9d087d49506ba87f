/**
 * Creates in disguise at a reached cap, in every form of text and of frames: none leaves, on Responses and on Realtime. And drawn ones, judged
 * by a reader of another kind: what has reached the provider holds no word of a create.
 */
import { strict as assert } from 'node:assert';
import { suite, test } from 'node:test';
import { resetSocket } from '@metergate/store/network/reset-socket.ts';
import { draws, fc } from '@metergate/testkit/drawn.ts';
import { Deflater, frameOf } from '@metergate/testkit/websocket/wire.ts';
import type { Peer } from '@metergate/testkit/websocket/peer.ts';
import { testHeld } from '../guards/test-support/run-fixture.ts';
import { mask } from './test-support/events.ts';
import { reachCap } from './test-support/reached-cap.ts';
import { realtimePath } from './test-support/realtime-events.ts';
import { startSessionNode } from './test-support/session-node.ts';

const name = 'response.create';
/** Every letter as an escape. */
const escaped = (text: string): string => [...text].map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');

const texts: Readonly<Record<string, string | Buffer>> = {
  'plain': `{"type":"${name}"}`,
  'type last': `{"model":"m","input":[{"type":"message"}],"metadata":{"type":"x"},"type":"${name}"}`,
  'type last, behind 70 KB': `{"input":"${'x'.repeat(70_000)}","type":"${name}"}`,
  'doubled, the create first': `{"type":"${name}","type":"response.cancel"}`,
  'doubled, the create last': `{"type":"response.cancel","type":"${name}"}`,
  'doubled three times, in the middle': `{"type":"response.cancel","type":"${name}","type":"response.cancel"}`,
  'doubled with an escape': `{"type":"response.cancel","\\u0074ype":"${name}"}`,
  'escaped name and value': `{"${escaped('type')}":"${escaped(name)}"}`,
  'escaped in part': `{"typ\\u0065":"respon\\u0073e.create"}`,
  'the name in capitals': `{"TYPE":"${name}"}`,
  'the name in capitals beside a harmless one': `{"Type":"${name}","type":"response.cancel"}`,
  'the value in capitals': '{"type":"Response.Create"}',
  'the value with a long s': '{"type":"re\u017fpon\u017fe.create"}',
  'the value with white space around it': `{"type":" ${name}\\n"}`,
  'the value ended by a NUL': `{"type":"${name}\\u0000x"}`,
  'the value with more behind it': `{"type":"${name}.v2"}`,
  'white space everywhere': `\r\n\t { "type" \n:\t "${name}" } \r\n`,
  'a list': `[{"type":"${name}"}]`,
  'a type in a list': `{"type":["${name}"]}`,
  'a type in an object': `{"type":{"type":"${name}"}}`,
  'two texts': `{"type":"response.cancel"}{"type":"${name}"}`,
  'lines': `{"type":"response.cancel"}\n{"type":"${name}"}`,
  'a comment': `{/* */"type":"${name}"}`,
  'a comma too many': `{"type":"${name}",}`,
  'single quotes': `{'type':'${name}'}`,
  'a byte order mark': `\uFEFF{"type":"${name}"}`,
  'UTF-16': Buffer.from(`{"type":"${name}"}`, 'utf16le'),
  'deep nesting before it': `{"x":${'['.repeat(5_000)}${']'.repeat(5_000)},"type":"${name}"}`,
  'a number that overflows before it': `{"x":1e999999,"type":"${name}"}`,
  'a steer': '{"type":"response.steer","previous_response_id":"resp_1","input":"x"}',
  'a steer in capitals': '{"type":"RESPONSE.STEER","previous_response_id":"resp_1","input":"x"}',
  'a steer doubled': '{"type":"response.steer","type":"response.cancel"}',
  'a name that is no name': `{"__proto__":{"type":"response.cancel"},"type":"${name}"}`,
};

type Carry = (payload: Buffer, deflater: Deflater) => Promise<readonly Buffer[]> | readonly Buffer[];
const ping = frameOf('p', { opcode: 9, mask });

/** Cut into frames at these places; `between` stands between two of them. */
function inPieces(payload: Buffer, size: number, { between, reserved = 0, opcode = 1 }: {
  readonly between?: Buffer; readonly reserved?: number; readonly opcode?: number;
} = {}): Buffer[] {
  const frames: Buffer[] = [];
  for (let at = 0; at < payload.length; at += size) {
    const isFinal = at + size >= payload.length;
    frames.push(frameOf(payload.subarray(at, at + size), { mask, opcode: at === 0 ? opcode : 0, isFinal, reserved: at === 0 ? reserved : 0 }));
    if (between !== undefined && !isFinal) frames.push(between);
  }
  return frames;
}

/** UTF-16 is not UTF-8 text, so it is written as bytes. */
const carries: Readonly<Record<string, { readonly ofBytes: boolean; readonly carry: Carry }>> = {
  'one frame': { ofBytes: false, carry: (payload) => [frameOf(payload, { mask })] },
  'bytes': { ofBytes: true, carry: (payload) => [frameOf(payload, { mask, opcode: 2 })] },
  'a length of 64 bits': { ofBytes: true, carry: (payload) => [frameOf(payload, { mask, opcode: 2, lengthBytes: 8 })] },
  'a mask of zeros': { ofBytes: true, carry: (payload) => [frameOf(payload, { mask: Buffer.alloc(4), opcode: 2 })] },
  'fragments': { ofBytes: false, carry: (payload) => inPieces(payload, payload.length < 1_000 ? 1 : 7_001) },
  'fragments, empty ones and pings between them': {
    ofBytes: false, carry: (payload) => inPieces(payload, payload.length < 1_000 ? 3 : 9_973, {
      between: Buffer.concat([ping, frameOf('', { mask, opcode: 0, isFinal: false }), ping]),
    }),
  },
  'compressed': { ofBytes: false, carry: async (payload, deflater) => [frameOf(await deflater.message(payload), { mask, reserved: 0x40 })] },
  'compressed in fragments': {
    ofBytes: false, carry: async (payload, deflater) => inPieces(await deflater.message(payload), 5, { between: ping, reserved: 0x40 }),
  },
};

const extensions = { headers: ['Sec-WebSocket-Extensions: permessage-deflate'] };
const harmless = '{"type":"response.cancel"}';
const saysSomething = ({ opcode }: { readonly opcode: number }): boolean => opcode !== 9;

for (const [api, path] of [['Responses', '/v1/responses'], ['Realtime', realtimePath]] as const) {
  suite(`a create in disguise at a reached cap: ${api}`, { timeout: 120_000 }, () => {
    for (const [how, { ofBytes, carry }] of Object.entries(carries)) {
      test(`${how}: whatever its text, it does not leave`, async (t) => {
        const node = await startSessionNode(t, extensions);
        for (const [disguise, text] of Object.entries(texts)) {
          if (typeof text !== 'string' && !ofBytes) continue;
          node.key.held = testHeld();
          const { caller, upstream } = await node.connect({ path, ...extensions });
          reachCap(node);
          caller.send(...await carry(Buffer.from(text), new Deflater(true)), frameOf(harmless, { mask }));
          await caller.until(() => caller.events.length > 0);
          assert.equal(caller.events[0]?.error?.code, 'budget_exceeded', disguise);
          await upstream.until(() => upstream.frames.some(saysSomething));
          const said = upstream.frames.filter(({ opcode }) => opcode < 8).map(({ payload }) => payload.toString());
          // Where the API has no words for what it cannot read, the connection has ended.
          if (said.length > 0 || caller.closed === null) assert.deepEqual(said, [harmless], disguise);
        }
        assert.deepEqual(node.journal.opened.filter(({ connection }) => connection !== null), []);
      });
    }
  });
}

/** What a reader takes from an object that keeps each member, however often its name comes; null: the text is no JSON object. */
function membersOf(text: string): readonly (readonly [name: string, value: unknown])[] | null {
  try {
    if (!/^\s*\{/.test(text) || typeof JSON.parse(text) !== 'object') return null;
  } catch {
    return null;
  }
  const members: [string, unknown][] = [];
  // Strings are passed over whole, so that what stands in them is neither a brace nor a comma.
  let [depth, from] = [0, 0];
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],]/g)) {
    if (token === '{' || token === '[') {
      depth += 1;
      if (depth === 1) from = index + 1;
    }
    if (depth === 1 && (token === ',' || token === '}') && text.slice(from, index).trim() !== '') {
      const [name = ''] = /"(?:[^"\\]|\\.)*"/.exec(text.slice(from, index))!;
      const value = text.slice(text.indexOf(':', text.indexOf(name, from) + name.length) + 1, index);
      members.push([JSON.parse(name) as string, JSON.parse(value)]);
      from = index + 1;
    }
    if (token === '}' || token === ']') depth -= 1;
  }
  return members;
}

/** Whether some reader may take it for a create. */
function mayCreate(text: string): boolean {
  const types = membersOf(text)?.filter(([member]) => member.toLowerCase() === 'type').map(([, value]) => value) ?? [];
  return types.length === 0 || types.some((type) => typeof type !== 'string' || type.trim().toUpperCase().startsWith(name.toUpperCase()));
}

const last = '{"type":"last"}';

type Damage = readonly [what: 'byte' | 'drop' | 'double' | 'none', at: number, length: number, byte: number];

function damaged(text: Buffer, [what, place, length, byte]: Damage): Buffer {
  const at = Math.floor(place * text.length);
  const part = text.subarray(at, at + length);
  if (what === 'none') return text;
  if (what === 'drop') return Buffer.concat([text.subarray(0, at), text.subarray(at + part.length)]);
  if (what === 'double') return Buffer.concat([text.subarray(0, at), part, text.subarray(at)]);
  const copy = Buffer.from(text);
  copy[at] = byte;
  return copy;
}

const damage: fc.Arbitrary<Damage> = fc.tuple(
  fc.constantFrom('byte', 'drop', 'double', 'none'), fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), fc.integer({ min: 1, max: 30 }),
  fc.oneof(fc.constantFrom(...Buffer.from('"{}[],:\\ tTrcu\0')), fc.integer({ min: 0, max: 255 })),
);
const shortTexts = Object.values(texts).map((text) => Buffer.from(text)).filter((text) => text.length < 1_000);
const drawnText = fc.constantFrom(...shortTexts, Buffer.from(harmless));
const drawnMessage = fc.tuple(drawnText, fc.array(damage, { maxLength: 3 }), fc.integer({ min: 1, max: 80 }))
  .map(([text, damages, size]) => inPieces(damages.reduce(damaged, text), size, { opcode: 2 }));

suite('drawn creates in disguise', { timeout: 600_000 }, () => {
  test('nothing that may be one leaves at a reached cap, nor elsewhere without a record', async (t) => {
    const node = await startSessionNode(t);
    const connection = fc.tuple(fc.boolean(), fc.array(drawnMessage, { minLength: 1, maxLength: 60 }));
    await fc.assert(fc.asyncProperty(connection, async ([isReached, messages]) => {
      node.key.held = testHeld();
      const { caller, upstream } = await node.connect();
      const openedBefore = node.journal.opened.length;
      if (isReached) reachCap(node);
      caller.send(...messages.flat(), frameOf(last, { mask }));
      await upstream.until(() => messagesOf(upstream).at(-1) === last);
      const creates = messagesOf(upstream).filter(mayCreate);
      const opened = node.journal.opened.length - openedBefore;
      assert.ok(creates.length <= (isReached ? 0 : opened), creates.join('\n'));
      resetSocket(caller.socket);
      resetSocket(upstream.socket);
    }), { numRuns: draws(40) });
  });
});

/** Of so many frames each. */
function messagesOf({ frames }: Peer): string[] {
  const messages: string[] = [];
  let parts: Buffer[] = [];
  for (const { opcode, isFinal, payload } of frames) {
    if (opcode >= 8) continue;
    parts.push(payload);
    if (!isFinal) continue;
    messages.push(Buffer.concat(parts).toString());
    parts = [];
  }
  return messages;
}
