/**
 * `node bench/distant-store.ts [--rows 6000] [--seconds 20]`: how many journal rows a second reach a PostgreSQL that is 0, 50, 200 and
 * 1,000 ms away, each way. Each figure is for a fresh journal and one shipper; its first batch is not counted.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as pass } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { CallOpening } from '@metergate/core/record/call-record.ts';
import { createShipper } from '@metergate/store/journal/shipper.ts';
import { createJournal } from '@metergate/store/journal/writer.ts';
import { openStore } from '@metergate/store/store.ts';
import { startDatabaseRelay } from '@metergate/testkit/database-relay.ts';
import { startPostgres } from '@metergate/testkit/postgres.ts';
import { openingOf, recordOf } from './sample-record.ts';

const { values } = parseArgs({ options: { rows: { type: 'string', default: '6000' }, seconds: { type: 'string', default: '20' } } });
const rows = Number(values.rows);
const bytes = (n: number): Uint8Array => randomBytes(n);
const clock = (): number => performance.now();
const directory = mkdtempSync(join(tmpdir(), 'metergate-bench-distant-'));
const postgres = await startPostgres();

try {
  const databaseUrl = await postgres.createDatabase();
  const masterKey = bytes(32);
  await (await openStore({ url: databaseUrl, masterKey, clock: Date.now, randomBytes: bytes, create: true })).close();
  const relay = await startDatabaseRelay(databaseUrl);
  const store = await openStore({ url: relay.url, masterKey, clock: Date.now, randomBytes: bytes, create: false });
  let shipped = 0;
  let firstShipped = (): void => {};
  for (const eachWayMs of [0, 50, 200, 1_000]) {
    const journal = join(directory, String(eachWayMs));
    await write(journal, eachWayMs);
    const calls = {
      mark: store.calls.mark, recorded: store.calls.recorded,
      async ship(batch: Parameters<typeof store.calls.ship>[0]) {
        await store.calls.ship(batch);
        shipped += batch.records.length;
        firstShipped();
      },
    };
    const shipper = createShipper({ directory: journal, calls, clock, distant: true });
    relay.slowTo(eachWayMs);
    shipped = 0;
    const began = Promise.withResolvers<void>();
    firstShipped = began.resolve;
    const passing = shipper.pass();
    await began.promise;
    const [first, beganMs] = [shipped, clock()];
    await Promise.race([passing, pass(Number(values.seconds) * 1_000)]);
    const perSecond = (shipped - first) / (clock() - beganMs) * 1_000;
    console.log(`${String(eachWayMs).padStart(5)} ms each way: ${perSecond.toFixed(1)} rows a second (${shipped} rows)`);
    relay.slowTo(0);
    await passing;
    shipper.close();
  }
  await relay.close();
  await store.close();
} finally {
  await postgres.stop();
  rmSync(directory, { recursive: true, force: true });
}

/** A journal with that many closed calls of two organizations, some of them in runs. */
async function write(path: string, seed: number): Promise<void> {
  const journal = createJournal({ directory: path, sync: 'normal', randomBytes: bytes, clock });
  for (let done = 0; done < rows; done += 500) {
    const closed: Promise<void>[] = [];
    for (let number = done; number < Math.min(rows, done + 500); number += 1) {
      const call = opening(number, seed);
      journal.open(call, (error) => {
        if (error !== null) throw error;
      });
      closed.push(new Promise((resolve) => journal.close(recordOf(call, number), resolve)));
    }
    await Promise.all(closed);
  }
  await journal.end();
}

function opening(number: number, seed: number): CallOpening {
  return openingOf({
    name: `${seed} ${number}`, number, organization: `org_bench${number % 2}`, labels: ['bench'], keys: 10, runs: 10,
    startedAtMs: Date.now() - rows + number,
  });
}
