/**
 * `node bench/journal.ts [--quick]`: what the journal costs and how fast it is shipped to the store. Processor time of a commit by
 * number of rows, rows shipped a second into a fresh SQLite store, and the time from start to ready with a journal of a million rows
 * to ship. If not everything that was written is shipped, the benchmark fails: exit code 1.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import type { CallOpening } from '@metergate/core/record/call-record.ts';
import { createJournal } from '@metergate/store/journal/writer.ts';
import { createShipper } from '@metergate/store/journal/shipper.ts';
import { openStore } from '@metergate/store/store.ts';
import { productEnv, runCli } from '@metergate/testkit/system.ts';
import { openingOf, recordOf } from './sample-record.ts';

const quick = process.argv.includes('--quick');
const rowsToShip = quick ? 50_000 : 500_000;
const callsBeforeStart = quick ? 50_000 : 500_000;
const clock = (): number => performance.now();
const bytes = (n: number): Uint8Array => randomBytes(n);
const directory = mkdtempSync(join(tmpdir(), 'metergate-bench-journal-'));

try {
  await commits();
  await shipping();
  await startWithJournal();
} finally {
  rmSync(directory, { recursive: true, force: true });
}

function opening(number: number, organization: string): CallOpening {
  return openingOf({
    name: String(number), number, organization, labels: ['bench', 'team-a'], keys: 50, runs: 1_000, startedAtMs: Date.now() - 1_000_000 + number,
  });
}

async function commits(): Promise<void> {
  for (const rows of [1, 2, 4, 16, 64]) {
    const journal = createJournal({ directory: join(directory, `commits-${rows}`), sync: 'normal', randomBytes: bytes, clock });
    const turns = Math.ceil((quick ? 10_000 : 60_000) / rows);
    const openings = Array.from({ length: turns * rows }, (_, number) => opening(number, 'org_bench'));
    const before = process.cpuUsage();
    for (let turn = 0; turn < turns; turn += 1) {
      const done = Promise.withResolvers<void>();
      for (let row = 0; row < rows; row += 1) {
        journal.open(openings[turn * rows + row]!, (error) => {
          if (error !== null) done.reject(error);
          else if (row === rows - 1) done.resolve();
        });
      }
      await done.promise;
    }
    const { user, system } = process.cpuUsage(before);
    const us = (user + system) / turns;
    console.log(`commit of ${String(rows).padStart(2)} rows   ${us.toFixed(1).padStart(7)} us   ${(us / rows).toFixed(2).padStart(6)} us a row`);
    await journal.end();
  }
}

async function shipping(): Promise<void> {
  const url = `sqlite:${join(directory, 'ship.db')}`;
  const store = await openStore({ url, masterKey: bytes(32), clock: Date.now, randomBytes: bytes, create: true });
  const journalDirectory = join(directory, 'ship');
  await fill(journalDirectory, 'org_bench', rowsToShip);
  const shipper = createShipper({ directory: journalDirectory, calls: store.calls, clock });
  const startedAt = clock();
  const before = process.cpuUsage();
  const shipped = await shipper.pass();
  const { user, system } = process.cpuUsage(before);
  const perSecond = (shipped / (clock() - startedAt)) * 1_000;
  console.log(`shipped        ${perSecond.toFixed(0).padStart(9)} calls/s   ${((user + system) / shipped).toFixed(2)} us of processor a call`);
  shipper.close();
  await store.close();
  assertShipped(journalDirectory, shipped, rowsToShip);
}

function assertShipped(journalDirectory: string, shipped: number, wanted: number): void {
  const left = readdirSync(journalDirectory).filter((name) => name.endsWith('.log')).length;
  if (shipped === wanted && left === 0) return;
  console.error(`FAILED: shipped ${shipped} of ${wanted} calls; ${left} segments are left`);
  process.exitCode = 1;
}

/** Opens and closes calls, a few hundred a turn, and seals the segments it wrote. */
async function fill(journalDirectory: string, organization: string, calls: number): Promise<void> {
  const journal = createJournal({ directory: journalDirectory, sync: 'normal', randomBytes: bytes, clock });
  for (let from = 0; from < calls; from += 500) {
    const until = Math.min(from + 500, calls);
    await new Promise<void>((resolve, reject) => {
      for (let number = from; number < until; number += 1) {
        const call = opening(number, organization);
        journal.open(call, (error) => { if (error !== null) reject(error); });
        journal.close(recordOf(call, number), () => { if (number === until - 1) resolve(); });
      }
    });
  }
  await journal.end();
}

/** Writes two rows for each call. The product makes its data directory first, so that the organization exists. */
async function startWithJournal(): Promise<void> {
  const data = join(directory, 'data');
  const env = productEnv({ SVC_DATA_DIR: data, SVC_GATEWAY_PORT: '0', SVC_PLATFORM_PORT: '0', SVC_OPS_PORT: '0' });
  const first = await start(env);
  await first.stop();
  const [{ id } = { id: '' }] = (await runCli(['org', 'list', '--json'], env)).json() as { id: string }[];
  await fill(join(data, 'journal'), id, callsBeforeStart);
  const again = await start(env);
  const rows = callsBeforeStart * 2;
  const seconds = (ms: number): string => (ms / 1_000).toFixed(1);
  console.log(`start to ready ${seconds(again.readyMs).padStart(9)} s with ${rows} journal rows; ${seconds(first.readyMs)} s without`);
  await again.stop();
  assertShipped(join(data, 'journal'), callsBeforeStart, callsBeforeStart);
}

async function start(env: NodeJS.ProcessEnv): Promise<{ readyMs: number; stop(): Promise<void> }> {
  const startedAt = clock();
  const launcher = fileURLToPath(new URL('../packages/cli/bin/metergate.mjs', import.meta.url));
  const child = spawn(process.execPath, [launcher, 'start'], { env, stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = once(child, 'close');
  for await (const text of child.stdout.setEncoding('utf8')) if ((text as string).includes('metergate ready')) break;
  const readyMs = clock() - startedAt;
  return {
    readyMs,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
