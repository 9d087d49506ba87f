/** A record that the store refuses keeps back none of the others, is kept itself, and is stored once when it can be. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { keptCalls } from '@metergate/testkit/kept-calls.ts';
import type { CallBatch } from './call-sink.ts';
import { StoreFault } from '../engine/fault.ts';
import { openStore } from '../store.ts';
import { listSegments } from './segment-files.ts';
import { settingRefusedRowsAside } from './refused-rows.ts';
import { createShipper } from './shipper.ts';
import { journalFixture, testDirectory } from './test-support/journal-fixture.ts';
import { sampleOpening, sampleRecord } from './test-support/sample-call.ts';

/** A real store, behind a rule that refuses some calls for ever, and a journal that ships to it. */
async function context(t: TestContext, refuses: (number: number) => boolean) {
  const store = await openStore({
    url: `sqlite:${join(testDirectory(t), 'store.db')}`, masterKey: new Uint8Array(32), clock: Date.now, randomBytes, create: true,
  });
  t.after(() => store.close());
  const created = await store.organizations.create({ name: 'refusing', plan: 'scale' });
  const organization = 'refused' in created ? assert.fail() : created.id;
  const rule = { refuses, away: false, dieAfterFile: false };
  const numberOf = (id: string): number => Number.parseInt(id.slice(-6), 16);
  const sink = {
    mark: store.calls.mark,
    recorded: store.calls.recorded,
    async ship(batch: CallBatch) {
      if (rule.away) throw new StoreFault('store_unreachable', 'away');
      if (batch.records.some(({ record }) => rule.refuses(numberOf(record.id)))) throw new StoreFault('row_refused', 'not this one');
      if (rule.dieAfterFile && batch.records.length === 0) throw new Error('died');
      await store.calls.ship(batch);
    },
  };
  const journal = journalFixture(t, { rowsPerSegment: 1_000 });
  const warned: string[] = [];
  const calls = settingRefusedRowsAside({ directory: journal.directory, calls: sink, warn: (sentence) => void warned.push(sentence) });
  const shipper = createShipper({ directory: journal.directory, calls, clock: () => 0 });
  t.after(() => shipper.close());
  const called = (...numbers: number[]): void => {
    for (const number of numbers) journal.journal.open(sampleOpening(number, organization), assert.ifError);
    journal.endTurn();
    for (const number of numbers) journal.journal.close(sampleRecord(sampleOpening(number, organization), number), () => {});
    journal.endTurn();
  };
  const stored = async (): Promise<number[]> =>
    (await keptCalls(store, organization)).map(({ id }) => numberOf(id)).sort((a, b) => a - b);
  const folder = join(journal.directory, 'refused');
  /** What a new process does: offers again, then ships. */
  const startAgain = async (): Promise<void> => {
    shipper.close();
    const calls = settingRefusedRowsAside({ directory: journal.directory, calls: sink, warn: () => {} });
    await calls.offerAgain();
    const again = createShipper({ directory: journal.directory, calls, clock: () => 0 });
    await again.pass();
    again.close();
  };
  return { organization, startAgain, journal, calls, shipper, called, stored, warned, rule, folder };
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1);

test('one refused record of many is set aside, logged and counted; all others are stored and the segment is removed', async (t) => {
  const { journal, calls, shipper, called, stored, warned, folder } = await context(t, (number) => number === 77);
  called(...upTo(150));
  await journal.journal.end();
  await shipper.pass();
  assert.deepEqual(await stored(), upTo(150).filter((number) => number !== 77));
  assert.deepEqual(listSegments(journal.directory), []);
  assert.deepEqual([calls.setAside, warned.length, readdirSync(folder).length], [1, 1, 1]);
  assert.match(warned[0] ?? '', /refuses the record of call req_\w*4d \(not this one\)\. It is kept in /);
  if (process.platform !== 'win32') assert.equal(statSync(join(folder, readdirSync(folder)[0]!)).mode & 0o777, 0o600);
});

test('a row set aside is stored once at a start if the store takes it, and stays otherwise', async (t) => {
  const { organization, calls, shipper, called, stored, rule, folder } = await context(t, (number) => number % 10 === 3);
  called(...upTo(20));
  await shipper.pass();
  assert.deepEqual(calls.setAsideOf, [organization]);
  assert.equal(await calls.offerAgain(), 2);
  rule.refuses = (number) => number === 13;
  assert.equal(await calls.offerAgain(), 1);
  assert.deepEqual(await stored(), upTo(20).filter((number) => number !== 13));
  rule.refuses = () => false;
  assert.deepEqual(calls.setAsideOf, [organization], 'of one that lies there from before');
  for (let start = 0; start < 3; start += 1) assert.equal(await calls.offerAgain(), 0);
  assert.deepEqual([await stored(), readdirSync(folder)], [upTo(20), []]);
});

test('a failure between the file and the mark leaves one record, with or without a new start, taken or refused then', async (t) => {
  for (const [takenLater, newStart] of [[true, false], [true, true], [false, false], [false, true]]) {
    const { startAgain, shipper, called, stored, rule, folder } = await context(t, (number) => number === 2);
    called(1, 2, 3);
    rule.dieAfterFile = true;
    await assert.rejects(shipper.pass(), /died/);
    assert.equal(readdirSync(folder).length, 1);
    rule.dieAfterFile = false;
    if (takenLater) rule.refuses = () => false;
    if (newStart === true) await startAgain();
    else await shipper.pass();
    rule.refuses = () => false;
    await startAgain();
    assert.deepEqual([await stored(), readdirSync(folder)], [[1, 2, 3], []]);
  }
});

test('a store that is away has nothing set aside, and one that refuses row after row is believed to be at fault', async (t) => {
  const { calls, shipper, called, stored, rule, folder } = await context(t, () => false);
  called(...upTo(60));
  rule.away = true;
  await assert.rejects(shipper.pass(), { code: 'store_unreachable' });
  assert.ok(!existsSync(folder));
  rule.away = false;
  rule.refuses = () => true;
  await assert.rejects(shipper.pass(), { code: 'row_refused' });
  assert.equal(calls.setAside, 16);
  rule.refuses = () => false;
  await shipper.pass();
  await calls.offerAgain();
  assert.deepEqual(await stored(), upTo(60));
});

/** A store that can be set to refuse the second call, and that forgets everything when it is restored. */
function forgettingStore() {
  const marks = new Map<string, number>();
  const kept: number[] = [];
  const rule = { refuses: true };
  const sink = {
    mark: async (segment: string) => marks.get(segment) ?? 0,
    recorded: async () => new Set<string>(),
    async ship({ segment, after = 0, through, records }: CallBatch) {
      const mark = marks.get(segment) ?? 0;
      if (mark < after) throw new StoreFault('store_went_back', 'put back');
      if (rule.refuses && records.some(({ record }) => record.inputTokens === 2)) throw new StoreFault('row_refused', 'not this one');
      for (const { seq, record } of records) if (seq > mark) kept.push(record.inputTokens!);
      marks.set(segment, Math.max(mark, through));
    },
  };
  const putBack = (): void => {
    marks.clear();
    kept.length = 0;
  };
  return { sink, kept, rule, putBack };
}

for (const segmentIsLeft of [true, false]) {
  test(`a store that is put back behind a row set aside stores it once; its segment ${segmentIsLeft ? 'is still here' : 'is gone'}`, async (t) => {
    const { directory, journal, endTurn } = journalFixture(t);
    const { sink, kept, rule, putBack } = forgettingStore();
    const began = () => settingRefusedRowsAside({ directory, calls: sink, warn: () => {} });
    const shipper = createShipper({ directory, calls: began(), clock: () => 0 });
    t.after(() => shipper.close());
    const called = (number: number): void => {
      journal.open(sampleOpening(number), assert.ifError);
      endTurn();
      journal.close(sampleRecord(sampleOpening(number), number), () => {});
      endTurn();
    };
    [1, 2, 3].forEach(called);
    if (!segmentIsLeft) await journal.end();
    await shipper.pass();
    assert.deepEqual(kept, [1, 3]);
    putBack();
    rule.refuses = false;
    if (segmentIsLeft) {
      called(4);
      await assert.rejects(shipper.pass(), { code: 'store_went_back' });
      await shipper.pass();
    }
    for (let start = 0; start < 2; start += 1) await began().offerAgain();
    assert.deepEqual([kept, readdirSync(join(directory, 'refused'))], [segmentIsLeft ? [1, 2, 3, 4] : [2], []]);
  });
}

/** Sets one long row aside while a file may have 8 KB, which simulates a nearly full disk. */
const settingAside = `
  const { settingRefusedRowsAside } = await import(process.argv[1]);
  const { sampleOpening, sampleRecord } = await import(process.argv[3]);
  const record = { ...sampleRecord(sampleOpening(1), 1), path: 'p'.repeat(40_000) };
  const calls = { async ship({ records }) { if (records.length > 0) throw new TypeError('not this one'); console.log('passed'); } };
  const rows = settingRefusedRowsAside({ directory: process.argv[2], calls, warn: () => {} });
  await rows.ship({ segment: 'seg_a', through: 1, records: [{ seq: 1, record }] }).catch(({ code }) => console.log(code));`;

test('no mark passes a row that the disk took a part of', { skip: process.platform === 'win32' }, (t) => {
  const { stdout } = spawnSync('/bin/sh', ['-c', 'trap "" XFSZ; ulimit -f 16; exec "$@"', 'sh', process.execPath, '--input-type=module',
    '-e', settingAside, new URL('./refused-rows.ts', import.meta.url).href, testDirectory(t),
    new URL('./test-support/sample-call.ts', import.meta.url).href], { encoding: 'utf8' });
  assert.equal(stdout, 'EFBIG\n');
});
