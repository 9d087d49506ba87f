/** A bound on callers' connections, on a whole node (rule 8a): opening many keeps nobody else out, and no call is cut for room. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RawConnection } from '@metergate/testkit/raw-client.ts';
import { gate } from '@metergate/testkit/scripted-provider.ts';
import { eventually } from '@metergate/testkit/eventually.ts';
import { connectionBounds, descriptorLimit } from '../fairness/descriptors.ts';
import { ownKey, startNode } from '../test-support/whole-node.ts';

const call = { target: '/v1/responses', headers: [['Authorization', `Bearer ${ownKey}`]] as const, body: '{}' };

test('beside 200 idle connections at a bound of 20 calls are served, and one under way and the callers that are known stay connected', async (t) => {
  const { connect, provider, gateway } = await startNode(t, { connectionsMax: 20 });
  const known = await connect();
  assert.equal((await known.call(call)).status, 200);
  const released = gate();
  provider.respond(async () => {
    await released.opened;
    return { headers: [['content-type', 'application/json']], body: '{}' };
  });
  const busy = await connect();
  const answer = busy.call(call);
  await eventually(() => gateway.counters.inFlight > 0);
  const idle: RawConnection[] = [];
  for (let count = 0; count < 200; count += 1) {
    const connection = await connect();
    if (count % 2 === 0) connection.send('POST /v1/resp');
    idle.push(connection);
  }
  provider.respond({ headers: [['content-type', 'application/json']], body: '{}' });
  for (let count = 0; count < 30; count += 1) {
    const connection = await connect();
    assert.equal((await connection.call(call)).status, 200);
    await connection.close();
  }
  assert.equal((await known.call(call)).status, 200);
  released.open();
  assert.equal((await answer).status, 200);
  await Promise.all([known, busy, ...idle].map((connection) => connection.close()));
});

test('if each connection carries a call a new one is closed, and finds room when one has ended', async (t) => {
  const { connect, provider, gateway } = await startNode(t, { connectionsMax: 3 });
  provider.respond('silence');
  const busy = await Promise.all([connect(), connect(), connect()]);
  for (const connection of busy) void connection.call(call).catch(() => null);
  await eventually(() => gateway.counters.inFlight >= 3);
  // The reset may come before the newcomer knows that it is connected.
  assert.equal(await connect().then(({ ended }) => ended, () => 'rst'), 'rst');
  assert.equal(gateway.counters.inFlight, 3);
  provider.respond({ headers: [['content-type', 'application/json']], body: '{}' });
  await busy[0]!.close();
  await eventually(() => gateway.counters.inFlight < 3);
  const next = await connect();
  assert.equal((await next.call(call)).status, 200);
  await Promise.all([next, ...busy].map((connection) => connection.close()));
});

test('file descriptors are shared between callers and destinations, with enough reserved for everything else', () => {
  assert.deepEqual(connectionBounds(400), { callers: 120, idle: 15, platform: 45 });
  assert.deepEqual(connectionBounds(1_024), { callers: 307, idle: 38, platform: 115 });
  assert.deepEqual(connectionBounds(20), { callers: 8, idle: 4, platform: 4 });
  const { MAX_SAFE_INTEGER: boundless } = Number;
  assert.deepEqual(connectionBounds(Number.POSITIVE_INFINITY), { callers: boundless, idle: boundless, platform: boundless });
  for (const limit of [128, 400, 1_024, 65_536, 1_048_576]) {
    const { callers, platform } = connectionBounds(limit);
    assert.ok(2 * callers + platform <= limit * 0.95, String(limit));
  }
  assert.ok(descriptorLimit() > 0);
});
