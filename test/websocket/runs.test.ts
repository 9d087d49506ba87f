/** The run of a handshake holds for all responses of its connection: what they cost is its spend, and its budget ends them. */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { despiteLateStore } from '@metergate/testkit/late-store.ts';
import { startSystem } from '@metergate/testkit/system.ts';
import { openCaller } from '@metergate/testkit/websocket/peer.ts';
import { startRespondingProvider } from '@metergate/testkit/websocket/responding-provider.ts';
import { closeOf, frameOf } from '@metergate/testkit/websocket/wire.ts';

const mask = Buffer.from([1, 2, 3, 4]);
const ask = frameOf(JSON.stringify({ type: 'response.create', model: 'gpt-5.2', input: 'hello' }), { mask });

test('a run that is over its budget refuses the next response of its connection, and the next handshake', { timeout: 120_000 }, async (t) => {
  const provider = await startRespondingProvider({ usage: { input_tokens: 10_000, output_tokens: 1_000, total_tokens: 11_000 } });
  const system = await startSystem({ env: { SVC_OPENAI_URL: provider.url } });
  t.after(async () => {
    await system.stop();
    await provider.close();
  });
  const { key } = await system.createKey();
  const headers = ['x-svc-run-id: agent-1', 'x-svc-run-budget: 0.05'];
  const caller = await despiteLateStore(() => openCaller(system.gatewayUrl, { key, headers }), ({ head }) => head.startsWith('HTTP/1.1 503 '));
  const ends = () => caller.events.filter(({ type }) => type === 'error' || type === 'response.completed');
  // On a busy machine the store may be late to confirm a run; such a request has cost nothing.
  const isOver = (): boolean => ends().some(({ error }) => error !== undefined && error.code !== 'budget_unverifiable');
  for (let asked = 1; !isOver(); asked += 1) {
    caller.send(ask);
    await caller.until(() => ends().length >= asked);
  }
  const completed = ends().filter(({ type }) => type !== 'error').length;
  const { status, error } = caller.events.at(-1)!;
  assert.deepEqual([status, error?.code], [402, 'budget_exceeded']);
  assert.match(error!.message, /^Run budget reached/);
  const again = await openCaller(system.gatewayUrl, { key, headers });
  assert.match(again.head, /^HTTP\/1.1 402 /);
  caller.send(closeOf(1000, '', mask));
  await caller.ended();
  const calls = await system.calls({ count: completed + 1 });
  const responses = calls.filter(({ connection }) => connection !== null);
  assert.equal(responses.length, completed);
  assert.deepEqual([...new Set(calls.map(({ run }) => run))], ['agent-1']);
  const spent = responses.reduce((sum, { cost }) => sum + Number(cost), 0);
  const each = Number(responses[0]!.cost);
  assert.ok(spent >= 0.05 && spent < 0.05 + each, `${spent} was spent of 0.05, ${each} each`);
  await system.assertAtRest();
});
