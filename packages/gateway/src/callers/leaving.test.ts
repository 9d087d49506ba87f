/**
 * A stopping node, whole and in this process: every answer says that it is the last of its connection, what comes until the
 * connections are closed is served, and none is reset. By both readers of requests. Decision 0106.
 */
import assert from 'node:assert/strict';
import { connect as connectSocket } from 'node:net';
import { test, type TestContext } from 'node:test';
import type { HeaderPair } from '@metergate/testkit/http-message.ts';
import { requestBytes, type RawAnswer, type RawCall, type RawConnection } from '@metergate/testkit/raw-client.ts';
import { gate } from '@metergate/testkit/scripted-provider.ts';
import { eventually } from '@metergate/testkit/eventually.ts';
import { ownKey, startNode } from '../test-support/whole-node.ts';

const authorized: readonly HeaderPair[] = [['Authorization', `Bearer ${ownKey}`]];
const call: RawCall = { target: '/v1/responses', headers: authorized, body: '{}' };
const json: readonly HeaderPair[] = [['content-type', 'application/json']];
const readers = ['us', 'node'] as const;

/** Ways of calling, and what they are answered. */
const ways: readonly { readonly name: string; readonly request: RawCall; readonly status: number }[] = [
  { name: 'a call', request: call, status: 200 },
  { name: 'a call in chunks', request: { target: call.target, headers: authorized, chunks: [Buffer.from('{'), Buffer.from('}')] }, status: 200 },
  { name: 'a long call', request: { ...call, body: JSON.stringify({ input: 'x'.repeat(70_000) }) }, status: 200 },
  { name: 'HEAD', request: { method: 'HEAD', target: '/v1/models', headers: authorized }, status: 200 },
  { name: 'a wrong key', request: { ...call, headers: [['Authorization', 'Bearer nobody']] }, status: 401 },
  { name: 'no route', request: { ...call, target: '/nowhere' }, status: 404 },
  { name: 'bad run headers', request: { ...call, headers: [...authorized, ['x-svc-run-budget', '1']] }, status: 400 },
];

function closes({ head }: RawAnswer): boolean {
  return /^connection: close\r$/mi.test(head.toString('latin1'));
}

/** The head without ids, the date and the `Connection` header. */
function restOf({ head }: RawAnswer): string[] {
  return head.toString('latin1').split('\r\n').filter((line) => !/^(?:connection|date|x-request-id|x-svc-request-id|request-id):/i.test(line));
}

async function startLeaving(t: TestContext, requestsReadBy: (typeof readers)[number]) {
  const node = await startNode(t, { requestsReadBy, heldBodiesBytesMax: 1 << 22 });
  const opened: RawConnection[] = [];
  t.after(() => Promise.all(opened.map((connection) => connection.close())));
  const connect = async (): Promise<RawConnection> => {
    const connection = await node.connect();
    opened.push(connection);
    connection.socket.on('end', () => connection.socket.end());
    return connection;
  };
  return { ...node, connect };
}

for (const reader of readers) {
  test(`every answer says close, whatever it answers, and is otherwise as before (requests read by: ${reader})`, async (t) => {
    const { connect, gateway } = await startLeaving(t, reader);
    const kept = await Promise.all(ways.map(async ({ name, request, status }) => {
      const connection = await connect();
      const answer = await connection.call(request);
      assert.deepEqual([answer.status, closes(answer)], [status, false], name);
      return { connection, answer };
    }));
    gateway.leave();
    for (const [at, { name, request }] of ways.entries()) {
      const { connection, answer: before } = kept[at]!;
      const newcomer = await connect();
      for (const each of [connection, newcomer]) {
        const answer = await each.call(request);
        assert.deepEqual([closes(answer), answer.whole, answer.body.length], [true, true, before.body.length], name);
        assert.deepEqual(restOf(answer), restOf(before), name);
        assert.equal(await each.ended, 'fin', name);
      }
    }
  });

  test(`calls in flight: one without a head yet says close; one with its head out ends whole, and the next says close (${reader})`, async (t) => {
    const { connect, gateway, provider } = await startLeaving(t, reader);
    const [heads, ends] = [gate(), gate()];
    provider.respond(async ({ target }) => {
      if (target === '/v1/responses') await heads.opened;
      return { headers: json, body: target === '/v1/responses' ? ['{}'] : ['{"a":', ends.opened, '1}'] };
    });
    const [headless, streaming] = await Promise.all([connect(), connect()]);
    const first = headless.call(call);
    const second = streaming.call({ ...call, target: '/v1/chat/completions' });
    await streaming.received(5);
    await eventually(() => gateway.counters.inFlight >= 2);
    gateway.leave();
    heads.open();
    ends.open();
    const answer = await first;
    assert.deepEqual([answer.status, closes(answer), await headless.ended], [200, true, 'fin']);
    const streamed = await second;
    assert.deepEqual([streamed.body.toString(), streamed.whole, closes(streamed)], ['{"a":1}', true, false]);
    assert.equal(closes(await streaming.call(call)), true);
    assert.equal(await streaming.ended, 'fin');
  });

  test(`calls pipelined behind one another are all answered, and the last one says close (${reader})`, async (t) => {
    const { connect, gateway, provider } = await startLeaving(t, reader);
    const heads = gate();
    const heard: string[] = [];
    provider.respond(async ({ target }) => {
      heard.push(target);
      await heads.opened;
      return { headers: json, body: '{}' };
    });
    const connection = await connect();
    for (let count = 0; count < 3; count += 1) connection.send(requestBytes(call, 'x'));
    await eventually(() => heard.length > 0);
    // Until all three have been read.
    await connect().then((other) => other.call({ ...call, target: '/nowhere' }));
    gateway.leave();
    heads.open();
    const answers = [await connection.nextAnswer(), await connection.nextAnswer(), await connection.nextAnswer()];
    assert.deepEqual(answers.map((each) => [each.status, closes(each)]), [[200, false], [200, false], [200, true]]);
    assert.deepEqual([await connection.ended, heard.length], ['fin', 3]);
  });

  test(`a drain closes what is idle by an end and not by a reset, and serves what comes before (${reader})`, async (t) => {
    const { connect, gateway, time } = await startLeaving(t, reader);
    const [idle, busy, late] = await Promise.all([connect(), connect(), connect()]);
    for (const connection of [idle, busy, late]) assert.equal((await connection.call(call)).status, 200);
    late.socket.removeAllListeners('end');
    const drained = gateway.drain(600_000);
    await refused(gateway.port);
    const answer = await busy.call(call);
    assert.deepEqual([answer.status, closes(answer), await busy.ended], [200, true, 'fin']);
    assert.deepEqual([idle.socket.readableEnded, late.socket.readableEnded], [false, false], 'they carried something just now');
    time.nowMs += 1_000;
    await new Promise((resolve) => late.socket.once('end', resolve));
    // Sent before its caller has seen the end: it gets no answer, and is not forwarded; the connection is not reset.
    late.send(requestBytes(call, 'x'));
    await late.sendAll(requestBytes(call, 'x'));
    late.halfClose();
    assert.deepEqual([await idle.ended, await late.ended, late.answers.length], ['fin', 'fin', 1]);
    await drained;
    assert.equal(gateway.counters.forwarded, 4);
  });
}

/** Resolves once the port takes no more connections. */
async function refused(port: number): Promise<void> {
  for (let open = true; open;) {
    open = await new Promise<boolean>((resolve) => {
      const socket = connectSocket(port, '127.0.0.1', () => { socket.destroy(); resolve(true); }).on('error', () => resolve(false));
    });
  }
}
