/**
 * `node bench/moving-cell.ts [--windows 12] [--minutes 3.5] [--rate 60] [--apart]`: how long calls of other cells take while Citus moves a cell.
 * Three cells on two workers, two nodes, capped organizations in each cell. Calls begin at a rate, whether or not those before have ended. In turns:
 * a move of the third cell, which is called too, a move of a schema that nobody uses and that has the same tables, and as long without a move; so
 * many windows of each, but none after so many minutes. What the second kind adds is the machine's and Citus's. What the first adds beyond it is the
 * product's, and that of copying what is written meanwhile. `--apart`: the servers have the last processor to themselves, nodes and callers all
 * others, as on machines of their own; what a move adds then, calls waited for.
 * Needs Citus: `packages/testkit/src/citus.ts` says how to name one. `--apart` needs Linux and two processors.
 */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cpus } from 'node:os';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { isRefusal } from '@metergate/store/engine/refusal.ts';
import { openWithCells } from '@metergate/store/store.ts';
import { testCitus, withoutCitus, type TestCitus } from '@metergate/testkit/citus.ts';
import { startCluster, type ClusterNode } from '@metergate/testkit/cluster.ts';
import { sql } from '../test/nodes/cells-suite.ts';
import { Sharer } from '../test/nodes/shared-fixture.ts';

const { values } = parseArgs({ options: {
  windows: { type: 'string', default: '12' }, minutes: { type: 'string', default: '3.5' }, rate: { type: 'string', default: '60' },
  apart: { type: 'boolean', default: false },
} });
const kinds = ['no move', 'another schema moves', 'a cell moves'] as const;
type Kind = typeof kinds[number];
/** Of each node, before and after each window. */
const counters = ['metergate_lease_batches_total', 'metergate_lease_waits_total', 'metergate_lease_failures_total'];
interface Seen {
  /** Null: between two windows. */
  readonly kind: Kind | null;
  readonly cell: string;
  readonly status: number;
  readonly tookMs: number;
}

const last = cpus().length - 1;
if (values.apart) runOn(String(last));
const found = await testCitus();
if (found === null) throw new Error(withoutCitus);
if (values.apart) runOn(last === 1 ? '0' : `0-${last - 1}`);
try {
  await measure(found);
} finally {
  await found.stop();
}

/** This process and all that it starts from now on have these processors. */
function runOn(processors: string): void {
  const { status, stderr } = spawnSync('taskset', ['-apc', processors, String(process.pid)], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`bench: taskset: ${stderr}`);
}

async function measure(citus: TestCitus): Promise<void> {
  const url = await citus.createDatabase();
  const cluster = await startCluster(url);
  const { store, cells } = await openWithCells({
    url, masterKey: cluster.masterKey, clock: Date.now, randomBytes: (n) => randomBytes(n), create: true,
  });
  try {
    const names = ['cell_1', 'cell_2', 'cell_3'];
    for (const name of names) {
      const added = await store.cells.add(name, '');
      if (isRefusal(added)) throw new Error(`bench: no cell was made: ${added.refused.message}`);
    }
    await makeUnused(url);
    await sql(url, "update cell set added_at_ms = 0, state = case number when 0 then 'drained' else 'open' end");
    const nodes = await Promise.all([cluster.node(), cluster.node()]);
    const sharers = new Map<string, Sharer>();
    while (sharers.size < names.length) {
      const sharer = await Sharer.of(cluster, store, `in some cell ${sharers.size}`);
      sharers.set((await cells.of(sharer.id)).name, sharer);
    }
    for (const sharer of sharers.values()) {
      await sharer.cap(1_000_000);
      for (const node of nodes) await sharer.admitted(node, 0.01);
    }
    await windows(citus, url, { nodes, sharers });
  } finally {
    await cluster.stop();
    await store.close();
  }
}

/** A distributed schema with the tables of a cell. */
async function makeUnused(url: string): Promise<void> {
  await sql(url, `set citus.enable_schema_based_sharding = on; create schema unused`);
  const tables = await sql(url, "select tablename from pg_tables where schemaname = 'cell_1'");
  for (const { tablename: table } of tables) {
    await sql(url, `create table unused.${String(table)} (like cell_1.${String(table)} including all)`);
    await sql(url, `alter table unused.${String(table)} replica identity full`);
  }
}

interface Calling {
  readonly nodes: readonly ClusterNode[];
  readonly sharers: ReadonlyMap<string, Sharer>;
}

async function windows(citus: TestCitus, url: string, calling: Calling): Promise<void> {
  const seen: Seen[] = [];
  let kind: Kind | null = null;
  const over = new AbortController();
  const calls = callAtRate(calling, over.signal, (each) => seen.push({ ...each, kind }));
  await pause(5_000);
  seen.length = 0;
  let window = 0;
  const tookMs: Record<Kind, number> = { 'no move': 0, 'another schema moves': 0, 'a cell moves': 0 };
  const counted: Record<Kind, number[]> = { 'no move': [], 'another schema moves': [], 'a cell moves': [] };
  try {
    for (; window < Number(values.windows) && performance.now() < Number(values.minutes) * 60_000; window += 1) {
      for (const each of window % 2 === 0 ? kinds : kinds.toReversed()) {
        kind = null;
        await tidied(url);
        const before = await counts(calling.nodes);
        kind = each;
        const beganMs = performance.now();
        if (each === 'no move') await pause(Math.max(2_000, tookMs['a cell moves'] / Math.max(1, window)));
        else await moveAway(citus, url, each === 'a cell moves' ? 'cell_3' : 'unused');
        tookMs[each] += performance.now() - beganMs;
        const after = await counts(calling.nodes);
        counted[each] = after.map((now, at) => (counted[each][at] ?? 0) + now - before[at]!);
      }
    }
  } finally {
    over.abort();
    await calls;
  }
  for (const each of kinds) {
    const of = (moving: boolean): Seen[] => seen.filter(({ kind: its, cell }) => its === each && (cell === 'cell_3') === moving);
    console.log(`${each}, ${window} windows of ${Math.round(tookMs[each] / window)} ms: other cells ${figures(of(false))}; `
      + `the third cell ${figures(of(true))}; ${inWords(counted[each])}`);
  }
}

/** The counters of all nodes, then how long each processor was busy and idle, in ms. */
async function counts(nodes: readonly ClusterNode[]): Promise<number[]> {
  const sums = counters.map(async (name) => {
    const each = await Promise.all(nodes.map((node) => node.metric(name)));
    return each.reduce((sum, value) => sum + value, 0);
  });
  return [...await Promise.all(sums), ...cpus().flatMap(({ times: { user, nice, sys, irq, idle } }) => [user + nice + sys + irq, idle])];
}

function inWords([claims = 0, waits = 0, failed = 0, ...times]: readonly number[]): string {
  const busy = Array.from({ length: times.length / 2 }, (_, at) => Math.round(times[2 * at]! / (times[2 * at]! + times[2 * at + 1]!) * 100));
  return `${claims} claims, ${failed} failed, ${waits} calls waited for one; processors ${busy.join(' and ')} % busy`;
}

async function moveAway(citus: TestCitus, url: string, schema: string): Promise<void> {
  const from = await citus.workerOf(url, schema);
  await citus.move(url, schema, citus.workers.find((worker) => worker !== from)!);
}

/** What the last move left behind is gone: a schema cannot move to where its remains are. */
async function tidied(url: string): Promise<void> {
  while ((await sql(url, 'select from pg_dist_cleanup')).length > 0) {
    await sql(url, 'call citus_cleanup_orphaned_resources()');
    await pause(500);
  }
}

async function callAtRate({ nodes, sharers }: Calling, signal: AbortSignal, tell: (seen: Omit<Seen, 'kind'>) => void): Promise<void> {
  const underWay = new Set<Promise<void>>();
  const all = [...sharers];
  const callOnce = async (cell: string, call: Promise<{ readonly status: number }>): Promise<void> => {
    const beganMs = performance.now();
    const { status } = await call.catch(() => ({ status: 0 }));
    tell({ cell, status, tookMs: performance.now() - beganMs });
  };
  for (let number = 0, nextMs = performance.now(); !signal.aborted; number += 1) {
    const [cell, sharer] = all[number % all.length]!;
    const call = callOnce(cell, sharer.call(nodes[number % nodes.length]!, 0.001)).finally(() => underWay.delete(call));
    underWay.add(call);
    nextMs += 1_000 / Number(values.rate);
    await pause(Math.max(0, nextMs - performance.now()));
  }
  await Promise.all(underWay);
}

function figures(seen: readonly Seen[]): string {
  const took = seen.map(({ tookMs }) => tookMs).sort((one, other) => one - other);
  const at = (share: number): string => (took[Math.min(took.length - 1, Math.floor(took.length * share))] ?? 0).toFixed(1);
  const refused = seen.filter(({ status }) => status !== 200).length;
  return `p50 ${at(0.5)} ms, p90 ${at(0.9)}, p99 ${at(0.99)}, most ${at(1)}, ${seen.length} calls, ${refused} refused`;
}
