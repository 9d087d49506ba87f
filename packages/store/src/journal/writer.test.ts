/** The writing side: nothing is acknowledged that is not committed, and nothing closed is forgotten (rules: Journal). */
import assert from 'node:assert/strict';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { recordFromText, recordToText } from './row.ts';
import { journalFixture, segmentRows, testDirectory } from './test-support/journal-fixture.ts';
import { failingDisk } from './test-support/failing-disk.ts';
import { segmentContent, sizeOf } from './test-support/segment-rows.ts';
import { sampleOpening, sampleRecord } from './test-support/sample-call.ts';
import { createJournal } from './writer.ts';

const record = (number: number) => sampleRecord(sampleOpening(number), number);

test('a record comes back from its row as it went in, cost to the nano-dollar', () => {
  assert.deepEqual(recordFromText(recordToText(record(7))), record(7));
  const unpriced = { ...record(8), cost: null };
  assert.deepEqual(recordFromText(recordToText(unpriced)), unpriced);
});

test('a row that an earlier version wrote is read: fields that it did not know are absent', () => {
  const earlier = '[1,"req_00000000000000000000000000000007","org_a","key_a",null,["a"],0,null,"openai","chat.completions","POST",'
    + '"/v1/chat/completions",1790000000007,"node_a",true,200,"completed","m-1","stop",7,2,null,null,0,"reported",null,"12","priced",'
    + '"2026-09-23/1f0c",null,10,20,1,3]';
  const { costGaps, serviceTier, audioInputTokens, audioOutputTokens, toolCalls, durationMs, cost } = recordFromText(earlier);
  assert.deepEqual({ costGaps, serviceTier, audioInputTokens, audioOutputTokens, toolCalls, durationMs, cost },
    { costGaps: [], serviceTier: null, audioInputTokens: null, audioOutputTokens: null, toolCalls: null, durationMs: 3, cost: 12n });
  assert.throws(() => recordFromText(earlier.replace('[1,', '[3,')), /does not know/);
  assert.throws(() => recordFromText(earlier.replace('[1,', '[2,')), /does not know/);
});

test('callbacks run after the commit, in the order of the rows, and one turn is one frame', (t) => {
  const context = journalFixture(t);
  const heard: string[] = [];
  for (const number of [1, 2, 3]) {
    context.journal.open(sampleOpening(number), (error) => heard.push(`${number} ${error} ${context.rows().length}`));
  }
  assert.deepEqual([heard, context.rows()], [[], []]);
  assert.equal(context.endTurn(), 1);
  assert.deepEqual(heard, ['1 null 3', '2 null 3', '3 null 3']);
  assert.equal(context.journal.counters.commits, 1);

  context.journal.close(record(2), () => heard.push(`closed ${context.rows().at(-1)}`));
  context.journal.open(sampleOpening(4), () => heard.push('opened 4'));
  context.endTurn();
  assert.deepEqual(heard.slice(3), ['closed 0:4', 'opened 4']);
  assert.deepEqual(context.rows(), ['0:1', '0:2', '0:3', '1:2', '0:4']);
  assert.equal(context.journal.counters.commits, 2);
});

for (const [count, characters] of [[64, 100], [65, 100], [1000, 100], [3, 60_000], [70, 60_000], [2, 1_000_000]] as const) {
  test(`${count} rows of ${characters} characters in one turn are one commit: all of them or none`, (t) => {
    const context = journalFixture(t);
    const heard: (string | null)[] = [];
    const opening = (number: number) => ({ ...sampleOpening(number), path: 'p'.repeat(characters) });
    const numbers = Array.from({ length: count }, (_, at) => at + 1);
    const openAll = (): void => numbers.forEach((number) => context.journal.open(opening(number), (error) => heard.push(error && 'failed')));
    const disk = failingDisk(t);
    // The last row does not fit.
    disk.cap = sizeOf(context.writers[0]!.path) + Math.floor(count * characters * 0.99);
    openAll();
    context.endTurn();
    assert.deepEqual([heard.splice(0), context.rows()], [numbers.map(() => 'failed'), []]);
    disk.cap = Infinity;
    openAll();
    context.endTurn();
    assert.deepEqual([heard, context.rows().length, context.journal.counters.commits], [numbers.map(() => null), count, 1]);
  });
}

test('a segment does not keep the rows that were written to it in memory', (t) => {
  const { writers: [writer] } = journalFixture(t);
  const body = 'x'.repeat(60_000);
  const before = process.memoryUsage().rss;
  for (let rows = 1; rows <= 64; rows += 1) writer!.append(Array.from({ length: rows }, () => ({ kind: 0, body })));
  const grown = (process.memoryUsage().rss - before) / 1e6;
  assert.ok(grown < 60, `${grown} MB for ${64 * 65 / 2} rows of 60 KB`);
});

test('rows that a callback journals belong to the next turn', (t) => {
  const context = journalFixture(t);
  context.journal.open(sampleOpening(1), () => context.journal.close(record(1), () => {}));
  context.endTurn();
  assert.deepEqual(context.rows(), ['0:1']);
  context.endTurn();
  assert.deepEqual(context.rows(), ['0:1', '1:1']);
});

test('a call is closed where it was opened; a full segment is sealed with its last call and not before', (t) => {
  const context = journalFixture(t, { rowsPerSegment: 2 });
  const open = (number: number) => { context.journal.open(sampleOpening(number), assert.ifError); context.endTurn(); };
  const close = (...numbers: number[]) => {
    numbers.forEach((number) => context.journal.close(record(number), () => {}));
    context.endTurn();
  };
  [1, 2, 3].forEach(open);
  const [first, second] = context.writers.map(({ path }) => path) as [string, string];
  close(1);
  assert.deepEqual(segmentRows(first), { rows: ['0:1', '0:2', '1:1'], sealed: false });
  close(3, 2);
  assert.deepEqual(segmentRows(first), { rows: ['0:1', '0:2', '1:1', '1:2'], sealed: true });
  assert.deepEqual(segmentRows(second), { rows: ['0:3', '1:3'], sealed: true });
});

test('a segment is full by its bytes too, so that long rows make no segment as large as the disk', (t) => {
  const context = journalFixture(t, { bytesPerSegment: 20_000 });
  for (let number = 1; number <= 40; number += 1) {
    context.journal.open({ ...sampleOpening(number), path: 'p'.repeat(4_000) }, assert.ifError);
    context.endTurn();
  }
  assert.equal(context.writers.length, 8);
  assert.ok(context.writers.every(({ path }) => sizeOf(path) < 25_000));
});

test('a call closed twice has one closed row, and both callers continue', (t) => {
  const context = journalFixture(t);
  let done = 0;
  context.journal.open(sampleOpening(1), assert.ifError);
  context.endTurn();
  context.journal.close(record(1), () => { done += 1; });
  context.journal.close(record(1), () => { done += 1; });
  context.endTurn();
  context.journal.close(record(1), () => { done += 1; });
  context.endTurn();
  assert.deepEqual([context.rows(), done], [['0:1', '1:1'], 3]);
});

test('disk full: openings fail at once, closings wait and go out after 2 s, and all is well again without a restart (rule 3b)', (t) => {
  const context = journalFixture(t);
  const heard: string[] = [];
  context.journal.open(sampleOpening(1), assert.ifError);
  context.journal.open(sampleOpening(2), assert.ifError);
  context.endTurn();
  const disk = failingDisk(t);
  disk.cap = sizeOf(context.writers[0]!.path) + 100;
  const large = (number: number) => ({ ...record(number), path: 'x'.repeat(8000) });

  context.journal.close(large(1), () => heard.push('closed 1'));
  context.journal.open({ ...sampleOpening(3), path: 'x'.repeat(8000) }, (error) => heard.push(`open 3: ${error?.message}`));
  context.endTurn();
  assert.deepEqual(heard, ['open 3: ENOSPC: as the test wants it, write']);
  assert.equal(context.journal.counters.waiting, 1);
  context.advance(1900);
  context.journal.close(large(2), () => heard.push('closed 2'));
  context.endTurn();
  assert.deepEqual(heard.slice(1), []);
  context.advance(200);
  assert.deepEqual(heard.slice(1), ['closed 1']);
  assert.deepEqual(context.rows(), ['0:1', '0:2']);

  disk.cap = Infinity;
  context.advance(100);
  assert.deepEqual(heard.slice(1), ['closed 1', 'closed 2']);
  context.journal.open(sampleOpening(4), (error) => heard.push(`open 4: ${error}`));
  context.endTurn();
  assert.equal(heard.at(-1), 'open 4: null');
  assert.deepEqual(context.rows(), ['0:1', '0:2', '1:1', '1:2', '0:4']);
  assert.equal(context.journal.counters.waiting, 0);
  assert.equal(context.journal.counters.closed, 2);
  assert.ok(context.journal.counters.commitFailures > 20);
});

test('a write that reports failure although all of it was written leaves no frame: nobody finds the call, and the next one takes its place', (t) => {
  const context = journalFixture(t);
  const disk = failingDisk(t);
  disk.writesLie = true;
  const heard: string[] = [];
  context.journal.open(sampleOpening(1), (error) => heard.push(String(error !== null)));
  context.endTurn();
  assert.deepEqual([heard, context.rows()], [['true'], []]);
  disk.writesLie = false;
  context.journal.open(sampleOpening(2), (error) => heard.push(String(error !== null)));
  context.endTurn();
  assert.deepEqual([heard, context.rows()], [['true', 'false'], ['0:2']]);
});

test('a call whose opening failed leaves no row, also when it was closed in the same turn', (t) => {
  const context = journalFixture(t);
  const disk = failingDisk(t);
  disk.cap = sizeOf(context.writers[0]!.path) + 100;
  const heard: string[] = [];
  context.journal.open({ ...sampleOpening(1), path: 'x'.repeat(8000) }, (error) => heard.push(String(error !== null)));
  context.journal.close(record(1), () => heard.push('closed'));
  context.endTurn();
  disk.cap = Infinity;
  context.advance(5000);
  assert.deepEqual([heard, context.rows(), context.journal.counters.waiting], [['true', 'closed'], [], 0]);
});

test('a segment whose file fails takes no new calls; the next one does', (t) => {
  const context = journalFixture(t);
  context.journal.open(sampleOpening(1), assert.ifError);
  context.endTurn();
  const broken = context.writers[0]!;
  broken.append = () => { throw Object.assign(new Error('disk I/O error'), { code: 'EIO' }); };
  const heard: string[] = [];
  context.journal.open(sampleOpening(2), (error) => heard.push(String(error?.message)));
  context.endTurn();
  context.journal.open(sampleOpening(3), (error) => heard.push(String(error)));
  context.endTurn();
  assert.deepEqual([heard, context.writers.length], [['disk I/O error', 'null'], 2]);
  context.journal.close(record(1), () => {});
  context.endTurn();
  assert.equal(context.journal.counters.waiting, 1);
  Reflect.deleteProperty(broken, 'append');
  context.advance(100);
  assert.deepEqual(segmentRows(broken.path), { rows: ['0:1', '1:1'], sealed: true });
});

test('end commits queued rows and seals; afterwards nothing can be opened', async (t) => {
  const context = journalFixture(t);
  context.journal.open(sampleOpening(1), assert.ifError);
  context.journal.close(record(1), () => {});
  await context.journal.end();
  assert.deepEqual(segmentRows(context.writers[0]!.path), { rows: ['0:1', '1:1'], sealed: true });
  let error: Error | null = null;
  context.journal.open(sampleOpening(2), (fault) => { error = fault; });
  context.endTurn();
  assert.match(String(error), /journal has ended/);
});

test('under `normal` a commit is one write and nothing else; under `full` it is synced before anyone is notified', async (t) => {
  for (const [sync, wanted] of [['normal', /^write \d+,told$/], ['full', /^write \d+,sync,write 16,told$/]] as const) {
    const { journal, endTurn } = journalFixture(t, { sync });
    const disk = failingDisk(t);
    for (let number = 1; number <= 5; number += 1) {
      journal.open(sampleOpening(number), () => disk.done.push('told'));
      if (number === 2) journal.close(record(1), () => {});
      endTurn();
      assert.match(disk.done.splice(0).join(), wanted);
    }
  }
});

test('a failed sync: the written rows are not acknowledged, not read and not found, and are written again', (t) => {
  const context = journalFixture(t, { sync: 'full' });
  context.journal.open(sampleOpening(1), assert.ifError);
  context.endTurn();
  const disk = failingDisk(t);
  Object.assign(disk, { syncsFail: true, code: 'EIO' });
  const heard: string[] = [];
  context.journal.close(record(1), () => heard.push('closed'));
  context.journal.open(sampleOpening(2), (error) => heard.push(String(error?.message)));
  context.endTurn();
  assert.deepEqual([heard, context.rows()], [['EIO: as the test wants it, fsync'], ['0:1']]);
  disk.syncsFail = false;
  context.advance(100);
  assert.deepEqual([heard.at(-1), context.rows()], ['closed', ['0:1', '1:1']]);
});

test('a disk that is full at any byte of a turn: nothing of that turn is kept, and the next one is', async (t) => {
  const whole = journalFixture(t);
  const turn = (context: typeof whole, heard: string[] = []): string[] => {
    context.journal.close(record(1), () => heard.push('closed'));
    context.journal.open(sampleOpening(2), (error) => heard.push(error === null ? 'opened' : 'refused'));
    context.endTurn();
    return heard;
  };
  const before = (context: typeof whole): void => {
    context.journal.open(sampleOpening(1), assert.ifError);
    context.endTurn();
  };
  before(whole);
  const from = sizeOf(whole.writers[0]!.path);
  turn(whole);
  const bytes = sizeOf(whole.writers[0]!.path) - from;
  const disk = failingDisk(t);
  for (let cut = 0; cut < bytes; cut += 1) {
    disk.cap = Infinity;
    const context = journalFixture(t);
    before(context);
    const { path } = context.writers[0]!;
    disk.cap = from + cut;
    assert.deepEqual(turn(context), ['refused']);
    assert.deepEqual([segmentRows(path).rows, sizeOf(path)], [['0:1'], from + cut]);
    disk.cap = Infinity;
    // Shorter than what failed: what is left of that lies behind it.
    context.journal.endRun({ organization: sampleOpening(1).organization, run: 'r', state: 'closed', atMs: 1 }, assert.ifError);
    context.endTurn();
    context.journal.open(sampleOpening(3), assert.ifError);
    context.endTurn();
    context.advance(100);
    assert.deepEqual(segmentContent(path).rows.map(({ seq, kind }) => `${seq}:${kind}`), ['1:0', '2:3', '3:0', '4:1']);
    await context.journal.end();
  }
});

test('probing a full disk reports it, and leaves nothing that is read later', (t) => {
  const context = journalFixture(t);
  context.journal.open(sampleOpening(1), assert.ifError);
  context.endTurn();
  const { path } = context.writers[0]!;
  const disk = failingDisk(t);
  disk.cap = sizeOf(path) + 4_000;
  context.journal.open({ ...sampleOpening(2), path: 'x'.repeat(8_000) }, () => {});
  context.endTurn();
  context.journal.probe();
  assert.match(String(context.journal.fault), /ENOSPC/);
  disk.cap = Infinity;
  context.journal.probe();
  assert.deepEqual([context.journal.fault, context.rows()], [null, ['0:1']]);
  context.journal.open(sampleOpening(3), assert.ifError);
  context.endTurn();
  assert.deepEqual(context.rows(), ['0:1', '0:3']);
});

test('every file of a journal is only for its owner', (t) => {
  const { directory, journal, endTurn } = journalFixture(t);
  journal.open(sampleOpening(1), assert.ifError);
  endTurn();
  const modes = readdirSync(directory).sort().map((name) => [name.replace(/^(\w{3})_\w+/, '$1'), statSync(join(directory, name)).mode & 0o777]);
  assert.deepEqual(modes, [['own.lock', 0o600], ['seg.log', 0o600]]);
});

test('a directory that cannot be made or written stops the start with its name', (t) => {
  const file = join(testDirectory(t), 'taken');
  writeFileSync(file, '');
  const directory = join(file, 'journal');
  const start = () => createJournal({ directory, sync: 'normal', randomBytes: (n) => new Uint8Array(n), clock: () => 0 });
  assert.throws(start, (error: Error) => error.message.includes(file) && 'code' in error && error.code === 'journal_unwritable');
});
