/** Connections through a whole node: responses and their records, limits, every way to end, and handshakes. */
import { strict as assert } from 'node:assert';
import { once } from 'node:events';
import { connect } from 'node:net';
import { suite, test, type TestContext } from 'node:test';
import { untoldCallsMax } from '@metergate/core/record/untold-calls.ts';
import { openCaller, type Peer } from '@metergate/testkit/websocket/peer.ts';
import { closeOf, frameOf, framesOf } from '@metergate/testkit/websocket/wire.ts';
import { eventually } from '@metergate/testkit/eventually.ts';
import { doubtedMs } from './responses.ts';
import { completed, create, created, delta, fromCaller, fromProvider, mask, model, usage } from './test-support/events.ts';
import { reachCap } from './test-support/reached-cap.ts';
import { startSessionNode, type SessionNode } from './test-support/session-node.ts';

const timeout = 120_000;

/** Both ends, with a response of this id under way. */
async function underWay(t: TestContext, id: string = 'resp_1'): Promise<{ node: SessionNode; caller: Peer; upstream: Peer }> {
  const node = await startSessionNode(t);
  const { caller, upstream } = await node.connect();
  caller.send(create());
  await upstream.until(() => upstream.frames.length === 1);
  upstream.send(created(id));
  await caller.until(() => caller.events.length === 1);
  return { node, caller, upstream };
}

suite('a connection and its responses', { timeout }, () => {
  test('a response is one record, and the handshake another; both ends receive each other\'s bytes', async (t) => {
    const node = await startSessionNode(t);
    const { caller, upstream } = await node.connect({ headers: ['x-svc-tags: a,b', 'x-svc-project: p'] });
    assert.match(caller.head, /^HTTP\/1.1 101 Switching Protocols\r\n/);
    assert.match(upstream.head, /\r\nauthorization: Bearer sk\r\n/);
    assert.doesNotMatch(upstream.head, /svc_live|x-svc/);
    caller.send(create());
    await upstream.until(() => upstream.frames.length === 1);
    assert.deepEqual(upstream.received, create());
    const answer = [created('resp_1'), delta(), completed('resp_1')];
    upstream.send(...answer);
    await caller.until(() => caller.events.length === 3);
    assert.deepEqual(caller.received, Buffer.concat(answer));
    const [record] = node.journal.closed;
    assert.deepEqual([record?.inputTokens, record?.outputTokens, record?.model, record?.providerRequestId], [11, 7, model, 'resp_1']);
    assert.deepEqual([record?.outcome, record?.status, record?.method, record?.requestedModel], ['completed', 200, 'POST', model]);
    assert.deepEqual([record?.requestBytes, record?.responseBytes, record?.streamed], [create().length, Buffer.concat(answer).length, true]);
    caller.send(closeOf(1000, 'done', mask));
    await upstream.until(() => upstream.closed !== null);
    assert.deepEqual(upstream.received.subarray(create().length), closeOf(1000, 'done', mask));
    upstream.send(closeOf(1000));
    upstream.socket.end();
    await caller.ended();
    const handshake = await node.recordOf(({ connection }) => connection === null);
    const { status, usage, transport, outcome, labels, project, method } = handshake;
    assert.deepEqual([status, usage, transport, outcome, labels, project, method], [101, 'none', 'websocket', 'completed', ['a', 'b'], 'p', 'GET']);
    assert.deepEqual([record?.connection, record?.transport, record?.labels, record?.project], [handshake.id, 'websocket', ['a', 'b'], 'p']);
    assert.equal(node.journal.closed.length, 2);
  });

  test('a request leaves once it is journalled, and an end reaches the caller once its record is', async (t) => {
    const node = await startSessionNode(t);
    const { caller, upstream } = await node.connect();
    const waiting: (() => void)[] = [];
    node.journal.hold = (_what, go) => void waiting.push(go);
    const held = async (): Promise<() => void> => {
      await eventually(() => waiting.length > 0);
      return waiting.shift()!;
    };
    caller.send(create(), fromCaller({ type: 'other' }));
    const open = await held();
    assert.equal(upstream.received.length, 0);
    open();
    await upstream.until(() => upstream.frames.length === 2);
    upstream.send(created('resp_1'), completed('resp_1'), fromProvider({ type: 'later' }));
    const close = await held();
    await caller.until(() => caller.events.length === 1);
    assert.equal(caller.events.length, 1);
    close();
    await caller.until(() => caller.events.length === 3);
    node.journal.hold = null;
  });

  test('responses in lanes are distinguished, and each has its own figures', async (t) => {
    const node = await startSessionNode(t);
    const { caller, upstream } = await node.connect();
    caller.send(create({ stream_id: 'a' }), create({ stream_id: 'b' }), create({ stream_id: 'a' }));
    await upstream.until(() => upstream.frames.length === 3);
    const [a, b] = [{ event: { stream_id: 'a' } }, { event: { stream_id: 'b' } }];
    upstream.send(created('resp_b', b), created('resp_a1', a), delta(b.event), completed('resp_b', b.event), completed('resp_a1', a.event),
      created('resp_a2', a), completed('resp_a2', a.event));
    await caller.until(() => caller.events.length === 7);
    assert.deepEqual(node.journal.closed.map(({ providerRequestId }) => providerRequestId), ['resp_b', 'resp_a1', 'resp_a2']);
    assert.equal(node.journal.opened.length, 4);
    assert.equal(node.journal.closed[0]?.responseBytes, created('resp_b', b).length + delta(b.event).length + completed('resp_b', b.event).length);
  });

  test('what the provider begins after a steer is another response, opened before the caller sees it', async (t) => {
    const { node, caller, upstream } = await underWay(t);
    caller.send(fromCaller({ type: 'response.steer', previous_response_id: 'resp_1', input: 'rather' }), create());
    await upstream.until(() => upstream.frames.length === 3);
    upstream.send(completed('resp_1'), created('resp_2', { response: { previous_response_id: 'resp_1' } }), completed('resp_2'),
      created('resp_3'), completed('resp_3'));
    await caller.until(() => caller.events.length === 6);
    assert.deepEqual(node.journal.closed.map(({ providerRequestId, requestBytes }) => [providerRequestId, requestBytes > 0]),
      [['resp_1', true], ['resp_2', false], ['resp_3', true]]);
    assert.equal(node.journal.opened.length, 4);
  });

  test('a response is counted once for its name, however often it is reported', async (t) => {
    const { node, caller, upstream } = await underWay(t);
    upstream.send(completed('resp_1'), completed('resp_1'), created('resp_1'));
    await caller.until(() => caller.events.length === 4);
    assert.equal(node.journal.closed.length, 1);
  });

  test('an end that is written over several lines is read like any, and passes as it came', async (t) => {
    const { node, caller, upstream } = await underWay(t);
    const response = { id: 'resp_1', status: 'completed', model, output: [], usage };
    const lines = JSON.stringify({ type: 'response.completed', response }, null, 2).replaceAll('\n', '\r\n\n');
    upstream.send(frameOf(lines));
    await caller.until(() => caller.events.length === 2);
    const [record] = node.journal.closed;
    assert.deepEqual([record?.inputTokens, record?.outputTokens, record?.model, record?.outcome], [11, 7, model, 'completed']);
    assert.equal(caller.frames[1]?.payload.toString(), lines);
  });

  test('an error in place of a response ends its call with the status that it names', async (t) => {
    const node = await startSessionNode(t);
    const { caller, upstream } = await node.connect();
    caller.send(create());
    await upstream.until(() => upstream.frames.length === 1);
    upstream.send(fromProvider({ type: 'error', status: 400, error: { code: 'previous_response_not_found', message: 'No.' } }));
    await caller.until(() => caller.events.length === 1);
    const [record] = node.journal.closed;
    assert.deepEqual([record?.status, record?.usage, record?.outcome], [400, 'none', 'completed']);
  });

  test('an error within a response cuts it, and its usage is not known', async (t) => {
    const { node, caller, upstream } = await underWay(t);
    upstream.send(fromProvider({ type: 'error', sequence_number: 4, error: { code: 'server_error', message: 'No.' } }));
    await caller.until(() => caller.events.length === 2);
    const [record] = node.journal.closed;
    assert.deepEqual([record?.status, record?.usage, record?.usageReason, record?.outcome], [200, 'unknown', 'cut', 'cut']);
  });

  test('an error that a bad message brought ends no response: its usage is counted when it comes', async (t) => {
    const { node, caller, upstream } = await underWay(t);
    caller.send(fromCaller({ type: 'nonsense' }));
    await upstream.until(() => upstream.frames.length === 2);
    upstream.send(fromProvider({ type: 'error', status: 400, error: { code: 'unknown_event', message: 'No.' } }), completed('resp_1'));
    await caller.until(() => caller.events.length === 3);
    const [record] = node.journal.closed;
    assert.deepEqual([record?.status, record?.usage, record?.inputTokens, record?.outcome], [200, 'reported', 11, 'completed']);
  });

  test('a response that goes on behind such an error is not cut when another begins in its lane', async (t) => {
    const { node, caller, upstream } = await underWay(t);
    const error = fromProvider({ type: 'error', status: 400, error: { code: 'unknown_event', message: 'No.' } });
    upstream.send(error, delta());
    await caller.until(() => caller.events.length === 3);
    caller.send(create());
    await upstream.until(() => upstream.frames.length === 2);
    upstream.send(created('resp_2'), completed('resp_1'), completed('resp_2'));
    await caller.until(() => caller.events.length === 6);
    assert.deepEqual(node.journal.closed.map(({ providerRequestId, usage: told }) => [providerRequestId, told]),
      [['resp_1', 'reported'], ['resp_2', 'reported']]);
  });

  test('where a provider goes on with a response that the next one cut, its usage counts, and it is cut once', async (t) => {
    const { node, caller, upstream } = await underWay(t);
    caller.send(fromCaller({ type: 'nonsense' }));
    await upstream.until(() => upstream.frames.length === 2);
    upstream.send(fromProvider({ type: 'error', status: 400, error: { code: 'unknown_event', message: 'No.' } }));
    await caller.until(() => caller.events.length === 2);
    caller.send(create());
    await upstream.until(() => upstream.frames.length === 3);
    upstream.send(created('resp_2'));
    await caller.until(() => caller.events.length === 3);
    upstream.send(completed('resp_1'), completed('resp_1'), completed('resp_2'));
    await caller.until(() => caller.events.length === 6);
    const records = node.journal.closed.map(({ providerRequestId: id, outcome, usage: told, inputTokens }) => [id, outcome, told, inputTokens]);
    assert.deepEqual(records,
      [['resp_1', 'cut', 'unknown', null], ['resp_1', 'completed', 'reported', 11], ['resp_2', 'completed', 'reported', 11]]);
  });

  test('one that did end a response: a connection that is to end waits for it some seconds only', async (t) => {
    const { node, caller, upstream } = await underWay(t);
    upstream.send(fromProvider({ type: 'error', status: 500, error: { code: 'server_error', message: 'No.' } }));
    await caller.until(() => caller.events.length === 2);
    const drained = node.gateway.drain(600_000);
    const clock = setInterval(() => { node.time.nowMs += doubtedMs / 20; }, 20);
    await caller.until(() => caller.closed !== null);
    await drained;
    clearInterval(clock);
    assert.equal(caller.closed?.code, 1012);
    assert.deepEqual(node.journal.closed.map(({ providerRequestId, outcome }) => [providerRequestId, outcome]),
      [['resp_1', 'cut'], [null, 'completed']]);
  });

  test('one behind a message that the error may be of is waited for as any response', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    const { node, caller, upstream } = await underWay(t);
    caller.send(fromCaller({ type: 'nonsense' }));
    await upstream.until(() => upstream.frames.length === 2);
    upstream.send(fromProvider({ type: 'error', status: 400, error: { code: 'unknown_event', message: 'No.' } }));
    await caller.until(() => caller.events.length === 2);
    const drained = node.gateway.drain(600_000);
    for (let look = 0; look < 5; look += 1) {
      await new Promise((resolve) => void setImmediate(resolve));
      node.time.nowMs += doubtedMs;
      t.mock.timers.tick(1_000);
    }
    assert.deepEqual(node.journal.closed, []);
    upstream.send(completed('resp_1'));
    await drained;
    assert.deepEqual(node.journal.closed.map(({ providerRequestId, usage: told }) => [providerRequestId, told]),
      [['resp_1', 'reported'], [null, 'none']]);
  });

  test('one that a limit covers is waited for: the caller may have brought the error about, and its usage counts', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    const { node, caller, upstream } = await underWay(t);
    reachCap(node);
    upstream.send(fromProvider({ type: 'error', status: 400, error: { code: 'unknown_event', message: 'No.' } }));
    await caller.until(() => caller.events.length === 2);
    caller.send(frameOf(Buffer.of(3, 232), { opcode: 8, mask }));
    for (let look = 0; look < 5; look += 1) {
      await new Promise((resolve) => void setImmediate(resolve));
      node.time.nowMs += doubtedMs;
      t.mock.timers.tick(1_000);
    }
    assert.deepEqual(node.journal.closed, []);
    const record = node.recordOf(({ connection }) => connection !== null);
    upstream.send(completed('resp_1'));
    assert.deepEqual([(await record).usage, (await record).inputTokens], ['reported', 11]);
  });

  test('a record that is cut by the next response and is written last ends a connection that is to end', async (t) => {
    const { node, caller, upstream } = await underWay(t);
    upstream.send(fromProvider({ type: 'error', status: 500, error: { code: 'server_error', message: 'No.' } }));
    await caller.until(() => caller.events.length === 2);
    caller.send(create());
    await upstream.until(() => upstream.frames.length === 2);
    const ends: (() => void)[] = [];
    node.journal.hold = (what, go) => what === 'closed' && ends.length === 0 ? void ends.push(go) : void setImmediate(go);
    const drained = node.gateway.drain(600_000);
    upstream.send(created('resp_2'), completed('resp_2'));
    await caller.until(() => caller.events.length === 4);
    ends[0]!();
    await caller.until(() => caller.closed !== null);
    await drained;
    assert.equal(caller.closed?.code, 1012);
  });

  test('one that did end a response: its record is written when the next begins in its lane, and at the latest with the connection', async (t) => {
    const { node, caller, upstream } = await underWay(t);
    const error = fromProvider({ type: 'error', status: 500, error: { code: 'server_error', message: 'No.' } });
    upstream.send(error);
    await caller.until(() => caller.events.length === 2);
    assert.equal(node.journal.closed.length, 0);
    caller.send(create());
    await upstream.until(() => upstream.frames.length === 2);
    upstream.send(created('resp_2'), error);
    await caller.until(() => caller.events.length === 4);
    assert.deepEqual(node.journal.closed.map(({ providerRequestId, outcome, usage }) => [providerRequestId, outcome, usage]),
      [['resp_1', 'cut', 'unknown']]);
    upstream.socket.destroy();
    await node.recordOf(({ connection }) => connection === null);
    assert.deepEqual(node.journal.closed.map(({ providerRequestId, outcome }) => [providerRequestId, outcome]),
      [['resp_1', 'cut'], ['resp_2', 'cut'], [null, 'cut']]);
  });

  test('ping and pong pass at once, also between the frames of a message', async (t) => {
    const node = await startSessionNode(t);
    const { caller, upstream } = await node.connect();
    const text = Buffer.from(JSON.stringify({ type: 'response.create', model }));
    caller.send(frameOf(text.subarray(0, 9), { mask, isFinal: false }), frameOf('are you there', { opcode: 9, mask }));
    await upstream.until(() => upstream.frames.length === 1);
    assert.equal(upstream.frames[0]?.payload.toString(), 'are you there');
    caller.send(frameOf('', { opcode: 0, mask, isFinal: false }), frameOf(text.subarray(9), { opcode: 0, mask }));
    await upstream.until(() => upstream.frames.length === 4);
    assert.equal(node.journal.opened.length, 2);
    upstream.send(frameOf('yes', { opcode: 10 }));
    await caller.until(() => caller.frames.length === 1);
  });
});

suite('limits on a connection', { timeout }, () => {
  test('a create that a cap refuses never leaves: the caller gets an error in the wire\'s words, and the connection goes on', async (t) => {
    const { node, caller, upstream } = await underWay(t);
    reachCap(node);
    caller.send(create({ stream_id: 'a' }), fromCaller({ type: 'harmless' }));
    await upstream.until(() => upstream.frames.length === 2);
    await caller.until(() => caller.events.length === 2);
    const { type, status, stream_id: lane, error } = caller.events[1]!;
    assert.deepEqual([type, status, lane], ['error', 402, 'a']);
    assert.deepEqual([error?.code, error?.type, error?.param], ['budget_exceeded', 'insufficient_quota', null]);
    upstream.send(completed('resp_1'));
    await caller.until(() => caller.events.length === 3);
    assert.equal(node.gateway.counters.refused, 1);
    assert.equal(caller.closed, null);
  });

  test('at a reached cap, what the provider begins itself is counted, and the connection ends once it is over', async (t) => {
    const { node, caller, upstream } = await underWay(t);
    caller.send(fromCaller({ type: 'response.steer', previous_response_id: 'resp_1', input: 'rather' }));
    await upstream.until(() => upstream.frames.length === 2);
    reachCap(node);
    upstream.send(completed('resp_1'), created('resp_2', { response: { previous_response_id: 'resp_1' } }));
    await caller.until(() => caller.events.length === 3);
    assert.equal(caller.closed, null);
    upstream.send(completed('resp_2'));
    await caller.until(() => caller.closed !== null);
    assert.deepEqual(caller.closed, { code: 1008, reason: 'budget_exceeded' });
    assert.equal(caller.events.at(-1)?.error?.code, 'budget_exceeded');
    assert.equal(node.journal.closed.filter(({ inputTokens }) => inputTokens === 11).length, 2);
  });

  test('a revoked key: the next create is refused and the connection closed; an idle one is closed too', async (t) => {
    const node = await startSessionNode(t);
    const [one, other] = [await node.connect(), await node.connect()];
    node.key.held = null;
    one.caller.send(create());
    await one.caller.until(() => one.caller.closed !== null);
    assert.deepEqual([one.caller.closed, one.caller.events[0]?.error?.code], [{ code: 1008, reason: 'invalid_api_key' }, 'invalid_api_key']);
    await other.caller.until(() => other.caller.closed !== null);
    assert.equal(other.caller.closed?.code, 1008);
    await one.upstream.until(() => one.upstream.closed !== null);
    assert.equal(one.upstream.frames.length, 1);
  });

  test('a provider that is disconnected: what is under way ends, the next create is refused until it is connected again', async (t) => {
    const { node, caller, upstream } = await underWay(t);
    const held = node.key.held!;
    node.key.held = { ...held, organization: { ...held.organization, openai: { state: 'missing' } } };
    caller.send(create());
    await caller.until(() => caller.events.length === 2);
    assert.deepEqual([caller.events[1]?.status, caller.events[1]?.error?.code], [401, 'provider_key_missing']);
    upstream.send(completed('resp_1'));
    await caller.until(() => caller.events.length === 3);
    node.key.held = held;
    caller.send(create());
    await upstream.until(() => upstream.frames.length === 2);
    assert.equal(caller.closed, null);
  });

  test('an upstream that is disabled or removed: the next create is refused', async (t) => {
    const node = await startSessionNode(t);
    const held = node.key.held!;
    const declared = { url: node.provider.url, enabled: true, version: 1, credential: '' };
    const having = (upstream: typeof declared | null): void => {
      node.key.held = { ...held, organization: { ...held.organization, upstream } };
    };
    having(declared);
    const { caller, upstream } = await node.connect({ path: '/upstream/v1/responses' });
    having({ ...declared, enabled: false });
    caller.send(create());
    await caller.until(() => caller.events.length === 1);
    having(null);
    caller.send(create());
    await caller.until(() => caller.events.length === 2);
    assert.deepEqual(caller.events.map(({ status, error }) => [status, error?.code]),
      [[400, 'upstream_not_enabled'], [400, 'upstream_not_declared']]);
    assert.equal(upstream.frames.length, 0);
  });

  test('where the opening cannot be journalled, nothing leaves and the caller gets an error', async (t) => {
    const node = await startSessionNode(t);
    const { caller, upstream } = await node.connect();
    node.journal.failing = true;
    caller.send(create());
    await caller.until(() => caller.events.length === 1);
    assert.equal(caller.events[0]?.error?.code, 'internal_error');
    assert.equal(upstream.received.length, 0);
    node.journal.failing = false;
  });
});

suite('how a connection ends', { timeout }, () => {
  test('the provider goes: what is under way is cut, and the caller\'s connection ends', async (t) => {
    const { node, caller, upstream } = await underWay(t);
    upstream.socket.destroy();
    await caller.ended();
    const [record] = node.journal.closed;
    assert.deepEqual([record?.outcome, record?.usage, record?.usageReason], ['cut', 'unknown', 'cut']);
    assert.equal((await node.recordOf(({ connection }) => connection === null)).outcome, 'cut');
  });

  test('the caller goes: its response is read on for its usage, and the provider sees the close after it', async (t) => {
    const { node, caller, upstream } = await underWay(t);
    caller.socket.destroy();
    const record = node.recordOf(({ connection }) => connection !== null);
    upstream.send(delta(), completed('resp_1'));
    await upstream.until(() => upstream.closed !== null);
    assert.deepEqual([(await record).outcome, (await record).usage, (await record).inputTokens], ['caller_gone', 'reported', 11]);
    assert.equal((await node.recordOf(({ connection }) => connection === null)).outcome, 'caller_gone');
  });

  test('the caller goes with several under way: each is read on as far as one alone', async (t) => {
    const { node, caller, upstream } = await underWay(t);
    caller.send(create({ stream_id: 'a' }), create({ stream_id: 'b' }));
    await upstream.until(() => upstream.frames.length === 3);
    caller.socket.destroy();
    // An answer that no limit covers is read on for 1 MiB.
    const long = { delta: 'word '.repeat(100_000) };
    upstream.send(created('resp_a', { event: { stream_id: 'a' } }), created('resp_b', { event: { stream_id: 'b' } }),
      ...[1, 2, 3, 4, 5].map(() => delta(long)),
      completed('resp_a', { stream_id: 'a' }), completed('resp_b', { stream_id: 'b' }), completed('resp_1'));
    await node.recordOf(({ connection }) => connection === null);
    const responses = node.journal.closed.filter(({ connection }) => connection !== null);
    assert.deepEqual(responses.map(({ providerRequestId, outcome, usage: told }) => [providerRequestId, outcome, told]),
      ['resp_a', 'resp_b', 'resp_1'].map((id) => [id, 'caller_gone', 'reported']));
  });

  test('the caller closes within a response: its close leaves once the response has ended', async (t) => {
    const { node, caller, upstream } = await underWay(t);
    caller.send(closeOf(1000, '', mask));
    upstream.send(delta());
    await caller.until(() => caller.events.length === 2);
    assert.equal(upstream.closed, null);
    upstream.send(completed('resp_1'));
    await upstream.until(() => upstream.closed !== null);
    assert.equal(node.journal.closed[0]?.usage, 'reported');
    upstream.send(closeOf(1000));
    await caller.until(() => caller.closed !== null);
    assert.deepEqual(caller.closed, { code: 1000, reason: '' });
  });

  test('the provider closes within a response: it is cut before the caller sees the close', async (t) => {
    const { node, caller, upstream } = await underWay(t);
    upstream.send(closeOf(1011, 'sorry'));
    await caller.until(() => caller.closed !== null);
    assert.deepEqual(caller.closed, { code: 1011, reason: 'sorry' });
    assert.equal(node.journal.closed[0]?.outcome, 'cut');
    caller.send(closeOf(1011, '', mask));
    await upstream.until(() => upstream.closed !== null);
  });

  test('the node stops: an idle connection is closed at once, another when its response has ended, and none is begun', async (t) => {
    const { node, caller, upstream } = await underWay(t);
    const idle = await node.connect();
    const drained = node.gateway.drain(10_000);
    await idle.caller.until(() => idle.caller.closed !== null);
    assert.equal(idle.caller.closed?.code, 1012);
    caller.send(create());
    await caller.until(() => caller.events.length === 2);
    assert.deepEqual([caller.events[1]?.error?.code, caller.closed], ['node_stopping', null]);
    upstream.send(completed('resp_1'));
    await caller.until(() => caller.closed !== null);
    assert.equal(caller.closed?.code, 1012);
    await drained;
    assert.equal(node.journal.closed.filter(({ usage }) => usage === 'reported').length, 1);
  });

  test('when the stop\'s time is over, what is under way is cut and recorded', async (t) => {
    const { node, caller } = await underWay(t);
    await node.gateway.drain(0);
    await caller.until(() => caller.closed !== null);
    assert.deepEqual([caller.closed?.code, node.journal.closed.map(({ outcome }) => outcome)], [1012, ['cut', 'cut']]);
  });

  test('a connection without a message for an hour is closed', async (t) => {
    const node = await startSessionNode(t);
    const { caller } = await node.connect();
    node.time.nowMs += 60 * 60_000;
    await caller.until(() => caller.closed !== null);
    assert.equal(caller.closed?.code, 1001);
  });
});

suite('handshakes', { timeout }, () => {
  test('a refusal is an ordinary answer before the upgrade', async (t) => {
    const node = await startSessionNode(t);
    node.key.held = null;
    const answer = await openCaller(node.origin, { key: `svc_live_${'9'.repeat(32)}` });
    assert.match(answer.head, /^HTTP\/1.1 401 /);
    await answer.ended();
    assert.equal(node.provider.handshakes, 0);
  });

  test('a reached cap refuses the handshake with 402, and no record is written', async (t) => {
    const node = await startSessionNode(t);
    reachCap(node);
    const answer = await openCaller(node.origin, { key: `svc_live_${'9'.repeat(32)}` });
    assert.match(answer.head, /^HTTP\/1.1 402 /);
    await answer.ended();
    assert.deepEqual([node.journal.opened.length, node.provider.handshakes], [0, 0]);
  });

  test('an answer other than 101 passes as it is, and is recorded', async (t) => {
    const node = await startSessionNode(t, { answer: 'HTTP/1.1 404 Not Here\r\nx-own: 1\r\ncontent-length: 5\r\n\r\nsorry' });
    const { caller } = await node.connect();
    await caller.ended();
    assert.match(caller.head, /^HTTP\/1.1 404 Not Here\r\n[^]*x-own: 1\r\n/);
    assert.equal(caller.received.toString(), 'sorry');
    const record = await node.recordOf(() => true);
    assert.deepEqual([record.status, record.outcome, record.usage, record.transport], [404, 'completed', 'none', 'websocket']);
  });

  test('a refusal, and an answer other than 101, reach a caller who is still writing: the connection ends in order', async (t) => {
    const node = await startSessionNode(t, { answer: 'HTTP/1.1 404 Not Here\r\ncontent-length: 5\r\n\r\nsorry' });
    const key = `svc_live_${'9'.repeat(32)}`;
    for (const [path, credential, answer] of [
      ['/v1/responses', '', /^HTTP\/1.1 401 [^]*\}$/], ['/v1/messages', key, /^HTTP\/1.1 426 [^]*\}$/],
      ['/v1/responses', key, /^HTTP\/1.1 404 [^]*sorry$/],
    ] as const) {
      const socket = connect({ port: Number(new URL(node.origin).port), host: '127.0.0.1', allowHalfOpen: true });
      const faults: Error[] = [];
      socket.on('error', (fault) => faults.push(fault));
      let text = '';
      socket.on('data', (chunk: Buffer) => { text += chunk.toString('latin1'); });
      socket.write(`GET ${path} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${credential}\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\r\n`);
      await once(socket, 'end');
      for (let piece = 0; piece < 10; piece += 1) await new Promise((done) => socket.write(Buffer.alloc(20_000, 'x'), done));
      socket.end();
      await once(socket, 'close');
      assert.match(text, answer);
      assert.deepEqual(faults, [], path);
    }
  });

  test('a path outside every pattern, and an upgrade that cannot be one, are answered as before', async (t) => {
    const node = await startSessionNode(t);
    const refused = async (path: string, headers: readonly string[]): Promise<string> => {
      const answer = await openCaller(node.origin, { key: `svc_live_${'9'.repeat(32)}`, path, headers });
      answer.socket.destroy();
      return answer.head.slice(0, 12);
    };
    assert.equal(await refused('/v2/realtime', []), 'HTTP/1.1 404');
    assert.equal(await refused('/v1/realtime?model=m', ['content-length: 1']), 'HTTP/1.1 426');
    for (const path of ['/v1/messages', '/v1/messages/x?beta=1', '/v1//messages']) assert.equal(await refused(path, []), 'HTTP/1.1 426', path);
    assert.deepEqual([node.journal.opened.length, node.provider.handshakes], [0, 0]);
    assert.equal(await refused('/alt/v1/messages', []), 'HTTP/1.1 401');
  });

  test('behind a request that is not answered no connection is upgraded', async (t) => {
    const node = await startSessionNode(t, { answer: 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok' });
    const key = `svc_live_${'9'.repeat(32)}`;
    const socket = connect(Number(new URL(node.origin).port), '127.0.0.1');
    const head = (lines: string): string => `GET /v1/responses HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${key}\r\n${lines}\r\n`;
    socket.write(head('') + head('connection: Upgrade\r\nupgrade: websocket\r\n'));
    let text = '';
    for await (const chunk of socket) {
      text += String(chunk);
      if (/HTTP\/1\.1 426 /.test(text)) break;
    }
    assert.match(text, /^HTTP\/1.1 200 OK[^]*HTTP\/1.1 426 /);
  });

  test('a key in a subprotocol is taken out, and never forwarded', async (t) => {
    const node = await startSessionNode(t);
    const key = `svc_live_${'9'.repeat(32)}`;
    const upstream = node.provider.accepted();
    const caller = await openCaller(node.origin, { headers: [`sec-websocket-protocol: realtime, openai-insecure-api-key.${key}, other`] });
    assert.match(caller.head, /^HTTP\/1.1 101 /);
    const { head } = await upstream;
    assert.match(head, /\r\nsec-websocket-protocol: realtime, other\r\n/);
    assert.match(head, /\r\nauthorization: Bearer sk\r\n/);
    assert.doesNotMatch(head, /svc_live|insecure/);
    caller.socket.destroy();
  });

  test('bytes that come in one piece with a head are not lost', async (t) => {
    const hello = fromProvider({ type: 'hello' });
    const node = await startSessionNode(t, { first: hello });
    const { caller, upstream } = await node.connect({ first: create() });
    await upstream.until(() => upstream.frames.length === 1);
    await caller.until(() => caller.frames.length === 1);
    assert.deepEqual(framesOf(caller.received).frames.length, 1);
    upstream.send(created('resp_1'), completed('resp_1'));
    await caller.until(() => caller.frames.length === 3);
  });

  test('an extension that cannot be parsed opens no connection', async (t) => {
    const node = await startSessionNode(t, { headers: ['Sec-WebSocket-Extensions: x-other'] });
    const { caller } = await node.connect({ headers: ['sec-websocket-extensions: x-other'] });
    assert.match(caller.head, /^HTTP\/1.1 502 /);
    assert.equal((await node.recordOf(() => true)).outcome, 'failed');
  });
});

test('work in the background that the organization refuses is refused on a connection too', { timeout }, async (t) => {
  const node = await startSessionNode(t);
  const { caller, upstream } = await node.connect();
  const held = node.key.held!;
  const unmetered = { deferred: 'refuse', unreported: 'allow', handedOut: 'allow', hidden: 'allow' } as const;
  node.key.held = { ...held, organization: { ...held.organization, unmetered } };
  caller.send(create({ background: true }), create());
  await upstream.until(() => upstream.frames.length === 1);
  assert.deepEqual(upstream.received, create());
  assert.equal(caller.events[0]?.status, 403);
});

test('a caller whose answers reported no usage twenty times gets no more on a connection in this hour (rule 6c)', { timeout }, async (t) => {
  const node = await startSessionNode(t);
  const { caller, upstream } = await node.connect();
  const held = node.key.held!;
  const unmetered = { deferred: 'allow', unreported: 'allow', handedOut: 'allow', hidden: 'refuse' } as const;
  node.key.held = { ...held, organization: { ...held.organization, unmetered } };
  for (let at = 1; at <= untoldCallsMax; at += 1) {
    caller.send(create());
    await upstream.until(() => upstream.frames.length === at);
    upstream.send(created(`resp_${at}`), fromProvider({ type: 'response.completed', response: { id: `resp_${at}`, status: 'completed', model } }));
    await caller.until(() => caller.events.length === at * 2);
  }
  caller.send(create());
  await caller.until(() => caller.events.length === untoldCallsMax * 2 + 1);
  const { status, error } = caller.events.at(-1) as { readonly status?: number; readonly error?: { readonly code?: string } };
  assert.deepEqual([status, error?.code, upstream.frames.length], [403, 'unmetered_work_refused', untoldCallsMax]);
});

test('a handshake that asks for answers in a form that is not read has no responses where that is refused', { timeout }, async (t) => {
  const node = await startSessionNode(t);
  const held = node.key.held!;
  const unmetered = { deferred: 'allow', unreported: 'allow', handedOut: 'allow', hidden: 'refuse' } as const;
  const upstream = { url: node.provider.url, enabled: true, version: 1, credential: '' };
  node.key.held = { ...held, organization: { ...held.organization, unmetered, upstream } };
  const { caller, upstream: provider } = await node.connect({ path: '/upstream/v1/responses?fields=id' });
  caller.send(create());
  await caller.until(() => caller.events.length === 1);
  assert.deepEqual([caller.events[0]?.status, provider.frames.length], [403, 0]);
});
