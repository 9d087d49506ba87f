/** Responses that the provider begins by itself, on many connections at one cap: the overshoot is at most those that were in flight. */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { startSystem } from '@metergate/testkit/system.ts';
import { openCaller } from '@metergate/testkit/websocket/peer.ts';
import { startRealtimeProvider } from '@metergate/testkit/websocket/realtime-provider.ts';
import { frameOf } from '@metergate/testkit/websocket/wire.ts';
import { allShipped } from '../all-shipped.ts';

const connections = 20;
const mask = Buffer.from([1, 2, 3, 4]);
const commit = frameOf(JSON.stringify({ type: 'input_audio_buffer.commit' }), { mask });

test('spoken conversations at a cap end with its code, past it by the responses in flight at most', { timeout: 120_000 }, async (t) => {
  const provider = await startRealtimeProvider({ pause: () => new Promise<void>((resolve) => void setImmediate(resolve)) });
  const system = await startSystem({ env: { SVC_OPENAI_URL: provider.url } });
  t.after(async () => {
    await system.stop();
    await provider.close();
  });
  const { key } = await system.createKey();
  const limit = 2;
  const set = await system.cli(['cap', 'set', '--org', 'default', '--scope', 'organization', '--window', 'lifetime',
    '--limit', String(limit), '--json']);
  assert.equal(set.code, 0, set.stderr);
  await Promise.all(Array.from({ length: connections }, async () => {
    const caller = await openCaller(system.gatewayUrl, { key, path: '/v1/realtime?model=gpt-realtime' });
    const heard = (): number => caller.events.filter(({ type }) => type?.endsWith('transcription.completed')).length;
    for (let turns = 0; caller.closed === null; turns += 1) {
      caller.send(commit);
      await caller.until(() => caller.closed !== null || heard() > turns);
    }
    assert.deepEqual(caller.closed, { code: 1008, reason: 'budget_exceeded' });
    assert.equal(caller.events.at(-1)?.error?.code, 'budget_exceeded');
    await caller.ended();
  }));
  await allShipped(system);
  const { begun, transcribed } = provider;
  const calls = await system.calls({ count: begun.length + connections });
  const own = calls.filter(({ connection }) => connection !== null);
  const responses = own.filter(({ units }) => units === null);
  assert.deepEqual([responses.length, new Set(responses.map(({ providerRequestId }) => providerRequestId)).size], [begun.length, begun.length]);
  assert.ok(own.length - responses.length <= transcribed.length);
  const each = 0.02272 + 0.00025;
  const spent = own.reduce((sum, { cost }) => sum + Number(cost), 0);
  assert.ok(spent >= limit - each && spent <= limit + connections * each, `${spent} of ${limit} was spent`);
  await system.assertAtRest();
});
