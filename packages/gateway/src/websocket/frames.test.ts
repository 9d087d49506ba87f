/** Frames in every legal form, illegal ones, and drawn bytes, from both ends. */
import { strict as assert } from 'node:assert';
import { suite, test } from 'node:test';
import { draws } from '@metergate/testkit/drawn.ts';
import { closeOf, frameOf, type FrameForm } from '@metergate/testkit/websocket/wire.ts';
import { eventually } from '@metergate/testkit/eventually.ts';
import { FrameFinder, type Frame } from './frames.ts';
import { completed, create, created, fromProvider, mask } from './test-support/events.ts';
import { startSessionNode } from './test-support/session-node.ts';

const timeout = 120_000;
const json = JSON.stringify({ type: 'a.message', text: 'naïve 🤖' });
const part = (from: number, to?: number): Buffer => Buffer.from(json).subarray(from, to);

/** Legal ways to say one message, the last frame included. */
const forms: readonly (readonly [name: string, frames: (form: FrameForm) => readonly Buffer[]])[] = [
  ['one frame', (form) => [frameOf(json, form)]],
  ['a length in two bytes where none are needed', (form) => [frameOf(json, { ...form, lengthBytes: 2 })]],
  ['a length in eight bytes where none are needed', (form) => [frameOf(json, { ...form, lengthBytes: 8 })]],
  ['a binary message', (form) => [frameOf(json, { ...form, opcode: 2 })]],
  ['an empty message', (form) => [frameOf('', { ...form, opcode: 2 }), frameOf(json, form)]],
  ['two fragments, cut within a character', (form) => [frameOf(part(0, 32), { ...form, isFinal: false }), frameOf(part(32), { ...form, opcode: 0 })]],
  ['empty fragments', (form) => [
    frameOf('', { ...form, isFinal: false }), frameOf('', { ...form, opcode: 0, isFinal: false }),
    frameOf(json, { ...form, opcode: 0, isFinal: false }),
    frameOf('', { ...form, opcode: 0 }),
  ]],
  ['a long message', (form) => [frameOf(JSON.stringify({ type: 'a.message', text: 'x'.repeat(300_000) }), form)]],
  ['many small ones', (form) => Array.from({ length: 200 }, () => frameOf(json, form))],
];

suite('legal frames pass byte for byte, however they are cut', { timeout }, () => {
  for (const [name, frames] of forms) {
    test(name, async (t) => {
      const node = await startSessionNode(t);
      const { caller, upstream } = await node.connect();
      const [up, down] = [Buffer.concat(frames({ mask })), Buffer.concat(frames({}))];
      const step = Math.max(1, Math.floor(up.length / 50));
      for (let at = 0; at < up.length; at += step) {
        caller.send(up.subarray(at, at + step));
        await new Promise(setImmediate);
      }
      for (let at = 0; at < down.length; at += step) {
        upstream.send(down.subarray(at, at + step));
        await new Promise(setImmediate);
      }
      // The same in one piece.
      caller.send(up);
      upstream.send(down);
      // Whoever sends a message that is no event asks for a response, as far as is known.
      await upstream.until(() => upstream.received.length >= 2 * up.length);
      await caller.until(() => caller.received.length >= 2 * down.length);
      assert.deepEqual(upstream.received, Buffer.concat([up, up]));
      assert.deepEqual(caller.received, Buffer.concat([down, down]));
    });
  }
});

/** What is no legal frame, and the code that a connection is closed with for it. */
const illegal: readonly (readonly [name: string, code: number, frames: readonly Buffer[]])[] = [
  ['not masked', 1002, [frameOf(json)]],
  ['a reserved bit', 1002, [frameOf(json, { mask, reserved: 0x20 })]],
  ['compressed, which was not agreed on', 1002, [frameOf(json, { mask, reserved: 0x40 })]],
  ['a reserved opcode', 1002, [frameOf(json, { mask, opcode: 3 })]],
  ['a reserved control opcode', 1002, [frameOf('', { mask, opcode: 11 })]],
  ['a continuation of nothing', 1002, [frameOf(json, { mask, opcode: 0 })]],
  ['a message within a message', 1002, [frameOf(json, { mask, isFinal: false }), frameOf(json, { mask })]],
  ['a control frame in fragments', 1002, [frameOf('', { mask, opcode: 9, isFinal: false })]],
  ['a long control frame', 1002, [frameOf('x'.repeat(126), { mask, opcode: 9 })]],
  ['text that is no UTF-8', 1007, [frameOf(Buffer.from([0x22, 0xc3, 0x28, 0x22]), { mask })]],
  ['longer than the bound', 1009, [Buffer.from([0x81, 0xff, 0, 0, 0, 0, 0x10, 0, 0, 0])]],
  ['a length that is none', 1009, [Buffer.from([0x81, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0])]],
];

suite('frames that are not legal', { timeout }, () => {
  for (const [name, code, frames] of illegal) {
    test(`of the caller: ${name}: closed with ${code}, nothing of it is forwarded`, async (t) => {
      const node = await startSessionNode(t);
      const { caller, upstream } = await node.connect();
      caller.send(...frames);
      await caller.until(() => caller.closed !== null);
      assert.equal(caller.closed?.code, code);
      await upstream.until(() => upstream.closed !== null);
      assert.equal(upstream.frames.length, 1);
      assert.equal((await node.recordOf(({ connection }) => connection === null)).outcome, 'caller_gone');
    });

    test(`of the provider: ${name}: what was under way is cut, and no later byte is given`, async (t) => {
      const node = await startSessionNode(t);
      const { caller, upstream } = await node.connect();
      caller.send(create());
      await upstream.until(() => upstream.frames.length === 1);
      upstream.send(created('resp_1'));
      await caller.until(() => caller.events.length === 1);
      upstream.send(...(name === 'not masked' ? [frameOf(json, { mask })] : frames.map(unmasked)), completed('resp_1'));
      await caller.ended();
      assert.deepEqual(node.journal.closed.map(({ outcome }) => outcome), ['cut', 'cut']);
      assert.equal(node.journal.closed[0]?.usage, 'unknown');
    });
  }

  test('a close with a code of the application\'s passes as it came, from both sides', async (t) => {
    const node = await startSessionNode(t);
    const [one, other] = [await node.connect(), await node.connect()];
    one.caller.send(closeOf(4_321, 'why', mask));
    await one.upstream.until(() => one.upstream.closed !== null);
    assert.deepEqual(one.upstream.received, closeOf(4_321, 'why', mask));
    other.upstream.send(frameOf('', { opcode: 8 }));
    await other.caller.until(() => other.caller.closed !== null);
    assert.deepEqual(other.caller.received, frameOf('', { opcode: 8 }));
  });
});

/** The same frame as a provider would send it: its mask is taken off. */
function unmasked(frame: Buffer): Buffer {
  if ((frame[1]! & 0x80) === 0) return frame;
  const bytes = Buffer.from(frame);
  bytes[1]! &= 0x7f;
  const short = bytes[1]!;
  const head = 2 + (short < 126 ? 0 : short === 126 ? 2 : 8);
  const key = bytes.subarray(head, head + 4);
  const payload = bytes.subarray(head + 4).map((byte, at) => byte ^ key[at & 3]!);
  return Buffer.concat([bytes.subarray(0, head), payload]);
}

/** Draws whole numbers from 0 up to a bound, itself excluded: the same ones for the same seed. */
function belowFrom(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
  };
}

suite('frames in drawn bytes', { timeout: 600_000 }, () => {
  const rounds = draws(4_000);
  const drawn = { below: belowFrom(20_261_123) };

  test(`${rounds} drawn frames: found as they were written, however they are cut, or refused`, () => {
    for (let done = 0; done < rounds;) {
      const frames: Buffer[] = [];
      let isOpen = false;
      for (let count = 1 + drawn.below(12); count > 0; count -= 1) {
        const isControl = drawn.below(4) === 0;
        const isFinal = isControl || drawn.below(3) > 0;
        const size = isControl ? drawn.below(126) : drawn.below(8) === 0 ? drawn.below(70_000) : drawn.below(300);
        const payload = Buffer.alloc(size, drawn.below(256));
        frames.push(frameOf(payload, { mask, isFinal, opcode: isControl ? 8 + drawn.below(3) : isOpen ? 0 : 1 + drawn.below(2) }));
        if (!isControl) isOpen = !isFinal;
        done += 1;
      }
      const bytes = Buffer.concat(frames);
      const isDamaged = drawn.below(3) === 0;
      if (isDamaged) for (let hits = 1 + drawn.below(3); hits > 0; hits -= 1) bytes[drawn.below(Math.min(bytes.length, 400))] = drawn.below(256);
      const finder = new FrameFinder({ masked: true, payloadBytesMax: 100_000 });
      const found: Frame[] = [];
      let fault: string | null = null;
      for (let at = 0; at < bytes.length && fault === null;) {
        const to = at + 1 + drawn.below(drawn.below(4) === 0 ? 20_000 : 40);
        fault = finder.push(bytes.subarray(at, to), (frame) => void found.push(frame));
        at = to;
      }
      const handedOn = Buffer.concat(found.map((frame) => frame.bytes));
      assert.deepEqual(handedOn, bytes.subarray(0, handedOn.length));
      if (isDamaged) continue;
      assert.deepEqual([fault, handedOn.length, finder.keptBytes], [null, bytes.length, 0]);
      assert.deepEqual(found.map((frame) => frame.bytes.length), frames.map((frame) => frame.length));
    }
  });

  test('drawn bytes from either end harm nobody: each connection has one record, and the node is at rest', async (t) => {
    const node = await startSessionNode(t);
    const connections = Math.max(20, Math.floor(rounds / 100));
    for (let at = 0; at < connections; at += 1) {
      const { caller, upstream } = await node.connect();
      const noise = Buffer.from(Array.from({ length: 1 + drawn.below(300) }, () => drawn.below(256)));
      if (drawn.below(2) === 0) caller.send(create(), noise);
      else upstream.send(created(`resp_${at}`), fromProvider({ type: 'other' }), noise);
      await new Promise(setImmediate);
      (drawn.below(2) === 0 ? caller : upstream).socket.destroy();
      await caller.ended();
    }
    await eventually(() => node.journal.closed.filter(({ connection }) => connection === null).length >= connections);
    assert.equal(node.journal.opened.length, node.journal.closed.length);
    assert.equal(new Set(node.journal.closed.map(({ id }) => id)).size, node.journal.closed.length);
  });
});
