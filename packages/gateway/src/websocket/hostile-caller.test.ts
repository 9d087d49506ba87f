/** A caller that means harm, against a whole node: who asks and reads nothing, leaves while a limit is asked for, or goes on behind its close. */
import { strict as assert } from 'node:assert';
import { suite, test } from 'node:test';
import { constants, deflateRawSync } from 'node:zlib';
import { resetSocket } from '@metergate/store/network/reset-socket.ts';
import { closeOf, frameOf } from '@metergate/testkit/websocket/wire.ts';
import type { AdmittedCall } from '../call/admitted-call.ts';
import type { GatewayNode } from '../node/gateway-node.ts';
import { testHeld } from '../guards/test-support/run-fixture.ts';
import { messagesBeingRead } from './message-copy.ts';
import { ResponseAdmission } from './response-admission.ts';
import { fromCaller, mask } from './test-support/events.ts';
import { reachCap } from './test-support/reached-cap.ts';
import { startSessionNode } from './test-support/session-node.ts';

suite('a caller that means harm', { timeout: 120_000 }, () => {
  test('one that asks and reads nothing is not answered without end', async (t) => {
    const node = await startSessionNode(t);
    const { caller } = await node.connect();
    reachCap(node);
    caller.socket.pause();
    const asked = 100_000;
    const one = frameOf('x', { mask });
    caller.socket.write(Buffer.concat(Array.from({ length: asked }, () => one)));
    const refused = (): number => node.gateway.counters.refused;
    let before = -1;
    while (refused() !== before) {
      before = refused();
      // The node is of this thread: it has had turns enough for what it still does.
      for (let turn = 0; turn < 500; turn += 1) await new Promise(setImmediate);
    }
    assert.ok(refused() > 0 && refused() < asked / 2, `${refused()} answers are kept for it`);
    caller.socket.destroy();
    await node.recordOf(({ connection }) => connection === null);
  });

  test('what it says behind its close reaches nobody', async (t) => {
    const node = await startSessionNode(t);
    const { caller, upstream } = await node.connect();
    const close = closeOf(1000, '', mask);
    caller.send(close);
    await upstream.until(() => upstream.frames.length === 1);
    caller.send(close, fromCaller({ type: 'late' }), frameOf('ping', { opcode: 9, mask }));
    caller.socket.end();
    await node.recordOf(({ connection }) => connection === null);
    await upstream.ended();
    assert.deepEqual(upstream.received, close);
  });
});

test('callers that leave while their messages are decompressed harm nobody', { timeout: 120_000 }, async (t) => {
  const headers = ['sec-websocket-extensions: permessage-deflate'];
  const node = await startSessionNode(t, { headers });
  const text = JSON.stringify({ type: 'other', text: 'a'.repeat(8_000_000) });
  const message = frameOf(deflateRawSync(text, { finishFlush: constants.Z_SYNC_FLUSH }).subarray(0, -4), { reserved: 0x40, mask });
  // More than are decompressed at once.
  for (let round = 0; round < 12; round += 1) {
    const { caller } = await node.connect({ headers });
    caller.send(message);
    while (messagesBeingRead() === 0) await new Promise(setImmediate);
    resetSocket(caller.socket);
    while (node.journal.closed.length <= round || messagesBeingRead() > 0) await new Promise(setImmediate);
  }
  const { caller, upstream } = await node.connect({ headers });
  caller.send(message);
  await upstream.until(() => upstream.frames.length === 1);
});

test('a request whose caller left while the store was asked takes no limits', () => {
  const asked: (() => void)[] = [];
  const done: string[] = [];
  const held = testHeld();
  const node = {
    clock: { monotonicMs: () => 0, wallMs: () => 0 },
    settings: { held: () => held },
    guards: {
      decide: () => (asked.length === 0 ? { kind: 'run_unseen' } : null), mayAsk: () => true,
      ask: (_call: unknown, _leftMs: number, answered: (refusal: null, again: boolean) => void) => void asked.push(() => answered(null, true)),
      take: () => done.push('taken'), giveBack: () => done.push('given back'),
    },
  } as unknown as GatewayNode;
  const handshake = { held, keyHash: 'hash', runCall: null, route: { wire: 'openai', endpoint: 'responses', path: '/v1/responses' } };
  let isWanted = true;
  new ResponseAdmission(node, handshake as unknown as AdmittedCall).ask({ bytes: 26, asksLater: 'no', models: () => [] }, {
    isWanted: () => isWanted, admitted: () => done.push('admitted'), refused: () => done.push('refused'), broke: (cause) => { throw cause; },
  });
  isWanted = false;
  asked[0]!();
  assert.deepEqual(done, ['given back']);
});
