/**
 * The product is killed while Realtime connections carry responses, some of which the provider begins by itself, and both ends leave at every
 * point: each that it saw begun has one record.
 */
import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { draws } from '@metergate/testkit/drawn.ts';
import { startSystem, type System } from '@metergate/testkit/system.ts';
import { openCaller, type Peer } from '@metergate/testkit/websocket/peer.ts';
import { startRealtimeProvider } from '@metergate/testkit/websocket/realtime-provider.ts';
import { frameOf } from '@metergate/testkit/websocket/wire.ts';
import { allShipped } from '../all-shipped.ts';
import { LeavingEnds } from './leaving-ends.ts';

const rounds = draws(2);
const callersEach = 6;
const mask = Buffer.from([1, 2, 3, 4]);
const message = (type: string): Buffer => frameOf(JSON.stringify({ type }), { mask });
const path = '/v1/realtime?model=gpt-realtime';

/** Asks and speaks in turn until an end leaves. */
async function converse(caller: Peer, leaving: LeavingEnds, place: number): Promise<void> {
  const ends = (): number => caller.events.filter(({ type }) => type === 'response.done').length;
  for (let completed = 0; ; completed += 1) {
    caller.send(message((completed + place) % 2 === 0 ? 'response.create' : 'input_audio_buffer.commit'));
    for (let events = caller.events.length; ends() === completed; events = caller.events.length) {
      await caller.until(() => caller.events.length > events || caller.closed !== null);
      if (leaving.step(caller) || caller.closed !== null) return;
    }
  }
}

test(`killed ${rounds} times under Realtime: one record for each response and transcription`, { timeout: 60_000 * rounds }, async (t) => {
  const [leaving, providers] = [new LeavingEnds(43, mask), new LeavingEnds(101)];
  const provider = await startRealtimeProvider({ pause: async (peer) => {
    await new Promise(setImmediate);
    if (providers.step(peer)) throw new Error('The provider leaves.');
  } });
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
    const killed = new AbortController();
    const callers = Array.from({ length: callersEach }, async (_, place) => {
      while (!killed.signal.aborted) {
        const caller = await openCaller(gatewayUrl, { key, path }).catch(() => null);
        if (caller === null) return;
        await converse(caller, leaving, place).catch(() => {});
        caller.socket.end();
        for (const { type, response } of caller.events) {
          if (type === 'response.done') seen.add(response!.id);
          if (response !== undefined) named.add(response.id);
        }
      }
    });
    while (provider.begun.length < until) await new Promise(setImmediate);
    await system.kill9();
    killed.abort();
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
  const outcomes = new Set(['caller_gone', 'completed', 'cut', 'interrupted']);
  assert.ok(responses.every(({ outcome }) => outcomes.has(outcome)));
  // One whose announcement was on its way when the gateway died or its connection ended is known to nobody else; no caller received it.
  const asked = responses.length;
  const left = leaving.left + providers.left;
  assert.ok(left > 2 * rounds, `${left} have left`);
  assert.ok(asked >= named.size, `callers heard of ${named.size} responses, and ${asked} are recorded`);
  assert.ok(Math.abs(asked - provider.begun.length) <= callersEach * rounds + left, `${provider.begun.length} were begun, and ${asked} are recorded`);
  const handshakes = new Set(calls.filter(({ connection }) => connection === null).map(({ id }) => id as string));
  assert.ok([...responses, ...transcriptions].every(({ connection }) => handshakes.has(connection!)));
});
