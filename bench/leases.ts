/**
 * `node bench/leases.ts [--quick]`: how much two gateway nodes ask of a shared PostgreSQL store under load. Lease traffic a second with
 * one cap and one run on every call, far from the limit; the store's transactions a second, under load and idle. If a sum of
 * spend is not that of its records, or a call is refused, the benchmark fails: exit code 1.
 */
import pg from 'pg';
import { startCluster, type ClusterNode } from '@metergate/testkit/cluster.ts';
import { startPostgres } from '@metergate/testkit/postgres.ts';
import { Sharer, storeOf } from '../test/nodes/shared-fixture.ts';

const quick = process.argv.includes('--quick');
const loadMs = quick ? 5_000 : 20_000;
const idleMs = quick ? 3_000 : 10_000;
const callersPerNode = 16;

const postgres = await startPostgres();
const databaseUrl = await postgres.createDatabase();
const cluster = await startCluster(databaseUrl);
const store = await storeOf(cluster);
const figures = new pg.Client({ connectionString: databaseUrl });
await figures.connect();
try {
  await measure();
} finally {
  await figures.end();
  await store.close();
  await cluster.stop();
  await postgres.stop();
}

async function measure(): Promise<void> {
  const sharer = await Sharer.of(cluster, store, 'bench');
  await sharer.cap(1_000_000_000);
  const nodes = [await cluster.node(), await cluster.node()];
  const headers = { 'x-svc-run-id': 'bench', 'x-svc-run-budget': '1000000' };
  for (const node of nodes) await sharer.admitted(node, 0.001, headers);
  const idle = await over(nodes, () => pause(idleMs));
  const before = sharer.answered;
  const loaded = await over(nodes, () => load(sharer, nodes, headers));
  const calls = sharer.answered - before;
  console.log(`two nodes       ${perSecond(calls, loadMs)} calls/s   ${perSecond(loaded.batches, loadMs)} lease questions/s`
    + `   ${perSecond(loaded.transactions, loadMs)} transactions/s   ${loaded.failures} unanswered   ${loaded.waits} calls waited`);
  console.log(`idle            ${perSecond(idle.transactions, idleMs)} transactions/s`);
  const spent = await sharer.spent();
  if (Math.abs(spent.sum - spent.cap) < 1e-9) return;
  console.error(`FAILED: the cap shows ${spent.cap}, the records are ${spent.sum}`);
  process.exitCode = 1;
}

interface Traffic { readonly batches: number; readonly failures: number; readonly waits: number; readonly transactions: number }

/** How much the counters grew while `work` ran. */
async function over(nodes: readonly ClusterNode[], work: () => Promise<void>): Promise<Traffic> {
  const before = await counters(nodes);
  await work();
  const after = await counters(nodes);
  return {
    batches: after.batches - before.batches, failures: after.failures - before.failures,
    waits: after.waits - before.waits, transactions: after.transactions - before.transactions,
  };
}

async function counters(nodes: readonly ClusterNode[]): Promise<Traffic> {
  const sum = async (name: string): Promise<number> => {
    let total = 0;
    for (const node of nodes) total += await node.metric(name);
    return total;
  };
  const { rows } = await figures.query<{ commits: string }>(
    'select xact_commit + xact_rollback as commits from pg_stat_database where datname = current_database()');
  return {
    batches: await sum('metergate_lease_batches_total'), failures: await sum('metergate_lease_failures_total'),
    waits: await sum('metergate_lease_waits_total'), transactions: Number(rows[0]?.commits),
  };
}

async function load(sharer: Sharer, nodes: readonly ClusterNode[], headers: Readonly<Record<string, string>>): Promise<void> {
  const untilMs = performance.now() + loadMs;
  await Promise.all(nodes.flatMap((node) => Array.from({ length: callersPerNode }, async () => {
    while (performance.now() < untilMs) {
      const { status, code } = await sharer.call(node, 0.001, headers);
      if (status === 200) continue;
      console.error(`FAILED: a call was refused: ${status} ${code}`);
      process.exitCode = 1;
    }
  })));
}

function perSecond(count: number, ms: number): string {
  return ((count / ms) * 1_000).toFixed(1).padStart(8);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => { setTimeout(resolve, ms); });
}
