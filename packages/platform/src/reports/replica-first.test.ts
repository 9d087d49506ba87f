/** Reports are read from a replica that takes no writes, and from the store itself if the replica does not answer. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { nanoDollars } from '@metergate/core/money.ts';
import { newDatabase, sampleRecord } from '@metergate/store/test-support/contract-fixture.ts';
import { testPostgres, type TestPostgres } from '@metergate/testkit/postgres.ts';
import { masterKey, platformFixture, type PlatformFixture, type TestOrganization } from '../http/test-support/platform-fixture.ts';
import { platformApp } from '../http/app.ts';
import { replicaFirst } from './replica-first.ts';
import { createReports, type Reports } from './report-client.ts';

const startMs = Date.UTC(2026, 8, 1);
const said: string[] = [];
const open: Reports[] = [];
let server: TestPostgres;
let url: string;
let context: PlatformFixture;
let one: TestOrganization;

before(async () => {
  server = await testPostgres();
  url = await newDatabase(server);
  context = await platformFixture(url);
  one = await context.organization('one');
  const records = Array.from({ length: 300 }, (_, index) => ({
    seq: index + 1, record: sampleRecord(one.id, { startedAtMs: startMs + index, model: `m${index % 3}`, labels: ['a'], cost: nanoDollars(7n) }),
  }));
  await context.store.calls.ship({ segment: 'seg_reports', through: records.length, records });
});
after(async () => {
  await Promise.all(open.map((each) => each.close()));
  await context?.end();
  await server?.stop();
});

function reportsAt(databaseUrl: string): Reports {
  const reports = createReports(() => new Worker(new URL('./report-thread.ts', import.meta.url), { workerData: { databaseUrl, masterKey } }));
  open.push(reports);
  return reports;
}

/** Like a standby: it reads, and refuses every write. */
function readOnly(): string {
  const address = new URL(url);
  address.searchParams.set('options', '-c default_transaction_read_only=on');
  return address.href;
}

const nobody: Reports = { begin: () => {}, run: async () => { throw new Error('nobody is to be asked'); }, close: async () => {} };
const asked = async (path: string, reports: Reports | null): Promise<readonly [number, string]> => {
  const answer = await platformApp({ ...context.parts, reports })
    .request(`http://platform.test${path}`, { headers: { authorization: `Bearer ${one.tokens.viewer}` } });
  return [answer.status, await answer.text()];
};

const span = 'from=2026-09-01T00:00:00Z&to=2026-09-02T00:00:00Z';
const range = 'since=2026-09-01T00:00:00Z&until=2026-09-02T00:00:00Z';
const questions = [
  `/platform/v1/usage?by=model,day&${range}`, `/platform/v1/usage?by=label&${range}`, '/platform/v1/calls?limit=100',
  `/platform/v1/overview?${range}`, `/platform/v1/exports?format=csv&${span}`, `/platform/v1/exports?format=parquet&${span}`,
  '/platform/v1/statement?month=2026-09', '/platform/v1/receipts',
];

test('a replica that takes no writes answers every report as the store does', async () => {
  const reports = replicaFirst({ replica: reportsAt(readOnly()), primary: nobody, say: (sentence) => said.push(sentence) });
  for (const path of questions) {
    const [status, text] = await asked(path, reports);
    const [there, whole] = await asked(path, null);
    assert.deepEqual([path, status], [path, there]);
    // The last line of receipts says when it was signed.
    const fixed = (answer: string): string => path.endsWith('/receipts') ? answer.split('\n').slice(0, -2).join('\n') : answer;
    assert.ok(fixed(text) === fixed(whole), path);
  }
  assert.deepEqual(said, []);
});

test('if the replica does not answer, the store does, and the operator is warned', async () => {
  const away = new URL(url);
  away.port = '1';
  const reports = replicaFirst({ replica: reportsAt(away.href), primary: reportsAt(url), say: (sentence) => said.push(sentence) });
  assert.deepEqual(await asked(questions[0]!, reports), await asked(questions[0]!, null));
  assert.equal(said.length, 1);
  assert.match(said[0]!, /SVC_REPORTS_DATABASE_URL does not answer/);
  assert.ok(!said[0]!.includes(new URL(url).password));
});

test('if neither answers, the fault is the store\'s', async () => {
  const primary: Reports = { begin: () => {}, run: async () => { throw new Error('the store is away'); }, close: async () => {} };
  const reports = replicaFirst({ replica: nobody, primary, say: () => {} });
  await assert.rejects(reports.run('showUsage', { actor: null as never, params: {}, query: {}, body: {}, nowMs: 0 }), /the store is away/);
});
