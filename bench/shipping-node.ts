/** One node of bench/shipping.ts, on a thread: its journal, and a shipper for each cell. */
import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import type { CallOpening } from '@metergate/core/record/call-record.ts';
import { countingRows } from '@metergate/store/desk/counted-rows.ts';
import { repeat, type Repeat } from '@metergate/store/desk/repeat.ts';
import { shippingPaces } from '@metergate/store/desk/shipping-pace.ts';
import { startShipping } from '@metergate/store/desk/shipping.ts';
import type { CallSink } from '@metergate/store/journal/call-sink.ts';
import { JournalParts, type JournalPart } from '@metergate/store/journal/journal-parts.ts';
import { ShipProgress } from '@metergate/store/journal/ship-progress.ts';
import { createShipper } from '@metergate/store/journal/shipper.ts';
import { createJournal } from '@metergate/store/journal/writer.ts';
import { homeCell } from '@metergate/store/operation/cells/directory.ts';
import { openWithCells } from '@metergate/store/store.ts';
import { openingOf, recordOf } from './sample-record.ts';

/** What a node is to do. */
export interface Task {
  readonly databaseUrl: string;
  readonly masterKey: Uint8Array;
  readonly directory: string;
  readonly organizations: readonly string[];
  readonly node: number;
  /** Written before it begins; 0 where calls end at a rate. */
  readonly rows: number;
  /** Calls a second; null: the journal is shipped, and nothing is added. */
  readonly rate: number | null;
  readonly seconds: number;
  /** Seconds before them that are not counted. */
  readonly warm: number;
}

/** What it did. */
export interface Outcome {
  readonly rows: number;
  readonly batches: number;
  readonly tookMs: number;
  readonly processorMs: number;
  /** The longest that a row waited until it was in the store; 0 where journals are full from the beginning. */
  readonly waitedMs: number;
}

const bytes = (n: number): Uint8Array => randomBytes(n);
const clock = (): number => performance.now();

await work(workerData as Task, parentPort!);

/** Reports that it is ready, begins on a message, and reports what it did. */
async function work(task: Task, parent: MessagePort): Promise<void> {
  const { databaseUrl: url, masterKey } = task;
  const { store, cells } = await openWithCells({ url, masterKey, clock: Date.now, randomBytes: bytes, create: false });
  await store.leases.begin(`node_${task.node}` as never, `home_${task.node}`);
  const places = new Map((await cells.directory.places()).map(({ organization, cell }): [string, number] => [organization, cell]));
  const parts = new JournalParts((organization) => places.get(organization) ?? homeCell);
  const sinks = await Promise.all(cells.all.map(async (cell): Promise<CellSink> =>
    ({ part: parts.of(cell.number), calls: (await cell.store()).calls })));
  const journal = createJournal({ directory: task.directory, sync: 'normal', randomBytes: bytes, clock });
  for (let done = 0; done < task.rows; done += 500) await write(journal, task, done, Math.min(task.rows, done + 500));
  if (task.rate === null) await journal.end();
  parent.postMessage('ready');
  await new Promise((resolve) => parent.once('message', resolve));
  let begun = process.threadCpuUsage();
  let beganMs = clock();
  const { rows, batches, waitedMs } = task.rate === null ? await shipAll(sinks, task)
    : await shipAtRate(sinks, journal, { ...task, rate: task.rate }, () => {
      [begun, beganMs] = [process.threadCpuUsage(), clock()];
      parent.postMessage('warm');
    });
  const used = process.threadCpuUsage(begun);
  // Its connections stay until the thread is ended: a server's process that ends while its processor time is read is not counted.
  parent.postMessage({ rows, batches, waitedMs, tookMs: clock() - beganMs, processorMs: (used.user + used.system) / 1_000 } satisfies Outcome);
}

/** What of the journal goes to one cell, and the cell. */
interface CellSink {
  readonly part: JournalPart;
  readonly calls: CallSink;
}

async function shipAll(sinks: readonly CellSink[], { directory, node }: Task): Promise<Pick<Outcome, 'rows' | 'batches' | 'waitedMs'>> {
  let batches = 0;
  const shippers = sinks.map(({ part, calls }) =>
    createShipper({ directory, calls, part, clock, distant: true, place: node, taken: () => { batches += 1; } }));
  const rows = await Promise.all(shippers.map((shipper) => shipper.pass()));
  for (const shipper of shippers) shipper.close();
  return { rows: rows.reduce((sum, each) => sum + each, 0), batches, waitedMs: 0 };
}

/** As the store thread of a node does it: the gateway tells of each call that ended. */
async function shipAtRate(
  sinks: readonly CellSink[], journal: ReturnType<typeof createJournal>, task: Task & { readonly rate: number }, isWarm: () => void,
): Promise<Pick<Outcome, 'rows' | 'batches' | 'waitedMs'>> {
  let batches = 0;
  let waitedMs = 0;
  const repeated = (run: () => Promise<unknown>, pauseMs: number): Repeat => repeat({
    task: run, pauseMs, failurePauseMsMax: 2_000, report: (failure) => { if (failure !== null) throw failure; },
    after(delayMs, then) {
      const handle = setTimeout(then, delayMs);
      return () => clearTimeout(handle);
    },
  });
  const pace = shippingPaces('postgres', clock);
  const cells = sinks.map(({ part, calls }) => {
    const counted = countingRows(calls);
    const taken = counted.sinceNow();
    const progress = new ShipProgress(clock);
    const shipper = createShipper({
      directory: task.directory, calls: counted.sink, part, clock, distant: true, place: task.node, progress, taken: () => { batches += 1; },
    });
    return {
      taken, progress, shipper,
      shipping: startShipping(shipper, { taken, progress, tell: () => {}, passed: () => {}, pace: pace(), repeated }),
    };
  });
  const warmMs = clock() + task.warm * 1_000;
  const untilMs = warmMs + task.seconds * 1_000;
  const rowsTaken = (): number => cells.reduce((sum, { taken }) => sum + taken().rows, 0);
  let rowsBefore: number | null = null;
  const everyMs = 10;
  for (let done = 0, nextMs = clock(); clock() < untilMs; nextMs += everyMs) {
    if (rowsBefore === null && clock() >= warmMs) {
      [rowsBefore, batches, waitedMs] = [rowsTaken(), 0, 0];
      isWarm();
    }
    const to = done + task.rate * everyMs / 1_000;
    await write(journal, task, Math.floor(done), Math.floor(to));
    for (const { progress, shipping } of cells) {
      waitedMs = Math.max(waitedMs, clock() - progress.untilMs);
      shipping.look(null);
    }
    done = to;
    await pause(Math.max(0, nextMs + everyMs - clock()));
  }
  for (const { shipping, shipper } of cells) {
    await shipping.stop();
    await shipper.pass();
  }
  await journal.end();
  for (const { shipper } of cells) shipper.close();
  return { rows: rowsTaken() - rowsBefore!, batches, waitedMs };
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
