/**
 * Records that are removed for their age, the same on SQLite and on PostgreSQL: after every slice the sums of reports are those of the
 * remaining records, spend stays, and a chain that lost its beginning says so, signed. Decision 0032.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { OrganizationId, ServiceKeyId } from '@metergate/core/id.ts';
import { nanoDollars, nanoDollarsMax, type NanoDollars } from '@metergate/core/money.ts';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import { keptCalls } from '@metergate/testkit/kept-calls.ts';
import type { CallPlace } from '../calls/call-pages.ts';
import type { RepricedSlice } from '../spend/call-corrections.ts';
import type { Store } from '../store.ts';
import { batchOf, drawing, granted, refusalCode, sampleRecord, startMs, type EngineFixture } from '../test-support/contract-fixture.ts';
import { bothEngines, contractStores } from '../test-support/contract-store.ts';

const contractStore = contractStores();
const dayMs = 86_400_000;
const days = 31;
const keepGoing = async (): Promise<boolean> => true;

/** In the order of their arrival, over forty days: each up to a day late. A chain is cut behind every thousandth: 2,000 are cut once. */
function recordsOf(organization: OrganizationId, count: number, draw: (below: number) => number): CallRecord[] {
  return Array.from({ length: count }, (_, at) => sampleRecord(organization, {
    startedAtMs: startMs + Math.floor((at / count) * 40 * dayMs) - draw(dayMs),
    key: `key_${draw(4)}` as ServiceKeyId, project: draw(4) === 0 ? null : `p\0${draw(5)}`,
    labels: Array.from({ length: draw(4) }, () => ['a', 'ünï', '🤖', '=1'][draw(4)]!),
    run: draw(3) === 0 ? null : `run-${draw(50)}`, model: draw(6) === 0 ? null : `model ${draw(4)}`,
    inputTokens: draw(4) === 0 ? null : draw(100_000), outputTokens: draw(4) === 0 ? null : draw(5_000),
    cost: draw(5) === 0 ? null : nanoDollars(BigInt(draw(1_000_000_000))), costSource: draw(5) === 0 ? 'unpriced' : 'priced',
    outcome: (['completed', 'completed', 'failed', 'cut'] as const)[draw(4)]!, status: [200, 429, 500, null][draw(4)]!,
    cacheSavings: draw(4) === 0 ? null : ((BigInt(draw(1_000_000)) - 500_000n) as NanoDollars),
    costGaps: draw(4) === 0 ? ['service_tier'] : [], usage: (['reported', 'partial', 'unknown', 'none'] as const)[draw(4)]!,
    firstByteMs: draw(5_000) / 7, durationMs: draw(60_000) / 3,
  }));
}

async function ship(store: Store, segment: string, records: readonly CallRecord[]): Promise<void> {
  for (let from = 0; from < records.length; from += 300) {
    await store.calls.ship(batchOf(segment, records.slice(from, from + 300), from + 1));
  }
}

const figures = `calls, input_tokens, cached_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost_nano, cache_savings_nano, saved_calls,
  unknown_calls, unpriced_calls, gap_calls`;
const attributed = 'a.key || a.project || a.model || a.wire || a.endpoint as attribution';

/** Every sum that reports are based on, as text, without its owner. */
async function sumsOf(context: EngineFixture, url: string, organization: OrganizationId): Promise<string[]> {
  const statements = [
    `select 'named' as sum, dimension, day_ms, subject, ${figures} from usage_sum where organization = $1`,
    `select 'attributed' as sum, ${attributed}, span, start_ms, ${figures} from attribution_sum as s join attribution as a on a.id = s.attribution
      where a.organization = $1`,
    `select 'word' as sum, ${attributed}, dimension, subject, day_ms, ${figures} from word_sum as s join attribution as a on a.id = s.attribution
      where s.organization = $1`,
    `select 'hour' as sum, hour_ms, figure, amount from hour_sum where organization = $1`,
  ];
  const rows = await Promise.all(statements.map((statement) => context.query(url, statement, [organization])));
  return rows.flat().map((row) => Object.values(row).map(String).join(' | ')).sort();
}

/** Slices until nothing is due. */
async function removeAll(store: Store, organization: OrganizationId, nowMs: number, rowsMax = 200): Promise<{ records: number; events: number }> {
  const removed = { records: 0, events: 0 };
  for (;;) {
    const { records, events, more } = await store.retention.removeSlice(organization, { nowMs, rowsMax });
    removed.records += records;
    removed.events += events;
    if (!more) return removed;
  }
}

for (const on of bothEngines) {
  describe(`retention on ${on.title}`, async () => {
    const { context, url, store, another, newOrganization } = await contractStore(on);
    const draw = drawing(0x51ce_0001);
    const keeping = async (of?: OrganizationId): Promise<OrganizationId> => {
      const organization = of ?? await newOrganization();
      await granted(store.organizations.set(organization, { keepRecordsDays: days }));
      return organization;
    };
    /** By one that has found nothing sound yet, and so reads all records. */
    const reconciled = async () => (await (await another()).spendReconciler.reconcile(keepGoing))!;
    const listed = (organization: OrganizationId) => keptCalls(store, organization);
    const spent = async (organization: OrganizationId): Promise<readonly unknown[]> => (await context.query(url,
      `select scope, subject, day_ms, spent_nano, calls, unknown_calls, unpriced_calls, gap_calls from spend_day
        where organization = $1`, [organization]))
      .map((row) => Object.values(row).map(String).join(' | ')).sort();

    test('nothing is removed without an age, and an age below a month is refused', async () => {
      const organization = await newOrganization();
      await ship(store, 'seg_kept', recordsOf(organization, 300, draw));
      assert.deepEqual(await removeAll(store, organization, startMs + 4_000 * dayMs), { records: 0, events: 0 });
      for (const wrong of [30, 0, -1, 31.5, 36_501]) {
        assert.equal(await refusalCode(store.organizations.set(organization, { keepRecordsDays: wrong })), 'invalid_setting');
      }
      assert.equal((await granted(store.organizations.set(organization, { keepRecordsDays: 31 }))).keepRecordsDays, 31);
      assert.deepEqual((await store.retention.organizations()).map((each) => each.organization), [organization]);
      assert.equal((await granted(store.organizations.set(organization, { keepRecordsDays: null }))).keepRecordsDays, null);
      assert.equal(await store.retention.progress(organization), null);
    });

    test('the correction of a call is removed with its record, and none is made for a removed record', async () => {
      const organization = await keeping();
      await ship(store, 'seg_corrected', recordsOf(organization, 2_000, draw));
      const calls: RepricedSlice['calls'][number][] = [];
      for await (const page of store.callWalk.walk({ organization, fromMs: 0, toMs: startMs + 100 * dayMs })) {
        calls.push(...page.map(({ record: { key, project, startedAtMs }, place: { sequence } }) => ({ sequence, key, project, startedAtMs })));
      }
      const made = { recorded: nanoDollars(1n), cost: nanoDollars(3n), costGaps: [], priceList: 'list' };
      const corrections = new Map(calls.map(({ sequence }) => [sequence, made]));
      const replace = () => store.callCorrections.replace({ organization, calls, corrections, counted: true, audited: false });
      const sum = async () => (await store.callCorrections.sums({ organization, by: [], everyMs: null, filter: {} }))[0]!;
      const kept = async () => (await context.query(url, 'select sequence from call_correction where organization = $1', [organization])).length;
      const spentInAll = async () => BigInt((await context.query(url, `select cast(spent_nano as text) as spent from spend_day where organization = $1
        and scope = 'organization' and day_ms = -1`, [organization]))[0]!['spent'] as string);
      const recorded = await spentInAll();
      assert.deepEqual([await replace(), await replace(), (await sum()).amount], [2_000, 0, 4_000n]);
      assert.equal(await spentInAll(), recorded + 4_000n);
      const { records } = await removeAll(store, organization, startMs + 60 * dayMs);
      assert.ok(records > 500 && records < 2_000);
      assert.deepEqual([await kept(), (await sum()).amount], [2_000 - records, BigInt(2_000 - records) * 2n]);
      assert.deepEqual([await replace(), await kept()], [0, 2_000 - records]);
      assert.equal(await spentInAll(), recorded + 4_000n, 'what caps count of it is not refunded either');
      assert.deepEqual((await store.spendReconciler.reconcile(async () => true))!
        .differences.filter((each) => each.organization === organization), []);
    });

    test('after every slice each sum is that of the records left, caps are not refunded, and another organization keeps all', async () => {
      const [organization, other] = [await keeping(), await newOrganization()];
      const records = recordsOf(organization, 2_000, draw);
      await ship(store, 'seg_mixed', records);
      await ship(store, 'seg_mixed_other', records.slice(0, 280).map((record) => ({ ...record, organization: other })));
      const [before, others] = [await spent(organization), await sumsOf(context, url, other)];
      // Twenty-five of the forty days are past the age.
      const nowMs = startMs + (25 + days) * dayMs;
      let removed = 0;
      for (let slice = 0; ; slice += 1) {
        const done = await store.retention.removeSlice(organization, { nowMs, rowsMax: 120 });
        removed += done.records;
        const left = await listed(organization);
        assert.equal(left.length, 2_000 - removed);
        if (slice % 4 === 0 || !done.more) {
          const alike = await newOrganization();
          await ship(store, `seg_left_${slice}`, left.toReversed().map((record) => ({ ...record, organization: alike })));
          assert.deepEqual(await sumsOf(context, url, organization), await sumsOf(context, url, alike));
        }
        if (!done.more) break;
      }
      const left = await listed(organization);
      assert.ok(removed >= 1_000, `${removed} removed`);
      const kept = new Set(left.map(({ id }) => id));
      assert.ok(records.every(({ id, startedAtMs }) => startedAtMs < nowMs - days * dayMs || kept.has(id)), 'nothing young goes');
      const { goneBeforeMs, removedRecords } = (await store.retention.progress(organization))!;
      assert.equal(removedRecords, removed);
      assert.ok(records.every(({ id, startedAtMs }) => kept.has(id) || startedAtMs < goneBeforeMs!));
      assert.deepEqual(await spent(organization), before);
      assert.deepEqual([await sumsOf(context, url, other), (await listed(other)).length], [others, 280]);
      assert.deepEqual((await reconciled()).differences, []);
      // A report of the time that is left is that of the records.
      const [row] = (await store.usageReports.usage({ organization, by: [], rowsMax: 1 }))!;
      assert.equal(Number(row!.figures[0]), left.length);
    });

    test('a day without a record still counts in every window that is not over, and is removed after them', async () => {
      const organization = await keeping();
      const yearMs = Date.UTC(2026, 0, 1);
      const at = (day: number): CallRecord =>
        sampleRecord(organization, { startedAtMs: yearMs + day * dayMs, cost: nanoDollars(10n), project: null });
      const year = async (nowMs: number) => {
        const { year: found, lifetime } = (await store.spend.sumsOfAll([{ organization, key: 'key_none' as ServiceKeyId }], nowMs))[0]!.organization;
        return [found.spent, lifetime.spent];
      };
      const rows = async () => (await context.query(url, `select day_ms from spend_day where organization = $1 and scope = 'organization'
        order by day_ms`, [organization])).map((row) => (Number(row['day_ms']) - yearMs) / dayMs).slice(1);
      await ship(store, 'seg_day_first', [at(-40)]);
      assert.deepEqual(await removeAll(store, organization, yearMs - 8 * dayMs), { records: 1, events: 0 });
      await ship(store, 'seg_day_second', [at(-1)]);
      assert.deepEqual([await rows(), await year(yearMs - dayMs)], [[-40, -1], [20n, 20n]]);
      assert.deepEqual(await removeAll(store, organization, yearMs + (10 + days) * dayMs), { records: 1, events: 0 });
      await ship(store, 'seg_day_third', [at(50)]);
      assert.deepEqual([await rows(), await year(yearMs + 60 * dayMs)], [[50], [10n, 30n]]);
      assert.deepEqual((await reconciled()).differences, []);
    });

    test('how far removal is behind is measured by the oldest record past its age, page by page', async () => {
      const [late, later, none] = [await keeping(), await keeping(), await keeping()];
      await ship(store, 'seg_behind_late', [sampleRecord(late, { startedAtMs: startMs })]);
      await ship(store, 'seg_behind_later', [sampleRecord(later, { startedAtMs: startMs + dayMs })]);
      await ship(store, 'seg_behind_unkept', [sampleRecord(await newOrganization(), { startedAtMs: startMs - 90 * dayMs })]);
      const behind = async (nowMs: number, limit: number): Promise<number> => {
        let most = 0;
        for (let after: OrganizationId | null = null; ;) {
          const { behindMs, next } = await store.retention.behind(nowMs, { after, limit });
          most = Math.max(most, behindMs);
          if (next === null) return most;
          after = next;
        }
      };
      // Those of other tests are of the same days, or have no record left.
      for (const { organization } of await store.retention.organizations()) {
        if (![late, later, none].includes(organization)) await granted(store.organizations.set(organization, { keepRecordsDays: null }));
      }
      for (const limit of [1, 2, 100]) {
        assert.equal(await behind(startMs + days * dayMs, limit), 0);
        assert.equal(await behind(startMs + (days + 3) * dayMs, limit), 3 * dayMs);
      }
      await removeAll(store, late, startMs + (days + 3) * dayMs);
      assert.equal(await behind(startMs + (days + 3) * dayMs, 2), 2 * dayMs);
    });

    test('a record that arrives late, of days already removed, is counted, and later removed as well', async () => {
      const organization = await keeping();
      const nowMs = startMs + (60 + days) * dayMs;
      await ship(store, 'seg_early', recordsOf(organization, 400, draw));
      assert.deepEqual(await removeAll(store, organization, nowMs), { records: 400, events: 0 });
      await ship(store, 'seg_late', recordsOf(organization, 50, draw));
      assert.equal((await store.usageReports.usage({ organization, by: [], rowsMax: 1 }))![0]!.figures[0], 50);
      assert.deepEqual((await reconciled()).differences, []);
      assert.deepEqual(await removeAll(store, organization, nowMs), { records: 50, events: 0 });
      assert.deepEqual(await sumsOf(context, url, organization), []);
      const all = await context.query(url, `select calls, gone_calls from spend_day where organization = $1 and scope = 'organization'
        and day_ms = -1`, [organization]);
      assert.deepEqual(all.map((each) => [Number(each['calls']), Number(each['gone_calls'])]), [[450, 450]]);
      assert.deepEqual((await reconciled()).differences, []);
    });

    test('a sum that stopped at the bound stays there until its last record is removed', async () => {
      const organization = await keeping();
      const of = (at: number): CallRecord => sampleRecord(organization, { startedAtMs: startMs + at, cost: nanoDollars(nanoDollarsMax), labels: [] });
      await ship(store, 'seg_bound', [of(1), of(2), of(3)]);
      await removeAll(store, organization, startMs + (1 + days) * dayMs);
      assert.deepEqual(await sumsOf(context, url, organization), []);
      assert.deepEqual((await reconciled()).differences, []);
    });

    test('the chain begins after a signed cut, at a checkpoint; the rest is unbroken', async () => {
      const organization = await keeping();
      await ship(store, 'seg_chain', recordsOf(organization, 3_000, draw));
      assert.equal((await store.receipts.open(organization)).pruned, null);
      await removeAll(store, organization, startMs + (30 + days) * dayMs);
      const chain = await store.receipts.open(organization);
      const { pruned } = chain;
      assert.ok(pruned !== null && pruned.last >= 1_000 && pruned.last < 3_000, JSON.stringify(pruned));
      assert.equal(chain.length, 3_000);
      assert.equal(await store.receipts.hashBefore(organization, pruned.last + 1), pruned.hash);
      assert.equal(await store.receipts.hashBefore(organization, pruned.last), null);
      const [first] = await store.receipts.page(organization, { first: 1, last: 3_000, limit: 1 });
      assert.equal(first!.sequence, pruned.last + 1);
      assert.deepEqual((await store.receipts.checkpointsAround(organization, { first: 1, last: 3_000 })).map(({ last }) => last)[0], pruned.last);
      // Once more, a month on: the head is signed, so nothing need stay.
      await removeAll(store, organization, startMs + (50 + days) * dayMs);
      assert.equal((await store.receipts.open(organization)).pruned!.last, 3_000);
      assert.deepEqual(await listed(organization), []);
      await ship(store, 'seg_after', [sampleRecord(organization, { startedAtMs: startMs + 50 * dayMs })]);
      const [next] = await store.receipts.page(organization, { first: 1, last: 9_000, limit: 9 });
      assert.equal(next!.sequence, 3_001);
    });

    test('a batch of many records is cut behind its last one, and not while one of them is young', async () => {
      const organization = await keeping();
      const records = Array.from({ length: 6_000 }, (_, at) => sampleRecord(organization, { startedAtMs: startMs + at, labels: [], project: null }));
      await store.calls.ship(batchOf('seg_large', records));
      await ship(store, 'seg_large_after', [sampleRecord(organization, { startedAtMs: startMs + 9 * dayMs })]);
      assert.deepEqual(await removeAll(store, organization, startMs + 5_500 + days * dayMs), { records: 0, events: 0 });
      assert.deepEqual(await removeAll(store, organization, startMs + dayMs + days * dayMs, 2_000), { records: 6_000, events: 0 });
      assert.equal((await store.receipts.open(organization)).pruned!.last, 6_000);
    });

    test('if the record at the cut is not the signed one, nothing is removed', async () => {
      const organization = await keeping();
      await ship(store, 'seg_forged', recordsOf(organization, 1_200, draw));
      const zeros = on.title === 'SQLite' ? `x'00'` : `'\\x00'::bytea`;
      await context.query(url, `update call_record set receipt_hash = ${zeros} where organization = $1`, [organization]);
      await assert.rejects(removeAll(store, organization, startMs + (50 + days) * dayMs), { code: 'receipts_differ' });
      assert.equal((await listed(organization)).length, 1_200);
    });

    test('a list that is being read ends where its records were removed, and an invalid cursor is still invalid', async () => {
      const organization = await keeping();
      await ship(store, 'seg_read', recordsOf(organization, 6, draw));
      const page = (after?: CallPlace) => store.callPages.page({ organization, limit: 3, ...(after === undefined ? {} : { after }) });
      const place = (await page())!.at(-1)!;
      assert.equal((await page(place))!.length, 3);
      assert.deepEqual(await removeAll(store, organization, startMs + 4_000 * dayMs), { records: 6, events: 0 });
      assert.deepEqual(await page(place), []);
      assert.equal(await page({ ...place, startedAtMs: startMs + 4_000 * dayMs }), null);
    });

    test('a live run keeps who began it and what it spent', async () => {
      const organization = await keeping();
      await context.query(url, `insert into run
        (organization, id, state, spent_nano, unknown_calls, gap_calls, started_at_ms, confirmed, last_call_at_ms, change)
        values ($1, 'long', 'live', 7, 0, 0, ${startMs}, 1, ${startMs}, 0)`, [organization]);
      const of = (at: number, key: string) => sampleRecord(organization, { startedAtMs: startMs + at, run: 'long', key: key as ServiceKeyId });
      await ship(store, 'seg_run', [of(0, 'key_first'), of(1, 'key_second')]);
      assert.equal(await store.callPages.beganBy(organization, 'long'), 'key_first');
      await removeAll(store, organization, startMs + (2 + days) * dayMs, 1);
      await ship(store, 'seg_run_on', [of(40 * dayMs, 'key_third')]);
      assert.equal(await store.callPages.beganBy(organization, 'long'), 'key_first');
      await context.query(url, "update run set began_by = null, state = 'closed' where organization = $1", [organization]);
      assert.equal(await store.callPages.beganBy(organization, 'long'), null, 'what is left of a run does not say who began it');
    });

    test('an erased organization\'s records stay, under an end that begins where its chain does', async () => {
      const organization = await keeping();
      await ship(store, 'seg_erased', recordsOf(organization, 2_500, draw));
      await removeAll(store, organization, startMs + (20 + days) * dayMs);
      const { pruned } = await store.receipts.open(organization);
      await granted(store.erasure.begin(organization));
      while (await store.erasure.eraseSlice());
      const left = (await listed(organization)).length;
      assert.deepEqual(await removeAll(store, organization, startMs + 4_000 * dayMs), { records: 0, events: 0 });
      assert.equal((await listed(organization)).length, left);
      assert.deepEqual((await store.retention.organizations()).filter((each) => each.organization === organization), []);
      const { end } = await store.receipts.open(organization);
      assert.deepEqual([end!.first, end!.previous, end!.last], [pruned!.last + 1, pruned!.hash, 2_500]);
      assert.deepEqual((await reconciled()).differences, []);
    });

    test('two platforms that remove at once, as after one stood still, remove each record once and count it once', async () => {
      const organization = await keeping();
      await ship(store, 'seg_twice', recordsOf(organization, 2_000, draw));
      const stores = [store, await another()];
      const nowMs = startMs + (50 + days) * dayMs;
      // The chain is cut.
      await store.retention.removeSlice(organization, { nowMs, rowsMax: 60 });
      const removed = await Promise.all(stores.map((each) => removeAll(each, organization, nowMs, 60)));
      const progress = await store.retention.progress(organization);
      assert.deepEqual([removed[0]!.records + removed[1]!.records, progress?.removedRecords], [2_000, 2_000]);
      assert.deepEqual([await listed(organization), await sumsOf(context, url, organization)], [[], []]);
    });

    test('shippers of several nodes and removal at once: nobody waits in a circle, and sums are those of the records', async () => {
      const organization = await keeping();
      await ship(store, 'seg_race_old', recordsOf(organization, 1_500, draw));
      const stores = [await another(), await another()];
      const nowMs = startMs + (45 + days) * dayMs;
      await Promise.all([
        removeAll(store, organization, nowMs, 60),
        ...stores.map((each, node) => ship(each, `seg_race_${node}`, recordsOf(organization, 600, drawing(7 + node)).map((record) => ({
          ...record, startedAtMs: record.startedAtMs + draw(2) * 20 * dayMs, run: record.run === null ? null : `run-${draw(9)}`,
        })))),
      ]);
      const alike = await newOrganization();
      await ship(store, 'seg_race_alike', (await listed(organization)).toReversed().map((record) => ({ ...record, organization: alike })));
      assert.deepEqual(await sumsOf(context, url, organization), await sumsOf(context, url, alike));
      assert.deepEqual((await reconciled()).differences, []);
    });

    test('killed at any moment it leaves sums that equal the records, and continues', async () => {
      const organization = await keeping();
      await ship(store, 'seg_killed_removal', recordsOf(organization, 1_000, draw));
      const program = fileURLToPath(new URL('../test-support/removing-process.ts', import.meta.url));
      const nowMs = startMs + (60 + days) * dayMs;
      for (const killAfter of [1, 5, 11]) {
        const client = context.killable(url);
        const removing = spawn(process.execPath, [program, client.url, organization, String(nowMs)], { stdio: ['ignore', 'pipe', 'inherit'] });
        let printed = '';
        removing.stdout.on('data', (text: Buffer) => {
          printed += text.toString();
          if (printed.split('\n').length > killAfter) removing.kill('SIGKILL');
        });
        await once(removing, 'exit');
        await client.gone();
        const alike = await newOrganization();
        await ship(store, `seg_killed_${killAfter}`, (await listed(organization)).toReversed().map((record) => ({ ...record, organization: alike })));
        assert.deepEqual(await sumsOf(context, url, organization), await sumsOf(context, url, alike));
        assert.deepEqual((await reconciled()).differences, []);
      }
      assert.ok((await listed(organization)).length < 1_000);
      await removeAll(store, organization, nowMs);
      assert.deepEqual([(await store.retention.progress(organization))!.removedRecords, await sumsOf(context, url, organization)], [1_000, []]);
    });
  });
}
