/**
 * `node bench/shipping.ts [--rows 24000] [--shippers 1,4] [--organizations 20] [--rate 1000] [--nodes 1] [--warm 5] [--seconds 10] [--cells 1]
 * [--servers] [--tables] [--away-ms 0] [--own] [--times 1] [--fsync]`: what it costs a PostgreSQL to take records, with real journals and real
 * shippers, each on a separate thread, as on separate nodes.
 * `--cells 1,2,4`: all of it with the organizations in so many cells, the default one and schemas beside it, or with `--servers` each of them on a
 * server of its own. `--tables` says which tables and indexes the default cell's log is about, each with its bytes and changes a record.
 * `--away-ms 0,1,2,5`: the server is that far away, each way, one after the other. `--own`: each shipper has so many organizations, and no other
 * shipper has them. `--times`: so many rounds of all of it. `--fsync`: commits wait for the disk, as on a real server.
 * `--warm`: calls end at the rate for so long before anything is counted: connections and sums are new at first, in each cell.
 * First journals that are full are shipped: rows a second for each number of shippers. Then calls end at a rate, on this many nodes together, and are
 * shipped when a node would ship them, while one more connection lists calls. Of both: processor time of the server and of the client, bytes of the
 * server's log, transactions, how many of them waited for a lock at a time, which, and HOT updates of the sums.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { isRefusal } from '@metergate/store/engine/refusal.ts';
import { openWithCells, type Store } from '@metergate/store/store.ts';
import { startDatabaseRelay } from '@metergate/testkit/database-relay.ts';
import { startPostgres, type TestPostgres } from '@metergate/testkit/postgres.ts';
import pg from 'pg';
import { serverFigures, type ServerFigures } from './postgres-figures.ts';
import type { Outcome, Task } from './shipping-node.ts';

const masterKey = new Uint8Array(32).fill(7);
const bytes = (n: number): Uint8Array => randomBytes(n);
const clock = (): number => performance.now();

await measure();

async function measure(): Promise<void> {
  const { values } = parseArgs({ options: {
    rows: { type: 'string', default: '24000' }, shippers: { type: 'string', default: '1,4' }, organizations: { type: 'string', default: '20' },
    warm: { type: 'string', default: '5' },
    rate: { type: 'string', default: '1000' }, nodes: { type: 'string', default: '1' }, seconds: { type: 'string', default: '10' },
    cells: { type: 'string', default: '1' }, servers: { type: 'boolean', default: false }, tables: { type: 'boolean', default: false },
    'away-ms': { type: 'string', default: '0' }, own: { type: 'boolean', default: false }, times: { type: 'string', default: '1' },
    fsync: { type: 'boolean', default: false },
  } });
  const numbers = (text: string): number[] => text.split(',').filter((each) => each !== '').map(Number);
  const [cells, distances] = [numbers(values.cells), numbers(values['away-ms'])];
  const nodes = Number(values.nodes);
  const passwords = mkdtempSync(join(tmpdir(), 'metergate-bench-pass-'));
  const servers = await startServers(values.servers ? Math.max(...cells) : 1, join(passwords, 'pgpass'), values.fsync);
  try {
    for (let time = 0; time < Number(values.times); time += 1) {
      for (const [count, awayMs] of cells.flatMap((each) => distances.map((ms): [number, number] => [each, ms]))) {
        const plan: Plan = { servers, cells: count, organizations: Number(values.organizations), tables: values.tables, own: values.own, awayMs };
        const where = (count === 1 ? '' : `, ${count} cells${values.servers ? ' on servers of their own' : ''}`)
          + (awayMs === 0 ? '' : `, ${awayMs} ms away`) + (values.own ? ', organizations of their own' : '');
        for (const shippers of numbers(values.shippers)) {
          const task = { rows: Math.floor(Number(values.rows) / shippers), rate: null, seconds: 0, warm: 0 };
          await round(`${shippers} shipper${shippers === 1 ? '' : 's'}, full journals${where}`, plan, Array.from({ length: shippers }, () => task));
        }
        for (const rate of numbers(values.rate)) {
          await round(`${rate} calls a second on ${nodes} node${nodes === 1 ? '' : 's'}${where}`, plan,
            Array.from({ length: nodes }, () => ({ rows: 0, rate: rate / nodes, seconds: Number(values.seconds), warm: Number(values.warm) })));
        }
      }
    }
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    rmSync(passwords, { recursive: true, force: true });
  }
}

interface Plan {
  /** The first has the default cell. */
  readonly servers: readonly TestPostgres[];
  readonly cells: number;
  readonly organizations: number;
  readonly tables: boolean;
  /** Each shipper has so many organizations of its own. */
  readonly own: boolean;
  /** How far the first server is away, each way. */
  readonly awayMs: number;
}

/** The store keeps addresses of cells without passwords, so these stand in `file` for all of this process. */
async function startServers(count: number, file: string, fsync: boolean): Promise<TestPostgres[]> {
  const settings = fsync ? { fsync: 'on', full_page_writes: 'on' } : {};
  const servers = await Promise.all(Array.from({ length: count }, () => startPostgres(null, settings)));
  const lines = servers.map(({ url }) => new URL(url)).map(({ hostname, port, password }) => `${hostname}:${port}:*:postgres:${password}`);
  writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 });
  process.env['PGPASSFILE'] = file;
  return servers;
}

/** A store with its cells and organizations, spread evenly; the addresses of its databases. */
async function makeStore({ servers, cells, organizations }: Plan): Promise<{ store: Store; urls: string[]; ids: string[] }> {
  const urls = [await servers[0]!.createDatabase()];
  const { store } = await openWithCells({ url: urls[0]!, masterKey, clock: Date.now, randomBytes: bytes, create: true });
  for (let number = 1; number < cells; number += 1) {
    const server = servers[number];
    const address = server === undefined ? '' : withoutPassword(await server.createDatabase(), urls);
    const added = await store.cells.add(`cell_${number}`, address);
    if (isRefusal(added)) throw new Error(`bench: no cell was made: ${added.refused.message}`);
  }
  // As if they had been added long ago: a new cell takes organizations after ten seconds.
  if (cells > 1) await asked(urls[0]!, 'update cell set added_at_ms = 0');
  const ids: string[] = [];
  for (let index = 0; index < organizations; index += 1) {
    const made = await store.organizations.create({ name: `org ${index}`, plan: 'team' });
    if (isRefusal(made)) throw new Error(`bench: no organization was made: ${made.refused.message}`);
    ids.push(made.id);
  }
  return { store, urls, ids };
}

function withoutPassword(url: string, urls: string[]): string {
  urls.push(url);
  return Object.assign(new URL(url), { password: '' }).href;
}

async function asked(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statement);
  await client.end();
}

/** One store, with as many threads as there are tasks. */
async function round(name: string, plan: Plan, tasks: readonly Pick<Task, 'rows' | 'rate' | 'seconds' | 'warm'>[]): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'metergate-bench-shipping-'));
  const { organizations, own } = plan;
  const { store, urls, ids } = await makeStore({ ...plan, organizations: own ? organizations * tasks.length : organizations });
  const relay = plan.awayMs === 0 ? null : await startDatabaseRelay(urls[0]!);
  relay?.slowTo(plan.awayMs);
  const threads = tasks.map((task, node) => new Worker(new URL('shipping-node.ts', import.meta.url), {
    workerData: {
      ...task, masterKey, databaseUrl: relay?.url ?? urls[0]!, directory: join(directory, String(node)), node,
      organizations: own ? ids.slice(node * organizations, (node + 1) * organizations) : ids,
    } satisfies Task,
  }));
  try {
    await Promise.all(threads.map(said<string>));
    const begin = (): void => threads.forEach((thread) => thread.postMessage('begin'));
    const isPaced = tasks[0]!.rate !== null;
    if (isPaced) {
      begin();
      await Promise.all(threads.map(said<string>));
    }
    const servers = await Promise.all(urls.map((url, index) => serverFigures(url, plan.tables && index === 0)));
    const outcomes = Promise.all(threads.map(said<Outcome>));
    const beganMs = clock();
    if (!isPaced) begin();
    const listing = !isPaced ? null : listAgain(store, ids[0]!, outcomes);
    const done = await outcomes;
    const tookMs = clock() - beganMs;
    const rows = done.reduce((sum, each) => sum + each.rows, 0);
    const batches = done.reduce((sum, each) => sum + each.batches, 0);
    const waited = Math.round(Math.max(...done.map(({ waitedMs }) => waitedMs)));
    const client = done.reduce((sum, each) => sum + each.processorMs, 0);
    const all = await Promise.all(servers.map((server) => server.since()));
    const sum = (of: (figures: ServerFigures) => number): number => all.reduce((whole, each) => whole + of(each), 0);
    const serverUs = sum(({ processorMs }) => processorMs) / rows * 1_000;
    console.log(`${name}: ${Math.round(rows / tookMs * 1_000)} rows a second; of a record ${serverUs.toFixed(0)} us of the server, `
      + `${(client / rows * 1_000).toFixed(0)} us of the client, ${Math.round(sum(({ walBytes }) => walBytes) / rows)} bytes of log; `
      + `${Math.round(rows / batches)} rows a batch, ${sum(({ commits }) => commits)} commits, `
      + `${sum(lockWaits).toFixed(2)} waiting for a lock, ${sum(({ deadlocks }) => deadlocks)} deadlocks, `
      + `${Math.round(sum((each) => each.hotUpdates) / Math.max(1, sum((each) => each.updates)) * 100)} % of the sums' updates HOT`
      + (waited === 0 ? '' : `; no row waited longer than ${waited} ms`));
    const lists = (await listing)?.sort((one, other) => one - other) ?? [];
    if (lists.length > 0) {
      const [middle, most] = [lists[lists.length >> 1]!, lists.at(-1)!].map(Math.round);
      console.log(`  the newest 50 calls of an organization, listed ${lists.length} times meanwhile: ${middle} ms, at most ${most} ms`);
    }
    for (const { at, mean } of all.flatMap(({ waits }) => waits)) console.log(`  ${mean.toFixed(2)} ${at}`);
    for (const { table, bytes, changes } of all.flatMap(({ tables }) => tables)) {
      console.log(`  ${String(Math.round(bytes / rows)).padStart(5)} bytes in ${(changes / rows).toFixed(2)} changes  ${table}`);
    }
  } finally {
    await Promise.all(threads.map((thread) => thread.terminate()));
    await relay?.close();
    await store.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** How many connections waited for a lock, on average. */
function lockWaits({ waits }: ServerFigures): number {
  return waits.reduce((sum, { at, mean }) => at.startsWith('Lock') ? sum + mean : sum, 0);
}

/** Milliseconds that a list of the organization's newest calls took, each time. */
async function listAgain(store: Store, organization: string, until: Promise<unknown>): Promise<number[]> {
  const took: number[] = [];
  const over = new AbortController();
  void until.finally(() => over.abort());
  for (; !over.signal.aborted; await pause(200)) {
    const beganMs = clock();
    await store.callPages.page({ organization: organization as never, limit: 50 });
    took.push(clock() - beganMs);
  }
  return took;
}

function said<Message>(thread: Worker): Promise<Message> {
  return new Promise((resolve, reject) => {
    thread.once('message', resolve);
    thread.once('error', reject);
  });
}

