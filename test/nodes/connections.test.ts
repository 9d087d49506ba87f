/**
 * WebSocket connections on three nodes and one PostgreSQL store: a cap holds across all of them (promise 4), and while the nodes are restarted
 * one after the other, each response that was begun is recorded once and none is cut.
 */
import assert from 'node:assert/strict';
import { setTimeout as pass } from 'node:timers/promises';
import { after, before, test } from 'node:test';
import { startCluster, type Cluster, type ClusterNode } from '@metergate/testkit/cluster.ts';
import { keptCalls } from '@metergate/testkit/kept-calls.ts';
import { testPostgres, type TestPostgres } from '@metergate/testkit/postgres.ts';
import { openCaller, type Peer } from '@metergate/testkit/websocket/peer.ts';
import { startRespondingProvider, type RespondingProvider } from '@metergate/testkit/websocket/responding-provider.ts';
import { closeOf, frameOf } from '@metergate/testkit/websocket/wire.ts';
import type { Store } from '@metergate/store/store.ts';
import { granted, Sharer, storeOf } from './shared-fixture.ts';

const connections = 30;
const dollars = 0.05;
/** Between two responses of a caller, or two attempts to connect: without it a dozen callers take the whole machine while nodes start. */
const breathMs = 20;
const mask = Buffer.from([1, 2, 3, 4]);
const ask = frameOf(JSON.stringify({ type: 'response.create', model: 'm', input: 'hello' }), { mask });

let postgres: TestPostgres;
let cluster: Cluster;
let store: Store;
let nodes: ClusterNode[];
let provider: RespondingProvider;

before(async () => {
  postgres = await testPostgres();
  cluster = await startCluster(await postgres.createDatabase());
  store = await storeOf(cluster);
  nodes = await Promise.all([cluster.node(), cluster.node(), cluster.node()]);
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2, cost: dollars };
  provider = await startRespondingProvider({ usage, pause: () => new Promise<void>((resolve) => void setImmediate(resolve)) });
});
after(async () => {
  const codes = await cluster?.stop();
  await store?.close();
  await provider?.close();
  await postgres?.stop();
  assert.ok(codes?.every((code) => code === 0), String(codes));
});

/** An organization whose upstream is the provider of connections. */
async function sharerOf(name: string): Promise<Sharer> {
  const sharer = await Sharer.of(cluster, store, name);
  await granted(store.upstreams.declare(sharer.id as never, { url: provider.url, credential: '' }));
  await granted(store.upstreams.enable(sharer.id as never));
  return sharer;
}

const open = ({ gatewayUrl }: ClusterNode, { key }: Sharer): Promise<Peer> => openCaller(gatewayUrl, { key, path: '/upstream/v1/responses' });

/** An open connection. On a busy machine a node cannot always ask the store in time, and says so before the upgrade: then it is asked again. */
async function opened(node: ClusterNode, sharer: Sharer): Promise<Peer> {
  for (let tries = 1; ; tries += 1) {
    const caller = await open(node, sharer);
    if (caller.head.startsWith('HTTP/1.1 101 ')) return caller;
    assert.match(caller.head, /^HTTP\/1\.1 503 /);
    assert.ok(tries < 20, 'refused twenty times in a row');
  }
}

/** What a request came to: a code of ours, or null where its response was completed. */
async function asks(caller: Peer): Promise<string | null> {
  const heard = (): readonly Peer['events'][number][] => caller.events.filter(({ type }) => type === 'response.completed' || type === 'error');
  const before = heard().length;
  caller.send(ask);
  await caller.until(() => heard().length > before);
  return heard()[before]!.error?.code ?? null;
}

test('thirty connections at one cap: exceeded by no more than the responses in flight', { timeout: 180_000 }, async () => {
  const sharer = await sharerOf('one cap for connections');
  const limit = 10;
  await sharer.cap(limit);
  const begun = provider.begun.length;
  const counts = await Promise.all(Array.from({ length: connections }, async (_, at) => {
    const caller = await opened(nodes[at % nodes.length]!, sharer);
    let completed = 0;
    for (let code = await asks(caller); code !== 'budget_exceeded'; code = await asks(caller)) {
      // On a busy machine a node cannot always ask the store in time; such a request has cost nothing.
      assert.ok(code === null || code === 'budget_unverifiable', String(code));
      if (code === null) completed += 1;
    }
    caller.send(closeOf(1000, '', mask));
    await caller.ended();
    return completed;
  }));
  const completed = counts.reduce((sum, count) => sum + count, 0);
  const { sum, records, cap } = await sharer.spent(completed + connections);
  assert.deepEqual([records, provider.begun.length - begun, cap], [completed + connections, completed, sum]);
  assert.ok(sum >= limit && sum <= limit + connections * dollars, `${sum} of ${limit} was spent`);
});

test('nodes are restarted one after the other: what was begun is read to its end, and recorded once', { timeout: 180_000 }, async () => {
  const sharer = await sharerOf('rolling restart');
  const begun = provider.begun.length;
  const rolled = new AbortController();
  const isOver = (): boolean => rolled.signal.aborted;
  let [completed, opened] = [0, 0];
  const callers = Array.from({ length: 12 }, async (_, at) => {
    // A caller whose connection was closed for the restart connects again, to the next node that takes it.
    for (let tried = at; !isOver(); tried += 1) {
      const caller = await open(nodes[tried % nodes.length]!, sharer).catch(() => null);
      if (caller === null || !caller.head.startsWith('HTTP/1.1 101 ')) {
        await pass(breathMs);
        continue;
      }
      opened += 1;
      try {
        for (; !isOver(); await pass(breathMs)) await asks(caller);
        caller.send(closeOf(1000, '', mask));
        await caller.ended();
      } catch {
        assert.equal(caller.closed?.code, 1012);
      }
      completed += caller.events.filter(({ type }) => type === 'response.completed').length;
    }
  });
  for (const [at, node] of nodes.entries()) {
    const until = provider.begun.length + 60;
    while (provider.begun.length < until) await pass(breathMs);
    node.signal('SIGTERM');
    assert.equal(await node.ended, 0);
    nodes[at] = await cluster.node({ dataDirectory: node.dataDirectory });
  }
  rolled.abort();
  await Promise.all(callers);
  const { records, interrupted } = await sharer.spent(completed + opened);
  assert.deepEqual([records, interrupted, provider.begun.length - begun], [completed + opened, 0, completed]);
  const all = await keptCalls(store, sharer.id as never);
  const responses = all.filter(({ connection }) => connection !== null);
  assert.deepEqual([responses.length, new Set(responses.map(({ providerRequestId }) => providerRequestId)).size], [completed, completed]);
  assert.deepEqual([...new Set(all.map(({ outcome }) => outcome))], ['completed']);
});
