/**
 * A month closed on a store that several nodes share: one node is cut off from the store and killed, two platforms close the month at once without
 * it, and what it still held arrives after that. Each call is counted once: in the month, or in the one closed next. The nodes run in the present;
 * platforms and commands run in the months after. Rule 24b; docs/month.md.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { OrganizationId } from '@metergate/core/id.ts';
import { unformatDollars } from '@metergate/core/money.ts';
import { monthAfter, monthName, monthOf } from '@metergate/core/time/utc-month.ts';
import type { ShownMonth } from '@metergate/platform/use-cases/months/months.ts';
import { createToken } from '@metergate/platform/use-cases/management-tokens.ts';
import { isRefusal } from '@metergate/platform/use-cases/refusal.ts';
import type { Store } from '@metergate/store/store.ts';
import { clockAhead } from '@metergate/testkit/clock.ts';
import { startCluster, type Cluster, type ClusterNode, type ClusterProcess } from '@metergate/testkit/cluster.ts';
import { startDatabaseRelay, type DatabaseRelay } from '@metergate/testkit/database-relay.ts';
import { eventually } from '@metergate/testkit/eventually.ts';
import { keptCalls } from '@metergate/testkit/kept-calls.ts';
import { testPostgres, type TestPostgres } from '@metergate/testkit/postgres.ts';
import { productEnv, runCli, type CliResult } from '@metergate/testkit/system.ts';
import { Sharer, storeOf } from './shared-fixture.ts';

const hourMs = 3_600_000;
let [server, cluster, relay, store] = [] as unknown as [TestPostgres, Cluster, DatabaseRelay, Store];
const folder = mkdtempSync(join(tmpdir(), 'metergate-closed-month-'));

before(async () => {
  server = await testPostgres();
  cluster = await startCluster(await server.createDatabase());
  relay = await startDatabaseRelay(cluster.databaseUrl);
  store = await storeOf(cluster);
});
after(async () => {
  await store?.close();
  await cluster?.stop();
  await relay?.close();
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function command(args: readonly string[], byMs: number): Promise<CliResult> {
  const { databaseUrl, masterKey } = cluster;
  return runCli(args, productEnv({
    SVC_DATABASE_URL: databaseUrl, SVC_MASTER_KEY: Buffer.from(masterKey).toString('base64'), SVC_DATA_DIR: folder, ...clockAhead(byMs),
  }));
}

async function closedOver(platform: ClusterProcess, month: string, token: string, body: object) {
  const answer = await fetch(`${platform.urls['platform']}/platform/v1/months/${month}/close`, {
    method: 'POST', headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' }, body: JSON.stringify(body),
  });
  return { status: answer.status, said: await answer.json() as Partial<ShownMonth> & { readonly error?: { readonly code: string } } };
}

test('two platforms close it at once without the node that is away; what that held comes into the month closed next', async () => {
  const [sharer, nowMs] = [await Sharer.of(cluster, store, 'acme'), Date.now()];
  const id = sharer.id as OrganizationId;
  const [monthMs, nextMs] = [monthOf(nowMs), monthAfter(monthOf(nowMs))];
  const [month, next] = [monthName(monthMs), monthName(nextMs)];
  const [inNextMs, afterNextMs] = [nextMs + 2 * hourMs - nowMs, monthAfter(nextMs) + 2 * hourMs - nowMs];
  const recordsOf = async (): Promise<number> => (await keptCalls(store, id)).length;
  const [near, far] = await Promise.all([cluster.node(), cluster.node({ databaseUrl: relay.url })]) as [ClusterNode, ClusterNode];
  for (let call = 0; call < 3; call += 1) for (const node of [near, far]) await sharer.admitted(node, 0.25);
  await eventually(async () => await recordsOf() === 6 && (await store.nodeReports.list()).length === 2, () => 'six records, two reports');

  relay.cut();
  for (const dollars of [0.5, 0.125]) await sharer.admitted(far, dollars);
  far.signal('SIGKILL');
  await far.ended;
  near.signal('SIGTERM');
  assert.equal(await near.ended, 0);
  assert.equal(await recordsOf(), 6, 'two are in the journal of the node that was killed');
  relay.mend();

  const waiting = await command(['month', 'close', month, '--org', id], inNextMs);
  assert.equal(waiting.code, 1);
  const [, away] = /^metergate: Calls of \S+ may still come\. (node_\w+): It last reported at [^.]+\.\d{3}Z, and did not stop normally\. Try/
    .exec(waiting.stderr) ?? assert.fail(waiting.stderr) as never;
  const context = { store, randomBytes: (n: number) => randomBytes(n), nowMs };
  const token = await createToken(context, { organization: id, role: 'owner', maker: null });
  assert.ok(!isRefusal(token));
  const platforms = await Promise.all([1, 2].map(() => cluster.process(['platform'], clockAhead(inNextMs))));
  assert.equal((await closedOver(platforms[0]!, month, token.token, { without: ['node_of_nobody'] })).said.error?.code, 'month_waiting');
  const answers = await Promise.all(platforms.map((platform) => closedOver(platform, month, token.token, { without: [away] })));
  const [won, lost] = answers.toSorted((one, other) => one.status - other.status) as [typeof answers[0], typeof answers[0]];
  assert.equal(won.status, 200, JSON.stringify(won.said));
  assert.ok(lost.status === 409 && ['month_changed', 'month_closed'].includes(lost.said.error!.code), JSON.stringify(lost));
  assert.deepEqual([won.said.version, won.said.figures!.calls, won.said.adjustedCost], [1, 6, '1.500000000']);
  assert.deepEqual(won.said.nodes!.map(({ node }) => node), [away]);

  const back = await cluster.node({ dataDirectory: far.dataDirectory });
  await eventually(async () => await recordsOf() === 8, () => 'the two calls of the killed node');
  await sharer.admitted(back, 0.0625);
  await eventually(async () => await recordsOf() === 9, () => 'a call of now');
  back.signal('SIGTERM');
  assert.equal(await back.ended, 0);
  const { state, figures, nodes, versions } = (await command(['month', 'show', month, '--org', id, '--json'], inNextMs)).json() as ShownMonth;
  assert.deepEqual([state, figures.calls, nodes.length, versions.length], ['closed', 6, 1, 1], 'the closed month stays');
  const file = join(folder, 'month.jsonl');
  assert.equal((await command(['month', 'export', month, '--org', id, '--out', file], inNextMs)).code, 0);
  assert.equal((await command(['month', 'verify', file], inNextMs)).code, 0);

  const closing = await command(['month', 'close', next, '--org', id, '--json'], afterNextMs);
  assert.equal(closing.code, 0, closing.stderr);
  const closed = closing.json() as ShownMonth;
  assert.deepEqual([closed.figures.calls, closed.nodes, closed.adjustedCost], [0, [], '0.687500000']);
  assert.deepEqual(closed.late, [{ month, calls: 3, cost: '0.687500000', correction: '0.000000000' }]);
  const all = (await keptCalls(store, id)).reduce((sum, { cost }) => sum + (cost ?? 0n), 0n);
  assert.equal(unformatDollars(won.said.adjustedCost!) + unformatDollars(closed.adjustedCost), all, 'each call is counted once');
});
