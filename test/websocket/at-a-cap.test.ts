/** Thirty connections spend against one cap at once: no more is spent beyond it than the responses that were in flight when it was reached. */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { startSystem } from '@metergate/testkit/system.ts';
import { openCaller } from '@metergate/testkit/websocket/peer.ts';
import { startRespondingProvider } from '@metergate/testkit/websocket/responding-provider.ts';
import { closeOf, frameOf } from '@metergate/testkit/websocket/wire.ts';

const connections = 30;
const mask = Buffer.from([1, 2, 3, 4]);
const ask = frameOf(JSON.stringify({ type: 'response.create', model: 'gpt-5.2', input: 'hello' }), { mask });

test('connections at a cap: the overshoot is at most the responses in flight', { timeout: 120_000 }, async (t) => {
  const provider = await startRespondingProvider({
    usage: { input_tokens: 10_000, output_tokens: 1_000, total_tokens: 11_000 },
    pause: () => new Promise<void>((resolve) => void setImmediate(resolve)),
  });
  const system = await startSystem({ env: { SVC_OPENAI_URL: provider.url } });
  t.after(async () => {
    await system.stop();
    await provider.close();
  });
  const { key } = await system.createKey();
  const limit = 3;
  const set = await system.cli(['cap', 'set', '--org', 'default', '--scope', 'organization', '--window', 'lifetime',
    '--limit', String(limit), '--json']);
  assert.equal(set.code, 0, set.stderr);
  const counts = await Promise.all(Array.from({ length: connections }, async () => {
    const caller = await openCaller(system.gatewayUrl, { key });
    const ends = () => caller.events.filter(({ type }) => type === 'error' || type === 'response.completed');
    for (let asked = 1; ; asked += 1) {
      caller.send(ask);
      await caller.until(() => ends().length >= asked);
      const { type, status, error } = ends().at(-1)!;
      // On a busy machine the store may be late to confirm; such a request has cost nothing.
      if (type !== 'error' || error?.code === 'budget_unverifiable') continue;
      assert.deepEqual([status, error?.code], [402, 'budget_exceeded']);
      break;
    }
    const completed = ends().filter(({ type }) => type !== 'error').length;
    caller.send(closeOf(1000, '', mask));
    await caller.ended();
    return completed;
  }));
  const completed = counts.reduce((sum, count) => sum + count, 0);
  const calls = await system.calls({ count: completed + connections });
  const responses = calls.filter(({ connection }) => connection !== null);
  assert.deepEqual([responses.length, calls.length, provider.begun.length], [completed, completed + connections, completed]);
  const each = Number(responses[0]!.cost);
  const spent = responses.reduce((sum, { cost }) => sum + Number(cost), 0);
  assert.ok(each > 0 && spent >= limit - each, `${spent} of ${limit} was spent`);
  assert.ok(spent <= limit + connections * each, `${spent} was spent, with ${connections} responses of ${each} in flight at most`);
  await system.assertAtRest();
});
