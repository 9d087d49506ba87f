/**
 * The node's calls to itself: they go through the gateway thread, are in no record, sum, log or count, and `/readyz` follows them. Only the secret
 * of the process makes one. Decision 0206.
 */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { callItself } from 'metergate/start/own-calls.ts';
import { OwnCalls } from '@metergate/gateway/node/own-calls.ts';
import { ownCallHeader } from '@metergate/gateway/node/own-call-settings.ts';
import { ownKey, startNode } from '@metergate/gateway/test-support/whole-node.ts';
import { startSystem } from '@metergate/testkit/system.ts';
import { eventually } from '@metergate/testkit/eventually.ts';

test('a node makes calls to itself, which nobody sees but /metrics', { timeout: 120_000 }, async (t) => {
  const system = await startSystem({ env: { SVC_OWN_CALLS: 'on', SVC_ACCESS_LOG: 'on' } });
  t.after(async () => assert.equal(await system.stop(), 0, system.stderr()));
  const metrics = async (): Promise<string> => (await fetch(`${system.opsUrl}/metrics`)).text();
  const text = await eventually(async () => {
    const shown = await metrics();
    return /^metergate_own_call_seconds /m.test(shown) && shown;
  });
  assert.match(text, /^metergate_own_call_up 1$/m);
  assert.equal((await fetch(`${system.opsUrl}/readyz`)).status, 200);
  const figures = [/^metergate_calls_in_flight \d+$/m, /^metergate_calls_refused_total\S* \d+$/m].map((line) => line.exec(text)?.[0].split(' ')[1]);
  assert.deepEqual(figures.map((figure) => figure ?? '0'), ['0', '0']);
  assert.equal(system.openai.requests.length, 0);
  const { stdout } = await system.cli(['calls', 'list', '--org', 'default', '--json']);
  assert.deepEqual(JSON.parse(stdout), []);
  const forged = await fetch(`${system.gatewayUrl}/v1/models`, { headers: { [ownCallHeader]: 'f'.repeat(64) } });
  assert.equal(forged.status, 401);
  await forged.arrayBuffer();
});

test('what the played provider says too much, or not at all, is no answer; one call is under way at a time', async (t) => {
  const waiting: (() => void)[] = [];
  const provider = createServer((asked, answer) => {
    if (asked.url === '/large') answer.end('x'.repeat(5_000));
    else waiting.push(() => answer.end('late'));
  });
  await new Promise<void>((resolve) => { provider.listen(0, '127.0.0.1', resolve); });
  const calls = new OwnCalls({ secret: 'secret', providerUrl: `http://127.0.0.1:${(provider.address() as AddressInfo).port}` });
  t.after(async () => {
    await calls.close();
    provider.close();
  });
  const served = createServer((request, response) => {
    if (!calls.take(request as never, response as never)) response.writeHead(401).end();
  });
  await new Promise<void>((resolve) => { served.listen(0, '127.0.0.1', resolve); });
  t.after(() => served.close());
  const { port } = served.address() as AddressInfo;
  const call = (path: string) => fetch(`http://127.0.0.1:${port}${path}`, { headers: { [ownCallHeader]: 'secret' } });
  assert.equal((await call('/large')).status, 502);
  const slow = call('/slow');
  await eventually(() => waiting.length > 0);
  assert.equal((await call('/other')).status, 401);
  waiting[0]!();
  assert.deepEqual([(await slow).status, await (await slow).text()], [200, 'late']);
});

test('a node whose connections all carry calls turns its own call away, which is no reason to be unready', async (t) => {
  const { connect, provider, gateway } = await startNode(t, { connectionsMax: 1 });
  provider.respond('silence');
  const busy = await connect();
  void busy.call({ target: '/v1/responses', headers: [['Authorization', `Bearer ${ownKey}`]], body: '{}' }).catch(() => null);
  await eventually(() => gateway.counters.inFlight > 0);
  assert.equal(await callItself(gateway, 'secret'), 'turned_away');
  await busy.close();
  assert.equal(await callItself({ host: '127.0.0.1', port: 1 }, 'secret'), 'none');
});
