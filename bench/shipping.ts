/**
 * `node bench/shipping.ts [--rows 24000] [--shippers 1,4] [--organizations 20] [--rate 1000] [--nodes 1] [--seconds 10] [--tables]`: what it costs a
 * PostgreSQL to take records, with real journals and real shippers, each on a separate thread, as on separate nodes. `--tables` says which tables
 * and indexes the log is about, each with its bytes and changes a record.
 * First journals that are full are shipped: rows a second for each number of shippers. Then calls end at a rate, on this many nodes together, and are
 * shipped when a node would ship them, while one more connection lists calls. Of both: processor time of the server and of the client, bytes of the
 * server's log, transactions, how many of them waited for a lock at a time, and HOT updates of the sums.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData, type MessagePort } from 'node:worker_threads';
import type { CallOpening } from '@metergate/core/record/call-record.ts';
import { countingRows } from '@metergate/store/desk/counted-rows.ts';
import { repeat, type Repeat } from '@metergate/store/desk/repeat.ts';
import { startShipping } from '@metergate/store/desk/shipping.ts';
import { ShipProgress } from '@metergate/store/journal/ship-progress.ts';
import { createShipper } from '@metergate/store/journal/shipper.ts';
import { createJournal } from '@metergate/store/journal/writer.ts';
import { openStore, type Store } from '@metergate/store/store.ts';
import { startPostgres } from '@metergate/testkit/postgres.ts';
import pg from 'pg';
import { openingOf, recordOf } from './sample-record.ts';

interface Task {
  readonly databaseUrl: string;
  readonly directory: string;
  readonly organizations: readonly string[];
  readonly node: number;
  /** Written before it begins; 0 where calls end at a rate. */
  readonly rows: number;
  /** Calls a second; null: the journal is shipped, and nothing is added. */
  readonly rate: number | null;
  readonly seconds: number;
}

interface Outcome {
  readonly rows: number;
  readonly batches: number;
  readonly tookMs: number;
  readonly processorMs: number;
  /** The longest that a row waited until it was in the store; 0 where journals are full from the beginning. */
  readonly waitedMs: number;
}

const masterKey = new Uint8Array(32).fill(7);
const bytes = (n: number): Uint8Array => randomBytes(n);
const clock = (): number => performance.now();

await (isMainThread ? measure() : work(workerData as Task, parentPort!));

async function measure(): Promise<void> {
  const { values } = parseArgs({ options: {
    rows: { type: 'string', default: '24000' }, shippers: { type: 'string', default: '1,4' }, organizations: { type: 'string', default: '20' },
    rate: { type: 'string', default: '1000' }, nodes: { type: 'string', default: '1' }, seconds: { type: 'string', default: '10' },
    tables: { type: 'boolean', default: false },
  } });
  const postgres = await startPostgres();
  try {
    for (const shippers of values.shippers.split(',').filter((each) => each !== '').map(Number)) {
      const task = { rows: Math.floor(Number(values.rows) / shippers), rate: null, seconds: 0 };
      await round(`${shippers} shipper${shippers === 1 ? '' : 's'}, full journals`, await postgres.createDatabase(),
        { organizations: Number(values.organizations), tables: values.tables }, Array.from({ length: shippers }, () => task));
    }
    for (const rate of values.rate.split(',').filter((each) => each !== '').map(Number)) {
      const nodes = Number(values.nodes);
      await round(`${rate} calls a second on ${nodes} node${nodes === 1 ? '' : 's'}`, await postgres.createDatabase(),
        { organizations: Number(values.organizations), tables: values.tables },
        Array.from({ length: nodes }, () => ({ rows: 0, rate: rate / nodes, seconds: Number(values.seconds) })));
    }
  } finally {
    await postgres.stop();
  }
}

/** One database, with as many threads as there are tasks. */
async function round(
  name: string, databaseUrl: string, { organizations, tables }: { readonly organizations: number; readonly tables: boolean },
  tasks: readonly Pick<Task, 'rows' | 'rate' | 'seconds'>[],
): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'metergate-bench-shipping-'));
  const store = await openStore({ url: databaseUrl, masterKey, clock: Date.now, randomBytes: bytes, create: true });
  const made = await Promise.all(Array.from({ length: organizations }, (_, index) =>
    store.organizations.create({ name: `org ${index}`, plan: 'team' })));
  const ids = made.map((each) => ('refused' in each ? '' : each.id));
  const threads = tasks.map((task, node) => new Worker(fileURLToPath(import.meta.url), {
    workerData: { ...task, databaseUrl, directory: join(directory, String(node)), organizations: ids, node } satisfies Task,
  }));
  try {
    await Promise.all(threads.map(said<string>));
    const server = await serverFigures(databaseUrl, tables);
    const outcomes = Promise.all(threads.map(said<Outcome>));
    const beganMs = clock();
    for (const thread of threads) thread.postMessage('begin');
    const listing = tasks[0]!.rate === null ? null : listAgain(store, ids[0]!, outcomes);
    const done = await outcomes;
    const tookMs = clock() - beganMs;
    const rows = done.reduce((sum, each) => sum + each.rows, 0);
    const batches = done.reduce((sum, each) => sum + each.batches, 0);
    const waited = Math.round(Math.max(...done.map(({ waitedMs }) => waitedMs)));
    const client = done.reduce((sum, each) => sum + each.processorMs, 0);
    const used = await server.since();
    console.log(`${name}: ${Math.round(rows / tookMs * 1_000)} rows a second; of a record ${(used.processorMs / rows * 1_000).toFixed(0)} us of the `
      + `server, ${(client / rows * 1_000).toFixed(0)} us of the client, ${Math.round(used.walBytes / rows)} bytes of log; `
      + `${Math.round(rows / batches)} rows a batch, ${used.commits} commits, ${used.waiting.toFixed(2)} waiting for a lock, `
      + `${used.deadlocks} deadlocks, ${used.hotPercent} % of the sums' updates HOT`
      + (waited === 0 ? '' : `; no row waited longer than ${waited} ms`));
    const lists = (await listing)?.sort((one, other) => one - other) ?? [];
    if (lists.length > 0) {
      const [middle, most] = [lists[lists.length >> 1]!, lists.at(-1)!].map(Math.round);
      console.log(`  the newest 50 calls of an organization, listed ${lists.length} times meanwhile: ${middle} ms, at most ${most} ms`);
    }
    for (const { table, bytes, changes } of used.tables) {
      console.log(`  ${String(Math.round(bytes / rows)).padStart(5)} bytes in ${(changes / rows).toFixed(2)} changes  ${table}`);
    }
  } finally {
    await Promise.all(threads.map((thread) => thread.terminate()));
    await store.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Milliseconds that a list of the organization's newest calls took, each time. */
async function listAgain(store: Store, organization: string, until: Promise<unknown>): Promise<number[]> {
  const took: number[] = [];
  const over = new AbortController();
  void until.finally(() => over.abort());
  for (; !over.signal.aborted; await pause(200)) {
    const beganMs = clock();
    await store.calls.list({ organization: organization as never, limit: 50 });
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

async function serverFigures(url: string, byTable: boolean) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows: [setting] } = await client.query<{ d: string }>('select setting as d from pg_settings where name = $1', ['data_directory']);
  const postmaster = Number(readFileSync(`${setting!.d}/postmaster.pid`, 'utf8').split('\n')[0]);
  const counts = async () => {
    const { rows: [row] } = await client.query<{ commits: string; deadlocks: string }>(
      'select xact_commit as commits, deadlocks from pg_stat_database where datname = current_database()');
    return { commits: Number(row!.commits), deadlocks: Number(row!.deadlocks) };
  };
  const look = async () => ({
    processorMs: serverMs(postmaster),
    walBytes: Number((await client.query<{ w: string }>(`select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as w`)).rows[0]!.w),
    ...await counts(),
  });
  const waits = await watchWaits(url);
  const before = await look();
  const beganAt = await logEnd(client);
  return {
    async since() {
      const after = await look();
      const waiting = await waits.end();
      await pause(1_100);
      const { rows: [updates] } = await client.query<{ all: string; hot: string }>(`select sum(n_tup_upd) as all, sum(n_tup_hot_upd) as hot
        from pg_stat_user_tables where relname in ('usage_sum', 'attribution_sum', 'word_sum', 'hour_sum', 'spend_day')`);
      const tables = byTable ? await logByTable(client, beganAt) : [];
      await client.end();
      return {
        processorMs: after.processorMs - before.processorMs, walBytes: after.walBytes - before.walBytes, commits: after.commits - before.commits,
        tables, waiting, deadlocks: after.deadlocks - before.deadlocks,
        hotPercent: Math.round(Number(updates!.hot) / Math.max(1, Number(updates!.all)) * 100),
      };
    },
  };
}

/** The mean number of transactions that wait for a lock of another one. */
async function watchWaits(url: string): Promise<{ end(): Promise<number> }> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const seen: number[] = [];
  const over = new AbortController();
  const watching = (async () => {
    for (; !over.signal.aborted; await pause(50)) {
      const { rows: [row] } = await client.query<{ waiting: string }>(
        "select count(*) as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'");
      seen.push(Number(row!.waiting));
    }
  })();
  return { async end() {
    over.abort();
    await watching;
    await client.end();
    return seen.reduce((sum, each) => sum + each, 0) / Math.max(1, seen.length);
  } };
}

async function logEnd(client: pg.Client): Promise<string> {
  return (await client.query<{ at: string }>('select pg_current_wal_insert_lsn() as at')).rows[0]!.at;
}

/** Each entry of the log counts for the first block that it is about. */
async function logByTable(client: pg.Client, beganAt: string): Promise<{ table: string; bytes: number; changes: number }[]> {
  await client.query('create extension if not exists pg_walinspect');
  const { rows } = await client.query<{ table: string; bytes: string; changes: string }>(`
    select coalesce(c.relname, 'others') || ' ' || b.resource_manager || ' ' || b.record_type as table, sum(b.record_length) as bytes,
      count(*) as changes
    from pg_get_wal_block_info($1, pg_current_wal_flush_lsn(), false) as b left join pg_class as c on c.relfilenode = b.relfilenode
    where b.block_id = 0 group by 1 order by 2 desc limit 40`, [beganAt]);
  return rows.map(({ table, bytes, changes }) => ({ table, bytes: Number(bytes), changes: Number(changes) }));
}

/** Processor time of a server and of its processes, those that have ended among them. Linux counts in hundredths of a second. */
function serverMs(postmaster: number): number {
  let ticks = 0;
  for (const entry of readdirSync('/proc').filter((name) => /^\d+$/.test(name) && existsSync(`/proc/${name}/stat`))) {
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (Number(entry) === postmaster) ticks += [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0);
      else if (Number(fields[1]) === postmaster) ticks += Number(fields[11]) + Number(fields[12]);
    } catch {
      // It ended between the two looks.
    }
  }
  return ticks * 10;
}

/** In a thread: reports that it is ready, begins on a message, and reports what it did. */
async function work(task: Task, parent: MessagePort): Promise<void> {
  const store = await openStore({ url: task.databaseUrl, masterKey, clock: Date.now, randomBytes: bytes, create: false });
  await store.leases.begin(`node_${task.node}` as never, `home_${task.node}`);
  const journal = createJournal({ directory: task.directory, sync: 'normal', randomBytes: bytes, clock });
  for (let done = 0; done < task.rows; done += 500) await write(journal, task, done, Math.min(task.rows, done + 500));
  if (task.rate === null) await journal.end();
  parent.postMessage('ready');
  await new Promise((resolve) => parent.once('message', resolve));
  const begun = process.threadCpuUsage();
  const beganMs = clock();
  const { rows, batches, waitedMs } = task.rate === null ? await shipAll(store, task)
    : await shipAtRate(store, journal, { ...task, rate: task.rate });
  const used = process.threadCpuUsage(begun);
  parent.postMessage({ rows, batches, waitedMs, tookMs: clock() - beganMs, processorMs: (used.user + used.system) / 1_000 } satisfies Outcome);
  await store.close();
}

async function shipAll(store: Store, { directory }: Task): Promise<Pick<Outcome, 'rows' | 'batches' | 'waitedMs'>> {
  let batches = 0;
  const shipper = createShipper({ directory, calls: store.calls, clock, distant: true, taken: () => { batches += 1; } });
  const rows = await shipper.pass();
  shipper.close();
  return { rows, batches, waitedMs: 0 };
}

/** As the store thread of a node does it: the gateway tells of each call that ended. */
async function shipAtRate(
  store: Store, journal: ReturnType<typeof createJournal>, task: Task & { readonly rate: number },
): Promise<Pick<Outcome, 'rows' | 'batches' | 'waitedMs'>> {
  let batches = 0;
  let waitedMs = 0;
  const counted = countingRows(store.calls);
  const taken = counted.sinceNow();
  const progress = new ShipProgress(clock);
  const shipper = createShipper({ directory: task.directory, calls: counted.sink, clock, distant: true, progress, taken: () => { batches += 1; } });
  const repeated = (run: () => Promise<unknown>, pauseMs: number): Repeat => repeat({
    task: run, pauseMs, failurePauseMsMax: 2_000, report: (failure) => { if (failure !== null) throw failure; },
    after(delayMs, then) {
      const handle = setTimeout(then, delayMs);
      return () => clearTimeout(handle);
    },
  });
  const shipping = startShipping(shipper, { taken, progress, tell: () => {}, passed: () => {}, engine: 'postgres', repeated });
  const untilMs = clock() + task.seconds * 1_000;
  const everyMs = 10;
  for (let done = 0, nextMs = clock(); clock() < untilMs; nextMs += everyMs) {
    const to = done + task.rate * everyMs / 1_000;
    await write(journal, task, Math.floor(done), Math.floor(to));
    waitedMs = Math.max(waitedMs, clock() - progress.untilMs);
    shipping.look(null);
    done = to;
    await pause(Math.max(0, nextMs + everyMs - clock()));
  }
  await shipping.stop();
  await shipper.pass();
  await journal.end();
  shipper.close();
  return { rows: taken().rows, batches, waitedMs };
}

/** Calls of all organizations in turn, from ten keys, three projects and three models, with two labels. */
async function write(journal: ReturnType<typeof createJournal>, { organizations, node }: Task, from: number, to: number): Promise<void> {
  const closed: Promise<void>[] = [];
  for (let number = from; number < to; number += 1) {
    const call = opening(organizations[number % organizations.length]!, node, number);
    journal.open(call, (error) => {
      if (error !== null) throw error;
    });
    closed.push(new Promise((resolve) => journal.close({ ...recordOf(call, number), model: `model-${number % 3}` }, resolve)));
  }
  await Promise.all(closed);
}

function opening(organization: string, node: number, number: number): CallOpening {
  const key = Math.floor(number / 7) % 10;
  const call = openingOf({
    name: `${node} ${number} ${organization}`, number: key, organization, labels: [`team-${number % 5}`, `env-${number % 2}`], keys: 10, runs: 10,
    startedAtMs: Date.now(),
  });
  return {
    ...call, key: `key_${organization.slice(-6)}${key}` as CallOpening['key'], run: null, project: `project-${key % 3}`,
    node: `node_${node}` as CallOpening['node'],
  };
}
