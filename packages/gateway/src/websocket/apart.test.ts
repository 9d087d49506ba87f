/**
 * Connections that are read into one buffer are kept apart: every byte at both ends is of that connection, whatever waits, is joined, decompressed
 * or written late while others are read.
 */
import { strict as assert } from 'node:assert';
import { suite, test } from 'node:test';
import { draws, fc } from '@metergate/testkit/drawn.ts';
import { eventually } from '@metergate/testkit/eventually.ts';
import { closeOf, Deflater, frameOf, framesOf, type ReadFrame } from '@metergate/testkit/websocket/wire.ts';
import type { Peer } from '@metergate/testkit/websocket/peer.ts';
import { completed, create, created, mask } from './test-support/events.ts';
import { startSessionNode } from './test-support/session-node.ts';

const turn = (): Promise<void> => new Promise((resolve) => { setImmediate(resolve); });
const connections = 8;
const messages = fc.array(fc.record({
  size: fc.constantFrom(0, 1, 7, 60, 120, 1_000, 4_090, 16_000, 60_000, 65_500, 140_000),
  form: fc.constantFrom('whole', 'whole', 'fragments', 'compressed', 'response'),
  pieceBytes: fc.constantFrom(1, 5, 900, 40_000, 65_536, 500_000),
  stops: fc.boolean(),
}), { minLength: 10, maxLength: 10 });

interface End {
  readonly peer: Peer;
  readonly isCaller: boolean;
  readonly name: string;
  readonly deflater: Deflater;
  readonly sent: Buffer[];
}

/** Names its connection and its place all along. */
const named = (name: string, size: number): string => JSON.stringify({ type: 'ping', words: `${name} `.repeat(Math.ceil(size / (name.length + 1))) });

async function framesFor({ isCaller, name, deflater, sent }: End, size: number, form: string): Promise<Buffer> {
  const place = `${name}-${sent.length}`;
  const options = isCaller ? { mask } : {};
  const text = named(place, size);
  if (form === 'compressed') return frameOf(await deflater.message(text), { ...options, reserved: 0x40 });
  // In lanes of their own, since no end waits for the other one.
  const lane = { stream_id: place };
  if (form === 'response' && isCaller && sent.length % 4 === 0) return create({ input: text, ...lane });
  if (form === 'response' && !isCaller) return Buffer.concat([created(place, { event: lane }), completed(place, { text, ...lane })]);
  if (form !== 'fragments') return frameOf(text, options);
  const [one, other] = [text.length >> 1, text.length - 1];
  const ping = frameOf(place, { ...options, opcode: 9 });
  return Buffer.concat([
    frameOf(text.slice(0, one), { ...options, isFinal: false }), ping, frameOf(text.slice(one, other), { ...options, isFinal: false, opcode: 0 }),
    frameOf(text.slice(other), { ...options, opcode: 0 }), ping,
  ]);
}

/** A ping passes the frames of a message that is not whole, or waits. */
function inOrder(bytes: Buffer): readonly (readonly ReadFrame[])[] {
  const { frames } = framesOf(bytes);
  return [frames.filter(({ opcode }) => opcode < 8), frames.filter(({ opcode }) => opcode >= 8)];
}

/** Sends them in pieces, one a turn, and reads or does not read meanwhile. */
async function talk(end: End, plan: readonly { size: number; form: string; pieceBytes: number; stops: boolean }[]): Promise<void> {
  for (const { size, form, pieceBytes, stops } of plan) {
    const bytes = await framesFor(end, size, form);
    end.sent.push(bytes);
    if (stops) end.peer.socket.pause();
    const step = Math.max(pieceBytes, bytes.length >> 6);
    for (let at = 0; at < bytes.length; at += step) {
      end.peer.socket.write(bytes.subarray(at, at + step));
      await turn();
    }
    end.peer.socket.resume();
  }
}

suite('bytes of connections that are read into one buffer', { timeout: 120_000 }, () => {
  test('reach the other end of their connection, all of them, and no others', async (t) => {
    const node = await startSessionNode(t, { headers: ['Sec-WebSocket-Extensions: permessage-deflate'] });
    const headers = ['sec-websocket-extensions: permessage-deflate'];
    await fc.assert(fc.asyncProperty(fc.array(messages, { minLength: 2 * connections, maxLength: 2 * connections }), async (plans) => {
      const ends: [End, End][] = [];
      for (let at = 0; at < connections; at += 1) {
        const { caller, upstream } = await node.connect({ headers });
        const end = (peer: Peer, isCaller: boolean): End =>
          ({ peer, isCaller, name: `${isCaller ? 'caller' : 'provider'} ${at}`, deflater: new Deflater(true), sent: [] });
        ends.push([end(caller, true), end(upstream, false)]);
      }
      await Promise.all(ends.flat().map((end, at) => talk(end, plans[at]!)));
      for (const [caller, provider] of ends) {
        for (const [from, to] of [[caller, provider], [provider, caller]] as const) {
          const whole = Buffer.concat(from.sent);
          await to.peer.until(() => to.peer.received.length >= whole.length);
          assert.deepEqual(inOrder(to.peer.received), inOrder(whole), `what ${from.name} sent`);
        }
        caller.peer.socket.destroy();
        provider.peer.socket.destroy();
      }
    }), { numRuns: draws(1), endOnFailure: true });
    await eventually(() => node.gateway.heldBodyBytes() === 0, 'something of the connections that are gone is held');
  });

  test('what an end has not read yet, or comes behind a response, is not overwritten by what others say', async (t) => {
    const node = await startSessionNode(t);
    const [slow, quick, closing] = [await node.connect(), await node.connect(), await node.connect()];
    // A close that came with a long message waits for the response.
    closing.caller.send(create());
    await closing.upstream.until(() => closing.upstream.frames.length === 1);
    closing.caller.send(frameOf(named('closing', 6_000), { mask }), closeOf(1000, 'done', mask));
    await closing.upstream.until(() => closing.upstream.frames.length === 2);
    const sent: Buffer[] = [];
    slow.caller.socket.pause();
    for (let at = 0; at < 1_000; at += 1) {
      sent.push(frameOf(named(`slow-${at}`, 8_000)));
      slow.upstream.send(sent[at]!);
      const before = quick.caller.received.length;
      const other = frameOf(named(`quick-${at}`, 8_000));
      quick.upstream.send(other);
      quick.caller.send(frameOf(named(`quick-${at}`, 8_000), { mask }));
      await quick.caller.until(() => quick.caller.received.length === before + other.length);
      assert.ok(quick.caller.received.subarray(before).equals(other));
    }
    slow.caller.socket.resume();
    const whole = Buffer.concat(sent);
    await slow.caller.until(() => slow.caller.received.length >= whole.length);
    assert.ok(slow.caller.received.equals(whole));
    closing.upstream.send(created('resp_1'), completed('resp_1'));
    await closing.upstream.until(() => closing.upstream.closed !== null);
    assert.deepEqual(closing.upstream.received.subarray(-12), closeOf(1000, 'done', mask));
  });
});
