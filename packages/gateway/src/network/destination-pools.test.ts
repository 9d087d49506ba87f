/**
 * Which calls share a connection: none across organizations or declarations; pools end when idle, replaced or too many,
 * and never under a call. Rules: Forwarding; reliability U6.
 */
import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { after, before, beforeEach, it } from 'node:test';
import { createAddressGuard } from '@metergate/store/network/address-guard.ts';
import { createDestinationPools, type DestinationPools } from './destination-pools.ts';
import type { PoolOwner } from './organization-pools.ts';
import { parseAddressRanges } from '@metergate/store/network/public-address.ts';
import { ask, listen, startRawPeer, type RawPeer } from './test-support/raw-peer.ts';

const sockets: Socket[] = [];
let peer: RawPeer;
let pools: DestinationPools;
let nowMs = 0;
before(async () => {
  peer = await startRawPeer((socket, _n, head) => {
    sockets.push(socket);
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n${head.startsWith('GET /half') ? 'o' : 'ok'}`);
  });
});
beforeEach(() => {
  nowMs = 0;
  pools = createDestinationPools({
    urls: { openai: peer.origin, anthropic: peer.origin },
    guardOf: () => createAddressGuard({ allow: parseAddressRanges(['127.0.0.1']) }),
    timeouts: { connectMs: 60_000, headMs: 60_000, idleBodyMs: 60_000 },
    monotonicMs: () => nowMs, idleMs: 60_000, poolsMax: 3,
  });
});
after(async () => {
  await pools.close();
  await peer.close();
});

function owner(organization: string, version = 1, url = `${peer.origin}/base`): PoolOwner {
  return { organization, version, url };
}

/** Connections opened by these calls, one after the other. */
async function connectionsOf(calls: PoolOwner[]): Promise<number> {
  const start = peer.connections;
  for (const each of calls) {
    assert.equal((await ask(pools.upstream(each))).ending, 'end');
    await new Promise((resolve) => setImmediate(resolve));
  }
  return peer.connections - start;
}

it('One organization reuses its connection; another, or another version of the declaration, never gets it', async () => {
  assert.equal(await connectionsOf([owner('a'), owner('a'), owner('a')]), 1);
  assert.equal(await connectionsOf([owner('b'), owner('a'), owner('b')]), 1);
  assert.equal(await connectionsOf([owner('a', 2), owner('a', 2)]), 1);
  assert.equal(pools.upstreamPools, 2);
  await pools.close();
});

it('The named providers have a pool each for every organization, bounded and swept as those of upstreams are', async () => {
  const start = peer.connections;
  const ask = async (provider: 'openai' | 'anthropic', organization: string): Promise<void> => {
    assert.equal((await listen(pools.provider(provider, organization)).heard).ending, 'end');
    await new Promise((resolve) => setImmediate(resolve));
  };
  for (const provider of ['openai', 'anthropic', 'openai', 'anthropic'] as const) {
    for (const organization of ['a', 'b', 'a']) await ask(provider, organization);
  }
  assert.equal(peer.connections - start, 4);
  assert.equal(pools.providerPools, 4);
  nowMs = 1;
  for (const organization of ['a', 'c', 'd']) await ask('openai', organization);
  assert.equal(pools.providerPools, 5, 'three of the one provider, two of the other');
  const before = peer.connections;
  await ask('openai', 'a');
  assert.equal(peer.connections, before, 'the one that was used last before was closed');
  nowMs = 60_001;
  pools.sweep();
  assert.equal(pools.providerPools, 0);
  await pools.close();
});

it('A destination that was obtained before its pool was closed opens it again, and is swept like any other', async () => {
  const early = pools.provider('openai', 'a');
  assert.equal((await ask(early)).ending, 'end');
  nowMs = 60_001;
  pools.sweep();
  assert.equal((await ask(early)).ending, 'end');
  assert.equal((await ask(pools.provider('openai', 'a'))).ending, 'end');
  nowMs = 130_000;
  pools.sweep();
  assert.equal(pools.providerPools, 0);
  await pools.close();
});

it('A replaced or idle pool ends, with its idle connections now and its call under way at that call\'s end', async () => {
  const under = listen(pools.upstream(owner('a')), { target: '/half' });
  await under.head;
  const busy = sockets.at(-1)!;
  assert.equal(await connectionsOf([owner('a', 2)]), 1);
  nowMs = 60_001;
  pools.sweep();
  assert.equal(pools.upstreamPools, 0);
  busy.write('k');
  assert.deepEqual([(await under.heard).ending, String((await under.heard).body)], ['end', 'ok']);
  await peer.closed();
  assert.equal(await connectionsOf([owner('a', 2)]), 1, 'the next call opens a pool again');
  await pools.close();
});

it('A pool in use is not idle: the sweep looks at the last call', async () => {
  await connectionsOf([owner('a'), owner('b')]);
  nowMs = 50_000;
  await connectionsOf([owner('a')]);
  nowMs = 70_000;
  pools.sweep();
  assert.equal(pools.upstreamPools, 1);
  assert.equal(await connectionsOf([owner('a')]), 0);
  await pools.close();
});

it('The number of pools is bounded: the least recently used one gives way', async () => {
  for (const organization of ['a', 'b', 'c', 'a', 'd']) {
    nowMs += 1;
    await connectionsOf([owner(organization)]);
  }
  assert.equal(pools.upstreamPools, 3);
  assert.equal(await connectionsOf([owner('a'), owner('c'), owner('d')]), 0);
  assert.equal(await connectionsOf([owner('b')]), 1);
  await pools.close();
});

it('A stored URL that no pool can be made of is not_public, reported after send returned (U3)', async () => {
  for (const url of ['', 'nonsense', 'ftp://127.0.0.1', 'file:///etc/passwd', 'http://user:pw@127.0.0.1', 'http://127.0.0.1:99999',
    'unix:/tmp/x']) {
    const { heard, exchange } = listen(pools.upstream(owner('x', 1, url)));
    exchange.pause();
    assert.equal((await heard).ending, 'not_public', url);
  }
  await pools.close();
});
