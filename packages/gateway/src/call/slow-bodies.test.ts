/**
 * Bodies that come slowly or not at all, on a whole node whose clock the test sets (rule 8a): 408 and the end of the connection,
 * with nothing forwarded and nothing held, in whatever part of its body a caller stops; nobody else waits for them meanwhile.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@metergate/testkit/eventually.ts';
import { ownKey as key, neighbourKey as neighbour, startNode } from '../test-support/whole-node.ts';

/** Waits until the node, which now looks at nothing else, has looked at its clock again, and again: once may have been before. */
async function nextLook(time: { looks: () => number }): Promise<void> {
  const before = time.looks();
  await eventually(() => time.looks() >= before + 3, 'the node looks at its bodies');
}

const head = (target: string, framing: string): string =>
  `POST ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n${framing}\r\n\r\n`;

test('a body that stops anywhere is 408 after a minute and its connection ends; held memory is released', async (t) => {
  const { gateway, provider, time, connect } = await startNode(t);
  const stalled = {
    'short, nothing sent': head('/v1/responses', 'Content-Length: 60000'),
    'short, one byte': `${head('/v1/responses', 'Content-Length: 60000')}{`,
    'short, all but a byte': head('/v1/messages', 'Content-Length: 60000') + 'x'.repeat(59_999),
    'chat, nothing sent': head('/v1/chat/completions', 'Content-Length: 900000'),
    'chat, a piece': head('/v1/chat/completions', 'Content-Length: 900000') + 'x'.repeat(100_000),
    'chat, chunked, nothing sent': head('/v1/chat/completions', 'Transfer-Encoding: chunked'),
    'chat, chunked, a piece': `${head('/v1//chat/completions', 'Transfer-Encoding: chunked')}11170\r\n${'x'.repeat(0x11170)}`,
    'expects 100-continue': head('/v1/chat/completions', 'Expect: 100-continue\r\nContent-Length: 10'),
  };
  const callers = await Promise.all(Object.values(stalled).map(async (bytes) => {
    const connection = await connect();
    connection.send(bytes);
    return connection;
  }));
  // A long body for which nothing has come is counted with the room for its first piece.
  await eventually(() => gateway.heldBodyBytes() >= 1 + 59_999 + 100_000 + 70_000 + 2 * 65_536, 'what came is counted');
  await eventually(() => callers.at(-1)!.answers.length === 1, 'the one that waits for leave has it');
  await nextLook(time);
  time.nowMs += 59_000;
  await nextLook(time);
  const answered = callers.flatMap(({ answers }) => answers.map(({ status }) => status));
  assert.deepEqual(answered, [100], 'within the minute they are waited for');
  time.nowMs += 2_000;
  for (const [at, caller] of callers.entries()) {
    const answer = await caller.nextAnswer();
    const { code, type } = (JSON.parse(answer.body.toString()) as { error: { code: string; type: string } }).error;
    assert.deepEqual([answer.status, code, type], [408, 'request_timeout', 'invalid_request_error'], Object.keys(stalled)[at] ?? '');
    await eventually(() => caller.socket.readableEnded || caller.socket.destroyed, 'the connection ends');
  }
  assert.deepEqual([gateway.heldBodyBytes(), gateway.counters.inFlight, provider.connections], [0, 0, 0]);
  await Promise.all(callers.map((caller) => caller.close()));
});

test('a body that drips is 408, one that comes slowly but fast enough is served', async (t) => {
  const { time, connect } = await startNode(t);
  const [drip, slow] = [await connect(), await connect()];
  const body = 'x'.repeat(300_000);
  for (const caller of [drip, slow]) caller.send(head('/v1/chat/completions', `Content-Length: ${body.length}`));
  await nextLook(time);
  for (let second = 0; second <= 60; second += 30) {
    drip.send('x');
    slow.send('x'.repeat(31_000));
    await nextLook(time);
    time.nowMs += 30_000;
  }
  assert.equal((await drip.nextAnswer()).status, 408);
  slow.send('x'.repeat(body.length - 3 * 31_000));
  assert.equal((await slow.nextAnswer()).status, 200);
  await Promise.all([drip.close(), slow.close()]);
});

test('with half of its memory taken by one organization\'s unfinished bodies a node serves another\'s calls of every size', async (t) => {
  const { gateway, connect } = await startNode(t, { heldBodiesBytesMax: 1024 * 1024 });
  // Each of them stands in a slab of 64 KiB, and an organization passes its half by one at most.
  const hogs = await Promise.all(Array.from({ length: 20 }, async () => {
    const hog = await connect();
    hog.send(`${head('/v1/chat/completions', 'Transfer-Encoding: chunked')}8000\r\n${'x'.repeat(0x8000)}`);
    return hog;
  }));
  await eventually(() => gateway.heldBodyBytes() >= 512 * 1024, 'the memory is taken');
  const caller = await connect();
  const call = { headers: [['Authorization', `Bearer ${neighbour}`]] as const, target: '/v1/chat/completions' };
  for (const bytes of [2, 60_000, 70_000, 200_000]) {
    assert.equal((await caller.call({ ...call, body: 'x'.repeat(bytes) })).status, 200, String(bytes));
  }
  assert.equal((await caller.call({ ...call, chunks: Array.from({ length: 9 }, () => Buffer.alloc(20_000)) })).status, 200);
  const own = { ...call, headers: [['Authorization', `Bearer ${key}`]] as const, body: '{}' };
  assert.equal((await caller.call(own)).status, 200, 'nor does a short call of its own wait');
  for (const hog of hogs.splice(0)) hog.abort();
  await eventually(() => gateway.heldBodyBytes() === 0, 'all is given back');
  await caller.close();
});
