/** The bounds of a connection: long messages, responses under way, silence, what is held, and who is no WebSocket. */
import { strict as assert } from 'node:assert';
import { suite, test } from 'node:test';
import { eventually } from '@metergate/testkit/eventually.ts';
import { frameOf } from '@metergate/testkit/websocket/wire.ts';
import type { AdmittedCall } from '../call/admitted-call.ts';
import type { GatewayNode } from '../node/gateway-node.ts';
import { testHeld } from '../guards/test-support/run-fixture.ts';
import { nodeTurns } from '../usage/decoding-turns.ts';
import { ResponseAdmission } from './response-admission.ts';
import { responsesMax, underWayMax } from './responses.ts';
import { completed, create, created, delta, fromCaller, fromProvider, mask, model, usage } from './test-support/events.ts';
import { startSessionNode } from './test-support/session-node.ts';

const timeout = 120_000;
const turn = (): Promise<void> => new Promise((resolve) => { setImmediate(resolve); });

/** Turns of the event loop in which a part of some text waited to be read, until `is` holds. */
async function turnsUntil(is: () => boolean): Promise<number> {
  let turns = 0;
  while (!is()) {
    if (nodeTurns.waiting > 0) turns += 1;
    await turn();
  }
  return turns;
}

suite('long messages', { timeout }, () => {
  const text = 'é'.repeat(2_000_000);
  const forms: readonly (readonly [name: string, frames: readonly Buffer[]])[] = [
    ['in one frame', [fromCaller({ input: text, model, type: 'response.create' })]],
    ['in many', [...Array.from({ length: 40 }, (_, at) => frameOf(at === 0 ? `{"input":"${text.slice(0, 50_000)}` : text.slice(0, 50_000),
      { mask, opcode: at === 0 ? 1 : 0, isFinal: false })), frameOf('","type":"response.create"}', { mask, opcode: 0 })]],
  ];
  for (const [name, frames] of forms) {
    test(`a caller's ${name} is read over many turns, passes unchanged, and begins what it begins`, async (t) => {
      const node = await startSessionNode(t);
      const { caller, upstream } = await node.connect();
      caller.send(...frames);
      const bytes = Buffer.concat(frames);
      assert.ok(await turnsUntil(() => upstream.received.length === bytes.length) > 20);
      assert.deepEqual(upstream.received, bytes);
      assert.equal(node.journal.opened.length, 2);
      await eventually(() => node.gateway.heldBodyBytes() === 0, 'something is still held');
    });
  }

  test('a provider\'s is read over many turns, and its usage is found at its end', async (t) => {
    const node = await startSessionNode(t);
    const { caller, upstream } = await node.connect();
    caller.send(create());
    await upstream.until(() => upstream.frames.length === 1);
    const output = [{ type: 'message', content: [{ type: 'output_text', text }] }];
    const end = fromProvider({ type: 'response.completed', response: { id: 'resp_1', status: 'completed', model, output, usage } });
    upstream.send(created('resp_1'), end);
    assert.ok(await turnsUntil(() => caller.received.length === created('resp_1').length + end.length) > 40);
    assert.deepEqual([node.journal.closed[0]?.inputTokens, node.journal.closed[0]?.responseBytes], [11, created('resp_1').length + end.length]);
  });

  test('a long text that is no UTF-8 closes with 1007, wherever its fault stands', async (t) => {
    const node = await startSessionNode(t);
    const { caller, upstream } = await node.connect();
    const bytes = Buffer.alloc(300_000, 'x');
    bytes[299_998] = 0xc3;
    caller.send(frameOf(bytes, { mask }));
    await caller.until(() => caller.closed !== null);
    assert.equal(caller.closed?.code, 1007);
    await upstream.until(() => upstream.closed !== null);
  });
});

suite('responses under way on a connection', { timeout }, () => {
  test('one above the bound is refused in its lane and is not sent; once another has ended, the next one is sent', async (t) => {
    const node = await startSessionNode(t);
    const { caller, upstream } = await node.connect();
    const all = Array.from({ length: responsesMax }, (_, at) => create({ stream_id: `lane_${at}` }));
    caller.send(...all, create({ stream_id: 'one_more' }));
    await caller.until(() => caller.events.length === 1);
    await upstream.until(() => upstream.frames.length === responsesMax);
    assert.deepEqual([caller.events[0]?.error?.code, caller.events[0]?.status, caller.events[0]?.stream_id], ['responses_full', 429, 'one_more']);
    assert.deepEqual(upstream.received, Buffer.concat(all));
    upstream.send(created('resp_7', { event: { stream_id: 'lane_7' } }), completed('resp_7', { stream_id: 'lane_7' }));
    await caller.until(() => caller.events.length === 3);
    caller.send(create({ stream_id: 'lane_7' }));
    await upstream.until(() => upstream.frames.length === responsesMax + 1);
    assert.equal(node.gateway.counters.refused, 1);
  });

  test('a provider that begins more by itself is left: each that it began is recorded', async (t) => {
    const node = await startSessionNode(t);
    const { caller, upstream } = await node.connect();
    upstream.send(...Array.from({ length: underWayMax + 5 }, (_, at) => created(`resp_${at}`)));
    await caller.until(() => caller.closed !== null);
    assert.equal(caller.closed?.code, 1011);
    assert.equal(caller.events.length, underWayMax);
    await node.recordOf(({ connection }) => connection === null);
    assert.equal(node.journal.closed.length, underWayMax + 2);
  });
});

test('a steer asks the store for what it lacks, and takes nothing', { timeout }, () => {
  for (const refusal of [null, { kind: 'run_closed' }] as const) {
    const done: string[] = [];
    let isSeen = false;
    const held = testHeld();
    const node = {
      clock: { monotonicMs: () => 0, wallMs: () => 0 }, settings: { held: () => held }, counters: { refused: 0 }, metrics: { refused() {} },
      refusalCounts: { add() {} }, refusalEntries: { add: () => true }, log: { refused() {} },
      guards: {
        decide: () => (isSeen ? null : { kind: 'run_unseen' }), mayAsk: () => true,
        ask(_call: unknown, _leftMs: number, answered: (told: typeof refusal, again: boolean) => void) {
          done.push('asked');
          isSeen = true;
          answered(refusal, true);
        },
        whenJournalled: (_call: unknown, tell: (error: null) => void) => tell(null),
        take: () => done.push('taken'), giveBack: () => done.push('given back'),
      },
    } as unknown as GatewayNode;
    const handshake = { held, keyHash: 'hash', runCall: null, route: { wire: 'openai', endpoint: 'responses', path: '/v1/responses' } };
    new ResponseAdmission(node, handshake as unknown as AdmittedCall).askToBegin({ models: () => [] }, {
      isWanted: () => true, admitted: () => done.push('admitted'), refused: ({ kind }) => done.push(kind), broke: (cause) => { throw cause; },
    });
    assert.deepEqual(done, ['asked', 'given back', refusal === null ? 'admitted' : 'run_closed']);
  }
});

suite('what a connection holds, and for how long', { timeout }, () => {
  test('a response that says nothing for an hour is cut, and its connection closed', async (t) => {
    const node = await startSessionNode(t);
    const { caller, upstream } = await node.connect();
    caller.send(create());
    await upstream.until(() => upstream.frames.length === 1);
    upstream.send(created('resp_1'), delta());
    await caller.until(() => caller.events.length === 2);
    // A message counts when the connection is next looked at, so the time goes on until it is closed.
    while (caller.closed === null) {
      node.time.nowMs += 10 * 60_000;
      await turn();
    }
    assert.equal(caller.closed.code, 1001);
    await node.recordOf(({ connection }) => connection === null);
    assert.deepEqual(node.journal.closed.map(({ outcome }) => outcome), ['cut', 'cut']);
  });

  test('a caller that reads nothing is not sent further messages: they stay with the provider', async (t) => {
    const node = await startSessionNode(t);
    const { caller, upstream } = await node.connect();
    caller.socket.pause();
    const [one, sent] = [fromProvider({ type: 'long', text: 'x'.repeat(300_000) }), 80];
    upstream.send(...Array.from({ length: sent }, () => one));
    let before = -1;
    while (node.gateway.webSockets.fromProviders !== before) {
      before = node.gateway.webSockets.fromProviders;
      for (let round = 0; round < 500; round += 1) await turn();
    }
    assert.ok(before > 0 && before < sent * 0.75, `${before} were handed on`);
    assert.ok(node.gateway.held().websocket_bytes < 1_000_000, `${node.gateway.held().websocket_bytes} bytes are held`);
    caller.socket.resume();
    await caller.until(() => caller.received.length === sent * one.length);
    await eventually(() => node.gateway.heldBodyBytes() === 0, 'something is still held');
  });

  test('a message whose last bytes found no room leaves its connection readable', async (t) => {
    const node = await startSessionNode(t, { node: { heldBodiesBytesMax: 400_000 } });
    const [older, one] = [await node.connect(), await node.connect()];
    const long = fromCaller({ type: 'ping', words: 'x'.repeat(140_000) });
    older.caller.send(long.subarray(0, 100_000));
    await eventually(() => node.gateway.heldBodyBytes() >= 100_000);
    const whole = fromCaller({ type: 'ping', words: 'y'.repeat(105_000) });
    one.caller.send(whole.subarray(0, 95_000));
    await eventually(() => node.gateway.heldBodyBytes() >= 195_000);
    one.caller.send(whole.subarray(95_000));
    await one.upstream.until(() => one.upstream.received.length === whole.length);
    one.caller.send(fromCaller({ type: 'ping' }));
    await one.upstream.until(() => one.upstream.frames.length === 2);
  });

  test('a caller whose short messages wait between many pings is not read on', async (t) => {
    const node = await startSessionNode(t);
    const { caller, upstream } = await node.connect();
    const waiting: (() => void)[] = [];
    node.journal.hold = (_what, go) => void waiting.push(go);
    caller.send(create());
    await eventually(() => waiting.length > 0);
    const ping = frameOf('x'.repeat(125), { mask, opcode: 9 });
    const all = Array.from({ length: 80 }, () => [fromCaller({ type: 'ping' }), ...Array.from({ length: 470 }, () => ping)]).flat();
    caller.send(...all);
    let before = -1;
    while (upstream.received.length !== before) {
      before = upstream.received.length;
      for (let round = 0; round < 500; round += 1) await turn();
    }
    assert.ok(before < 1_000_000, `${before} bytes of pings were forwarded`);
    node.journal.hold = null;
    for (const go of waiting) go();
    await upstream.until(() => upstream.received.length === create().length + Buffer.concat(all).length);
  });

  test('a message that is being admitted when its connection ends is held no longer', async (t) => {
    const node = await startSessionNode(t);
    const { caller, upstream } = await node.connect();
    const waiting: (() => void)[] = [];
    node.journal.hold = (_what, go) => void waiting.push(go);
    caller.send(create({ input: 'x'.repeat(400_000) }));
    await eventually(() => waiting.length > 0);
    assert.ok(node.gateway.heldBodyBytes() > 400_000);
    node.journal.hold = null;
    upstream.socket.destroy();
    await eventually(() => node.gateway.heldBodyBytes() === 0);
    for (const go of waiting) go();
    await node.recordOf(({ connection }) => connection === null);
  });
});

suite('a 101 that agrees to no WebSocket is answered 502', { timeout }, () => {
  const accept = 's3pPLMBiTxaQ9kYGzzhZRbK+xOo=';
  const cases: readonly (readonly [name: string, lines: string])[] = [
    ['without Upgrade', `connection: upgrade\r\nsec-websocket-accept: ${accept}\r\n`],
    ['for another protocol', `connection: upgrade\r\nupgrade: h2c\r\nsec-websocket-accept: ${accept}\r\n`],
    ['without a Sec-WebSocket-Accept', 'connection: upgrade\r\nupgrade: websocket\r\n'],
    ['with the Sec-WebSocket-Accept of another key',
      'connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-accept: AAAAAAAAAAAAAAAAAAAAAAAAAAA=\r\n'],
  ];
  for (const [name, lines] of cases) {
    test(name, async (t) => {
      const node = await startSessionNode(t, { answer: `HTTP/1.1 101 Switching Protocols\r\n${lines}\r\n` });
      const { caller, upstream } = await node.connect();
      assert.match(caller.head, /^HTTP\/1.1 502 /);
      await upstream.ended();
      const record = await node.recordOf(() => true);
      assert.deepEqual([record.outcome, record.status, record.usage], ['failed', null, 'none']);
    });
  }
});
