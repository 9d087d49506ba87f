/** Reports on a separate thread, on a real store: the same answers as without one, files piece by piece, faults, the end. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import { nanoDollars } from '@metergate/core/money.ts';
import { StoreFault } from '@metergate/store/engine/fault.ts';
import { sampleRecord } from '@metergate/store/test-support/contract-fixture.ts';
import { freshSqlite, masterKey, platformFixture, type PlatformFixture, type TestOrganization } from '../http/test-support/platform-fixture.ts';
import { operations, platformApp } from '../http/app.ts';
import { othersFirst, UnwantedWork } from '@metergate/store/threads/others-first.ts';
import { eventually } from '@metergate/testkit/eventually.ts';
import { operation } from '../http/operation.ts';
import { JsonText, type FromReports } from './messages.ts';
import type { ReportWorker } from './running-thread.ts';
import { createReports, idleMs, type After, type Reports } from './report-client.ts';
import { createReportDesk } from './report-desk.ts';
import { readingOperations } from './reading-operations.ts';

const startMs = Date.UTC(2026, 8, 1);
const place = freshSqlite();
let context: PlatformFixture;
let one: TestOrganization;
let reports: Reports;
const workers: Worker[] = [];

before(async () => {
  context = await platformFixture(place.url);
  one = await context.organization('one');
  const records = Array.from({ length: 2_500 }, (_, index) => ({
    seq: index + 1, record: sampleRecord(one.id, { startedAtMs: startMs + index, model: `m${index % 3}`, cost: nanoDollars(7n) }),
  }));
  await context.store.calls.ship({ segment: 'seg_reports', through: records.length, records });
  reports = createReports(() => {
    const worker = new Worker(new URL('./report-thread.ts', import.meta.url), { workerData: { databaseUrl: place.url, masterKey } });
    workers.push(worker);
    return worker;
  });
});
after(async () => {
  await reports?.close();
  await context?.end();
  place.remove();
});

const asked = (path: string, from: Pick<PlatformFixture, 'parts'>['parts']) =>
  platformApp(from).request(`http://platform.test${path}`, { headers: { authorization: `Bearer ${one.tokens.viewer}` } });
const elsewhere = () => ({ ...context.parts, reports });

test('what reads long is what the rules say: usage, calls, exports, months, bills and the Baseline\'s report; all of it only reads', () => {
  assert.deepEqual(readingOperations.map(({ id }) => id).sort(),
    [
      'correctionsOfBill', 'downloadUsage', 'exportCalls', 'exportLedger', 'exportMonth', 'exportReceipts', 'find', 'listCalls', 'listRefusals',
      'reconcile', 'repriceUsage', 'showAllocation',
      'showAssessment', 'showCall', 'showCallCost', 'showMonth', 'showOverview', 'showReceipt', 'showRefusal',
      'showRefusals', 'showRunStory', 'showStatement', 'showStatementRows', 'showTeamStatement',
      'showUsage',
      'tryAllocation', 'tryCap',
    ]);
  const posted = readingOperations.filter(({ method, consuming }) => method !== 'get' || consuming === true).map(({ id }) => id);
  assert.deepEqual(posted.sort(), ['correctionsOfBill', 'reconcile', 'repriceUsage', 'tryAllocation'], 'given what they read by, and no more');
});

test('each operation that may take long is one that the thread of reports knows', () => {
  const known = new Set(readingOperations.map(({ id }) => id));
  assert.deepEqual(operations.filter(({ id, readsLong }) => readsLong === true && !known.has(id)).map(({ id }) => id), []);
});

const span = 'from=2026-09-01T00:00:00Z&to=2026-09-02T00:00:00Z';
const questions = [
  '/platform/v1/usage?by=model', '/platform/v1/calls?limit=100', `/platform/v1/exports?format=csv&${span}`,
  `/platform/v1/exports?format=focus&${span}`, `/platform/v1/exports?format=parquet&${span}`,
  '/platform/v1/assessments/asm_nowhere', '/platform/v1/calls?cursor=nothing',
];
for (const path of questions) {
  test(`on the thread and without it, the same answer: ${path}`, async () => {
    const [here, there] = [await asked(path, context.parts), await asked(path, elsewhere())];
    assert.deepEqual([there.status, there.headers.get('content-type')], [here.status, here.headers.get('content-type')]);
    assert.equal(await there.text(), await here.text());
  });
}

test('many at once are each answered with their own, on one thread', async () => {
  const answers = await Promise.all(Array.from({ length: 12 }, async (_, index) => {
    const response = await asked(`/platform/v1/calls?limit=${index + 1}`, elsewhere());
    return ((await response.json()) as { data: unknown[] }).data.length;
  }));
  assert.deepEqual(answers, Array.from({ length: 12 }, (_, index) => index + 1));
  assert.equal(workers.length, 1);
});

test('a caller without the right is refused before the thread gets the request', async () => {
  const before = workers.length;
  const refused = await platformApp(elsewhere()).request('http://platform.test/platform/v1/usage');
  assert.equal(refused.status, 401);
  assert.equal(workers.length, before);
});

test('opening a page starts the thread, once, before the first request', async () => {
  let started = 0;
  const early = createReports(() => {
    started += 1;
    return { postMessage: () => {}, on: () => {} };
  });
  for (let times = 0; times < 2; times += 1) {
    assert.equal((await platformApp({ ...context.parts, reports: early }).request('http://platform.test/')).status, 200);
  }
  assert.equal(started, 1);
});

test('if the thread ends, open requests fail, and the next one starts another', async () => {
  const [worker] = workers;
  const request = { actor: { organization: one.id } as never, params: {}, query: { by: ['day'] }, body: {}, nowMs: 0 };
  // Asked while the thread is stopping and before its end is known, so that it cannot have answered.
  const stopped = worker!.terminate();
  await assert.rejects(reports.run('showUsage', request), /report thread has ended/);
  await stopped;
  assert.equal((await asked('/platform/v1/usage', elsewhere())).status, 200);
  assert.equal(workers.length, 2);
});

test('a thread without requests for some minutes ends, and the next request starts another; reading a file keeps it', async (t) => {
  const timers = new Map<object, () => void>();
  const after: After = (delayMs, task) => {
    assert.equal(delayMs, idleMs);
    const timer = {};
    timers.set(timer, task);
    return () => void timers.delete(timer);
  };
  const pass = (): void => {
    const due = [...timers.values()];
    timers.clear();
    for (const task of due) task();
  };
  const started: Worker[] = [];
  const idle = createReports(() => {
    const worker = new Worker(new URL('./report-thread.ts', import.meta.url), { workerData: { databaseUrl: place.url, masterKey } });
    started.push(worker);
    return worker;
  }, after);
  t.after(() => idle.close());
  const there = { ...context.parts, reports: idle };
  const usage = async () => assert.equal((await asked('/platform/v1/usage', there)).status, 200);
  await usage();
  pass();
  assert.equal((await once(started[0]!, 'exit')).length, 1, 'it ended by itself');
  const file = await asked(`/platform/v1/exports?format=jsonl&${span}`, there);
  const reader = file.body!.getReader();
  assert.equal((await reader.read()).done, false);
  pass();
  await usage();
  assert.equal(started.length, 2, 'the one that makes the file goes on');
  while (!(await reader.read()).done);
  const open = idle.run('showUsage', { actor: { organization: one.id } as never, params: {}, query: { by: ['day'] }, body: {}, nowMs: startMs });
  pass();
  await open;
  assert.equal(started.length, 2, 'nor does it end on a question');
  pass();
  await usage();
  assert.equal(started.length, 3);
});

/** A desk in place of a thread, with operations that the test defines. */
function deskOf(operations: Parameters<typeof createReportDesk>[0]['operations']) {
  let say: (message: FromReports) => void = () => {};
  const desk = createReportDesk({
    operations, context: { store: context.store, randomBytes: () => new Uint8Array() }, post: (message) => say(message),
  });
  const worker: ReportWorker = {
    postMessage: (message) => { if (message.kind !== 'stop') desk.answer(structuredClone(message)); },
    on: (event: string, listener: (value: never) => void) => { if (event === 'message') say = listener as typeof say; },
  };
  return { desk, reports: createReports(() => worker) };
}
const shape = { method: 'get', path: '/x', role: 'viewer', tag: 'x', summary: '', answer: z.unknown(), readsLong: true } as const;
const request = { actor: { organization: 'an organization' } as never, params: {}, query: {}, body: {}, nowMs: 0 };

test('a fault of the store keeps its code, any other its sentence; the desk keeps working', async () => {
  const { reports: asks } = deskOf([
    operation({ ...shape, id: 'away', run: async () => { throw new StoreFault('store_unreachable', 'The store is away.'); } }),
    operation({ ...shape, id: 'broken', run: async () => { throw new TypeError('x is not a function'); } }),
    operation({ ...shape, id: 'well', run: async () => 7 }),
  ]);
  await assert.rejects(asks.run('away', request), (fault) => fault instanceof StoreFault && fault.code === 'store_unreachable');
  await assert.rejects(asks.run('broken', request), /x is not a function/);
  await assert.rejects(asks.run('createKey', request), /no reading operation/);
  assert.deepEqual(await asks.run('well', request), new JsonText('7'));
});

/** Slice after slice, until it is ended. */
async function workWithoutEnd(begun: PromiseWithResolvers<void>, ended: PromiseWithResolvers<void>): Promise<void> {
  try {
    for (let slices = 0; ; slices += 1) {
      if (slices === 3) begun.resolve();
      await othersFirst();
    }
  } finally {
    ended.resolve();
  }
}

test('a file whose reader leaves while a piece is made ends before its next slice', async () => {
  const [ended, begun] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  async function* pieces() {
    await workWithoutEnd(begun, ended);
    yield { text: '', calls: 0 };
  }
  const { desk, reports: asks } = deskOf([
    operation({ ...shape, id: 'file', run: async () => ({ download: { contentType: 'text/csv', fileName: 'x.csv', pieces: pieces() } }) }),
  ]);
  const file = ((await asks.run('file', request)) as { download: { pieces: AsyncIterable<unknown> } }).download.pieces[Symbol.asyncIterator]();
  const piece = file.next().catch((fault: unknown) => fault);
  await begun.promise;
  await file.return!();
  await ended.promise;
  assert.equal(desk.openFiles, 0);
  assert.ok(await piece instanceof Error);
});

test('a report whose asker leaves ends before its next slice, and a file that was made for them meanwhile is released', async () => {
  const [begun, ended, made] = [Promise.withResolvers<void>(), Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let released = 0;
  async function* pieces() {
    try {
      yield { text: '', calls: 0 };
    } finally {
      released += 1;
    }
  }
  const { desk, reports: asks } = deskOf([
    operation({ ...shape, id: 'endless', run: () => workWithoutEnd(begun, ended) }),
    operation({ ...shape, id: 'file', run: async () => {
      await made.promise;
      const file = pieces();
      // So that it has something to release.
      await file.next();
      return { download: { contentType: 'text/csv', fileName: 'x.csv', pieces: file } };
    } }),
    operation({ ...shape, id: 'well', run: async () => 7 }),
  ]);
  const leaving = new AbortController();
  const [report, file] = ['endless', 'file'].map((id) => asks.run(id, request, leaving.signal).catch((fault: unknown) => fault));
  await begun.promise;
  leaving.abort();
  await ended.promise;
  assert.ok(await report instanceof UnwantedWork);
  const meanwhile = new Promise((resume) => void setImmediate(() => resume('it goes on')));
  assert.equal(await Promise.race([file, meanwhile]), 'it goes on', 'as long as the thread works at it, it counts');
  made.resolve();
  assert.ok(await file instanceof UnwantedWork);
  assert.deepEqual(await asks.run('well', request), new JsonText('7'), 'others are answered');
  await eventually(() => released === 1);
  assert.equal(desk.openFiles, 0);
  await assert.rejects(asks.run('well', request, leaving.signal), UnwantedWork, 'nothing begins for one who has left');
});

test('a file that nobody reads to its end is released; one that breaks is a fault to its reader', async () => {
  let ended = 0;
  async function* pieces() {
    try {
      yield { text: 'a', calls: 1 };
      yield { text: 'b', calls: 1 };
      throw new Error('broken off');
    } finally {
      ended += 1;
    }
  }
  const { desk, reports: asks } = deskOf([
    operation({ ...shape, id: 'file', run: async () => ({ download: { contentType: 'text/csv', fileName: 'x.csv', pieces: pieces() } }) }),
  ]);
  const take = async () => ((await asks.run('file', request)) as { download: { pieces: AsyncIterable<{ text: string }> } }).download.pieces;
  for await (const piece of await take()) {
    assert.equal(piece.text, 'a');
    assert.equal(desk.openFiles, 1);
    break;
  }
  await new Promise(setImmediate);
  assert.deepEqual([desk.openFiles, ended], [0, 1]);
  const taken: string[] = [];
  await assert.rejects(async () => { for await (const piece of await take()) taken.push(piece.text); }, /broken off/);
  assert.deepEqual([taken, desk.openFiles, ended], [['a', 'b'], 0, 2]);
});
