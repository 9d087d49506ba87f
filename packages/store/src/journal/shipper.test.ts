/** Journal → store exactly once; recovery of what a dead process left; damage that stops the start (rules: Journal). */
import assert from 'node:assert/strict';
import fs, { copyFileSync, existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { JournalFault } from './journal-fault.ts';
import { recoverSegments } from './recovery.ts';
import { crc32 } from 'node:zlib';
import { makeSegment } from './segment.ts';
import { headBytes, syncedAt, writeSyncedThrough } from './segment-form.ts';
import { createShipper } from './shipper.ts';
import { ShipProgress } from './ship-progress.ts';
import type { CallSink } from './call-sink.ts';
import { filesOfUsedSegments, journalFixture, segmentRows, testDirectory } from './test-support/journal-fixture.ts';
import { failingDisk } from './test-support/failing-disk.ts';
import { overwrite, rewriteSegment, segmentContent, sizeOf } from './test-support/segment-rows.ts';
import { sampleOpening, sampleRecord } from './test-support/sample-call.ts';

/** A store that keeps what it is given and can fail, before or after it kept it. */
function sampleStore() {
  const marks = new Map<string, number>();
  let kept: string[] = [];
  const ids = new Set<string>();
  let failure: 'before' | 'after' | null = null;
  const sink: CallSink = {
    mark: async (segment) => marks.get(segment) ?? 0,
    recorded: async (openings) => new Set(openings.map(({ id }) => id).filter((id) => ids.has(id))),
    async ship({ segment, after = 0, through, records }) {
      if (failure === 'before') throw new Error('the store is away');
      if ((marks.get(segment) ?? 0) < after) throw new Error('the store went back');
      for (const { seq, record } of records) {
        if (seq <= (marks.get(segment) ?? 0)) continue;
        kept.push(`${record.outcome} ${record.id.slice(4).replace(/^0+/, '')}`);
        ids.add(record.id);
      }
      marks.set(segment, Math.max(through, marks.get(segment) ?? 0));
      if (failure === 'after') throw new Error('the answer got lost');
    },
  };
  const putBack = (rows: number, mark: number): void => {
    kept = kept.slice(0, rows);
    for (const segment of marks.keys()) marks.set(segment, mark);
  };
  return { sink, get kept() { return kept; }, putBack, failWhen: (when: typeof failure) => { failure = when; } };
}

function context(t: TestContext, rowsPerSegment = 1000) {
  const journal = journalFixture(t, { rowsPerSegment });
  const store = sampleStore();
  const shipper = createShipper({ directory: journal.directory, calls: store.sink, clock: () => 0 });
  t.after(() => shipper.close());
  const open = (...numbers: number[]) => {
    numbers.forEach((number) => journal.journal.open(sampleOpening(number), assert.ifError));
    journal.endTurn();
  };
  const close = (...numbers: number[]) => {
    numbers.forEach((number) => journal.journal.close(sampleRecord(sampleOpening(number), number), () => {}));
    journal.endTurn();
  };
  return { ...journal, ...store, get kept() { return store.kept; }, shipper, open, close };
}

/** The process dies: its files are closed, its lock is free, and it reported nothing. */
const die = (context: { die(): void }): void => context.die();

test('closed rows reach the store once, in order, and open calls stay in the journal', async (t) => {
  const { shipper, open, close, kept, directory } = context(t);
  open(1, 2, 3);
  close(3, 1);
  assert.equal(await shipper.pass(), 2);
  assert.equal(await shipper.pass(), 0);
  close(2);
  await shipper.pass();
  assert.deepEqual(kept, ['completed 3', 'completed 1', 'completed 2']);
  assert.equal(filesOfUsedSegments(directory).filter((name) => name.endsWith('.log')).length, 1);
});

test('a segment is removed when it is sealed and shipped, and no earlier', async (t) => {
  const { shipper, open, close, writers, directory, kept } = context(t, 2);
  open(1, 2);
  open(3);
  close(1);
  await shipper.pass();
  assert.ok(existsSync(writers[0]!.path));
  close(2);
  await shipper.pass();
  assert.ok(!existsSync(writers[0]!.path));
  assert.deepEqual(filesOfUsedSegments(directory).filter((name) => name.startsWith('seg_') && !writers[1]!.path.includes(name.slice(0, 24))), []);
  assert.ok(writers[0]!.closed, 'the writer lets go of a sealed file');
  assert.deepEqual(kept, ['completed 1', 'completed 2']);
});

test('more rows than a batch holds are shipped in one pass', async (t) => {
  const { shipper, open, close, kept } = context(t, 5000);
  const numbers = Array.from({ length: 1300 }, (_, index) => index + 1);
  open(...numbers);
  close(...numbers);
  assert.equal(await shipper.pass(), 1300);
  assert.deepEqual(kept, numbers.map((number) => `completed ${number.toString(16)}`));
});

test('if the store was restored to an earlier moment, the journal ships again what it still has, without a gap', async (t) => {
  const all = context(t);
  all.open(1, 2, 3);
  all.close(1);
  await all.shipper.pass();
  all.close(2);
  await all.shipper.pass();
  all.putBack(1, 4);
  all.close(3);
  await assert.rejects(all.shipper.pass(), /went back/);
  await all.shipper.pass();
  assert.deepEqual(all.kept, ['completed 1', 'completed 2', 'completed 3']);
});

test('a store that was put back while nothing was shipped is found out before the segment is removed', async (t) => {
  const all = context(t);
  all.open(1, 2);
  all.close(1);
  await all.shipper.pass();
  all.close(2);
  await all.shipper.pass();
  all.putBack(1, 3);
  await all.journal.end();
  assert.equal(await all.shipper.pass(), 1);
  assert.deepEqual([all.kept, filesOfUsedSegments(all.directory)], [['completed 1', 'completed 2'], []]);
});

test('a distant store that was put back while no row came is asked after a while, and gets again what it lacks', async (t) => {
  const all = context(t);
  let nowMs = 0;
  let asked = 0;
  const warned: string[] = [];
  const sink = { ...all.sink, mark: async (...given: Parameters<CallSink['mark']>) => {
    asked += 1;
    return all.sink.mark(...given);
  } };
  const shipper = createShipper({
    directory: all.directory, calls: sink, clock: () => 0, distant: true, progress: new ShipProgress(() => nowMs), warn: (said) => warned.push(said),
  });
  t.after(() => shipper.close());
  all.open(1, 2);
  all.close(1, 2);
  await shipper.pass();
  all.putBack(1, 3);
  asked = 0;
  nowMs = 19_999;
  assert.deepEqual([await shipper.pass(), asked], [0, 0]);
  nowMs = 20_000;
  assert.equal(await shipper.pass(), 1);
  assert.deepEqual(all.kept, ['completed 1', 'completed 2']);
  assert.match(warned.join(), /restored to an earlier moment/);
  asked = 0;
  nowMs = 60_000;
  assert.deepEqual([await shipper.pass(), await shipper.pass(), asked], [0, 0, 1]);
});

for (const when of ['before', 'after'] as const) {
  test(`a batch that fails ${when} the store kept it is counted once`, async (t) => {
    const { shipper, open, close, kept, failWhen } = context(t);
    open(1, 2);
    close(1);
    failWhen(when);
    await assert.rejects(shipper.pass());
    close(2);
    await assert.rejects(shipper.pass());
    failWhen(null);
    await shipper.pass();
    assert.deepEqual(kept, ['completed 1', 'completed 2']);
  });
}

test('recovery closes open calls as interrupted, exactly once, however often it is begun', async (t) => {
  const all = context(t, 4);
  all.open(1, 2, 3, 4);
  all.close(2);
  all.open(5);
  await all.shipper.pass();
  all.shipper.close();
  die(all);
  assert.equal((await recoverSegments(all.directory, all.sink)).interrupted, 4);
  assert.equal((await recoverSegments(all.directory, all.sink)).interrupted, 0);
  const [first] = all.writers;
  assert.deepEqual(segmentRows(first!.path), { rows: ['0:1', '0:2', '0:3', '0:4', '1:2', '1:1', '1:3', '1:4'], sealed: true });
  await all.shipper.recover();
  assert.deepEqual(all.kept.toSorted(), ['completed 2', 'interrupted 1', 'interrupted 3', 'interrupted 4', 'interrupted 5']);
  assert.deepEqual(filesOfUsedSegments(all.directory), []);
});

for (const [name, keptRows] of [['its last closing', 4], ['all but its first row', 1], ['nothing', 5]] as const) {
  test(`a segment that was shipped and then lost ${name}: each call has one record, whether the store knows it or not`, async (t) => {
    const all = context(t);
    all.open(1, 2, 3);
    all.close(3);
    all.close(2);
    await all.shipper.pass();
    all.shipper.close();
    die(all);
    // The power went, or an older copy of the journal was restored: the store is ahead of it.
    rewriteSegment(all.writers[0]!.path, (rows) => rows.slice(0, keptRows));
    await all.shipper.recover();
    assert.deepEqual(all.kept, ['completed 3', 'completed 2', 'interrupted 1']);
    assert.deepEqual(filesOfUsedSegments(all.directory), []);
  });
}

test('a segment whose writer lives is not recovered', async (t) => {
  const { shipper, open, close, kept } = context(t);
  open(1);
  assert.deepEqual(await shipper.recover(), { dead: [], live: 1, elsewhere: [], interrupted: 0 });
  close(1);
  await shipper.pass();
  assert.deepEqual(kept, ['completed 1']);
});

/** A segment of a dead process with a hundred rows, a frame each. */
function deadSegment(t: TestContext): string {
  const all = context(t);
  for (let number = 1; number <= 100; number += 1) all.open(number);
  die(all);
  return all.writers[0]!.path;
}

const damage: Record<string, (path: string) => void> = {
  'is no segment': (path) => writeFileSync(path, 'x'.repeat(5000)),
  'is empty': (path) => truncateSync(path, 0),
  'has lost a part of its head': (path) => truncateSync(path, 300),
  'has a flipped bit in its head': (path) => overwrite(path, 40, readFileSync(path)[40]! ^ 4),
  'is another segment': (path) => copyFileSync(others.pop()!, path),
  'is damaged in its middle': (path) => overwrite(path, segmentContent(path).frames[50]! + 60, 0),
  'has lost a frame in its middle': (path) => {
    const { frames } = segmentContent(path);
    const bytes = readFileSync(path);
    writeFileSync(path, Buffer.concat([bytes.subarray(0, frames[50]), bytes.subarray(frames[51])]));
  },
  'has a frame twice': (path) => {
    const { frames } = segmentContent(path);
    const bytes = readFileSync(path);
    writeFileSync(path, Buffer.concat([bytes.subarray(0, frames[51]), bytes.subarray(frames[50])]));
  },
};
const others: string[] = [];
for (const [what, harm] of Object.entries(damage)) {
  test(`a segment that ${what} stops the start with its name`, async (t) => {
    others.push(deadSegment(t));
    const path = deadSegment(t);
    harm(path);
    await assert.rejects(recoverSegments(join(path, '..'), sampleStore().sink),
      (error) => error instanceof JournalFault && error.code === 'journal_unreadable' && error.message.includes(path));
  });
}

test('a write that a dying process did not finish is cut off and reported; everything before it is kept', async (t) => {
  const all = context(t);
  all.open(1, 2);
  all.close(1);
  all.open(3);
  const { path } = all.writers[0]!;
  const { frames } = segmentContent(path);
  die(all);
  truncateSync(path, frames[3]! - 1);
  const told: string[] = [];
  assert.equal((await recoverSegments(all.directory, all.sink, (sentence) => told.push(sentence))).interrupted, 1);
  assert.deepEqual(segmentRows(path), { rows: ['0:1', '0:2', '1:1', '1:2'], sealed: true });
  assert.equal(told.length, 1);
  assert.ok(told[0]!.includes(`${path} ended in a write that was never finished: ${frames[3]! - 1 - frames[2]!} bytes were cut off`), told.join());
});

test('pages that a power failure took from the middle are the end of a `normal` segment; under `full` they are damage', async (t) => {
  for (const sync of ['normal', 'full'] as const) {
    const { directory, journal, endTurn, writers, die: dies } = journalFixture(t, { sync });
    for (let number = 1; number <= 60; number += 1) {
      journal.open(sampleOpening(number), assert.ifError);
      endTurn();
    }
    dies();
    const { path } = writers[0]!;
    const { frames } = segmentContent(path);
    overwrite(path, 8192, ...new Uint8Array(4096));
    const before = frames.findIndex((at) => at > 8192) - 1;
    const recovered = recoverSegments(directory, sampleStore().sink);
    if (sync === 'full') await assert.rejects(recovered, { code: 'journal_unreadable' });
    else assert.deepEqual([(await recovered).interrupted, segmentContent(path).rows.length], [before, before * 2]);
  }
});

test('under `full` a last frame that is damaged was acknowledged, and stops the start', async (t) => {
  const { directory, journal, endTurn, writers, die: dies } = journalFixture(t, { sync: 'full' });
  for (const number of [1, 2]) {
    journal.open(sampleOpening(number), assert.ifError);
    endTurn();
  }
  dies();
  const { path } = writers[0]!;
  overwrite(path, sizeOf(path) - 10, 0);
  await assert.rejects(recoverSegments(directory, sampleStore().sink), { code: 'journal_unreadable' });
});

test('under `full` a sealed segment whose head was not written to the end is shipped after a start', async (t) => {
  const { directory, journal, endTurn, writers } = journalFixture(t, { sync: 'full' });
  journal.open(sampleOpening(1), assert.ifError);
  endTurn();
  journal.close(sampleRecord(sampleOpening(1), 1), () => {});
  await journal.end();
  const { path } = writers[0]!;
  const bytes = readFileSync(path);
  writeSyncedThrough(bytes, syncedAt, headBytes);
  writeFileSync(path, bytes);
  const store = sampleStore();
  const shipper = createShipper({ directory, calls: store.sink, clock: () => 0 });
  t.after(() => shipper.close());
  await shipper.recover();
  assert.deepEqual([store.kept, filesOfUsedSegments(directory)], [['completed 1'], []]);
});

test('under `full` nothing is shipped that is not synced', async (t) => {
  const { directory, journal, endTurn } = journalFixture(t, { sync: 'full' });
  const store = sampleStore();
  const shipper = createShipper({ directory, calls: store.sink, clock: () => 0 });
  t.after(() => shipper.close());
  journal.open(sampleOpening(1), assert.ifError);
  endTurn();
  // From now on a pass reads before it first waits.
  await shipper.pass();
  const disk = failingDisk(t);
  const { fdatasyncSync } = fs;
  let shippedMeanwhile: Promise<number> | null = null;
  Object.assign(fs, { fdatasyncSync: (descriptor: number) => {
    shippedMeanwhile = shipper.pass();
    fdatasyncSync(descriptor);
  } });
  syncBuiltinESMExports();
  journal.close(sampleRecord(sampleOpening(1), 1), () => {});
  endTurn();
  assert.equal(disk.done.filter((each) => each === 'sync').length, 1);
  assert.equal(await shippedMeanwhile, 0);
  assert.equal(await shipper.pass(), 1);
});

test('a segment of a newer version stops the start', async (t) => {
  const directory = testDirectory(t);
  const { path } = makeSegment({ directory, sync: 'normal', randomBytes }, 'own_00000000000000000000');
  const head = readFileSync(path);
  head.writeUInt16LE(3, 8);
  const end = 12 + head.readUInt16LE(10);
  head.writeUInt32LE(crc32(head.subarray(0, end)), end);
  writeFileSync(path, head);
  await assert.rejects(recoverSegments(directory, sampleStore().sink), (error) => error instanceof JournalFault && error.code === 'journal_newer');
});

test('a whole segment is never reported as damaged if only the space for its recovery is missing', async (t) => {
  const all = context(t);
  all.open(...Array.from({ length: 100 }, (_, index) => index + 1));
  die(all);
  const { path } = all.writers[0]!;
  const disk = failingDisk(t);
  // At whatever byte the disk is full: the next attempt finds nothing of this one.
  for (const room of [0, 1, 100, 20_000]) {
    disk.cap = sizeOf(path) + room;
    await assert.rejects(recoverSegments(all.directory, all.sink),
      (error) => error instanceof JournalFault && error.code === 'journal_unwritable' && error.message.includes(path));
    assert.equal(segmentContent(path).sealed, false);
  }
  disk.cap = Infinity;
  assert.equal((await recoverSegments(all.directory, all.sink)).interrupted, 100);
});

test('segments that cannot be removed block no record and ship none twice; once removal works again, they are removed', async (t) => {
  const all = context(t, 1);
  const numbers = Array.from({ length: 8 }, (_, index) => index + 1);
  for (const number of numbers) {
    all.open(number);
    all.close(number);
  }
  const { unlinkSync } = fs;
  const put = (real: typeof unlinkSync): void => {
    fs.unlinkSync = real;
    syncBuiltinESMExports();
  };
  t.after(() => put(unlinkSync));
  put(() => { throw Object.assign(new Error('not now'), { code: 'EPERM' }); });
  for (let pass = 0; pass < 3; pass += 1) {
    await assert.rejects(all.shipper.pass(), { code: 'journal_unwritable', message: /seg_\w+\.log cannot be removed \(EPERM\)/ });
  }
  assert.deepEqual(all.kept.toSorted(), numbers.map((number) => `completed ${number}`));
  put(unlinkSync);
  all.shipper.close();
  die(all);
  await all.shipper.recover();
  assert.deepEqual([filesOfUsedSegments(all.directory), all.kept.length], [[], 8]);
});

test('a start on a full disk ships what is complete first, which makes the room that recovery needs', async (t) => {
  const all = context(t, 2);
  all.open(1, 2);
  all.open(3);
  all.close(1, 2);
  all.open(4, 5);
  all.close(4);
  die(all);
  const [complete, ...left] = all.writers.map(({ path }) => path) as [string, ...string[]];
  const disk = failingDisk(t);
  // Nothing can be written until a file is gone.
  Object.defineProperty(disk, 'cap', { get: () => (existsSync(complete) ? headBytes : Infinity) });
  assert.equal((await all.shipper.recover()).interrupted, 2);
  assert.deepEqual(all.kept.toSorted(), ['completed 1', 'completed 2', 'completed 4', 'interrupted 3', 'interrupted 5']);
  assert.deepEqual([left.map((path) => existsSync(path)), filesOfUsedSegments(all.directory)], [left.map(() => false), []]);
});

test('a start on a full disk with nothing complete says so, and the next one finds everything', async (t) => {
  const all = context(t);
  all.open(1, 2);
  all.close(1);
  die(all);
  const disk = failingDisk(t);
  disk.cap = headBytes;
  await assert.rejects(all.shipper.recover(), { code: 'journal_unwritable', message: /ENOSPC/ });
  disk.cap = Infinity;
  await all.shipper.recover();
  assert.deepEqual([all.kept, filesOfUsedSegments(all.directory)], [['completed 1', 'interrupted 2'], []]);
});

for (const what of ['its file', 'the whole directory'] as const) {
  test(`a segment in use is shipped to its end although somebody removed ${what}, and that is reported once`, async (t) => {
    const journal = journalFixture(t, { rowsPerSegment: 3 });
    const store = sampleStore();
    const told: string[] = [];
    const shipper = createShipper({ directory: journal.directory, calls: store.sink, clock: () => 0, warn: (sentence) => told.push(sentence) });
    t.after(() => shipper.close());
    const call = (number: number): void => {
      journal.journal.open(sampleOpening(number), assert.ifError);
      journal.endTurn();
      journal.journal.close(sampleRecord(sampleOpening(number), number), () => {});
      journal.endTurn();
    };
    call(1);
    await shipper.pass();
    const { path } = journal.writers[0]!;
    if (what === 'its file') rmSync(path);
    else rmSync(journal.directory, { recursive: true });
    call(2);
    await shipper.pass();
    await shipper.pass();
    assert.deepEqual(store.kept, ['completed 1', 'completed 2']);
    assert.equal(told.length, 1);
    assert.ok(told[0]!.includes(`${path} was removed by something else`), told.join());
    await journal.journal.end();
    await shipper.pass();
    assert.equal(told.length, 1);
  });
}

for (const kind of [0, 1] as const) {
  test(`a segment with a damaged row of kind ${kind} is named, keeps no other from being shipped, and stops the start`, async (t) => {
    const all = context(t, 2);
    for (const number of [1, 2, 3, 4, 5, 6, 7, 8]) {
      all.open(number);
      if (number % 2 === 0) all.close(number, number - 1);
    }
    all.open(9);
    const damaged = all.writers[2]!;
    // Whole as a frame, and not sealed.
    rewriteSegment(damaged.path, (rows) => rows.map((row) => (row.kind === kind ? { ...row, body: '[1,"secret' } : row)));
    const broken = (error: unknown): boolean => error instanceof JournalFault && error.code === 'journal_unreadable'
      && error.message.includes(damaged.path) && !error.message.includes('secret');
    if (kind === 1) {
      await assert.rejects(all.shipper.pass(), broken);
      assert.equal(all.kept.length, 6);
    }
    all.shipper.close();
    die(all);
    await assert.rejects(all.shipper.recover(), broken);
  });
}

test('each batch that the store took is reported, while there is more, and none that it did not take', async (t) => {
  const { directory, sink, open, close } = context(t, 10_000);
  const all = Array.from({ length: 1_200 }, (_, index) => index + 1);
  open(...all);
  close(...all);
  const told: number[] = [];
  let kept = 0;
  const failingOnce: CallSink = {
    ...sink,
    async ship(batch) {
      if (kept === 400 && told.length === 1) throw new Error('away');
      await sink.ship(batch);
      kept += batch.records.length;
    },
  };
  const shipper = createShipper({ directory, calls: failingOnce, clock: () => 0, taken: () => told.push(kept) });
  t.after(() => shipper.close());
  await assert.rejects(shipper.pass(), /away/);
  assert.deepEqual(told, [400]);
  told.push(0);
  await shipper.pass();
  assert.deepEqual([told.at(-1), told.length > 3], [1_200, true]);
});

test('within a long pass it is seen how far it has come: a segment that is shipped is waited for no more', async (t) => {
  const { directory, sink, open, close, shipper: first } = context(t, 4);
  let nowMs = 0;
  const told: number[] = [];
  const progress = new ShipProgress(() => nowMs);
  const slow: CallSink = {
    ...sink,
    async ship(batch) {
      told.push(progress.untilMs);
      nowMs += 1_000;
      await sink.ship(batch);
    },
  };
  first.close();
  const shipper = createShipper({ directory, calls: slow, clock: () => 0, progress });
  t.after(() => shipper.close());
  const call = (number: number): void => {
    open(number);
    close(number);
  };
  // The store is away for three looks, in each of which two calls fill a segment.
  const away: CallSink = { ...sink, ship: async () => { throw new Error('away'); } };
  const before = createShipper({ directory, calls: away, clock: () => 0, progress });
  for (const second of [1, 2, 3]) {
    call(2 * second);
    call(2 * second + 1);
    nowMs = second * 100;
    await assert.rejects(before.pass(), /away/);
  }
  before.close();
  assert.equal(progress.untilMs, 0, 'the first call may have been closed at 0');
  nowMs = 1_000;
  await shipper.pass();
  assert.deepEqual([told, progress.untilMs], [[0, 100, 200], 1_000]);
});

test('a distant store\'s slow answers make no batch smaller, since they hold no thread; one that fails is halved', async (t) => {
  const { directory, sink, open, close } = context(t, 10_000);
  const all = Array.from({ length: 7_000 }, (_, index) => index + 1);
  open(...all);
  close(...all);
  const sizes: number[] = [];
  let nowMs = 0;
  let tooLarge = 4_000;
  const slow: CallSink = {
    ...sink,
    async ship(batch) {
      nowMs += 4_000;
      sizes.push(batch.records.length);
      if (batch.records.length > tooLarge) throw new Error('the statement took too long');
      await sink.ship(batch);
    },
  };
  const shipper = createShipper({ directory, calls: slow, clock: () => nowMs, distant: true });
  t.after(() => shipper.close());
  await shipper.pass();
  assert.deepEqual(sizes, [2_000, 2_250, 2_531, 219]);
  const more = Array.from({ length: 3_000 }, (_, index) => 7_001 + index);
  open(...more);
  close(...more);
  tooLarge = 1_000;
  sizes.length = 0;
  await assert.rejects(shipper.pass(), /too long/);
  await assert.rejects(shipper.pass(), /too long/);
  await shipper.pass();
  assert.deepEqual(sizes, [2_847, 1_423, 711, 799, 898, 592]);
});
