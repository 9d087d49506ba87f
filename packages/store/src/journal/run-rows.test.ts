/** A node's rows of runs: committed before any caller learns of them, in the journal's order, in the store once (rules: Journal; rule 13). */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test, type TestContext } from 'node:test';
import type { OrganizationId } from '@metergate/core/id.ts';
import { nanoDollars, nanoDollarsMax } from '@metergate/core/money.ts';
import type { EndedState } from '@metergate/core/run/run.ts';
import { openStore, type Store } from '../store.ts';
import {
  beginningFromText, endFromText, endToText, openingFromText, openingOfRunToText, openingToText, tighteningFromText, tighteningToText,
} from './row.ts';
import type { RunBeginning, RunEnd, RunTightening } from './run-event.ts';
import { createShipper } from './shipper.ts';
import { journalFixture, segmentRows } from './test-support/journal-fixture.ts';
import { failingDisk } from './test-support/failing-disk.ts';
import { segmentContent, sizeOf } from './test-support/segment-rows.ts';
import { sampleOpening, sampleRecord } from './test-support/sample-call.ts';

const organization = 'org_0000000000000000test' as OrganizationId;
const endOf = (run: string, state: EndedState = 'over_budget', atMs = 5): RunEnd => ({ organization, run, state, atMs });
const tighteningOf = (run: string, budget: bigint): RunTightening => ({
  organization, run, declared: nanoDollars(budget), effective: nanoDollars(budget), clampReason: null, atMs: 4,
});

const beginningOf = (run: string): RunBeginning => ({
  organization, run, declared: nanoDollars(9n), effective: nanoDollars(7n), clampReason: 'policy_max', startedAtMs: 3, expiresAtMs: 60_003,
});

test('an opening that begins a run is read as both; later rows of such a run hold its beginning too', () => {
  for (const run of ['r', '"\\', '~'.repeat(128)]) {
    const opening = { ...sampleOpening(1), path: '/v1/a\nb', run };
    const text = openingOfRunToText(opening, beginningOf(run));
    assert.deepEqual([openingFromText(text), beginningFromText(text)], [opening, beginningOf(run)]);
    const bare: RunBeginning = { ...beginningOf(run), declared: null, effective: null, clampReason: null, expiresAtMs: null };
    assert.deepEqual(beginningFromText(openingOfRunToText(opening, bare)), bare);
    const [end, tightening] = [{ ...endOf(run), begun: beginningOf(run) }, { ...tighteningOf(run, 1n), begun: bare }];
    assert.deepEqual([endFromText(endToText(end)), tighteningFromText(tighteningToText(tightening))], [end, tightening]);
  }
  assert.throws(() => beginningFromText(openingToText(sampleOpening(1))), /form/);
});

test('rows come back as they went in, money to the nano-dollar', () => {
  for (const run of ['r', '"\\', '~'.repeat(128)]) {
    assert.deepEqual(endFromText(endToText(endOf(run))), endOf(run));
    assert.deepEqual(tighteningFromText(tighteningToText(tighteningOf(run, nanoDollarsMax))), tighteningOf(run, nanoDollarsMax));
    const none: RunTightening = { ...tighteningOf(run, 1n), declared: null, effective: null, clampReason: 'policy_max' };
    assert.deepEqual(tighteningFromText(tighteningToText(none)), none);
  }
  assert.throws(() => endFromText(tighteningToText(tighteningOf('r', 1n))), /form/);
});

test('they are committed in the turn\'s transaction, with its openings and closings, before any caller learns of them', (t) => {
  const { journal, endTurn, writers } = journalFixture(t);
  const heard: string[] = [];
  const kinds = () => segmentContent(writers[0]!.path).rows.map(({ kind }) => kind).join('');
  journal.open(sampleOpening(1), (error) => heard.push(`opened ${error}`));
  journal.tightenRun(tighteningOf('r', 2n), (error) => heard.push(`tightened ${error} ${journal.counters.commits}`));
  journal.endRun(endOf('r'), (error) => heard.push(`ended ${error} ${journal.counters.commits}`));
  assert.equal(kinds(), '');
  endTurn();
  assert.deepEqual(heard, ['opened null', 'tightened null 1', 'ended null 1']);
  const { opened, closed, waiting } = journal.counters;
  assert.deepEqual({ opened, closed, waiting }, { opened: 1, closed: 0, waiting: 0 }, 'a run is no call');
});

test('a failed write is reported at once and kept nowhere, and writing works again without a restart', (t) => {
  const { journal, endTurn, advance, writers } = journalFixture(t);
  const { path } = writers[0]!;
  const heard: string[] = [];
  const disk = failingDisk(t);
  disk.cap = sizeOf(path) + 100;
  journal.endRun(endOf('x'.repeat(9000)), (error) => heard.push(String(error?.message)));
  journal.tightenRun(tighteningOf('x'.repeat(9000), 1n), (error) => heard.push(String(error?.message)));
  endTurn();
  assert.deepEqual(heard, Array(2).fill('ENOSPC: as the test wants it, write'));
  assert.equal(journal.counters.waiting, 0);
  disk.cap = Infinity;
  advance(5000);
  journal.endRun(endOf('r'), (error) => heard.push(String(error)));
  endTurn();
  assert.equal(heard.at(-1), 'null');
  assert.equal(segmentContent(path).rows.length, 1);
});

test('after the end nothing of a run can be written', async (t) => {
  const { journal, endTurn } = journalFixture(t);
  await journal.end();
  let error: Error | null = null;
  journal.endRun(endOf('r'), (fault) => { error = fault; });
  endTurn();
  assert.match(String(error), /journal has ended/);
});

async function shipping(t: TestContext, rowsPerSegment = 1000) {
  const all = journalFixture(t, { rowsPerSegment });
  const url = `sqlite:${all.directory}/store.db`;
  const store = await openStore({ url, masterKey: new Uint8Array(32), clock: () => 1, randomBytes, create: true });
  t.after(() => store.close());
  const shipper = createShipper({ directory: all.directory, calls: store.calls, clock: () => 0 });
  t.after(() => shipper.close());
  const make = (...ids: string[]) => store.runs.open(ids.map((id) => ({
    organization, id, declared: nanoDollars(9n ** 18n), effective: nanoDollars(9n ** 18n), clampReason: null, startedAtMs: 1, expiresAtMs: null,
    exposureLimit: null, mayCreate: true,
  })));
  const state = async (id: string, from: Store = store) => {
    const run = await from.runs.get({ organization, id });
    return `${run?.state} ${run?.effective} ${run?.endedAtMs}`;
  };
  return { ...all, store, shipper, make, state };
}

test('shipped with the records and one mark: once, however often, and the first end counts', async (t) => {
  const { journal, endTurn, shipper, make, state, store } = await shipping(t);
  await make('a', 'b');
  const opening = { ...sampleOpening(1), organization, run: 'a' };
  journal.open(opening, assert.ifError);
  journal.tightenRun(tighteningOf('a', 30n), assert.ifError);
  journal.tightenRun(tighteningOf('a', 40n), assert.ifError);
  journal.endRun(endOf('a', 'over_budget', 6), assert.ifError);
  journal.endRun(endOf('a', 'expired', 7), assert.ifError);
  journal.endRun(endOf('b', 'expired', 8), assert.ifError);
  endTurn();
  journal.close({ ...sampleRecord(opening, 1), run: 'a' }, () => {});
  endTurn();
  assert.equal(await shipper.pass(), 6);
  assert.equal(await shipper.pass(), 0);
  assert.equal(await state('a'), 'over_budget 30 6');
  assert.match(await state('b'), /^expired \d+ 8$/);
  assert.equal((await store.runs.get({ organization, id: 'a' }))?.spent, sampleRecord(opening, 1).cost);
});

test('recovered from a process that died: an end that a caller saw is in the store before the node is ready', async (t) => {
  const { journal, endTurn, shipper, make, state, writers, directory, die } = await shipping(t, 2);
  await make('a', 'b', 'c');
  journal.endRun(endOf('a', 'expired', 6), assert.ifError);
  journal.open({ ...sampleOpening(1), organization, run: 'b' }, assert.ifError);
  endTurn();
  journal.tightenRun(tighteningOf('b', 3n), assert.ifError);
  journal.endRun(endOf('c', 'over_budget', 9), assert.ifError);
  endTurn();
  die();
  const recovery = await shipper.recover();
  assert.deepEqual([recovery.interrupted, recovery.dead.length], [1, 2]);
  assert.match(await state('a'), /^expired \d+ 6$/);
  assert.equal(await state('b'), 'live 3 null');
  assert.match(await state('c'), /^over_budget \d+ 9$/);
  assert.deepEqual(await shipper.recover(), { dead: [], live: 0, elsewhere: [], interrupted: 0 });
  assert.deepEqual(writers.map(({ path }) => path.startsWith(directory)), [true, true]);
});

test('a segment of only run rows is sealed, shipped and removed like any other', async (t) => {
  const { journal, endTurn, shipper, make, state, writers } = await shipping(t, 1);
  await make('a');
  journal.endRun(endOf('a', 'closed', 2), assert.ifError);
  endTurn();
  assert.ok(segmentRows(writers[0]!.path).sealed);
  await shipper.pass();
  assert.match(await state('a'), /^closed \d+ 2$/);
  assert.throws(() => segmentRows(writers[0]!.path), /it is gone/);
});
