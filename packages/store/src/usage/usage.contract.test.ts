/**
 * Daily sums of usage and reports from them, the same on SQLite and on a real PostgreSQL server: they always equal the records,
 * whoever ships them in whatever batches, for whole days and parts of days. Rules: Journal; rules 5a and 25; rules: `usage`.
 */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { upstreamNameOf } from '@metergate/core/call/named-upstream.ts';
import type { ServiceKeyId } from '@metergate/core/id.ts';
import { nanoDollars, nanoDollarsMax, type NanoDollars } from '@metergate/core/money.ts';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import { costLacks, parseStatus, type CostLack, type StatusFilter } from '@metergate/core/report/call-search.ts';
import { isProviderError } from '@metergate/core/report/hour-sum.ts';
import { lackingCountNames, lackingCounts, type LackingRecord } from '@metergate/core/spend/lacking-calls.ts';
import { usageDimensions, usageFigureNames, type UsageDimension } from '@metergate/core/report/usage-sum.ts';
import { keptCalls } from '@metergate/testkit/kept-calls.ts';
import type { Store } from '../store.ts';
import type { CallFilter } from '../calls/call-pages.ts';
import { openEngine } from '../engine/engine.ts';
import type { UsageFilter } from './usage-query.ts';
import { usageReportsIn } from './usage-reports.ts';
import { batchOf, drawing, openTestStore, sampleRecord, startMs } from '../test-support/contract-fixture.ts';
import { setDimension } from './label-sets.ts';
import { labelMonths } from './usage-additions.ts';
import { bothEngines, contractStores } from '../test-support/contract-store.ts';

const contractStore = contractStores();
const dayMs = 86_400_000;

const hourMs = 3_600_000;
const names: { readonly [D in UsageDimension]: (record: CallRecord) => readonly string[] } = {
  hour: ({ startedAtMs }) => [String(Math.floor(startedAtMs / hourMs) * hourMs)],
  day: ({ startedAtMs }) => [String(Math.floor(startedAtMs / dayMs) * dayMs)],
  month: ({ startedAtMs }) => [String(Date.parse(`${new Date(startedAtMs).toISOString().slice(0, 7)}-01T00:00:00Z`))],
  key: ({ key }) => [key],
  model: ({ model }) => [model ?? ''],
  project: ({ project }) => [project ?? ''],
  run: ({ run }) => [run ?? ''],
  session: ({ session }) => [session ?? ''],
  upstream: ({ path }) => [upstreamNameOf(path) ?? ''],
  wire: ({ wire }) => [wire],
  endpoint: ({ endpoint }) => [endpoint],
  label: ({ labels }) => (labels.length === 0 ? [''] : labels.filter((label, index) => labels.indexOf(label) === index)),
};

/** Each figure by its name, added up one by one: what each report is compared with. */
function addedUp(records: readonly CallRecord[], by: readonly UsageDimension[]): Map<string, Record<string, bigint>> {
  const sums = new Map<string, Record<string, bigint>>();
  for (const record of records) {
    const adds = {
      calls: 1n, inputTokens: BigInt(record.inputTokens ?? 0), cachedTokens: BigInt(record.cachedTokens ?? 0),
      cacheWriteTokens: BigInt(record.cacheWriteTokens ?? 0), outputTokens: BigInt(record.outputTokens ?? 0),
      reasoningTokens: BigInt(record.reasoningTokens ?? 0), cost: record.cost ?? 0n, cacheSavings: record.cacheSavings ?? 0n,
      savedCalls: record.cacheSavings === null ? 0n : 1n, unknownCalls: record.usage === 'unknown' || record.usage === 'partial' ? 1n : 0n,
      unpricedCalls: record.costSource === 'unpriced' ? 1n : 0n, gapCalls: record.costGaps.length > 0 ? 1n : 0n,
    };
    for (const first of by.length > 0 ? names[by[0]!](record) : ['']) {
      for (const second of by.length > 1 ? names[by[1]!](record) : ['']) {
        const name = by.length > 1 ? `${first} | ${second}` : first;
        const sum = sums.get(name) ?? {};
        for (const [figure, value] of Object.entries(adds)) sum[figure] = (sum[figure] ?? 0n) + value;
        sums.set(name, sum);
      }
    }
  }
  return sums;
}

/** One to three of the names that a record has. */
/** Of two upstreams whose names begin alike, and of what only looks like one. */
const paths = [
  '/v1/chat/completions', '/upstreams/a/v1/chat/completions', '/upstreams/a-b/v1beta/models/m:generateContent', '/Upstreams/a/x', '/upstreams/A/x',
  '/upstreams/a', '/upstreams//x', `/upstreams/${'n'.repeat(33)}/x`, `/upstreams/${'n'.repeat(32)}/x`, '/upstream/v1/chat/completions',
];

function drawnFilter(record: CallRecord, draw: (below: number) => number): UsageFilter {
  const all = {
    key: record.key, project: record.project, model: record.model, wire: record.wire, endpoint: record.endpoint, run: record.run,
    session: record.session, upstream: upstreamNameOf(record.path), label: record.labels[0] ?? null,
  };
  const chosen = Object.entries(all).filter(([, value]) => value !== null && draw(3) === 0).slice(0, 3);
  return Object.fromEntries(chosen) as UsageFilter;
}

function fits(record: CallRecord, { label, upstream, ...names }: UsageFilter): boolean {
  return (label === undefined || record.labels.includes(label)) && (upstream === undefined || upstreamNameOf(record.path) === upstream)
    && Object.entries(names).every(([name, value]) => record[name as 'key'] === value);
}

async function pagesOf<Page>(walk: AsyncIterable<Page>): Promise<Page[]> {
  const pages: Page[] = [];
  for await (const page of walk) pages.push(page);
  return pages;
}

for (const on of bothEngines) {
  describe(`usage on ${on.title}`, async () => {
    const { context, url, store, newOrganization } = await contractStore(on);
    const organizations = [await newOrganization(), await newOrganization()] as const;
    const draw = drawing(0x2468_ace1);
    const drawPath = drawing(0x1357_9bdf);
    const record = (): CallRecord => sampleRecord(organizations[draw(2)]!, {
      key: `key_${draw(5)}` as ServiceKeyId,
      project: draw(4) === 0 ? null : `project ${draw(5)}`,
      labels: Array.from({ length: draw(4) }, () => ['a', 'ünï', '🤖', '=1'][draw(4)]!),
      run: draw(3) === 0 ? null : `run-${draw(200)}`,
      session: draw(3) === 0 ? null : `session ${draw(50)}`,
      path: paths[drawPath(paths.length)]!,
      model: draw(6) === 0 ? null : `model ${draw(4)}`,
      // Some at the first and the last millisecond of a day.
      startedAtMs: startMs - draw(20) * dayMs - [0, 1, draw(dayMs)][draw(3)]!,
      inputTokens: draw(4) === 0 ? null : draw(50) === 0 ? Number.MAX_SAFE_INTEGER : draw(100_000),
      outputTokens: draw(4) === 0 ? null : draw(5_000),
      cost: draw(5) === 0 ? null : nanoDollars(BigInt(draw(1_000_000_000)) * (draw(30) === 0 ? 1_000_000n : 1n)),
      costSource: draw(5) === 0 ? 'unpriced' : 'priced',
      outcome: (['completed', 'completed', 'failed', 'cut'] as const)[draw(4)]!,
      status: [200, 200, 404, 429, 503, null][draw(6)]!,
      wire: draw(3) === 0 ? 'anthropic' : 'openai',
      endpoint: draw(3) === 0 ? 'messages' : 'chat.completions',
      cachedTokens: draw(3) === 0 ? null : draw(1_000),
      cacheWriteTokens: draw(3) === 0 ? draw(100) : null,
      reasoningTokens: draw(3) === 0 ? null : draw(1_000),
      cacheSavings: draw(4) === 0 ? null : ((BigInt(draw(1_000_000)) - 500_000n) as NanoDollars),
      costGaps: draw(4) === 0 ? ['service_tier'] : [],
      usage: (['reported', 'partial', 'unknown', 'none'] as const)[draw(4)]!,
    });
    type Asked = { readonly sinceMs?: number; readonly untilMs?: number; readonly filter?: UsageFilter };
    const report = async (by: UsageDimension | readonly UsageDimension[], asked: Asked = {}, of = organizations[0]!) => {
      const rows = await store.usageReports.usage({ organization: of, by: typeof by === 'string' ? [by] : by, rowsMax: 10_000, ...asked });
      return new Map(rows!.map(({ subjects, figures }) =>
        [subjects.join(' | '), Object.fromEntries(usageFigureNames.map((name, index) => [name, BigInt(figures[index]!)]))] as const));
    };

    before(async () => {
      const segments = [0, 1, 2, 3].map((number) => ({ id: `seg_${number}`, records: Array.from({ length: 1_000 }, record) }));
      const other = await openTestStore(url);
      const shipAll = async (through: Store, seed: number): Promise<void> => {
        const size = drawing(seed);
        for (const { id, records } of seed % 2 === 0 ? segments : segments.toReversed()) {
          for (let from = 0; from < records.length;) {
            const to = Math.min(records.length, from + 1 + size(300));
            const again = Math.max(0, from - size(200));
            await through.calls.ship(batchOf(id, records.slice(again, to), again + 1));
            from = to;
          }
        }
      };
      await Promise.all([shipAll(store, 0x0bad_cafe), shipAll(other, 0x7eed_5eed)]);
      await other.close();
    });

    test('4,000 records, repeated and overlapping, by two shippers at once: every sum in every dimension is that of the records', async () => {
      for (const organization of organizations) {
        const records = await keptCalls(store, organization);
        assert.ok(records.length > 1_500);
        for (const by of usageDimensions) {
          assert.deepEqual(new Map([...await report(by, {}, organization)].sort()), new Map([...addedUp(records, [by])].sort()), by);
        }
      }
      const sums = (await context.query(url, "select cast(sum(calls) as text) as calls from usage_sum where dimension = 'day'"))[0]!;
      assert.equal(sums!['calls'], '4000');
    });

    test('any time is answered to the millisecond: whole days, parts of days at either edge, none at all', async () => {
      const records = await keptCalls(store, organizations[0]!);
      const firstMs = startMs - 20 * dayMs;
      const instants = () => [startMs - draw(20) * dayMs, startMs - draw(20 * dayMs), startMs - draw(20) * dayMs - 1, firstMs, startMs + 1][draw(5)]!;
      const ranges = [
        {}, { sinceMs: startMs }, { untilMs: startMs }, { sinceMs: startMs, untilMs: startMs + dayMs }, { sinceMs: startMs, untilMs: startMs },
        { sinceMs: startMs - 5 * dayMs, untilMs: startMs - 4 * dayMs + 1 }, { sinceMs: startMs - dayMs - 1, untilMs: startMs + 1 },
        ...Array.from({ length: 20 }, () => ({ sinceMs: instants(), untilMs: instants() })),
      ];
      for (const [index, range] of ranges.entries()) {
        const by = usageDimensions[index % usageDimensions.length]!;
        const within = records.filter(({ startedAtMs }) =>
          startedAtMs >= ('sinceMs' in range ? range.sinceMs! : -Infinity) && startedAtMs < ('untilMs' in range ? range.untilMs! : Infinity));
        assert.deepEqual(new Map([...await report(by, range)].sort()), new Map([...addedUp(within, [by])].sort()), `${by} ${JSON.stringify(range)}`);
      }
    });

    test('every pair of dimensions under any filters, in any time, is what the records come to', async () => {
      const records = await keptCalls(store, organizations[1]!);
      const pairs = usageDimensions.flatMap((one) => usageDimensions.filter((other) => other !== one).map((other) => [one, other] as const));
      for (const [index, by] of [...pairs, []].entries()) {
        const filter = index % 3 === 0 ? {} : drawnFilter(records[draw(records.length)]!, draw);
        const range = index % 2 === 0 ? {} : { sinceMs: startMs - draw(20 * dayMs), untilMs: startMs - draw(3) * dayMs };
        const { sinceMs = -Infinity, untilMs = Infinity } = range as Asked;
        const within = records.filter((each) => fits(each, filter) && each.startedAtMs >= sinceMs && each.startedAtMs < untilMs);
        const [found, expected] = [await report(by, { ...range, filter }, organizations[1]!), addedUp(within, by)];
        assert.deepEqual(new Map([...found].sort()), new Map([...expected].sort()), `${by.join()} ${JSON.stringify({ ...filter, ...range })}`);
      }
    });

    test('hours of labels are read from separate sums, but for parts of hours', async () => {
      const organization = organizations[0]!;
      const records = await keptCalls(store, organization);
      const range = { sinceMs: startMs - 9 * dayMs - hourMs / 2, untilMs: startMs - 2 * dayMs - 2 * hourMs };
      const within = records.filter(({ startedAtMs }) => startedAtMs >= range.sinceMs && startedAtMs < range.untilMs);
      const label = within.flatMap(({ labels }) => labels)[0]!;
      const same = async (by: readonly UsageDimension[], filter: object, those: typeof within) => {
        const found = await report(by, { ...range, filter }, organization);
        assert.deepEqual(new Map([...found].sort()), new Map([...addedUp(those, by)].sort()), by.join());
      };
      await same(['hour', 'label'], {}, within);
      await same(['label', 'hour'], {}, within);
      await same(['hour'], { label }, within.filter(({ labels }) => labels.includes(label)));
      await same(['hour', 'label'], { label }, within.filter(({ labels }) => labels.includes(label)));
      const inputOf = async () => [...(await report(['hour'], { ...range, filter: { label } }, organization)).values()]
        .reduce((sum, figures) => sum + figures['inputTokens']!, 0n);
      const before = await inputOf();
      const time = `day_ms between ${range.sinceMs} and ${range.untilMs}`;
      const row = `organization = '${organization}' and dimension = 'label/hour' and subject = $1 and ${time}`;
      const { length } = await context.query(url, `update usage_sum set input_tokens = input_tokens + 1 where ${row} returning day_ms`, [label]);
      assert.deepEqual([length > 0, await inputOf()], [true, before + BigInt(length)]);
      await context.query(url, `update usage_sum set input_tokens = input_tokens - 1 where ${row}`, [label]);
    });

    test('hours and other zones than UTC are read from sums, except hours that a gateway of the version before wrote', async () => {
      const organization = organizations[0]!;
      const records = await keptCalls(store, organization);
      const [sinceMs, untilMs] = [startMs - 9 * dayMs - 2 * hourMs, startMs - 2 * dayMs - 2 * hourMs];
      const within = records.filter(({ startedAtMs }) => startedAtMs >= sinceMs && startedAtMs < untilMs);
      const shown = async (by: readonly UsageDimension[]) => new Map([...await report(by, { sinceMs, untilMs })].sort());
      const asked: readonly (readonly UsageDimension[])[] = [['hour'], ['hour', 'model'], ['model', 'key'], ['project'], []];
      const those = `attribution in (select id from attribution where organization = '${organization}') and span = 'hour'`;
      const kept = await context.query(url, `select * from attribution_sum where ${those}`);
      // As such a gateway leaves them: a record in the other sums, and none in these.
      await context.query(url, `delete from attribution_sum where ${those} and start_ms % 10800000 = 0`);
      const hours = `organization = '${organization}' and dimension = 'hour'`;
      await context.query(url, `delete from usage_sum where ${hours} and day_ms % 10800000 = 0`);
      for (const by of asked) assert.deepEqual(await shown(by), new Map([...addedUp(within, by)].sort()), by.join());
      await context.query(url, `update attribution_sum set input_tokens = input_tokens + 1 where ${those} and start_ms = ${sinceMs + hourMs}`);
      const inputOf = async (by: readonly UsageDimension[]): Promise<bigint> =>
        [...(await shown(by)).values()].reduce((sum, figures) => sum + figures['inputTokens']!, 0n);
      const input = addedUp(within, []).get('')!['inputTokens']!;
      const more = BigInt(kept.filter((row) => Number(row['start_ms']) === sinceMs + hourMs).length);
      assert.ok(more > 0n);
      assert.equal(await inputOf(['project']) - input, more, 'a sum was read, and no record');
      assert.equal(await inputOf([]), input, 'an hour has a sum of its own');
      await context.query(url, `update usage_sum set input_tokens = input_tokens + 1 where ${hours} and day_ms = ${sinceMs + hourMs}`);
      assert.deepEqual([await inputOf([]), await inputOf(['hour'])], [input + 1n, input + 1n]);
    });

    test('the other labels of calls with a label are read from sums, except on days on which these lack calls', async () => {
      const organization = organizations[0]!;
      const records = await keptCalls(store, organization);
      const filter = { label: 'ünï' };
      const asked: readonly (readonly UsageDimension[])[] = [
        ['label'], ['label', 'model'], ['project', 'label'], ['day', 'label'], ['month', 'label'],
      ];
      const times: readonly Asked[] = [
        {}, { sinceMs: startMs - 9 * dayMs, untilMs: startMs - 2 * dayMs },
        { sinceMs: startMs - 9 * dayMs - 2 * hourMs, untilMs: startMs - 2 * hourMs },
      ];
      const check = async (): Promise<void> => {
        for (const time of times) {
          const { sinceMs = -Infinity, untilMs = Infinity } = time;
          const those = records.filter((each) => fits(each, filter) && each.startedAtMs >= sinceMs && each.startedAtMs < untilMs);
          for (const by of asked) {
            assert.deepEqual(new Map([...await report(by, { ...time, filter })].sort()), new Map([...addedUp(those, by)].sort()), by.join());
          }
        }
      };
      await check();
      const [day] = await context.query(url, `select day_ms from usage_sum where organization = '${organization}' and dimension = 'labels'
        and day_ms < ${startMs - 4 * dayMs} order by day_ms desc limit 1`);
      const sets = `organization = '${organization}' and dimension = 'sets/${String(day!['day_ms'])}'`;
      const figures = 'input_tokens = input_tokens + 1';
      const before = await report('label', { filter, sinceMs: Number(day!['day_ms']), untilMs: Number(day!['day_ms']) + dayMs });
      await context.query(url, `update word_sum set ${figures} where ${sets}`);
      const after = await report('label', { filter, sinceMs: Number(day!['day_ms']), untilMs: Number(day!['day_ms']) + dayMs });
      assert.ok(after.get('a')!['inputTokens']! > before.get('a')!['inputTokens']!, 'sums were read, and no records');
      // As a gateway of the version before leaves a day: calls in the sums of labels and of the day, and none in these.
      await context.query(url, `delete from word_sum where ${sets}`);
      await context.query(url, `update usage_sum set calls = calls - 1 where organization = '${organization}' and dimension = 'labels'
        and day_ms = ${String(day!['day_ms'])}`);
      await check();
    });

    test('what no sum holds beside runs or sessions is read from the records that have one, and from sums for all others', async () => {
      const organization = organizations[1]!;
      const records = await keptCalls(store, organization);
      const asked: readonly (readonly [by: readonly UsageDimension[], filter?: UsageFilter])[] = [
        [['label', 'run']], [['run', 'label'], { label: 'a' }], [['run', 'hour']], [['label', 'run'], { model: 'model 1' }], [['session']],
        [['session', 'model']], [['session', 'label']], [['session', 'run']], [['session', 'label'], { label: 'ünï' }], [['session', 'hour']],
        [['session'], { run: 'run-7' }], [['day', 'session'], { key: 'key_1' }], [['session', 'upstream']], [['session'], { upstream: 'a' }],
      ];
      const times: readonly Asked[] = [{}, { sinceMs: startMs - 9 * dayMs - 2 * hourMs - 1, untilMs: startMs - 2 * dayMs - 2 * hourMs }];
      for (const time of times) {
        const { sinceMs = -Infinity, untilMs = Infinity } = time;
        for (const [by, filter = {}] of asked) {
          const those = records.filter((each) => fits(each, filter) && each.startedAtMs >= sinceMs && each.startedAtMs < untilMs);
          assert.deepEqual(new Map([...await report(by, { ...time, filter }, organization)].sort()), new Map([...addedUp(those, by)].sort()),
            `${by.join()} ${JSON.stringify({ ...filter, ...time })}`);
        }
      }
      const without = async (by: readonly UsageDimension[], row: string) => (await report(by, {}, organization)).get(row)!['inputTokens']!;
      const before = [await without(['session'], ''), await without(['label', 'run'], 'a | ')];
      for (const [more, expected] of [[1, [before[0]! + 1n, before[1]! + 1n]], [-1, before]] as const) {
        for (const [dimension, subject] of [['day', ''], ['label', 'a']]) {
          const sums = `organization = '${organization}' and dimension = '${dimension}' and subject = '${subject}'`;
          await context.query(url, `update usage_sum set input_tokens = input_tokens + ${more} where ${sums}
            and day_ms = (select max(day_ms) from usage_sum where ${sums})`);
        }
        assert.deepEqual([await without(['session'], ''), await without(['label', 'run'], 'a | ')], expected, 'sums were read for calls without one');
      }
    });

    test('calls that come while records with a session or run and sums are read are all counted or none', async () => {
      const organization = await newOrganization();
      let shipped = 0;
      const ship = async () => {
        shipped += 1;
        await store.calls.ship(batchOf(`seg_meanwhile_${on.title}`, [sampleRecord(organization, {
          session: shipped % 2 === 0 ? null : 'one', run: shipped % 3 === 0 ? null : 'run-1', labels: ['a'], startedAtMs: startMs + shipped,
        })], shipped));
      };
      for (let each = 0; each < 6; each += 1) await ship();
      const engine = await openEngine(url, { create: false });
      let comings = 0;
      let [apart, whole] = [0, 0];
      const hurried = usageReportsIn({ engine: { ...engine, rows: async (query) => {
        const text = await engine.read(async (db) => query.compile(db).sql);
        const isApart = /session is not null|run = any|run in/.test(text);
        if (isApart) apart += 1;
        else if (text.includes('from call_record')) whole += 1;
        if (isApart && comings > 0) {
          comings -= 1;
          await ship();
        }
        return engine.rows(query);
      } } });
      const asked = [['session'], ['label', 'run']] as const;
      const calm: number[] = [];
      for (const by of asked) {
        apart = 0;
        await hurried.usage({ organization, by, rowsMax: 100 });
        calm.push(apart);
      }
      assert.equal(whole, 0);
      for (comings of [1, 2, 100]) {
        for (const [index, by] of asked.entries()) {
          const isDisturbed = comings > 0;
          [apart, whole] = [0, 0];
          const rows = (await hurried.usage({ organization, by, rowsMax: 100 }))!;
          const expected = addedUp(await keptCalls(store, organization), by);
          const shown = new Map(rows.map(({ subjects, figures }) => [subjects.join(' | '), BigInt(figures[0]!)]));
          assert.deepEqual(new Map([...shown].sort()), new Map([...expected].map(([name, { calls }]) => [name, calls!] as const).sort()), by.join());
          assert.deepEqual([apart, whole > 0], [calm[index], isDisturbed], 'one disturbed reading is enough');
          whole = 0;
          assert.equal(await hurried.usage({ organization, by, rowsMax: 0 }), null);
          assert.equal(whole, 0, 'a report of too many rows does not read all records');
        }
      }
      await engine.close();
    });

    test('months of other zones by label are read from sums of months, less the hours by which they differ', async () => {
      const organization = await newOrganization();
      const [from, to] = [Date.UTC(2025, 8, 1), Date.UTC(2025, 9, 1)];
      const draw = drawing(0x0bed_cafe);
      const records = Array.from({ length: 900 }, (_, index) => sampleRecord(organization, {
        startedAtMs: from - 3 * dayMs + Math.floor((index * 36 * dayMs) / 900), labels: ['a', 'b', 'c'].slice(0, draw(4)), inputTokens: draw(1_000),
        project: draw(3) === 0 ? null : `project ${draw(3)}`, model: `model ${draw(3)}`, cost: nanoDollars(BigInt(draw(1_000_000))),
      }));
      for (let at = 0; at < records.length; at += 300) await store.calls.ship(batchOf(`seg_zones_${on.title}_${at}`, records.slice(at, at + 300)));
      const asked: readonly (readonly UsageDimension[])[] = [['label'], ['label', 'model'], ['project', 'label'], ['label', 'project']];
      const zones = [2, -5, 5.5, 12, -12, 13, 0];
      const timeOf = (hours: number, untilMs = to) => ({ sinceMs: from - hours * hourMs, untilMs: untilMs - hours * hourMs });
      const times = [
        ...zones.map((hours) => timeOf(hours)), timeOf(2, from + 31 * dayMs), { sinceMs: from, untilMs: to - 1 }, { sinceMs: from + 1, untilMs: to },
      ];
      const check = async (): Promise<void> => {
        for (const time of times) {
          for (const filter of [{}, { label: 'b' }, { project: 'project 1' }]) {
            const those = records.filter((each) => fits(each, filter) && each.startedAtMs >= time.sinceMs && each.startedAtMs < time.untilMs);
            for (const by of asked) {
              assert.deepEqual(new Map([...await report(by, { ...time, filter }, organization)].sort()), new Map([...addedUp(those, by)].sort()),
                `${by.join()} ${JSON.stringify({ ...filter, ...time })}`);
            }
          }
        }
      };
      await check();
      const inputOf = async (hours: number): Promise<bigint> =>
        (await report(['label', 'model'], timeOf(hours), organization)).get('a | model 0')!['inputTokens']!;
      const before = await Promise.all([2, 13].map(inputOf));
      await context.query(url, `update word_sum set input_tokens = input_tokens + 1 where organization = '${organization}'
        and dimension = '${labelMonths}' and day_ms = ${from}`);
      const after = await Promise.all([2, 13].map(inputOf));
      assert.deepEqual([after[0]! > before[0]!, after[1]], [true, before[1]], 'within half a day the sum of the month was read');
    });

    test('a time that holds the last call or the first is answered by whole sums, unless a call outside it comes meanwhile', async () => {
      const organization = await newOrganization();
      const [from, to] = [Date.UTC(2025, 8, 3), Date.UTC(2025, 8, 20, 7)];
      const call = (startedAtMs: number) => sampleRecord(organization, { startedAtMs, labels: ['a', 'b'], model: 'one', inputTokens: 10 });
      await store.calls.ship(batchOf(`seg_open_${on.title}`, Array.from({ length: 40 }, (_, each) => call(from + each * 9 * hourMs))));
      await context.query(url, `update word_sum set input_tokens = input_tokens + 1000 where organization = '${organization}'
        and dimension in ('${labelMonths}', '${setDimension.month(Date.UTC(2025, 8, 1))}')`);
      const engine = await openEngine(url, { create: false });
      let comes: (() => Promise<void>) | null = null;
      const reports = usageReportsIn({ engine: { ...engine, rows: async (query) => {
        const coming = comes;
        comes = null;
        await coming?.();
        return engine.rows(query);
      } } });
      const inputOf = async (asked: { readonly by: readonly UsageDimension[]; readonly filter?: UsageFilter }, time: object): Promise<number> => {
        const rows = await reports.usage({ organization, rowsMax: 100, ...asked, ...time });
        return Number(rows!.find(({ subjects }) => subjects.includes('b'))?.figures[usageFigureNames.indexOf('inputTokens')] ?? 0);
      };
      const questions = [{ by: ['label', 'model'] }, { by: ['label'], filter: { label: 'a' } }] as const;
      const time = { sinceMs: from - 1, untilMs: to };
      for (const asked of questions) {
        assert.equal(await inputOf(asked, time), 1_400, 'the month was read');
        assert.equal(await inputOf(asked, { sinceMs: from + 1, untilMs: to }), 390, 'a call is before it');
        assert.equal(await inputOf(asked, { sinceMs: from, untilMs: from + 39 * 9 * hourMs }), 390, 'a call is after it');
      }
      comes = async () => store.calls.ship(batchOf(`seg_open_${on.title}_later`, [call(to)]));
      assert.equal(await inputOf(questions[0], time), 400, 'a later call came meanwhile');
      comes = async () => store.calls.ship(batchOf(`seg_open_${on.title}_before`, [call(from - 1)]));
      assert.equal(await inputOf(questions[1], { sinceMs: from, untilMs: to + 1 }), 410, 'an earlier call came meanwhile');
      await engine.close();
    });

    test('labels that are too long together for a key are counted all the same', async () => {
      const organization = await newOrganization();
      const long = ['x', ...Array.from({ length: 20 }, (_, index) => `${index}${'🤖'.repeat(120)}`)];
      await store.calls.ship(batchOf(`seg_long_${on.title}`, [
        sampleRecord(organization, { labels: long }), sampleRecord(organization, { labels: ['x', 'y', 'x'] }),
        sampleRecord(organization, { labels: ['x'] }),
      ]));
      const rows = await report('label', { filter: { label: 'x' } }, organization);
      const callsOf = (sums: Iterable<readonly [string, Record<string, bigint>]>) => [...sums].map(([label, { calls }]) => [label, calls]).sort();
      assert.deepEqual(callsOf(rows), callsOf(addedUp(await keptCalls(store, organization), ['label'])));
      assert.deepEqual([rows.get('x')!['calls'], rows.get('y')!['calls']], [3n, 1n]);
    });

    test('calls are listed newest first under any filters, page by page, each once', async () => {
      const records = await keptCalls(store, organizations[0]!);
      for (let round = 0; round < 40; round += 1) {
        const of = records[draw(records.length)]!;
        const asksStatus = draw(3);
        const filter: CallFilter = {
          ...drawnFilter(of, draw), ...(draw(3) === 0 ? { usage: of.usage } : {}), ...(draw(4) === 0 ? { outcome: of.outcome } : {}),
          ...(asksStatus === 0 ? { status: 'error' } : asksStatus === 1 ? { status: parseStatus(['2xx', '4xx', '429'][draw(3)]!)! } : {}),
          ...(draw(3) === 0 ? { lacks: costLacks[draw(costLacks.length)]! } : {}),
        };
        const range = draw(2) === 0 ? {} : { sinceMs: startMs - draw(20 * dayMs), untilMs: startMs - draw(3) * dayMs };
        const { sinceMs = -Infinity, untilMs = Infinity } = range as Asked;
        const { usage, outcome, status, lacks, ...names } = filter;
        const within = records.filter((each) => fits(each, names) && each.startedAtMs >= sinceMs && each.startedAtMs < untilMs
          && (usage === undefined || each.usage === usage) && (outcome === undefined || each.outcome === outcome)
          && (status === undefined || hasStatus(each, status)) && (lacks === undefined || lacksCost(each, lacks)));
        const found: CallRecord[] = [];
        for (const limit = 1 + draw(200); ;) {
          const last = found.at(-1);
          const page = (await store.callPages.page({
            organization: organizations[0]!, filter, limit, ...range, ...(last === undefined ? {} : { after: last }),
          }))!;
          found.push(...page);
          if (page.length < limit) break;
        }
        assert.deepEqual(found.map(({ id }) => id), within.map(({ id }) => id), JSON.stringify({ ...filter, ...range }));
      }
    });

    test('the page of a label that few calls of a day have is complete, also if its sums do not say in which hours', async () => {
      const organization = await newOrganization();
      const midnightMs = Date.UTC(2026, 10, 5);
      const rareMs = [0, hourMs - 1, 13 * hourMs, dayMs - 1, dayMs, dayMs + 5].map((withinMs) => midnightMs + withinMs);
      const usual = Array.from({ length: 400 }, (_, index) =>
        sampleRecord(organization, { labels: ['usual'], startedAtMs: midnightMs + index * 400_000 }));
      const rare = rareMs.map((startedAtMs) => sampleRecord(organization, { labels: ['usual', 'rare'], startedAtMs }));
      await store.calls.ship(batchOf('seg_rare_1', [...usual, ...rare.slice(0, 3)]));
      const hours = () => context.query(url, `select hours from word_sum where organization = $1 and dimension = 'label' and subject = 'rare'
        order by day_ms`, [organization]);
      assert.deepEqual((await hours()).map(({ hours }) => Number(hours)), [1 + 2 ** 13]);
      await store.calls.ship(batchOf('seg_rare_2', rare.slice(3)));
      assert.deepEqual((await hours()).map(({ hours }) => Number(hours)), [1 + 2 ** 13 + 2 ** 23, 1]);

      const pageOf = async (limit: number) => (await store.callPages.page({ organization, filter: { label: 'rare' }, limit }))!.map(({ id }) => id);
      const newestFirst = rare.map(({ id }) => id).reverse();
      assert.deepEqual([await pageOf(100), await pageOf(3)], [newestFirst, newestFirst.slice(0, 3)]);
      await context.query(url, 'update word_sum set hours = null where organization = $1', [organization]);
      const last = sampleRecord(organization, { labels: ['rare', 'usual'], startedAtMs: midnightMs + 20 * hourMs });
      await store.calls.ship(batchOf('seg_rare_3', [last]));
      assert.deepEqual((await hours()).map(({ hours }) => hours), [null, null]);
      const seventh = [...rare, last].sort((one, other) => other.startedAtMs - one.startedAtMs).map(({ id }) => id);
      assert.deepEqual(await pageOf(100), seventh);
    });

    test('more rows than allowed give no report, from sums and from records alike', async () => {
      const of = { organization: organizations[0]!, by: ['run'] } as const;
      const runs = (await report('run')).size;
      assert.equal(await store.usageReports.usage({ ...of, rowsMax: runs - 1 }), null);
      assert.equal((await store.usageReports.usage({ ...of, rowsMax: runs }))!.length, runs);
      const partOfDay = { sinceMs: startMs - dayMs, untilMs: startMs - 1 };
      const some = (await report('run', partOfDay)).size;
      assert.ok(some > 1);
      assert.equal(await store.usageReports.usage({ ...of, ...partOfDay, rowsMax: some - 1 }), null);
    });

    test('names and figures at the bounds of an engine hold nothing up: they are cut, replaced, saturated', async () => {
      const organization = await newOrganization();
      const records = ['m'.repeat(4_096), '\ud800x', '\udbffx', 'a\0b', '', '\u{10ffff}'.repeat(1_000)].map((model) =>
        sampleRecord(organization, { model, cost: nanoDollarsMax, inputTokens: Number.MAX_SAFE_INTEGER, labels: ['x', 'x'] }));
      await store.calls.ship(batchOf('seg_bounds', records));
      await store.calls.ship(batchOf('seg_bounds', [{ ...records[0]!, startedAtMs: startMs + dayMs }], records.length + 1));
      const models = await report('model', {}, organization);
      assert.deepEqual([...models.keys()].sort(), ['', 'a\ufffdb', 'm'.repeat(512), '\u{10ffff}'.repeat(256), '\ufffdx'].sort());
      const cut = models.get('\ufffdx')!;
      assert.deepEqual([cut['calls'], cut['inputTokens']], [2n, 2n * BigInt(Number.MAX_SAFE_INTEGER)]);
      const both = (await report('label', {}, organization)).get('x')!;
      assert.deepEqual([both['calls'], both['inputTokens'], both['cost']], [7n, 7n * BigInt(Number.MAX_SAFE_INTEGER), nanoDollarsMax]);
      const part = await report('model', { untilMs: startMs + 1 }, organization);
      assert.deepEqual([...part.keys()].sort(), [...models.keys()].sort(), 'the same names from the records');
    });

    test('a batch that fails adds nothing', async () => {
      const organization = await newOrganization();
      const broken = [sampleRecord(organization), sampleRecord(organization, { requestBytes: 'x' as unknown as number })];
      await assert.rejects(store.calls.ship(batchOf('seg_broken', broken)));
      assert.equal((await report('day', {}, organization)).size, 0);
    });

    test('a walk gives every record of its time once, oldest first, also if thousands began at once; later ones are not in it', async () => {
      const organization = await newOrganization();
      const records = Array.from({ length: 3_500 }, (_, index) =>
        sampleRecord(organization, { startedAtMs: startMs + (index < 2_500 ? 5 : 4 - index % 5) }));
      await store.calls.ship(batchOf('seg_walk', records));
      const listed = (await keptCalls(store, organization)).toReversed();
      const all = (await pagesOf(store.callWalk.walk({ organization, fromMs: startMs, toMs: startMs + 6 }))).flat().map((each) => each.record);
      assert.deepEqual(all, listed);
      const part = (await pagesOf(store.callWalk.walk({ organization, fromMs: startMs + 1, toMs: startMs + 5 }))).flat().map((each) => each.record);
      assert.deepEqual(part, listed.filter(({ startedAtMs }) => startedAtMs >= startMs + 1 && startedAtMs < startMs + 5));
      const costs = (await pagesOf(store.callWalk.costs({ organization, fromMs: startMs, toMs: startMs + 6 }))).flat();
      assert.deepEqual(costs, listed.map(({ startedAtMs, cost }) => ({ startedAtMs, cost })));
      const { key, project } = listed[0]!;
      const ofOne = await pagesOf(store.callWalk.costs({ organization, fromMs: startMs, toMs: startMs + 6, key, project: project! }));
      assert.equal(ofOne.flat().length, listed.filter((each) => each.key === key && each.project === project).length);
      assert.deepEqual(await pagesOf(store.callWalk.costs({ organization, fromMs: startMs, toMs: startMs + 6, project: 'none of these' })), []);
      const walk = store.callWalk.walk({ organization, fromMs: startMs, toMs: startMs + 10 });
      const first = (await walk.next()).value!;
      await store.calls.ship(batchOf('seg_walk', [sampleRecord(organization, { startedAtMs: startMs + 7 })], 3_501));
      assert.equal(first.length + (await pagesOf(walk)).flat().length, 3_500);
      assert.deepEqual(await pagesOf(store.callWalk.walk({ organization, fromMs: startMs + 6, toMs: startMs + 6 })), []);
    });
  });
}

function hasStatus(record: CallRecord, asked: StatusFilter): boolean {
  if (asked === 'error') return isProviderError(record) || record.status === 429;
  return record.status !== null && record.status >= asked.from && record.status < asked.below;
}

function lacksCost(record: LackingRecord, lack: CostLack): boolean {
  return lackingCountNames.some((name) => (lack === 'any' || name === `${lack === 'gaps' ? 'gap' : lack}Calls`) && lackingCounts[name](record));
}
