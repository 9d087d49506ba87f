/**
 * The product is asked to stop, with kept connections: from the first moment every listener says that the connection ends with its answer, and calls
 * are served until whoever polls its readiness has seen that it stops. Decision 0106; by hand and with haproxy: `test/operation/leaving-trial.ts`.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@metergate/testkit/eventually.ts';
import { RawConnection, type RawAnswer, type RawCall } from '@metergate/testkit/raw-client.ts';
import { startSystem } from '@metergate/testkit/system.ts';
import { bearer } from '../running-product.ts';

const callers = 24;

function closes({ head }: RawAnswer): boolean {
  return /^connection: close\r$/mi.test(head.toString('latin1'));
}

test('SIGTERM with 24 kept connections: each next call is answered and says close, on every listener, and none is reset', async () => {
  const system = await startSystem({ env: { SVC_GRACE_SECONDS: '60' } });
  const { key } = await system.createKey();
  const open = async (url: string): Promise<RawConnection> => {
    const connection = await RawConnection.open(url);
    connection.socket.on('end', () => connection.socket.end());
    return connection;
  };
  const call: RawCall = { target: '/v1/responses', headers: [bearer(key)], body: '{"model":"m"}' };
  const look: RawCall = { method: 'GET', target: '/' };
  const poll: RawCall = { method: 'GET', target: '/readyz' };
  system.openai.respond({ headers: [['content-type', 'application/json']], body: '{}' });
  const kept = await Promise.all(Array.from({ length: callers }, () => open(system.gatewayUrl)));
  const page = await open(system.platformUrl);
  const poller = await open(system.opsUrl);
  const before = [...await Promise.all(kept.map((each) => each.call(call))), await page.call(look), await poller.call(poll)];
  assert.deepEqual([...new Set(before.map((answer) => `${answer.status} ${closes(answer)}`))], ['200 false']);

  const stopped = system.stop();
  await system.says(/stopping; open calls may finish/);
  // Whoever sees the 503 finds every answer saying the same.
  let said = await poller.call(poll);
  while (said.status === 200) said = await poller.call(poll);
  assert.deepEqual([said.status, closes(said), await poller.ended], [503, true, 'fin']);
  // Half of them on the connections that they kept, and all on new ones: nothing is refused until the poller has seen it often enough.
  const newcomers = await Promise.all(kept.map(() => open(system.gatewayUrl)));
  await Promise.all([...kept.slice(callers / 2), ...newcomers].map(async (each) => {
    const answer = await each.call(call);
    assert.deepEqual([answer.status, closes(answer), await each.ended], [200, true, 'fin']);
  }));
  const shown = await page.call(look);
  assert.deepEqual([shown.status, closes(shown), await page.ended], [200, true, 'fin']);
  assert.ok(kept.slice(0, callers / 2).every(({ socket }) => !socket.readableEnded), 'who carries nothing is not closed yet');
  for (let count = 0; count < 2; count += 1) {
    const again = await open(system.opsUrl);
    assert.equal((await again.call(poll)).status, 503);
  }
  for (const each of kept.slice(0, callers / 2)) assert.equal(await each.ended, 'fin');
  assert.equal(await stopped, 0, system.stderr());
  await eventually(() => kept.every(({ socket }) => socket.destroyed), 'the end of all connections');
});
