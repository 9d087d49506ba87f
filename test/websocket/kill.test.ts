/**
 * The product is killed while connections carry responses, and callers and the provider leave at every point of them: each response that the
 * provider saw begun has one record, and what the records say was spent is what the cap has counted.
 */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { parseDollars } from '@metergate/core/money.ts';
import { draws } from '@metergate/testkit/drawn.ts';
import { startSystem, type System } from '@metergate/testkit/system.ts';
import { openCaller, type Peer } from '@metergate/testkit/websocket/peer.ts';
import { startRespondingProvider } from '@metergate/testkit/websocket/responding-provider.ts';
import { frameOf } from '@metergate/testkit/websocket/wire.ts';
import { allShipped } from '../all-shipped.ts';
import { LeavingEnds } from './leaving-ends.ts';

const rounds = draws(3);
const callersEach = 6;
const mask = Buffer.from([1, 2, 3, 4]);
const ask = frameOf(JSON.stringify({ type: 'response.create', model: 'gpt-5.2', input: 'hello' }), { mask });
const completedIn = ({ events }: Peer): string[] => events.filter(({ type }) => type === 'response.completed').map(({ response }) => response!.id);

/** Asks until an end leaves. `seen`: where the names of responses go whose end has come. */
async function converse(caller: Peer, leaving: LeavingEnds, seen: Set<string>): Promise<void> {
  try {
    for (let completed = 0; ; completed += 1) {
      caller.send(ask);
      for (let events = caller.events.length; completedIn(caller).length === completed; events = caller.events.length) {
        await caller.until(() => caller.events.length > events || caller.closed !== null);
        if (leaving.step(caller) || caller.closed !== null) return;
      }
    }
  } finally {
    for (const id of completedIn(caller)) seen.add(id);
  }
}

test(`killed ${rounds} times under load: one record for each response that the provider saw begun`, { timeout: 60_000 * rounds }, async (t) => {
  const [callers, providers] = [new LeavingEnds(43, mask), new LeavingEnds(101)];
  const provider = await startRespondingProvider({ pause: async (peer) => {
    await new Promise(setImmediate);
    if (providers.step(peer)) throw new Error('The provider leaves.');
  } });
  let system: System = await startSystem({ env: { SVC_OPENAI_URL: provider.url } });
  t.after(async () => {
    await system.stop();
    await provider.close();
  });
  const { key } = await system.createKey();
  const cap = ['--org', 'default', '--scope', 'organization', '--window', 'lifetime', '--limit', '1000000', '--json'];
  assert.equal((await system.cli(['cap', 'set', ...cap])).code, 0);
  const seen = new Set<string>();
  let opened = 0;
  for (let round = 0; round < rounds; round += 1) {
    const { gatewayUrl } = system;
    const until = provider.begun.length + 40 + 13 * (round % 8);
    const killed = new AbortController();
    const all = Array.from({ length: callersEach }, async () => {
      while (!killed.signal.aborted) {
        const caller = await openCaller(gatewayUrl, { key }).catch(() => null);
        if (caller === null) return;
        opened += 1;
        await converse(caller, callers, seen).catch(() => {});
        caller.socket.end();
      }
    });
    while (provider.begun.length < until) await new Promise(setImmediate);
    await system.kill9();
    killed.abort();
    await Promise.all(all);
    system = await system.restart();
  }
  await allShipped(system);
  const calls = await system.calls({ count: provider.begun.length });
  const responses = calls.filter(({ connection }) => connection !== null);
  const named = responses.map(({ providerRequestId }) => providerRequestId).filter((id) => id !== null);
  assert.equal(new Set(named).size, named.length, 'no response is counted twice');
  assert.ok(named.every((id) => provider.begun.includes(id)));
  const completed = new Set(responses.filter(({ outcome }) => outcome === 'completed').map(({ providerRequestId }) => providerRequestId));
  assert.ok(seen.size > 0 && [...seen].every((id) => completed.has(id)), 'each end that a caller saw is recorded');
  // A response may have been opened and its request not have arrived, so there may be more records than responses, never fewer.
  const left = callers.left + providers.left;
  assert.ok(left > 2 * rounds, `${left} have left`);
  assert.ok(responses.length >= provider.begun.length, `${provider.begun.length} were begun, and ${responses.length} are recorded`);
  assert.ok(responses.length - provider.begun.length <= callersEach * rounds + left);
  const outcomes = new Set(['caller_gone', 'completed', 'cut', 'interrupted']);
  assert.ok(responses.every(({ outcome }) => outcomes.has(outcome)));
  const handshakes = new Set(calls.filter(({ connection }) => connection === null).map(({ id }) => id as string));
  assert.ok(handshakes.size >= opened, `${opened} connections were opened, and ${handshakes.size} are recorded`);
  assert.ok(responses.every(({ connection }) => handshakes.has(connection!)), 'each response names a handshake that has a record');
  const spent = calls.reduce((sum, { cost }) => sum + (cost === null ? 0n : parseDollars(cost)!), 0n);
  const [counted] = (await system.cli(['cap', 'list', '--org', 'default', '--json'])).json() as { readonly spent: string }[];
  assert.equal(parseDollars(counted!.spent), spent);
});
