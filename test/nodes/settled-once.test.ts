/**
 * A batch that several processes learn of at once: two gateways on one PostgreSQL store pass on the polls of callers, the platform asks by itself,
 * one gateway and the platform are killed in the middle. It is settled once, and both nodes refuse by what it cost. Corrections that caps count bind
 * running nodes as well.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { connectProvider } from '@metergate/platform/use-cases/providers.ts';
import { listCaps } from '@metergate/platform/use-cases/caps.ts';
import { isRefusal } from '@metergate/platform/use-cases/refusal.ts';
import { nanoDollars } from '@metergate/core/money.ts';
import type { OrganizationId } from '@metergate/core/id.ts';
import type { WalkedCall } from '@metergate/store/calls/call-walk.ts';
import type { Store } from '@metergate/store/store.ts';
import { startCluster, type Cluster, type ClusterNode, type ClusterProcess } from '@metergate/testkit/cluster.ts';
import { eventually } from '@metergate/testkit/eventually.ts';
import { keptCalls } from '@metergate/testkit/kept-calls.ts';
import { pauses } from '@metergate/testkit/pauses.ts';
import { testPostgres, type TestPostgres } from '@metergate/testkit/postgres.ts';
import { startScriptedProvider, type ScriptedAnswer, type ScriptedProvider } from '@metergate/testkit/scripted-provider.ts';
import { Sharer, storeOf } from './shared-fixture.ts';

const lines = 1_000;
let [server, cluster, store, provider] = [] as unknown as [TestPostgres, Cluster, Store, ScriptedProvider];
let nodes: ClusterNode[] = [];
let platform: ClusterProcess;
let ended = false;

const json = (document: unknown): ScriptedAnswer => ({ headers: [['content-type', 'application/json']], body: JSON.stringify(document) });

function provided({ method, target }: { readonly method: string; readonly target: string }): ScriptedAnswer {
  if (target.startsWith('/v1/messages/batches')) return ofMessages(target);
  if (method === 'POST') return json({ id: 'batch_1', object: 'batch', status: 'validating' });
  if (target === '/v1/batches/batch_1') {
    return json({ id: 'batch_1', object: 'batch', status: ended ? 'completed' : 'in_progress', output_file_id: ended ? 'file-1' : null });
  }
  return { headers: [['content-type', 'application/x-jsonl']], body: Array.from({ length: lines }, (_, at) => `${JSON.stringify({
    id: `batch_req_${at}`, custom_id: `r-${at}`, error: null, response: { status_code: 200, request_id: 'r', body: {
      id: `chatcmpl-${at}`, object: 'chat.completion', model: 'gpt-4o-mini', choices: [],
      usage: { prompt_tokens: 1_000, completion_tokens: 0, total_tokens: 1_000 } } } })}\n`).join('') };
}

/** The second wire's, of as many lines. */
function ofMessages(target: string): ScriptedAnswer {
  if (!target.endsWith('/results')) return json({ id: 'msgbatch_1', type: 'message_batch', processing_status: ended ? 'ended' : 'in_progress' });
  return { headers: [['content-type', 'application/x-jsonl']], body: Array.from({ length: lines }, (_, at) => `${JSON.stringify({
    custom_id: `r-${at}`, result: { type: 'succeeded', message: { id: `msg_${at}`, type: 'message', role: 'assistant', model: 'claude-haiku-4-5',
      content: [], stop_reason: 'end_turn', usage: { input_tokens: 1_000, output_tokens: 0 } } } })}\n`).join('') };
}

before(async () => {
  server = await testPostgres();
  cluster = await startCluster(await server.createDatabase());
  store = await storeOf(cluster);
  provider = await startScriptedProvider();
  provider.respond(provided);
  const env = { SVC_OPENAI_URL: provider.url, SVC_ANTHROPIC_URL: provider.url };
  nodes = await Promise.all([1, 2].map(async () => cluster.node({ env })));
  platform = await cluster.process(['platform'], env);
});
after(async () => {
  await store?.close();
  await cluster?.stop();
  await provider?.close();
  await server?.stop();
});

const until = (happens: () => Promise<boolean>): Promise<true> => eventually(happens, () => `not ${happens}`);

/** What the caps show as spent, in nano-dollars. */
async function spentBy({ id }: Sharer): Promise<bigint> {
  const caps = await listCaps({ store, randomBytes: () => new Uint8Array(), nowMs: Date.now() }, id);
  assert.ok(!isRefusal(caps));
  return BigInt(caps[0]!.spent.replace('.', ''));
}

const refuses = async (sharer: Sharer, node: ClusterNode): Promise<boolean> => (await sharer.call(node, 0)).status === 402;

test('a batch on each wire that two gateways and the platform learn of is settled once, through kills in the middle', async () => {
  const sharer = await Sharer.of(cluster, store, 'batches');
  const context = { store, randomBytes: () => new Uint8Array(32), nowMs: Date.now() };
  for (const wire of ['openai', 'anthropic']) {
    assert.ok(!isRefusal(await connectProvider(context, { organization: sharer.id, provider: wire, credential: 'sk-of-the-cluster' })));
  }
  // The tier of a batch has no listed factor: 1,000 lines of 1,000 tokens at 0.15 dollars a million, and at one dollar, and a gap.
  await store.organizations.set(sharer.id as OrganizationId, { follow: true });
  await sharer.cap(0.1);
  const ask = async (node: ClusterNode, method: string, path: string): Promise<number> => (await fetch(`${node.gatewayUrl}${path}`, {
    method, headers: { authorization: `Bearer ${sharer.key}` }, ...(method === 'POST' ? { body: '{}' } : {}),
  })).arrayBuffer().then(({ byteLength }) => byteLength, () => 0);
  for (const path of ['/v1/batches', '/v1/messages/batches']) {
    const came = () => provider.requests.some(({ method, target }) => method === 'POST' && target === path);
    await until(async () => await ask(nodes[0]!, 'POST', path) > 0 && came());
  }
  const outcomes = ['/v1/batches/batch_1', '/v1/files/file-1/content', '/v1/messages/batches/msgbatch_1/results'];
  const polling = { going: true };
  const polls = nodes.map(async (node) => {
    for (const tick = pauses(); polling.going; await tick()) {
      for (const path of outcomes) await ask(node, 'GET', path).catch(() => {});
    }
  });
  await until(async () => provider.requests.filter(({ target }) => target === '/v1/batches/batch_1').length > 5);
  ended = true;
  platform.signal('SIGKILL');
  nodes[0]!.signal('SIGKILL');
  await nodes[0]!.ended;
  const env = { SVC_OPENAI_URL: provider.url, SVC_ANTHROPIC_URL: provider.url };
  nodes[0] = await cluster.node({ env, dataDirectory: nodes[0]!.dataDirectory });
  platform = await cluster.process(['platform'], env);
  for (const path of outcomes) await ask(nodes[0]!, 'GET', path).catch(() => {});
  const settlements = async () => (await keptCalls(store, sharer.id as OrganizationId))
    .filter(({ kind }) => kind === 'settlement');
  await until(async () => (await settlements()).length > 1);
  polling.going = false;
  await Promise.all(polls);
  for (const node of nodes) await until(() => refuses(sharer, node));
  const settled = (await settlements()).map(({ wire, inputTokens, cost }) => [wire, inputTokens, cost]).sort();
  assert.deepEqual(settled, [['anthropic', lines * 1_000, 1_000_000_000n], ['openai', lines * 1_000, 150_000_000n]]);
  assert.equal(await spentBy(sharer), 1_150_000_000n);
});

test('corrections that caps count bind nodes that run, and no longer bind once they are taken back', async () => {
  const sharer = await Sharer.of(cluster, store, 'corrected');
  await sharer.cap(10);
  for (const node of nodes) await sharer.admitted(node, 2);
  await sharer.spent();
  const calls: WalkedCall[] = [];
  const all = store.callWalk.walk({ organization: sharer.id as OrganizationId, fromMs: 0, toMs: Date.now() + 1_000 });
  for await (const page of all) calls.push(...page);
  const correct = (counted: boolean) => store.callCorrections.replace({
    organization: sharer.id as OrganizationId, counted, audited: false,
    calls: calls.map(({ record: { key, project, startedAtMs }, place: { sequence } }) => ({ sequence, key, project, startedAtMs })),
    corrections: new Map(calls.map(({ record: { cost }, place }) => [place.sequence,
      { recorded: cost, cost: nanoDollars(6_000_000_000n), costGaps: [], priceList: 'other' }])),
  });
  assert.equal(await correct(true), 2);
  assert.equal(await spentBy(sharer), 12_000_000_000n);
  for (const node of nodes) await until(() => refuses(sharer, node));
  assert.equal(await correct(false), 2);
  for (const node of nodes) await until(async () => (await sharer.call(node, 0)).status === 200);
  assert.equal(await spentBy(sharer), 4_000_000_000n);
});
