/**
 * Gateway nodes on a store of several cells (decision 210): calls by keys of all cells through one node, caps and runs exact with two nodes and a
 * kill, and a cell that is away refuses its own capped calls and nobody else's. The same on schemas of one PostgreSQL and on Citus.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { setTimeout as pass } from 'node:timers/promises';
import { cellUrl } from '@metergate/store/engine/cell-url.ts';
import type { OpenCells } from '@metergate/store/operation/cells/cells.ts';
import { openWithCells, type Store } from '@metergate/store/store.ts';
import { ownLauncher, startCluster, type Cluster, type ClusterNode } from '@metergate/testkit/cluster.ts';
import { eventually } from '@metergate/testkit/eventually.ts';
import { runCli, productEnv } from '@metergate/testkit/system.ts';
import pg from 'pg';
import { Sharer } from './shared-fixture.ts';

/** Where the cells are. */
export interface CellsPlace {
  /** How many there are besides the default one. */
  readonly cellCount: number;
  createDatabase(): Promise<string>;
  /** What is seen of a cell in the making, one after the other: each a statement that gives a row from then on. */
  making(schema: string): readonly string[];
  /** Takes the last cell away; the result brings it back. */
  takeAway(url: string, schema: string): Promise<() => Promise<void>>;
  stop(): Promise<void>;
}

export interface CellsRunning {
  readonly cluster: Cluster;
  readonly store: Store;
  readonly cells: OpenCells;
  readonly nodes: ClusterNode[];
}

/** Declares the tests; call it in a suite. `more`: what else is tested, before the nodes stop. */
export function testCells(open: () => Promise<CellsPlace>, more: (running: () => CellsRunning) => void = () => {}): void {
  let place: CellsPlace;
  let cellCount: number;
  let cluster: Cluster;
  let store: Store;
  let cells: OpenCells;
  let nodes: ClusterNode[];
  /** One in each cell, the default cell's first. */
  let sharers: Sharer[];

  const command = (...args: string[]) => runCli(args, productEnv({
    SVC_DATABASE_URL: cluster.databaseUrl, SVC_MASTER_KEY: Buffer.from(cluster.masterKey).toString('base64'),
  }));
  /** An organization in each cell that has as few as any. */
  const inEachCell = async (name: string): Promise<Sharer[]> => {
    const made = new Map<string, Sharer>();
    for (let count = 0; made.size <= cellCount; count += 1) {
      const sharer = await Sharer.of(cluster, store, `${name} ${count}`);
      made.set((await cells.of(sharer.id)).name, sharer);
    }
    return cells.all.map((cell) => made.get(cell.name)!);
  };
  const shipped = async (sharer: Sharer, dollars: number): Promise<void> => {
    const { sum, cap } = await sharer.spent();
    assert.deepEqual([sum, cap], [dollars, dollars]);
  };

  before(async () => {
    place = await open();
    ({ cellCount } = place);
    cluster = await startCluster(await place.createDatabase());
    const platform = await cluster.process(['platform']);
    platform.signal('SIGTERM');
    assert.equal(await platform.ended, 0);
    for (let count = 1; count <= cellCount; count += 1) {
      const added = await command('cells', 'add', `cell_${count}`);
      assert.equal(added.code, 0, added.stderr);
    }
    await sql(cluster.databaseUrl, 'update cell set added_at_ms = 0');
    ({ store, cells } = await openWithCells({
      url: cluster.databaseUrl, masterKey: cluster.masterKey, clock: Date.now, randomBytes: (n) => randomBytes(n), create: true,
    }));
    nodes = await Promise.all([cluster.node(), cluster.node()]);
    sharers = await inEachCell('first');
  });
  after(async () => {
    await cluster?.stop();
    await store?.close();
    await place?.stop();
  });

  test('keys of every cell are served by every node, and what they spend is in their cells, to the nano-dollar', async () => {
    for (const sharer of sharers) {
      await sharer.cap(100);
      for (const node of nodes) for (let count = 0; count < 5; count += 1) await sharer.admitted(node, 1);
      await shipped(sharer, 10);
    }
    assert.deepEqual((await store.spendReconciler.reconcile(async () => true))!.differences, []);
    for (const [at, cell] of cells.all.entries()) {
      const url = cellUrl(cluster.databaseUrl, at === 0 ? '' : cell.name);
      const [row] = await sql(url, 'select count(distinct organization) as found from call_record');
      assert.equal(Number(row!['found']), 1, cell.name);
      assert.equal((await store.receipts.open(sharers[at]!.id as never)).length, 10);
    }
  });

  test('a cap is kept by both nodes together in each cell, and a run too', async () => {
    const capped = await inEachCell('capped');
    await Promise.all(capped.map(async (sharer) => {
      await sharer.cap(20);
      // A key that a node does not know yet is answered 500 where the store takes longer than 2 s.
      for (const node of nodes) await sharer.admitted(node, 0);
      const answers = await Promise.all(Array.from({ length: 60 }, (_, at) => sharer.call(nodes[at % 2]!, 1)));
      assert.ok(answers.every(({ status }) => [200, 402, 503].includes(status)), JSON.stringify(answers.map(({ status }) => status)));
      const { sum, cap } = await sharer.spent();
      assert.equal(sum, cap);
      assert.ok(sum <= 20 + answers.length, 'no more than the cap and what was in flight');
      const headers = { 'x-run-id': `run-${sharer.id}`, 'x-run-budget': '5' };
      for (const node of nodes) await sharer.call(node, 0, headers);
    }));
  });

  test('a node that is killed has lost nothing: its calls are in their cells once it is back', async () => {
    const killed = await inEachCell('killed');
    for (const sharer of killed) {
      await sharer.cap(1_000);
      await sharer.admitted(nodes[1]!, 1);
    }
    const open = killed.map((sharer) => sharer.call(nodes[1]!, 1, {}, 5_000).catch(() => null));
    await pass(300);
    nodes[1]!.signal('SIGKILL');
    await Promise.all(open);
    nodes[1] = await cluster.node({ dataDirectory: nodes[1]!.dataDirectory });
    for (const sharer of killed) {
      const { records, sum, cap } = await sharer.spent(2);
      assert.equal(records, 2, 'the call that was answered, and the one that was open');
      assert.deepEqual([sum, cap], [1, 1]);
      await sharer.admitted(nodes[1]!, 1);
    }
  });

  test('a cell that is away refuses its own capped calls and holds back its own rows; when it is back, nothing is missing', async () => {
    const all = await inEachCell('away');
    for (const sharer of all) {
      await sharer.cap(1_000);
      for (const node of nodes) await sharer.admitted(node, 1);
    }
    const last = all.at(-1)!;
    const uncapped = (await inEachCell('away uncapped')).at(-1)!;
    await uncapped.admitted(nodes[0]!, 1);
    const schema = cells.all.at(-1)!.name;
    const bringBack = await place.takeAway(cluster.databaseUrl, schema);
    try {
      await uncapped.admitted(nodes[0]!, 1);
      for (const sharer of all) {
        if (sharer === last) continue;
        for (const node of nodes) for (let count = 0; count < 5; count += 1) await sharer.admitted(node, 1);
        await shipped(sharer, 12);
      }
      const refused = await eventually(async () => {
        const answer = await last.call(nodes[0]!, 1);
        return answer.status === 503 && answer;
      }, () => 'the cell that is away refuses nothing');
      assert.equal(refused.code, 'budget_unverifiable');
      const doctor = await command('doctor', '--json');
      const { checks } = doctor.json() as { checks: { name: string; state: string; message: string }[] };
      const found = checks.filter(({ name }) => name === 'cells').map(({ state, message }) => `${state} ${message}`).join();
      assert.match(found, new RegExp(`fail The cell ${schema} `));
      // Months of the others do not wait for it: a node tells of each cell how long its rows wait.
      const away = cells.all.at(-1)!.number;
      await eventually(async () => (await store.nodeReports.list()).some(({ report: { state, journal: { lagMsOfCells = {} } } }) => {
        const { [away]: waits = 0, ...others } = lagMsOfCells;
        return state !== 'stopped' && waits !== null && waits > 4_000 && Object.values(others).every((lagMs) => lagMs! < waits / 2);
      }), () => 'no node tells that rows of that cell alone wait');
      // A node that starts now serves the others.
      nodes.push(await cluster.node());
      for (const sharer of all) if (sharer !== last) await sharer.admitted(nodes[2]!, 1);
    } finally {
      await bringBack();
    }
    for (const node of nodes) await last.admitted(node, 1);
    const { sum, cap } = await last.spent();
    assert.equal(sum, cap);
    assert.equal(sum, last.answered);
    assert.deepEqual((await store.spendReconciler.reconcile(async () => true))!.differences, []);
  });

  test('a cell that is added while nodes run, by a command that was killed at each step before, takes organizations', async () => {
    for (const seen of place.making('late')) await killWhen(cluster, ['cells', 'add', 'late'], seen);
    const added = await command('cells', 'add', 'late');
    assert.equal(added.code, 0, added.stderr);
    await sql(cluster.databaseUrl, "update cell set added_at_ms = 0, state = case when name = 'late' then 'open' else 'drained' end");
    const sharer = await Sharer.of(cluster, store, 'in the late one');
    assert.equal((await cells.of(sharer.id)).name, 'late');
    await sharer.cap(10);
    for (const node of nodes) await sharer.admitted(node, 1);
    const { sum, cap } = await sharer.spent();
    assert.deepEqual([sum, cap], [nodes.length, nodes.length]);
    const listed = (await command('cells', 'list', '--json')).json() as { name: string; organizations: number; away: string | null }[];
    assert.deepEqual(listed.filter(({ name }) => name === 'late').map(({ organizations, away }) => [organizations, away]), [[1, null]]);
  });

  more(() => ({ cluster, store, cells, nodes }));

  test('every node stops in order, with its journal shipped to all cells', async () => {
    assert.ok((await cluster.stop()).every((code) => code === 0));
    const settled = (await store.nodeReports.list()).filter(({ report: { state } }) => state === 'stopped');
    assert.ok(settled.length >= nodes.length - 1);
    for (const { report: { node, journal: { lagMsOfCells = {} } } } of settled) {
      assert.deepEqual(new Set(Object.values(lagMsOfCells)), new Set([0]), node);
    }
  });
}

/** What is seen of any cell in the making. */
export function schemaMaking(schema: string): readonly string[] {
  return [`select 1 from pg_namespace where nspname = '${schema}'`,
    `select 1 from pg_tables where schemaname = '${schema}' and tablename = 'metergate_schema'`];
}

/** A command that is killed as soon as this statement gives a row. False: it ended before. */
export async function killWhen({ databaseUrl, masterKey }: Cluster, args: readonly string[], seen: string): Promise<boolean> {
  const env = productEnv({
    SVC_DATABASE_URL: databaseUrl, SVC_MASTER_KEY: Buffer.from(masterKey).toString('base64'), SVC_PLATFORM_PORT: '0', SVC_OPS_PORT: '0',
  });
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const child = spawn(process.execPath, [ownLauncher, ...args], { stdio: 'ignore', env });
    const ended = once(child, 'exit');
    while (child.exitCode === null && (await client.query(seen)).rowCount === 0);
    child.kill('SIGKILL');
    const [, signal] = await ended as [number | null, string | null];
    return signal === 'SIGKILL';
  } finally {
    await client.end();
  }
}

/** One statement, on a connection of its own. */
export async function sql(url: string, text: string): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}
