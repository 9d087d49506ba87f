/** The product is killed while connections carry responses: each response that the provider saw begun has one record. */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { draws } from '@metergate/testkit/drawn.ts';
import { startSystem, type System } from '@metergate/testkit/system.ts';
import { openCaller } from '@metergate/testkit/websocket/peer.ts';
import { startRespondingProvider } from '@metergate/testkit/websocket/responding-provider.ts';
import { frameOf } from '@metergate/testkit/websocket/wire.ts';

const rounds = draws(3);
const mask = Buffer.from([1, 2, 3, 4]);
const ask = frameOf(JSON.stringify({ type: 'response.create', model: 'gpt-5.2', input: 'hello' }), { mask });

test(`killed ${rounds} times under load: one record for each response that the provider saw begun`, { timeout: 60_000 * rounds }, async (t) => {
  const provider = await startRespondingProvider({ pause: () => new Promise<void>((resolve) => void setImmediate(resolve)) });
  let system: System = await startSystem({ env: { SVC_OPENAI_URL: provider.url } });
  t.after(async () => {
    await system.stop();
    await provider.close();
  });
  const { key } = await system.createKey();
  /** Of responses whose end a caller saw. */
  let seen = 0;
  for (let round = 0; round < rounds; round += 1) {
    const { gatewayUrl } = system;
    const until = provider.begun.length + 40 + 13 * (round % 8);
    const callers = Array.from({ length: 6 }, async () => {
      const caller = await openCaller(gatewayUrl, { key });
      let completed = 0;
      try {
        for (;;) {
          caller.send(ask);
          await caller.until(() => caller.events.filter(({ type }) => type === 'response.completed').length > completed);
          completed += 1;
        }
      } catch {
        seen += caller.events.filter(({ type }) => type === 'response.completed').length;
      }
    });
    while (provider.begun.length < until) await new Promise(setImmediate);
    await system.kill9();
    await Promise.all(callers);
    system = await system.restart();
  }
  const calls = await system.calls({ count: provider.begun.length });
  const responses = calls.filter(({ connection }) => connection !== null);
  const named = responses.map(({ providerRequestId }) => providerRequestId).filter((id) => id !== null);
  assert.equal(new Set(named).size, named.length, 'no response is counted twice');
  const completed = responses.filter(({ outcome }) => outcome === 'completed');
  const interrupted = responses.filter(({ outcome }) => outcome === 'interrupted');
  assert.equal(completed.length + interrupted.length, responses.length);
  assert.ok(completed.length >= seen, `${seen} ends were seen, and ${completed.length} responses are recorded as completed`);
  // A response may have been opened and its request not have left, so there may be more records than responses, never fewer.
  assert.ok(responses.length >= provider.begun.length, `${provider.begun.length} were begun, and ${responses.length} are recorded`);
  assert.ok(responses.length - provider.begun.length <= 6 * rounds);
  const handshakes = new Set(calls.filter(({ connection }) => connection === null).map(({ id }) => id as string));
  assert.ok(responses.every(({ connection }) => handshakes.has(connection!)), 'each response names a handshake that has a record');
});
