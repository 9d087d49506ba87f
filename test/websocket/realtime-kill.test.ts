/**
 * The product is killed while Realtime connections carry responses, some of which the provider begins by itself: each that it saw begun has one
 * record.
 */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { draws } from '@metergate/testkit/drawn.ts';
import { startSystem, type System } from '@metergate/testkit/system.ts';
import { openCaller } from '@metergate/testkit/websocket/peer.ts';
import { startRealtimeProvider } from '@metergate/testkit/websocket/realtime-provider.ts';
import { frameOf } from '@metergate/testkit/websocket/wire.ts';
import { allShipped } from '../all-shipped.ts';

const rounds = draws(2);
const callersEach = 6;
const mask = Buffer.from([1, 2, 3, 4]);
const message = (type: string): Buffer => frameOf(JSON.stringify({ type }), { mask });
const path = '/v1/realtime?model=gpt-realtime';

test(`killed ${rounds} times under Realtime: one record for each response and transcription`, { timeout: 60_000 * rounds }, async (t) => {
  const provider = await startRealtimeProvider({ pause: () => new Promise<void>((resolve) => void setImmediate(resolve)) });
  let system: System = await startSystem({ env: { SVC_OPENAI_URL: provider.url } });
  t.after(async () => {
    await system.stop();
    await provider.close();
  });
  const { key } = await system.createKey();
  const seen = new Set<string>();
  const named = new Set<string>();
  for (let round = 0; round < rounds; round += 1) {
    const { gatewayUrl } = system;
    const until = provider.begun.length + 40 + 13 * (round % 8);
    const callers = Array.from({ length: callersEach }, async (_, place) => {
      const caller = await openCaller(gatewayUrl, { key, path });
      const ends = (): number => caller.events.filter(({ type }) => type === 'response.done').length;
      try {
        for (let completed = 0; ; completed += 1) {
          caller.send(message((completed + place) % 2 === 0 ? 'response.create' : 'input_audio_buffer.commit'));
          await caller.until(() => ends() > completed);
        }
      } catch {
        for (const { type, response } of caller.events) {
          if (type === 'response.done') seen.add(response!.id);
          if (response !== undefined) named.add(response.id);
        }
      }
    });
    while (provider.begun.length < until) await new Promise(setImmediate);
    await system.kill9();
    await Promise.all(callers);
    system = await system.restart();
  }
  await allShipped(system);
  const calls = await system.calls({ count: named.size });
  const responses = calls.filter(({ connection, units }) => connection !== null && units === null);
  const transcriptions = calls.filter(({ connection, units }) => connection !== null && units !== null);
  for (const group of [responses, transcriptions]) {
    const ids = group.map(({ providerRequestId }) => providerRequestId).filter((id) => id !== null);
    assert.equal(new Set(ids).size, ids.length, 'nothing is counted twice');
  }
  const completed = new Set(responses.filter(({ outcome }) => outcome === 'completed').map(({ providerRequestId }) => providerRequestId as string));
  assert.ok(seen.size > 0 && [...seen].every((id) => completed.has(id)), 'each end that a caller saw is recorded');
  const interrupted = responses.filter(({ outcome }) => outcome === 'interrupted').length;
  assert.equal(completed.size + interrupted, responses.length);
  // One whose announcement was on its way when the gateway died is known to nobody else; nobody heard of it.
  const asked = responses.length;
  assert.ok(asked >= named.size, `callers heard of ${named.size} responses, and ${asked} are recorded`);
  assert.ok(Math.abs(asked - provider.begun.length) <= callersEach * rounds, `${provider.begun.length} were begun, and ${asked} are recorded`);
  const handshakes = new Set(calls.filter(({ connection }) => connection === null).map(({ id }) => id as string));
  assert.ok([...responses, ...transcriptions].every(({ connection }) => handshakes.has(connection!)));
});
