/**
 * A fault in any kind of figure is found by comparing it with the records, whatever made it. What reports rest on is mended; what caps refuse by,
 * runs and receipts are only reported. Each fault is planted beside the product, as a defect or a person at the database would make it.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { OrganizationId } from '@metergate/core/id.ts';
import { nanoDollars } from '@metergate/core/money.ts';
import { batchOf, granted, sampleRecord, startMs } from '../../test-support/contract-fixture.ts';
import { bothEngines, contractStores } from '../../test-support/contract-store.ts';
import type { FigureDifference } from './figure-proofs.ts';

const contractStore = contractStores();
const dayMs = 86_400_000;

for (const on of bothEngines) {
  describe(`figures that prove themselves, on ${on.title}`, async () => {
    const { context, url, store, newOrganization } = await contractStore(on);
    let nowMs = startMs + 100 * dayMs;

    /** Calls of two days and two months, with labels, a run, failures and an unknown one. */
    async function played(): Promise<OrganizationId> {
      const organization = await newOrganization();
      await store.runs.open([{
        organization, id: 'run', startedAtMs: startMs, expiresAtMs: null, exposureLimit: null, mayCreate: true,
        declared: nanoDollars(90_000_000_000n), effective: nanoDollars(90_000_000_000n), clampReason: null,
      }]);
      const records = Array.from({ length: 24 }, (_, index) => sampleRecord(organization, {
        startedAtMs: startMs + (index % 2) * 40 * dayMs + index * 1_000_000, labels: [`team:${index % 3}`, ...(index % 4 === 0 ? ['env:prod'] : [])],
        run: index % 5 === 0 ? 'run' : null, model: `m-${index % 2}`, inputTokens: index,
        cost: index === 7 ? null : nanoDollars(BigInt(1_000 + index)),
        ...(index === 7 ? { costSource: 'unpriced', pricedBy: 'unknown' } as never : {}), ...(index === 9 ? { usage: 'unknown' as const } : {}),
      }));
      await store.calls.ship(batchOf(`seg_${organization}`, records));
      return organization;
    }

    /** The next comparison, of all days. */
    async function found(organization: OrganizationId): Promise<readonly FigureDifference[]> {
      nowMs += 25 * 3_600_000;
      const outcome = await store.figureProofs.prove(organization, { nowMs, between: async () => true, later: async () => {} });
      assert.ok(outcome !== null);
      return outcome.found;
    }

    const provedMs = async (organization: OrganizationId): Promise<number | null> =>
      (await store.figureProofs.all()).find((each) => each.organization === organization)!.provedMs;

    test('what shippers wrote agrees, and is proved up to the moment of the comparison', async () => {
      const organization = await played();
      assert.equal(await provedMs(organization), null);
      assert.deepEqual(await found(organization), []);
      assert.equal(await provedMs(organization), nowMs);
    });

    test('others have a turn after each hundred records', async () => {
      const turnsFor = async (calls: number): Promise<number> => {
        const organization = await newOrganization();
        const records = Array.from({ length: calls }, (_, index) => sampleRecord(organization, { startedAtMs: startMs + index }));
        await store.calls.ship(batchOf(`seg_${organization}`, records));
        let turns = 0;
        const between = async (): Promise<boolean> => (turns += 1) > 0;
        const outcome = await store.figureProofs.prove(organization, { nowMs: nowMs += 25 * 3_600_000, between, later: async () => {} });
        assert.deepEqual(outcome?.found, []);
        return turns;
      };
      // The chain and one day, each in four slices instead of one.
      assert.equal(await turnsFor(350) - await turnsFor(1), 6);
    });

    test('it ends where calls are recorded faster than they are compared', async () => {
      const organization = await newOrganization();
      let batches = 0;
      const recorded = async (): Promise<boolean> => {
        batches += 1;
        const first = startMs + batches * 1_000;
        const records = Array.from({ length: 110 }, (_, index) => sampleRecord(organization, { startedAtMs: first + index }));
        if (batches <= 20) await store.calls.ship(batchOf(`seg_${organization}_${batches}`, records));
        return true;
      };
      await recorded();
      await recorded();
      nowMs += 25 * 3_600_000;
      const outcome = await store.figureProofs.prove(organization, { nowMs, between: recorded, later: async () => {} });
      assert.deepEqual(outcome?.found, []);
      assert.ok(batches < 20, `there were ${batches} slices`);
      assert.deepEqual(await found(organization), []);
    });

    const mended: readonly (readonly [what: string, kind: string, statement: string])[] = [
      ['a day lacks calls', 'usage_sum', `update usage_sum set calls = calls - 1 where organization = $1 and dimension = 'day'`],
      ['a column was never filled', 'usage_sum', `update usage_sum set unpriced_calls = 0 where organization = $1`],
      ['a dimension was never filled', 'usage_sum', `delete from usage_sum where organization = $1 and dimension = 'hour'`],
      ['a model has too much', 'usage_sum', `update usage_sum set input_tokens = input_tokens + 5 where organization = $1 and dimension = 'model'`],
      ['sums by attribution are gone', 'attribution_sum', `delete from attribution_sum where attribution in (select id from attribution
        where organization = $1)`],
      ['an attribution has a sum that no record has', 'attribution_sum', `insert into attribution_sum (attribution, span, start_ms, calls,
        input_tokens, cached_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost_nano, cache_savings_nano, saved_calls,
        unknown_calls, unpriced_calls,
        gap_calls) select min(id), 'day', ${startMs - startMs % dayMs + dayMs * 40}, 3, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0 from attribution
        where organization = $1 having true on conflict (attribution, span, start_ms) do update set calls = attribution_sum.calls + 3`],
      ['a label lacks calls', 'word_sum', `delete from word_sum where organization = $1 and dimension = 'label' and subject = 'team:1'`],
      ['sets of labels lack money', 'word_sum', `update word_sum set cost_nano = 0 where organization = $1 and dimension like 'sets/%'`],
      ['runs by day have too much', 'word_sum', `update word_sum set calls = calls + 2 where organization = $1 and dimension = 'run'`],
      ['an hour has no calls', 'hour_sum', `delete from hour_sum where organization = $1 and figure = 'calls'`],
      ['an hour has more money', 'hour_sum', `update hour_sum set amount = amount + 1 where organization = $1 and figure = 'cost'`],
    ];
    for (const [what, kind, statement] of mended) {
      test(`${what}: it is found, mended, and proved at the next comparison`, async () => {
        const organization = await played();
        assert.deepEqual(await found(organization), []);
        const sums = async (): Promise<unknown> => Promise.all([
          context.query(url, `select dimension, day_ms, subject, calls, input_tokens, unpriced_calls from usage_sum where organization = $1
            order by 1, 2, 3`, [organization]),
          context.query(url, `select s.* from attribution_sum as s join attribution as a on a.id = s.attribution where a.organization = $1
            order by s.attribution, s.span, s.start_ms`, [organization]),
          context.query(url, `select dimension, subject, day_ms, attribution, calls, cost_nano, hours from word_sum where organization = $1
            order by 1, 2, 3, 4`, [organization]),
          context.query(url, `select hour_ms, figure, amount from hour_sum where organization = $1 order by 1, 2`, [organization]),
        ]);
        const before = await sums();
        await context.query(url, statement, [organization]);
        const differences = await found(organization);
        assert.ok(differences.length > 0 && differences.every((each) => each.kind === kind && each.mendedMs === nowMs), JSON.stringify(differences));
        assert.deepEqual(await sums(), before);
        assert.deepEqual(await found(organization), []);
        assert.equal(await provedMs(organization), nowMs);
        assert.ok((await store.figureProofs.differences(50)).some((each) => each.organization === organization && each.kind === kind));
      });
    }

    const told: readonly (readonly [what: string, kind: string, statement: string])[] = [
      ['a day of a key spent less', 'spend_day', `update spend_day set spent_nano = spent_nano - 1 where organization = $1 and scope = 'key'
        and day_ms > 0`],
      ['a project was never summed', 'spend_day', `delete from spend_day where organization = $1 and scope = 'project' and day_ms > 0`],
      ['all days spent more than each', 'spend of all days', `update spend_day set calls = calls + 1 where organization = $1
        and scope = 'organization' and day_ms = -1`],
      ['a run spent less', 'run', `update run set spent_nano = 0 where organization = $1`],
      ['a run has too few unknown calls', 'run', `update run set gap_calls = gap_calls + 1 where organization = $1`],
      ['a month of labels lacks calls', 'label month', `delete from word_sum where organization = $1 and dimension = 'label/month'`],
      ['a month of sets has too much', 'label month', `update word_sum set calls = calls + 1 where organization = $1
        and dimension like 'set-months/%'`],
      ['a record was changed', 'receipts', `update call_record set cost_nano = 5 where organization = $1 and receipt_sequence = 3`],
      ['a record is gone', 'receipts', `delete from call_record where organization = $1 and receipt_sequence = 5`],
      ['the newest record is gone', 'receipts', `delete from call_record where organization = $1 and receipt_sequence = 24`],
    ];
    for (const [what, kind, statement] of told) {
      test(`${what}: it is reported, and nothing is proved until it is right`, async () => {
        const organization = await played();
        await found(organization);
        const proved = await provedMs(organization);
        await context.query(url, statement, [organization]);
        const differences = await found(organization);
        assert.ok(differences.some((each) => each.kind === kind), JSON.stringify(differences));
        assert.ok(differences.every(({ mendedMs }) => mendedMs === null), 'without whole receipts nothing is mended either');
        assert.equal(await provedMs(organization), proved);
        assert.ok((await store.figureProofs.differences(50)).some((each) => each.organization === organization && each.kind === kind));
      });
    }

    test('a run is compared when it had calls lately, others once a day, and none is joined with records that agree with their days', async () => {
      const organization = await played();
      await found(organization);
      const begun = { organization, startedAtMs: startMs, expiresAtMs: null, exposureLimit: null, mayCreate: true, clampReason: null };
      const budget = { declared: nanoDollars(9_000n), effective: nanoDollars(9_000n) };
      await store.runs.open([{ ...begun, ...budget, id: 'today' }]);
      await store.calls.ship(batchOf(`seg_today_${organization}`, [sampleRecord(organization, { startedAtMs: nowMs, run: 'today' })]));
      await context.query(url, `update run set unknown_calls = unknown_calls + 1 where organization = $1`, [organization]);
      const hourly = async (): Promise<readonly string[]> => {
        nowMs += 3_600_000;
        const outcome = await store.figureProofs.prove(organization, { nowMs, between: async () => true, later: async () => {} });
        return outcome!.found.map(({ kind, place }) => `${kind} ${place}`);
      };
      assert.deepEqual(await hourly(), ['run today']);
      assert.deepEqual(await hourly(), ['run run', 'run today'], 'as long as something differs, all of it is compared');
      await context.query(url, `update run set unknown_calls = unknown_calls - 1 where organization = $1`, [organization]);
      assert.deepEqual(await hourly(), []);
      // What is wrong in an old day is a fault of that day, not of the run.
      await context.query(url, `update word_sum set unknown_calls = unknown_calls + 1 where organization = $1 and dimension = 'run'
        and subject = 'today'`, [organization]);
      await context.query(url, `update word_sum set day_ms = ${startMs - startMs % dayMs} where organization = $1 and dimension = 'run'
        and subject = 'today'`, [organization]);
      assert.ok(!(await hourly()).includes('run today'));
    });

    test('a run that is wrong by as much as its day is found, also where nothing is mended', async () => {
      const organization = await played();
      assert.deepEqual(await found(organization), []);
      for (const statement of [
        `update run set unknown_calls = unknown_calls + (select count(*) from word_sum where organization = run.organization and dimension = 'run')
          where organization = $1`,
        `update word_sum set unknown_calls = unknown_calls + 1 where organization = $1 and dimension = 'run'`,
        'delete from call_record where organization = $1 and run is null and receipt_sequence = 2',
      ]) {
        await context.query(url, statement, [organization]);
      }
      const kinds = (await found(organization)).map(({ kind }) => kind);
      assert.ok(kinds.includes('receipts') && kinds.includes('run'), kinds.join());
    });

    test('more runs than one statement compares are all compared, of one day and of all', async () => {
      const organization = await newOrganization();
      const ids = Array.from({ length: 450 }, (_, index) => `run-${String(index).padStart(3, '0')}`);
      await store.runs.open(ids.map((id) => ({
        organization, id, startedAtMs: startMs, expiresAtMs: null, exposureLimit: null, mayCreate: true, clampReason: null,
        declared: nanoDollars(9_000n), effective: nanoDollars(9_000n),
      })));
      const records = ids.map((run, index) => sampleRecord(organization, { startedAtMs: nowMs + index, run }));
      await store.calls.ship(batchOf(`seg_${organization}`, records));
      assert.deepEqual(await found(organization), []);
      await context.query(url, `update run set gap_calls = 3 where organization = $1 and id in ('run-000', 'run-199', 'run-200', 'run-449')`,
        [organization]);
      nowMs += 3_600_000;
      const outcome = await store.figureProofs.prove(organization, { nowMs, between: async () => true, later: async () => {} });
      const wrong = ['run-000', 'run-199', 'run-200', 'run-449'];
      assert.deepEqual(outcome!.found.map(({ place }) => place), wrong);
      assert.deepEqual((await found(organization)).map(({ place }) => place), wrong);
    });

    test('batches that commit between the looks are no difference, and what they add stays while a sum is mended', async () => {
      const organization = await played();
      await context.query(url, `update usage_sum set calls = calls - 1 where organization = $1 and dimension = 'day'`, [organization]);
      let slices = 0;
      nowMs += 25 * 3_600_000;
      const outcome = await store.figureProofs.prove(organization, {
        nowMs,
        async between() {
          slices += 1;
          await store.calls.ship(batchOf(`seg_beside_${organization}`, [sampleRecord(organization, { startedAtMs: startMs + slices })], slices));
          return true;
        },
        later: async () => {},
      });
      assert.ok(outcome!.found.every(({ mendedMs }) => mendedMs !== null));
      assert.deepEqual((await found(organization)).filter(({ mendedMs }) => mendedMs === null), []);
      assert.deepEqual(await found(organization), []);
    });

    test('records that went for their age, settlements of erased words and closed keys are no difference', async () => {
      const organization = await played();
      await granted(store.organizations.set(organization, { keepRecordsDays: 31 }));
      while ((await store.retention.removeSlice(organization, { nowMs: startMs + 60 * dayMs, rowsMax: 100 })).more) { /* a slice */ }
      assert.deepEqual(await found(organization), []);
      const erased = await played();
      await granted(store.erasure.begin(erased));
      while (await store.erasure.eraseSlice()) { /* a slice */ }
      assert.deepEqual(await found(erased), []);
    });

    test('of one that is erased while it is compared nothing is mended, and no message has its names', async () => {
      const organization = await played();
      await context.run(url, [`update usage_sum set calls = calls + 1 where organization = '${organization}' and dimension = 'model'`]);
      assert.ok((await found(organization)).some(({ place }) => place.includes('m-1')));
      await context.run(url, [`update usage_sum set calls = calls + 1 where organization = '${organization}' and dimension = 'model'`]);
      nowMs += 25 * 3_600_000;
      let looks = 0;
      const outcome = await store.figureProofs.prove(organization, {
        nowMs, later: async () => {},
        async between() {
          looks += 1;
          if (looks !== 2) return true;
          await granted(store.erasure.begin(organization));
          assert.ok((await store.figureProofs.differences(100)).every((each) => each.organization !== organization));
          // The records have lost their words, and the sums have them.
          return store.erasure.eraseSlice();
        },
      });
      assert.deepEqual([looks > 2, outcome!.found], [true, []]);
      assert.ok((await store.figureProofs.differences(100)).every((each) => each.organization !== organization));
      while (await store.erasure.eraseSlice()) { /* a slice */ }
      const rows = await store.usageReports.usage({ organization, by: ['key', 'wire'], rowsMax: 10 });
      assert.deepEqual(rows!.map(({ figures }) => figures[0]), [24]);
    });

    test('a comparison that is ended proves nothing', async () => {
      const organization = await played();
      assert.equal(await store.figureProofs.prove(organization, { nowMs, between: async () => false, later: async () => {} }), null);
      assert.equal(await provedMs(organization), null);
    });
  });
}
