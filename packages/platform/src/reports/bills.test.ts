/** Bills are taken apart on another thread, also where the store reads by itself; a thread that needs too much memory ends alone. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { nanoDollars } from '@metergate/core/money.ts';
import { batchOf, sampleRecord } from '@metergate/store/test-support/contract-fixture.ts';
import { platformApp } from '../http/app.ts';
import type { PlatformParts } from '../http/parts.ts';
import { freshSqlite, masterKey, platformFixture, type PlatformFixture, type TestOrganization } from '../http/test-support/platform-fixture.ts';
import { createReports, reportThreadHeap, type Reports } from './report-client.ts';
import { replicaFirst } from './replica-first.ts';
import { ReportsOutOfMemory } from './running-thread.ts';

const place = freshSqlite();
let context: PlatformFixture;
let acme: TestOrganization;
const open: Reports[] = [];
/** What threads were asked, and the sizes of their heaps. */
const asked: string[] = [];
const started: number[] = [];

before(async () => {
  context = await platformFixture(place.url);
  acme = await context.organization('acme');
  await context.store.calls.ship(batchOf('seg_bills', [sampleRecord(acme.id, {
    startedAtMs: Date.UTC(2026, 2, 2), model: 'gpt-6', inputTokens: 100, outputTokens: 10, cost: nanoDollars(250_000_000n),
  })]));
});
after(async () => {
  await Promise.all(open.map((each) => each.close()));
  await context?.end();
  place.remove();
});

function threadOf(sizes: readonly number[]): Reports {
  const left = [...sizes];
  const reports = createReports(() => {
    const maxOldGenerationSizeMb = left.shift()!;
    started.push(maxOldGenerationSizeMb);
    return new Worker(new URL('./report-thread.ts', import.meta.url), {
      workerData: { databaseUrl: place.url, masterKey }, resourceLimits: { maxOldGenerationSizeMb },
    });
  });
  open.push(reports);
  return { ...reports, run: (operation, request) => {
    asked.push(operation);
    return reports.run(operation, request);
  } };
}

async function send(parts: PlatformParts, path: string, body: unknown): Promise<readonly [status: number, body: Record<string, unknown>]> {
  const answer = await platformApp(parts).request(`http://platform.test/platform/v1${path}`, {
    method: 'POST', body: JSON.stringify(body), headers: { authorization: `Bearer ${acme.tokens.admin}`, 'content-type': 'application/json' },
  });
  return [answer.status, await answer.json() as Record<string, unknown>];
}

const bill = { provider: 'openai', file: JSON.stringify({ data: [{
  start_time: Date.UTC(2026, 2, 2) / 1_000, end_time: Date.UTC(2026, 2, 3) / 1_000,
  results: [{ amount: { value: 0.35, currency: 'usd' }, line_item: 'gpt-6, input' }],
}] }) };

test('where the store reads by itself, bills alone are taken apart on a thread, with the same answers and the same rows', async () => {
  const bills = threadOf([reportThreadHeap.maxOldGenerationSizeMb]);
  const there = { ...context.parts, bills };
  for (const path of ['/reconciliations', '/corrections']) {
    const [here, elsewhere] = [await send(context.parts, path, bill), await send(there, path, bill)];
    const fixed = (text: string): string => text.replaceAll(/"(?:id|recordedAt)":"[^"]*"/g, '');
    assert.deepEqual([elsewhere[0], fixed(JSON.stringify(elsewhere[1]))], [here[0], fixed(JSON.stringify(here[1]))]);
    assert.ok(here[0] < 300);
  }
  assert.deepEqual(await send(there, '/corrections', { provider: 'openai', file: '{}' }), await send(context.parts, '/corrections', {
    provider: 'openai', file: '{}',
  }));
  assert.deepEqual(asked.splice(0), ['reconcile', 'correctionsOfBill', 'correctionsOfBill']);
  assert.equal((await context.store.corrections.list({ organization: acme.id })).length, 1);
});

test('a thread that needs too much memory ends alone: 503 to those who asked it, a word to the operator, and the next one starts', async () => {
  started.length = 0;
  const bills = threadOf([48, reportThreadHeap.maxOldGenerationSizeMb]);
  const columns = Array.from({ length: 1_900 }, (_, index) => `c${index}`).join();
  const large = { provider: 'azure', file: `Date,MeterName${columns}\n${`2026-03-02,gpt${',ab'.repeat(1_800)}\n`.repeat(2_000)}` };
  const [status, body] = await send({ ...context.parts, bills }, '/reconciliations', large);
  assert.deepEqual([status, (body['error'] as { code: string }).code], [503, 'busy']);
  assert.ok(context.reports.splice(0).some((fault) => fault instanceof ReportsOutOfMemory));
  assert.equal((await send({ ...context.parts, bills }, '/reconciliations', bill))[0], 200);
  assert.deepEqual(started, [48, reportThreadHeap.maxOldGenerationSizeMb]);
});

test('what was too much for the thread of a replica is not asked of the primary', async () => {
  const fault = new ReportsOutOfMemory(null);
  const replica: Reports = { begin: () => {}, run: async () => { throw fault; }, close: async () => {} };
  const primary: Reports = { ...replica, run: async () => assert.fail('asked') };
  const both = replicaFirst({ replica, primary, say: () => assert.fail('the replica answers') });
  await assert.rejects(both.run('reconcile', { actor: null as never, params: {}, query: {}, body: {}, nowMs: 0 }), fault);
});
