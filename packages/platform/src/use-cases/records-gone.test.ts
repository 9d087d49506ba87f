/**
 * What reports say about a period whose records were removed for their age, and that an export does not silently lack records that are removed
 * while it is generated. Decision 0032.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { batchOf, sampleRecord } from '@metergate/store/test-support/contract-fixture.ts';
import { StoreFault } from '@metergate/store/engine/fault.ts';
import { keptCalls } from '@metergate/testkit/kept-calls.ts';
import { freshSqlite, granted, platformFixture, type PlatformFixture, type TestOrganization } from '../http/test-support/platform-fixture.ts';
import { recordCorrections } from './corrections/corrections.ts';
import { exportCalls } from './exports.ts';
import { showOrganization } from './organizations.ts';
import { reconcile } from './reconcile/reconcile.ts';
import { makeStatement } from './statements/month-statement.ts';

const place = freshSqlite();
const dayMs = 86_400_000;
const monthMs = Date.UTC(2026, 0, 1);
/** Two records an hour from the month's beginning on. */
const count = 2_400;
const atMs = (record: number): number => monthMs + record * 1_800_000;
let context: PlatformFixture;
let one: TestOrganization;
let goneBefore: string;

const useCases = () => ({ store: context.store, randomBytes: context.parts.randomBytes, nowMs: monthMs + 90 * dayMs });
const bill = (day: number) => JSON.stringify({
  object: 'page', data: [{
    object: 'bucket', start_time: (monthMs + day * dayMs) / 1_000, end_time: (monthMs + (day + 1) * dayMs) / 1_000,
    results: [{ object: 'organization.costs.result', amount: { value: 1, currency: 'usd' }, line_item: 'gpt-6', project_id: null }],
  }], has_more: false, next_page: null,
});
/** Everything that started before that record, up to the last signed place. */
async function remove(upTo: number): Promise<void> {
  const nowMs = atMs(upTo) + 31 * dayMs;
  while ((await context.store.retention.removeSlice(one.id, { nowMs, rowsMax: 500 })).more);
}

before(async () => {
  context = await platformFixture(place.url);
  one = await context.organization('one');
  for (let from = 0; from < count; from += 200) {
    await context.store.calls.ship(batchOf(`seg_${from}`, Array.from({ length: 200 }, (_, index) =>
      sampleRecord(one.id, { startedAtMs: atMs(from + index), inputTokens: 7, usage: 'reported' }))));
  }
  granted(await context.store.organizations.set(one.id, { keepRecordsDays: 31 }));
  await remove(1_100);
  goneBefore = new Date(atMs(999) + 1).toISOString();
});
after(async () => {
  await context?.end();
  place.remove();
});

test('if an earlier time is requested, usage says from when on it is complete', async () => {
  const token = one.tokens.viewer;
  const usage = async (since: string) => (await context.ask(`/platform/v1/usage?by=month&since=${since}&until=2026-03-01`, { token })).body;
  assert.deepEqual([(await usage('2026-01-01'))['recordsGoneBefore'], (await usage('2026-02-01'))['recordsGoneBefore']], [goneBefore, null]);
  assert.equal((granted(await showOrganization(useCases(), one.id))).recordsGoneBefore, goneBefore);
});

test('the statement of a month that lost calls says so, that of a later month does not', async () => {
  const january = granted(await makeStatement(useCases(), { organization: one.id, monthMs }));
  assert.match(january.html, new RegExp(`Records before ${goneBefore} were removed for their age: the month is incomplete`));
  const february = granted(await makeStatement(useCases(), { organization: one.id, monthMs: Date.UTC(2026, 1, 1) }));
  assert.doesNotMatch(february.html, /were removed/);
});

test('a bill of days whose records were removed is compared with a notice, and not recorded', async () => {
  const of = (day: number) => ({ organization: one.id, provider: 'openai', text: bill(day) });
  assert.equal(granted(await reconcile(useCases(), of(3))).recordsGoneBefore, goneBefore);
  assert.equal(granted(await reconcile(useCases(), of(40))).recordsGoneBefore, null);
  assert.match(JSON.stringify(await recordCorrections(useCases(), of(3))), /invalid_bill.*were removed for their age/);
  granted(await recordCorrections(useCases(), of(25)));
  assert.equal((await context.store.corrections.list({ organization: one.id })).length, 1);
});

test('an export of a partly removed period contains what is left; if records are removed meanwhile, it ends with a sentence', async () => {
  const query = { organization: one.id, format: 'jsonl' as const, fromMs: monthMs, toMs: monthMs + 90 * dayMs };
  let calls = 0;
  for await (const piece of granted(await exportCalls(useCases(), query)).pieces) calls += piece.calls;
  assert.equal(calls, count - 1_000);
  await remove(2_050);
  assert.equal((await keptCalls(context.store, one.id)).length, 400);
  await context.store.calls.ship(batchOf('seg_more', Array.from({ length: 1_600 }, (_, index) =>
    sampleRecord(one.id, { startedAtMs: atMs(count + index), labels: [] }))));
  await assert.rejects((async () => {
    let pieces = 0;
    for await (const _piece of granted(await exportCalls(useCases(), query)).pieces) if ((pieces += 1) === 1) await remove(count + 1_600);
  })(), (fault: unknown) => fault instanceof StoreFault && fault.code === 'records_gone' && /Export from that time on/.test(fault.message));
  assert.deepEqual(await context.store.corrections.list({ organization: one.id }), [], 'a day that lost calls has no correction');
});
