/**
 * Segments that an earlier version left behind, as files that such a version wrote: each call has its one record, whatever cuts the upgrade
 * short.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, readdirSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test, type TestContext } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import type { CallSink } from '../call-sink.ts';
import { recoverSegments } from '../recovery.ts';
import { createShipper } from '../shipper.ts';
import { failingDisk } from '../test-support/failing-disk.ts';
import { segmentContent } from '../test-support/segment-rows.ts';
import { testDirectory } from '../test-support/journal-fixture.ts';
import { sampleOpening, sampleRecord } from '../test-support/sample-call.ts';

const kept = fileURLToPath(new URL('../test-support/sqlite-form/', import.meta.url));
/** Written by a process that was killed: calls 1 to 6, of which 1, 3 and 5 are open, and two events of a run. Its log is beside it. */
const killed = 'seg_fLH4UfqkJA0gLiRftWoh';
/** Ended cleanly: call 17. */
const ended = 'seg_V5o8L7M7Wn92o5Yiz3OP';

function context(t: TestContext) {
  const directory = testDirectory(t);
  for (const name of readdirSync(kept)) copyFileSync(join(kept, name), join(directory, name));
  const marks = new Map<string, number>();
  const shipped: string[] = [];
  const runs: unknown[] = [];
  const records: CallRecord[] = [];
  const sink: CallSink = {
    mark: async (segment) => marks.get(segment) ?? 0,
    recorded: async () => new Set<string>(),
    async ship({ segment, through, records: rows, runEvents = [] }) {
      for (const { seq, record } of rows) {
        if (seq <= (marks.get(segment) ?? 0)) continue;
        shipped.push(`${record.outcome} ${Number.parseInt(record.id.slice(4), 16)}`);
        records.push(record);
      }
      runs.push(...runEvents.map(({ event }) => event));
      marks.set(segment, Math.max(through, marks.get(segment) ?? 0));
    },
  };
  const start = async () => {
    const shipper = createShipper({ directory, calls: sink, clock: () => 0 });
    try {
      return await shipper.recover();
    } finally {
      shipper.close();
    }
  };
  return { directory, sink, start, shipped, runs, records, marks };
}

const whole = ['completed 17', 'completed 2', 'completed 4', 'completed 6', 'interrupted 1', 'interrupted 3', 'interrupted 5'];

test('segments of an older version are recovered and shipped at the first start, as they were written', async (t) => {
  const { directory, start, shipped, runs, records } = context(t);
  assert.deepEqual(await start().then(({ interrupted, live, elsewhere }) => ({ interrupted, live, elsewhere })),
    { interrupted: 3, live: 0, elsewhere: [] });
  assert.deepEqual([shipped.toSorted(), readdirSync(directory)], [whole, []]);
  assert.deepEqual(runs.map((event) => Object.keys(event as object).length), [6, 4]);
  for (const number of [2, 4, 6, 17]) {
    // That version did not know the model that was asked for, nor other units.
    const wanted = { ...sampleRecord(sampleOpening(number), number), requestedModel: null, units: null };
    assert.deepEqual(records.find(({ id }) => id === wanted.id), wanted);
  }
});

test('each row keeps its number: what the older version had shipped is not shipped again', async (t) => {
  const { start, shipped, marks } = context(t);
  // Rows 1 to 5 are openings, 6 and 7 the closings of 2 and 4.
  marks.set(killed, 6).set(ended, 2);
  await start();
  assert.deepEqual(shipped.toSorted(), whole.filter((each) => !['completed 17', 'completed 2'].includes(each)));
});

test('rows that an earlier recovery had numbered above the store\'s mark keep their numbers', async (t) => {
  const { directory, sink } = context(t);
  const database = new DatabaseSync(join(directory, `${ended}.db`));
  database.exec('UPDATE entry SET seq = seq + 40 WHERE seq = 2');
  database.close();
  await recoverSegments(directory, sink);
  const { rows, sealed } = segmentContent(join(directory, `${ended}.log`));
  assert.deepEqual([rows.map(({ seq }) => seq), sealed], [[1, 42], true]);
});

test('an upgrade that is cut short at any byte, or before the old file is gone, starts over', async (t) => {
  for (const cap of [0, 100, 600, 2_000]) {
    const { directory, start, shipped } = context(t);
    const disk = failingDisk(t);
    disk.cap = cap;
    await assert.rejects(start(), { code: 'journal_unwritable' });
    assert.ok(existsSync(join(directory, `${killed}.db`)));
    disk.cap = Infinity;
    await start();
    assert.deepEqual([shipped.toSorted(), readdirSync(directory)], [whole, []]);
  }
  const { directory, sink, start, shipped } = context(t);
  await recoverSegments(directory, sink);
  copyFileSync(join(kept, `${killed}.db`), join(directory, `${killed}.db`));
  writeFileSync(join(directory, `${killed}.log.new`), 'half');
  await start();
  assert.deepEqual(shipped.toSorted(), whole);
});

/** Holds the segment as an older version did, and says so. */
const holding = `
  const { DatabaseSync } = await import('node:sqlite');
  const address = new URL(process.argv[1]);
  address.searchParams.set('vfs', 'unix-excl');
  const database = new DatabaseSync(address);
  console.log(database.prepare('SELECT count(*) AS rows FROM entry').get().rows);
  setInterval(() => {}, 1000);`;

test('a running older version keeps its segment, and that is reported; once it has ended, it is taken over', {
  skip: process.platform === 'win32',
}, async (t) => {
  const { directory, sink, shipped } = context(t);
  const path = join(directory, `${killed}.db`);
  const other = spawn(process.execPath, ['--input-type=module', '-e', holding, pathToFileURL(path).href], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => other.kill('SIGKILL'));
  await once(other.stdout, 'data');
  const shipper = createShipper({ directory, calls: sink, clock: () => 0 });
  t.after(() => shipper.close());
  assert.deepEqual((await shipper.recover()).elsewhere, [path]);
  await assert.rejects(shipper.pass(), { code: 'journal_elsewhere' });
  assert.deepEqual(shipped, ['completed 17']);
  other.kill('SIGKILL');
  await once(other, 'exit');
  await shipper.pass();
  assert.deepEqual([shipped.toSorted(), readdirSync(directory)], [whole, []]);
});

const damage: Record<string, (path: string) => void> = {
  'is no database': (path) => writeFileSync(path, 'x'.repeat(5000)),
  'is empty': (path) => truncateSync(path, 0),
  'has lost its tail': (path) => truncateSync(path, 8192),
  'is another database': (path) => {
    truncateSync(path, 0);
    const database = new DatabaseSync(path);
    database.exec('CREATE TABLE t (a)');
    database.close();
  },
  'is gone, and only its log is left': (path) => {
    copyFileSync(path, `${path}-wal`);
    renameSync(path, `${path}.saved`);
  },
};
for (const [what, harm] of Object.entries(damage)) {
  test(`a segment of an older version that ${what} stops the start with its name`, async (t) => {
    const { directory, start } = context(t);
    const path = join(directory, `${ended}.db`);
    harm(path);
    await assert.rejects(start(), (error: Error & { code?: string }) => error.code === 'journal_unreadable' && error.message.includes(path));
  });
}

test('one of a version between, with another form, stops the start', async (t) => {
  const { directory, start } = context(t);
  const database = new DatabaseSync(join(directory, `${ended}.db`));
  database.exec('PRAGMA user_version = 2');
  database.close();
  await assert.rejects(start(), { code: 'journal_newer' });
});

test('a removal that a crash of the older version cut short is finished', async (t) => {
  const { directory, start, shipped } = context(t);
  renameSync(join(directory, `${killed}.db`), join(directory, `${killed}.done`));
  await start();
  assert.deepEqual([shipped, readdirSync(directory)], [['completed 17'], []]);
});
