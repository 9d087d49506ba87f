/**
 * Gateway nodes that die, freeze or lose their store, on one PostgreSQL store (promises 2, 4 and 5): nothing is lost or counted twice,
 * nothing is admitted on a lease that is not fresh, and a node that cannot know answers 503.
 * `METERGATE_FREEZE_SECONDS`: how long the frozen node stands still; 6 by default, longer than any lease is valid.
 */
import assert from 'node:assert/strict';
import { setTimeout as pass } from 'node:timers/promises';
import { after, before, test } from 'node:test';
import { startCluster, type Cluster, type ClusterNode } from '@metergate/testkit/cluster.ts';
import { startDatabaseRelay } from '@metergate/testkit/database-relay.ts';
import { eventually } from '@metergate/testkit/eventually.ts';
import { startPostgres, type OwnPostgres } from '@metergate/testkit/postgres.ts';
import type { Store } from '@metergate/store/store.ts';
import { sql } from './cells-suite.ts';
import { countsOf, granted, race, Sharer, storeOf, type Answer } from './shared-fixture.ts';

const breathMs = 20;
const freezeMs = Number(process.env['METERGATE_FREEZE_SECONDS'] ?? '6') * 1_000;

let postgres: OwnPostgres;
let cluster: Cluster;
let store: Store;
let nodes: ClusterNode[];

before(async () => {
  postgres = await startPostgres();
  cluster = await startCluster(await postgres.createDatabase());
  store = await storeOf(cluster);
  nodes = await Promise.all([cluster.node(), cluster.node()]);
});
after(async () => {
  await cluster?.stop();
  await store?.close();
  await postgres?.stop();
});

const nodeOf = (caller: number): ClusterNode => nodes[caller % nodes.length]!;
/** Callers that call until they are stopped, whatever the answers, and pause after each: unpaced they would take the whole machine. */
function load(callers: number, call: (caller: number) => Promise<Answer>): { readonly end: () => Promise<Answer[]> } {
  let over = false;
  const answers = race(callers, async (caller) => {
    const answer = await call(caller);
    await pass(breathMs);
    return answer;
  }, () => over);
  return {
    end() {
      over = true;
      return answers;
    },
  };
}

async function assertSound(sharer: Sharer, seen: number): Promise<number> {
  const { sum, cap, records, interrupted } = await sharer.spent(seen);
  const found = `${records} records, ${interrupted} of them interrupted, of ${seen} calls that the upstream saw`;
  assert.ok(records >= seen && records - seen <= interrupted, `each has one record, and no other call but one that was killed: ${found}`);
  assert.equal(cap, sum, 'spend is the sum of the records');
  return sum;
}

test('a node killed in the middle of its lease: its next start records every call once and returns what it held', async () => {
  const sharer = await Sharer.of(cluster, store, 'killed');
  await sharer.cap(20);
  const before = cluster.upstream.requests.length;
  for (const node of nodes) await sharer.admitted(node, 0);
  const running = load(20, (caller) => sharer.call(nodeOf(caller), 0.02));
  while (sharer.answered < 300) await pass(5);
  const dead = nodes[1]!;
  dead.signal('SIGKILL');
  await dead.ended;
  nodes[1] = await cluster.node({ dataDirectory: dead.dataDirectory });
  await running.end();
  const rest = await race(20, (caller) => sharer.call(nodeOf(caller), 0.02), ({ status }) => status === 402);
  assert.equal(countsOf(rest)['402 budget_exceeded'], 20, 'what the dead node held could be spent to the end');
  const sum = await assertSound(sharer, cluster.upstream.requests.length - before);
  assert.ok(sum >= 20 && sum <= 20 + 40 * 0.02, `${sum} of 20`);
});

test('a node that was frozen admits nothing on the lease it held', async () => {
  const sharer = await Sharer.of(cluster, store, 'frozen');
  await sharer.cap(50);
  const [frozen, other] = nodes as [ClusterNode, ClusterNode];
  const before = cluster.upstream.requests.length;
  for (const node of nodes) await sharer.admitted(node, 0.01);
  frozen.signal('SIGSTOP');
  await sharer.admitted(other, 60);
  const waiting = Array.from({ length: 5 }, () => sharer.call(frozen, 0.01));
  await pass(freezeMs);
  // Until the store knows of it, it may rightly grant what is left.
  await eventually(async () => (await sharer.spent(0)).cap >= 60, 'what the other node spent is not shipped');
  frozen.signal('SIGCONT');
  const answers = await Promise.all(waiting);
  assert.deepEqual(answers.filter(({ status }) => status === 200), [], JSON.stringify(countsOf(answers)));
  const [settled] = (await race(1, () => sharer.call(frozen, 0.01), ({ status }) => status !== 503)).slice(-1);
  assert.equal(settled?.status, 402);
  assert.equal(await assertSound(sharer, cluster.upstream.requests.length - before), 60.02);
});

test('the store away: leases are spent, then 503 and never 402, and nodes are not ready; once it is back, everything works again', async () => {
  const sharer = await Sharer.of(cluster, store, 'store away');
  await sharer.cap(100_000);
  const before = cluster.upstream.requests.length;
  for (const node of nodes) await sharer.admitted(node, 0);
  const running = load(10, (caller) => sharer.call(nodeOf(caller), 0.01));
  while (sharer.answered < 200) await pass(5);
  await postgres.pause();
  const awayMs = Date.now();
  await pass(6_000);
  await readyBecomes(nodes[0]!, '', 503);
  assert.equal(await readyNow(nodes[0]!, '?ignore=store'), 200, 'calls without a cap are served');
  const backMs = Date.now();
  await postgres.resume();
  const seen = sharer.answered;
  await eventually(() => sharer.answered >= seen + 200, () => 'calls are not admitted again');
  const answers = await running.end();
  await readyBecomes(nodes[0]!, '', 200);
  const whileAway = answers.filter(({ atMs }) => atMs > awayMs && atMs < backMs);
  assert.equal(whileAway.filter(({ status }) => status === 402).length, 0);
  const late = whileAway.filter(({ status, sentMs }) => status === 200 && sentMs > awayMs + 5_500);
  assert.deepEqual(late, [], 'no lease is valid for longer than five seconds');
  assert.ok(whileAway.some(({ code }) => code === 'budget_unverifiable'));
  await assertSound(sharer, cluster.upstream.requests.length - before);
});

test('tables get other columns while nodes ship and claim: everything is recorded once, and statements keep names', async () => {
  const sharer = await Sharer.of(cluster, store, 'upgraded');
  await sharer.cap(100_000);
  const before = cluster.upstream.requests.length;
  for (const node of nodes) await sharer.admitted(node, 0);
  const running = load(6, (caller) => sharer.call(nodeOf(caller), 0.01));
  for (const change of ['add column later bigint', 'drop column later']) {
    const seen = sharer.answered;
    await eventually(() => sharer.answered >= seen + 100, () => 'calls are not admitted');
    for (const table of ['receipt_chain', 'spend_lease', 'journal_segment', 'call_record']) {
      await sql(cluster.databaseUrl, `alter table ${table} ${change}`);
    }
  }
  const seen = sharer.answered;
  await eventually(() => sharer.answered >= seen + 100, () => 'calls are not admitted any more');
  const answers = await running.end();
  assert.deepEqual(Object.keys(countsOf(answers)), ['200 ok']);
  await assertSound(sharer, cluster.upstream.requests.length - before);
  for (const node of nodes) assert.doesNotMatch(node.stderr(), /without names/);
});

async function readyNow(node: ClusterNode, query: string): Promise<number> {
  const answer = await fetch(`${node.urls['ops']}/readyz${query}`);
  const said = await answer.text();
  if (answer.status === 503) assert.match(said, /^not ready\nstore: The shared store does not answer/);
  return answer.status;
}

async function readyBecomes(node: ClusterNode, query: string, status: number): Promise<void> {
  await eventually(async () => await readyNow(node, query) === status, () => `/readyz never became ${status}`);
}

test('a node killed before it shipped the end of a run, which was then closed: the first end counts, in the store and on every node', async (t) => {
  const relay = await startDatabaseRelay(cluster.databaseUrl);
  t.after(() => relay.close());
  const sharer = await Sharer.of(cluster, store, 'two ends');
  const run = { organization: sharer.id as never, id: 'r' };
  const [headers, other] = [{ 'x-svc-run-id': 'r', 'x-svc-run-budget': '2' }, nodes[0]!];
  const dead = await cluster.node({ databaseUrl: relay.url });
  await sharer.admitted(dead, 2, headers);
  await eventually(async () => (await store.runs.get(run))?.spent === 2_000_000_000n, 'what the run spent is not shipped');
  relay.cut();
  assert.deepEqual((await sharer.call(dead, 1, headers)).code, 'budget_exceeded');
  dead.signal('SIGKILL');
  await dead.ended;
  // The node's clock and the store's are compared (decision 114): the close has to be the later one by either.
  const later = await storeOf(cluster, () => Date.now() + 2_000);
  t.after(() => later.close());
  const closed = await granted(later.runs.close(run));
  assert.equal('state' in closed && closed.state, 'closed');
  const answers = (node: ClusterNode, code: string) => race(1, () => sharer.call(node, 1, headers), (answer) => answer.code === code);
  await answers(other, 'run_closed');
  const restarted = await cluster.node({ dataDirectory: dead.dataDirectory });
  await eventually(async () => (await store.runs.get(run))?.state === 'over_budget', 'the end that happened first is not shipped');
  for (const node of [restarted, other]) await answers(node, 'budget_exceeded');
});

test('a commit whose answer never came: what was shipped is shipped once, and what was granted admits nothing', async (t) => {
  const relay = await startDatabaseRelay(cluster.databaseUrl);
  t.after(() => relay.close());
  const sharer = await Sharer.of(cluster, store, 'dead socket');
  await sharer.cap(16);
  const node = await cluster.node({ databaseUrl: relay.url });
  const before = cluster.upstream.requests.length;
  const pair = [node, nodes[0]!];
  const running = load(8, (caller) => sharer.call(pair[caller % 2]!, 0.01));
  for (let round = 0; round < 8; round += 1) {
    await relay.cutAnswerTo('commit');
    const seen = sharer.answered;
    while (sharer.answered < seen + 20 && sharer.answered * 0.01 < 13) await pass(5);
  }
  await running.end();
  await race(8, (caller) => sharer.call(pair[caller % 2]!, 0.01), ({ status }) => status === 402);
  const sum = await assertSound(sharer, cluster.upstream.requests.length - before);
  assert.ok(sum >= 16 && sum <= 16 + 16 * 0.01, `${sum} of 16`);
  node.signal('SIGTERM');
  assert.equal(await node.ended, 0);
});
