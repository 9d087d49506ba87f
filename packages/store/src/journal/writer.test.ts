/** The writing side: nothing is acknowledged that is not committed, and nothing closed is forgotten (design 2, Journal). */
import assert from 'node:assert/strict';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readPragma } from './segment.ts';
import { recordFromText, recordToText } from './row.ts';
import { journalGround, segmentRows, testDirectory } from './test-support/journal-ground.ts';
import { sampleOpening, sampleRecord } from './test-support/sample-call.ts';
import { createJournal } from './writer.ts';

const record = (number: number) => sampleRecord(sampleOpening(number), number);

test('a record comes back from its row as it went in, cost to the nano-dollar', () => {
  assert.deepEqual(recordFromText(recordToText(record(7))), record(7));
  const unpriced = { ...record(8), cost: null };
  assert.deepEqual(recordFromText(recordToText(unpriced)), unpriced);
});

test('callbacks run after the commit, in the order of the rows, and one turn is one transaction', (t) => {
  const ground = journalGround(t);
  const heard: string[] = [];
  for (const number of [1, 2, 3]) {
    ground.journal.open(sampleOpening(number), (error) => heard.push(`${number} ${error} ${ground.rows().length}`));
  }
  assert.deepEqual([heard, ground.rows()], [[], []]);
  assert.equal(ground.endTurn(), 1);
  assert.deepEqual(heard, ['1 null 3', '2 null 3', '3 null 3']);
  assert.equal(ground.journal.counters.commits, 1);

  ground.journal.close(record(2), () => heard.push(`closed ${ground.rows().at(-1)}`));
  ground.journal.open(sampleOpening(4), () => heard.push('opened 4'));
  ground.endTurn();
  assert.deepEqual(heard.slice(3), ['closed 0:4', 'opened 4']);
  assert.deepEqual(ground.rows(), ['0:1', '0:2', '0:3', '1:2', '0:4']);
  assert.equal(ground.journal.counters.commits, 2);
});

for (const [count, characters] of [[64, 100], [65, 100], [1000, 100], [3, 60_000], [70, 60_000], [2, 1_000_000]] as const) {
  test(`${count} rows of ${characters} characters in one turn are one transaction: all of them or none`, (t) => {
    const ground = journalGround(t);
    const heard: (string | null)[] = [];
    const opening = (number: number) => ({ ...sampleOpening(number), path: 'p'.repeat(characters) });
    const numbers = Array.from({ length: count }, (_, at) => at + 1);
    const openAll = (): void => numbers.forEach((number) => ground.journal.open(opening(number), (error) => heard.push(error && 'failed')));
    const database = ground.writers[0]!.database;
    database.exec(`CREATE TEMP TRIGGER last AFTER INSERT ON main.entry WHEN new.seq = ${count} BEGIN SELECT RAISE(ABORT, 'no'); END`);
    openAll();
    ground.endTurn();
    assert.deepEqual([heard.splice(0), ground.rows()], [numbers.map(() => 'failed'), []]);
    database.exec('DROP TRIGGER last');
    openAll();
    ground.endTurn();
    assert.deepEqual([heard, ground.rows().length, ground.journal.counters.commits], [numbers.map(() => null), count, 1]);
  });
}

test('a segment does not keep the rows that were written to it in memory', (t) => {
  const { writers: [writer] } = journalGround(t);
  const body = 'x'.repeat(60_000);
  const before = process.memoryUsage().rss;
  for (let rows = 1; rows <= 64; rows += 1) writer!.append(Array.from({ length: rows }, () => ({ kind: 0, body })));
  const grown = (process.memoryUsage().rss - before) / 1e6;
  assert.ok(grown < 60, `${grown} MB for ${64 * 65 / 2} rows of 60 KB`);
});

test('what a callback journals belongs to the next turn', (t) => {
  const ground = journalGround(t);
  ground.journal.open(sampleOpening(1), () => ground.journal.close(record(1), () => {}));
  ground.endTurn();
  assert.deepEqual(ground.rows(), ['0:1']);
  ground.endTurn();
  assert.deepEqual(ground.rows(), ['0:1', '1:1']);
});

test('a call is closed where it was opened; a full segment is sealed with its last call and not before', (t) => {
  const ground = journalGround(t, { rowsPerSegment: 2 });
  const open = (number: number) => { ground.journal.open(sampleOpening(number), assert.ifError); ground.endTurn(); };
  const close = (...numbers: number[]) => {
    numbers.forEach((number) => ground.journal.close(record(number), () => {}));
    ground.endTurn();
  };
  [1, 2, 3].forEach(open);
  const [first, second] = ground.writers.map(({ path }) => path) as [string, string];
  close(1);
  assert.deepEqual(segmentRows(first), { rows: ['0:1', '0:2', '1:1'], sealed: false });
  close(3, 2);
  assert.deepEqual(segmentRows(first), { rows: ['0:1', '0:2', '1:1', '1:2'], sealed: true });
  assert.deepEqual(segmentRows(second), { rows: ['0:3', '1:3'], sealed: true });
});

test('a call closed twice has one closed row, and both callers go on', (t) => {
  const ground = journalGround(t);
  let done = 0;
  ground.journal.open(sampleOpening(1), assert.ifError);
  ground.endTurn();
  ground.journal.close(record(1), () => { done += 1; });
  ground.journal.close(record(1), () => { done += 1; });
  ground.endTurn();
  ground.journal.close(record(1), () => { done += 1; });
  ground.endTurn();
  assert.deepEqual([ground.rows(), done], [['0:1', '1:1'], 3]);
});

test('disk full: openings fail at once, closings wait and go out after 2 s, and all is well again without a restart (row 3b)', (t) => {
  const ground = journalGround(t);
  const heard: string[] = [];
  ground.journal.open(sampleOpening(1), assert.ifError);
  ground.journal.open(sampleOpening(2), assert.ifError);
  ground.endTurn();
  const { database } = ground.writers[0]!;
  database.exec(`PRAGMA max_page_count = ${String(readPragma(database, 'page_count'))}`);
  const large = (number: number) => ({ ...record(number), path: 'x'.repeat(8000) });

  ground.journal.close(large(1), () => heard.push('closed 1'));
  ground.journal.open({ ...sampleOpening(3), path: 'x'.repeat(8000) }, (error) => heard.push(`open 3: ${error?.message}`));
  ground.endTurn();
  assert.deepEqual(heard, ['open 3: database or disk is full']);
  assert.equal(ground.journal.counters.waiting, 1);
  ground.advance(1900);
  ground.journal.close(large(2), () => heard.push('closed 2'));
  ground.endTurn();
  assert.deepEqual(heard.slice(1), []);
  ground.advance(200);
  assert.deepEqual(heard.slice(1), ['closed 1']);
  assert.deepEqual(ground.rows(), ['0:1', '0:2']);

  database.exec('PRAGMA max_page_count = 1000000');
  ground.advance(100);
  assert.deepEqual(heard.slice(1), ['closed 1', 'closed 2']);
  ground.journal.open(sampleOpening(4), (error) => heard.push(`open 4: ${error}`));
  ground.endTurn();
  assert.equal(heard.at(-1), 'open 4: null');
  assert.deepEqual(ground.rows(), ['0:1', '0:2', '1:1', '1:2', '0:4']);
  assert.equal(ground.journal.counters.waiting, 0);
  assert.equal(ground.journal.counters.closed, 2);
  assert.ok(ground.journal.counters.commitFailures > 20);
});

test('a call whose opening failed leaves no row, also when it was closed in the same turn', (t) => {
  const ground = journalGround(t);
  const { database } = ground.writers[0]!;
  database.exec(`PRAGMA max_page_count = ${String(readPragma(database, 'page_count'))}`);
  const heard: string[] = [];
  ground.journal.open({ ...sampleOpening(1), path: 'x'.repeat(8000) }, (error) => heard.push(String(error !== null)));
  ground.journal.close(record(1), () => heard.push('closed'));
  ground.endTurn();
  database.exec('PRAGMA max_page_count = 1000000');
  ground.advance(5000);
  assert.deepEqual([heard, ground.rows(), ground.journal.counters.waiting], [['true', 'closed'], [], 0]);
});

test('a segment whose file fails takes no new calls; the next one does', (t) => {
  const ground = journalGround(t);
  ground.journal.open(sampleOpening(1), assert.ifError);
  ground.endTurn();
  const broken = ground.writers[0]!;
  broken.append = () => { throw Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR', errcode: 778 }); };
  const heard: string[] = [];
  ground.journal.open(sampleOpening(2), (error) => heard.push(String(error?.message)));
  ground.endTurn();
  ground.journal.open(sampleOpening(3), (error) => heard.push(String(error)));
  ground.endTurn();
  assert.deepEqual([heard, ground.writers.length], [['disk I/O error', 'null'], 2]);
  ground.journal.close(record(1), () => {});
  ground.endTurn();
  assert.equal(ground.journal.counters.waiting, 1);
  Reflect.deleteProperty(broken, 'append');
  ground.advance(100);
  assert.deepEqual(segmentRows(broken.path), { rows: ['0:1', '1:1'], sealed: true });
});

test('end commits what is queued and seals; afterwards nothing can be opened', async (t) => {
  const ground = journalGround(t);
  ground.journal.open(sampleOpening(1), assert.ifError);
  ground.journal.close(record(1), () => {});
  await ground.journal.end();
  assert.deepEqual(segmentRows(ground.writers[0]!.path), { rows: ['0:1', '1:1'], sealed: true });
  let error: Error | null = null;
  ground.journal.open(sampleOpening(2), (fault) => { error = fault; });
  ground.endTurn();
  assert.match(String(error), /journal has ended/);
});

test('SVC_JOURNAL_SYNC decides how a commit is synced, and no connection checkpoints by itself', (t) => {
  for (const [sync, value] of [['normal', 1], ['full', 2]] as const) {
    const { database } = journalGround(t, { sync }).writers[0]!;
    assert.deepEqual(['synchronous', 'journal_mode', 'wal_autocheckpoint', 'busy_timeout'].map((name) => readPragma(database, name)),
      [value, 'wal', 0, 50]);
  }
});

test('every file of a segment is for its owner alone', (t) => {
  const { directory, journal, endTurn } = journalGround(t);
  journal.open(sampleOpening(1), assert.ifError);
  endTurn();
  const modes = readdirSync(directory).sort().map((name) => [name.replace(/^seg_\w+/, ''), statSync(join(directory, name)).mode & 0o777]);
  assert.deepEqual(modes.filter(([name]) => name !== '.db-shm'), [['.db', 0o600], ['.db-wal', 0o600]]);
  assert.ok(modes.every(([, mode]) => mode === 0o600));
});

test('a directory that cannot be made or written stops the start with its name', (t) => {
  const file = join(testDirectory(t), 'taken');
  writeFileSync(file, '');
  const directory = join(file, 'journal');
  const start = () => createJournal({ directory, sync: 'normal', randomBytes: (n) => new Uint8Array(n), clock: () => 0 });
  assert.throws(start, (error: Error) => error.message.includes(file) && 'code' in error && error.code === 'journal_unwritable');
});
