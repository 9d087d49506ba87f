/** What the store thread makes of heartbeats (rules: Spend across nodes; rule 5b). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GatewayNodeId } from '@metergate/core/id.ts';
import type { Leases, HeartbeatAnswer } from '../spend/leases.ts';
import { createLeaseDesk } from './lease-desk.ts';
import type { FromStore } from './protocol.ts';

function context() {
  let hrMs = 0;
  let tookMs = 0;
  let heard: HeartbeatAnswer = { nowMs: 0, feed: 0, known: true };
  const asked: string[] = [];
  const posted: FromStore[] = [];
  const warnings: string[] = [];
  const leases = {
    feed: async () => {
      asked.push('feed');
      return heard.feed;
    },
    claim: async () => [],
    heartbeat: async () => {
      asked.push('heartbeat');
      hrMs += tookMs;
      return heard;
    },
  } as Partial<Leases> as Leases;
  const desk = createLeaseDesk({
    leases, node: 'node_a' as GatewayNodeId, hrMs: () => hrMs, post: (message) => posted.push(message), warn: (sentence) => warnings.push(sentence),
  });
  const beat = (took: number, over: Partial<HeartbeatAnswer>) => {
    hrMs += 1_000;
    tookMs = took;
    heard = { ...heard, ...over };
    return desk.poll();
  };
  /** Polls four times a second from now on; what was asked meanwhile. */
  const pollFor = async (seconds: number) => {
    asked.length = 0;
    tookMs = 0;
    for (let polls = 0; polls < seconds * 4; polls += 1) {
      hrMs += 250;
      await desk.poll();
    }
    return asked;
  };
  return { desk, beat, pollFor, posted, warnings };
}

test('the store’s time is taken from prompt answers only: a slow one would shift it', async () => {
  const { beat, posted } = context();
  assert.deepEqual(await beat(3_000, { nowMs: 50_000 }), { nowMs: 50_000, hrMs: 1_000 }, 'the first, whatever it took');
  assert.deepEqual(await beat(500, { nowMs: 51_400 }), { nowMs: 51_400, hrMs: 5_000 });
  assert.equal(await beat(9_000, { nowMs: 61_000, feed: 1 }), null);
  assert.deepEqual(posted.map(({ kind }) => kind), ['time', 'time', 'confirm_leases'], 'everything else of it counts');
});

test('a forgotten node warns once, and gets no time', async () => {
  const { beat, posted, warnings } = context();
  assert.notEqual(await beat(1, { known: false, nowMs: 7 }), null);
  await beat(1, { known: false });
  assert.deepEqual([posted.length, warnings.length], [0, 1]);
});

test('the feed is asked for between heartbeats only while a lease may be held: until the last claim is as old as a lease may be', async () => {
  const { desk, beat, pollFor } = context();
  await beat(0, {});
  assert.deepEqual(await pollFor(2), ['heartbeat', 'heartbeat'], 'nothing was ever claimed');
  await desk.claim(1, 1, []);
  const held = ['feed', 'feed', 'feed', 'heartbeat'];
  assert.deepEqual(await pollFor(4), [...held, ...held, ...held, ...held]);
  assert.deepEqual(await pollFor(2), ['feed', 'feed', 'feed', 'heartbeat', 'heartbeat']);
});
