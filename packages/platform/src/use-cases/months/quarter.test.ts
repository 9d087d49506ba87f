/**
 * A quarter that is played for twelve teams, closed month by month on both engines: every sum equals the ledger that this test keeps by itself, and
 * nothing that is learned later moves a closed month. Rule 24b; docs/month.md.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { earlierCallsOf } from '@metergate/core/books/month/earlier-calls.ts';
import type { OrganizationId, ServiceKeyId } from '@metergate/core/id.ts';
import { formatDollars, nanoDollars, type NanoDollars } from '@metergate/core/money.ts';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import { dayName } from '@metergate/core/time/utc-day.ts';
import { monthName } from '@metergate/core/time/utc-month.ts';
import { batchOf, drawing, granted, sampleRecord } from '@metergate/store/test-support/contract-fixture.ts';
import { bothEngines, contractStores } from '@metergate/store/test-support/contract-store.ts';
import { makeStatement } from '../statements/month-statement.ts';
import { isRefusal, type AdministrationRefusal } from '../refusal.ts';
import { showUsage } from '../usage.ts';
import { pemOf, rawKeysIn } from '../receipts/public-key-pem.ts';
import { adjustedUsage } from './adjusted-usage.ts';
import { checkMonth } from './check-month.ts';
import { closeAndShow, exportMonth, listMonths, reopenMonth, showMonth } from './months.ts';
import { linesOfMonth, namesOfMonth } from './read-month.ts';

const contractStore = contractStores();
const [september, october, november, december] = [8, 9, 10, 11].map((month) => Date.UTC(2026, month, 1)) as [number, number, number, number];
const dayMs = 86_400_000;
const callsAMonth = 1_200;
const refused = (answer: unknown): string | null => (isRefusal(answer) ? answer.refused.code : null);
function shown<Value>(answer: Value | AdministrationRefusal): Value {
  if (isRefusal(answer)) throw new Error(answer.refused.message);
  return answer;
}
const dollars = (amount: bigint): string => formatDollars(amount as NanoDollars);
const total = (records: readonly CallRecord[]): bigint => records.reduce((sum, { cost }) => sum + (cost ?? 0n), 0n);

/** 200 keys, the last 40 of them shared by all teams, 3,000 labels. */
function played(organization: OrganizationId, monthMs: number, count: number): CallRecord[] {
  const draw = drawing(monthMs / dayMs);
  return Array.from({ length: count }, (_, index) => {
    const [key, team] = [draw(200), draw(12)];
    return sampleRecord(organization, {
      key: `key_${String(key).padStart(20, '0')}` as ServiceKeyId, project: key < 160 ? `project-${key % 24}` : null,
      labels: [`team:${key < 160 ? key % 12 : team}`, `ticket:${draw(3_000 - 12)}`].slice(0, draw(3)),
      model: ['gpt-6', 'gpt-6-mini', 'claude-opus-5', null][draw(4)]!, wire: draw(2) === 0 ? 'openai' : 'anthropic',
      startedAtMs: monthMs + Math.floor((index / count) * 30 * dayMs), inputTokens: draw(10_000),
      cost: draw(50) === 0 ? null : nanoDollars(BigInt(draw(2_000_000_000))),
    });
  });
}

for (const on of bothEngines) {
  describe(`a quarter on ${on.title}`, async () => {
    const { store, newOrganization } = await contractStore(on);
    const at = (nowMs: number) => ({ store, randomBytes: (n: number) => randomBytes(n), nowMs });
    let segments = 0;
    const ship = async (records: readonly CallRecord[]): Promise<void> => {
      for (let from = 0; from < records.length; from += 200) {
        await store.calls.ship(batchOf(`seg_quarter_${segments += 1}`, records.slice(from, from + 200)));
      }
    };
    const bill = (organization: OrganizationId, day: number, difference: bigint) => store.corrections.record({
      organization, provider: 'openai', fromMs: day, toMs: day + dayMs, bill: 'ab'.repeat(32),
      days: [{ dayMs: day, model: 'gpt-6', ours: nanoDollars(5_000_000_000n), theirs: (5_000_000_000n + difference) as NanoDollars }],
    });
    const fileOf = async (organization: OrganizationId, monthMs: number, version?: number): Promise<Buffer> => {
      const made = shown(await exportMonth(at(december), { organization, monthMs, ...(version === undefined ? {} : { version }) }));
      const pieces: Uint8Array[] = [];
      for await (const { bytes } of made.pieces) pieces.push(bytes);
      return Buffer.concat(pieces);
    };
    const verdictOf = async (file: Uint8Array, trusted: readonly string[] | null = null) =>
      checkMonth((async function* () { yield file; })(), trusted);

    test('closed, stated, handed out: sums are those of the ledger, and what is learned later goes into the month closed next', async () => {
      const organization = await newOrganization();
      const asked = (monthMs: number) => ({ organization, monthMs });
      const [sept, oct, nov, late] = [
        played(organization, september, callsAMonth), played(organization, october, callsAMonth), played(organization, november, callsAMonth),
        played(organization, september, 37),
      ];
      await ship([...sept, ...oct]);
      await bill(organization, september + dayMs, -10_000_000n);
      assert.equal(refused(await closeAndShow(at(october - 1), asked(september))), 'month_not_over');
      const closed = shown(await closeAndShow(at(october + 2 * dayMs), asked(september)));
      const { state, version, figures, correction, adjustedCost, late: none } = closed;
      assert.deepEqual([state, version, figures.calls, figures.cost, correction, adjustedCost, none], [
        'closed', 1, callsAMonth, dollars(total(sept)), '-0.010000000', dollars(total(sept) - 10_000_000n), [],
      ]);
      await linesEqual(organization, september, sept);

      const frozen = async () => [
        await showMonth(at(december), asked(september)), await fileOf(organization, september),
        (await makeStatement(at(december), asked(september)) as { html: string }).html,
        await adjustedUsage(at(december), { organization, by: ['day'], sinceMs: september, untilMs: october }),
        await adjustedUsage(at(december), { organization, by: ['model'], filter: { wire: 'openai' }, sinceMs: september, untilMs: october }),
      ];
      const before = await frozen();
      assert.match(before[2] as string, new RegExp(`${dollars(total(sept))} USD`));
      await ship([...late, ...nov]);
      await bill(organization, september + dayMs, 30_000_000n);
      await bill(organization, september + 5 * dayMs, 7n);
      const again = await pricedAgain(organization, september);

      assert.deepEqual(await frozen(), before, 'neither late calls, nor bills, nor calls that are priced again move it');
      const plain = await showUsage(at(december), { organization, by: [], sinceMs: september, untilMs: october });
      assert.equal((plain as readonly { cost: string }[])[0]!.cost, dollars(total(sept) + total(late)), 'usage is that of the records');

      assert.equal(refused(await closeAndShow(at(december), asked(november))), 'month_order', 'October comes first');
      const second = await closeAndShow(at(december), asked(october));
      assert.ok(!isRefusal(second));
      assert.deepEqual(second.late, [{ month: '2026-09', calls: late.length, cost: dollars(total(late)), correction: dollars(40_000_007n + again) }]);
      assert.equal(second.adjustedCost, dollars(total(oct) + total(late) + 40_000_007n + again));
      await linesEqual(organization, october, oct);

      const third = await closeAndShow(at(december), asked(november));
      assert.ok(!isRefusal(third));
      assert.deepEqual([third.late, third.adjustedCost], [[], dollars(total(nov))]);
      const all = total([...sept, ...oct, ...nov, ...late]) + 30_000_000n + 7n + again;
      const months = await listMonths(at(december), organization) as { month: string; adjustedCost: string }[];
      assert.deepEqual(months.map(({ month }) => month), ['2026-11', '2026-10', '2026-09']);
      assert.equal(dollars(months.reduce((sum, { adjustedCost }) => sum + BigInt(adjustedCost.replace('.', '')), 0n)), dollars(all));
      assert.deepEqual(await frozen(), before);

      await reopened(organization, nov);
      await erased(organization, [sept, before[1] as Buffer]);
    });

    test('work of a closed month that is settled later is in the month in which it is learned, and the closed one stays', async () => {
      const organization = await newOrganization();
      const asked = (monthMs: number) => ({ organization, monthMs });
      const batch = sampleRecord(organization, {
        startedAtMs: october - dayMs, path: '/v1/batches', endpoint: 'other', works: ['batch_1'], usage: 'unknown', usageReason: 'deferred',
        model: null, inputTokens: null, outputTokens: null, cost: null, costSource: 'none', priceList: null, pricedBy: null,
      });
      const sept = played(organization, september, 50);
      await ship([...sept, batch]);
      const closed = shown(await closeAndShow(at(october + 2 * dayMs), asked(september)));
      assert.deepEqual([closed.figures.cost, closed.figures.unknownCalls], [dollars(total(sept)), 1]);
      const frozen = async () => [await showMonth(at(december), asked(september)), await fileOf(organization, september),
        await adjustedUsage(at(december), { organization, by: ['day'], sinceMs: september, untilMs: october })];
      const before = await frozen();
      const settlement = sampleRecord(organization, {
        kind: 'settlement', works: ['batch_1'], method: 'GET', path: '/v1/batches/batch_1', endpoint: 'other', startedAtMs: october + 3 * dayMs,
        cost: nanoDollars(70n),
      });
      await ship([settlement]);
      assert.deepEqual(await frozen(), before);
      const [now] = await showUsage(at(december), { organization, by: [], sinceMs: september, untilMs: october }) as { unknownCalls: number }[];
      assert.equal(now!.unknownCalls, 0, 'the records know it');
      const next = shown(await closeAndShow(at(december), asked(october)));
      assert.deepEqual([next.late, next.figures.calls, next.adjustedCost], [[], 1, dollars(70n)]);
      assert.deepEqual(await frozen(), before);
    });

    /** Some calls to the provider of which no bill was recorded cost a little more; returns how much. */
    async function pricedAgain(organization: OrganizationId, monthMs: number): Promise<bigint> {
      const found = [];
      for await (const page of store.callWalk.walk({ organization, fromMs: monthMs, toMs: monthMs + dayMs })) found.push(...page);
      const chosen = found.filter(({ record: { wire, cost } }) => wire === 'anthropic' && cost !== null).slice(0, 5);
      assert.equal(chosen.length, 5);
      await store.callCorrections.replace({
        organization, counted: false, audited: false,
        calls: chosen.map(({ record: { key, project, startedAtMs }, place: { sequence } }) => ({ sequence, key, project, startedAtMs })),
        corrections: new Map(chosen.map(({ record, place }) => [place.sequence, {
          recorded: record.cost, cost: nanoDollars(record.cost! + 11n), costGaps: [], priceList: 'own',
        }])),
      });
      return 55n;
    }

    /** The lines of a closed month, by key, label, model and day. */
    async function linesEqual(organization: OrganizationId, monthMs: number, records: readonly CallRecord[]): Promise<void> {
      const version = (await store.months.list(organization)).find((each) => each.monthMs === monthMs)!;
      const names = await namesOfMonth(store, version);
      const sums = (rows: readonly (readonly [string, bigint])[]) => {
        const found = new Map<string, bigint>();
        for (const [name, amount] of rows) found.set(name, (found.get(name) ?? 0n) + amount);
        return [...found].sort(([one], [other]) => (one < other ? -1 : 1));
      };
      const calls = await linesOfMonth(store, version, ['calls']);
      const days = await linesOfMonth(store, version, ['day']);
      const cost = ({ figures }: { readonly figures: Readonly<Record<string, string>> }) => BigInt(figures['cost']!.replace('.', ''));
      const costOf = (record: CallRecord): bigint => record.cost ?? 0n;
      assert.deepEqual(sums(calls.map((line) => [line.key, cost(line)])), sums(records.map((record) => [record.key, costOf(record)])));
      assert.deepEqual(
        sums(calls.flatMap((line) => line.labels.map((label) => [names.get(label)!, cost(line)] as const))),
        sums(records.flatMap((record) => record.labels.map((label) => [label, costOf(record)] as const))));
      assert.deepEqual(sums(calls.map((line) => [`${names.get(line.project) ?? ''}|${names.get(line.model) ?? ''}`, cost(line)])),
        sums(records.map((record) => [`${record.project ?? ''}|${record.model ?? record.requestedModel ?? ''}`, costOf(record)])));
      assert.deepEqual(sums(days.map((line) => [`${line.day} ${line.wire} ${names.get(line.model) ?? ''}`, cost(line)])),
        sums(records.map((record) =>
          [`${dayName(record.startedAtMs)} ${record.wire} ${record.model ?? record.requestedModel ?? ''}`, costOf(record)])));
    }

    async function reopened(organization: OrganizationId, nov: readonly CallRecord[]): Promise<void> {
      assert.equal(refused(await reopenMonth(at(december), { organization, monthMs: september })), 'month_order');
      const first = await fileOf(organization, november);
      assert.equal((await reopenMonth(at(december), { organization, monthMs: november }) as { state: string }).state, 'open');
      assert.equal(refused(await reopenMonth(at(december), { organization, monthMs: november })), 'month_not_closed');
      const more = played(organization, november, 5);
      await ship(more);
      const again = await closeAndShow(at(december), { organization, monthMs: november });
      assert.ok(!isRefusal(again));
      assert.deepEqual([again.version, again.figures.calls, again.adjustedCost], [2, nov.length + 5, dollars(total([...nov, ...more]))]);
      assert.deepEqual(await fileOf(organization, november, 1), first, 'what was closed first stays readable');
      assert.equal(refused(await showMonth(at(december), { organization, monthMs: november, version: 3 })), 'unknown_month');
      assert.equal(refused(await closeAndShow(at(december), { organization, monthMs: november })), 'month_closed');
    }

    /** Rotation and erasure leave figures and signatures; erasure takes the names. */
    async function erased(organization: OrganizationId, [sept, file]: readonly [readonly CallRecord[], Buffer]): Promise<void> {
      const { keys } = await store.receipts.open(organization);
      await store.receipts.rotateKey(organization);
      const rotated = await fileOf(organization, september);
      assert.equal((await verdictOf(rotated, rawKeysIn(pemOf(keys[0]!.publicKey))!)).valid, true);
      await granted(store.erasure.begin(organization));
      while (await store.erasure.eraseSlice());
      const without = await fileOf(organization, september);
      const verdict = await verdictOf(without);
      assert.deepEqual([verdict.valid, verdict.adjustedCost, verdict.withoutNames > 0], [true, dollars(total(sept) - 10_000_000n), true]);
      assert.doesNotMatch(without.toString(), /team:|ticket:|project-|gpt-6|claude/);
      assert.match(file.toString(), /team:/);
      assert.equal(shown(await showMonth(at(december), { organization, monthMs: september })).adjustedCost, verdict.adjustedCost);
      assert.equal(refused(await closeAndShow(at(december + 40 * dayMs), { organization, monthMs: december })), 'unknown_organization');
    }

    test('whatever is changed in a file, it is not valid, and the place is named', async () => {
      const organization = await newOrganization();
      await ship(played(organization, september, 40));
      await closeAndShow(at(october), { organization, monthMs: september });
      const text = (await fileOf(organization, september)).toString();
      const changed = async (from: string | RegExp, to: string) => verdictOf(Buffer.from(text.replace(from, to)));
      assert.equal((await verdictOf(Buffer.from(text))).valid, true);
      assert.equal((await verdictOf(Buffer.from(text), [`${'A'.repeat(43)}=`])).fault, 'unknown_key');
      const line = /"type":"calls"[^\n]*/.exec(text)![0];
      const cost = /"cost":"[\d.]+"/.exec(line)![0];
      assert.equal((await changed(cost, '"cost":"0.000000001"')).fault, 'lines_differ');
      assert.equal((await changed(`{${line}\n`, '')).fault, 'lines_differ');
      assert.equal((await changed(/"text":"[^"]+"/, '"text":"another"')).fault, 'name_differs');
      assert.equal((await changed('"version":1', '"version":2')).fault, 'bad_signature');
      assert.equal((await changed('"month":"2026-09","version"', '"month":"2026-08","version"')).fault, 'bad_signature');
      assert.equal((await changed('"version":1', '"version": 1')).fault, 'malformed');
      assert.equal((await verdictOf(Buffer.from(text.slice(0, text.lastIndexOf('{'))))).fault, 'cut');
      assert.equal((await verdictOf(Buffer.from(`${text}{}\n`))).fault, 'malformed');
      const lines = text.trimEnd().split('\n').map((each) => JSON.parse(each) as Record<string, unknown>);
      const firsts = [...Map.groupBy(lines, ({ type }) => type).values()].map(([first]) => first!);
      const members = firsts.flatMap((first) => Object.keys(first).map((name) => [first, name] as const));
      for (const [first, name, value] of members.flatMap((member) => [null, 5, 'x', [null], {}].map((each) => [...member, each] as const))) {
        if (JSON.stringify(value) === JSON.stringify(first[name])) continue;
        const file = lines.map((each) => `${JSON.stringify(each === first ? { ...each, [name]: value } : each)}\n`).join('');
        assert.equal((await verdictOf(Buffer.from(file))).valid, false, `${String(first['type'])} ${name} ${JSON.stringify(value)}`);
      }
    });

    test('a call of one organization that goes on over the end of the month holds up nobody else, also on a node that was killed', async () => {
      const [holding, other] = [await newOrganization(), await newOrganization()];
      for (const organization of [holding, other]) await ship(played(organization, september, 10));
      const say = async (node: string, atMs: number): Promise<void> => store.nodeReports.say(`home_${node}`, {
        node, host: 'one', version: '0', runtime: 'v26', startedAtMs: 1, state: 'ready', reasons: [], callsInFlight: 1,
        oldestCallMs: october - 5, callsForwarded: 0, callsRefused: 0, faults: 0, liveRuns: 0,
        journal: { rowsToShip: 0, lagMs: 0, bytes: 0, rowsInMemory: 0, setAside: 0, setAsideOf: [] },
        settingsAgeMs: 0, eventLoopDelayMs: 0, spendDifferences: 0, leases: null,
        earlierCalls: earlierCallsOf([{ organization: holding, beganMs: october - 5 }], atMs),
      }, atMs);
      await say('node_going_on', october + dayMs);
      await say('node_killed', october + dayMs / 2);
      const close = (organization: OrganizationId) => closeAndShow(at(october + dayMs), { organization, monthMs: september });
      const waiting = await close(holding);
      assert.equal(refused(waiting), 'month_waiting');
      assert.match(JSON.stringify(waiting), /node_going_on: A call .*node_killed: A call /);
      const closed = shown(await close(other));
      assert.deepEqual([closed.state, closed.nodes], ['closed', []]);
      for (const node of ['node_going_on', 'node_killed']) {
        const { earlierCalls: _, ...report } = (await store.nodeReports.list()).find(({ report }) => report.node === node)!.report;
        await store.nodeReports.say(`home_${node}`, { ...report, state: 'stopped' }, october + dayMs);
      }
      assert.equal(shown(await close(holding)).state, 'closed');
    });

    test('a node that may hold calls of the month is waited for, unless the command says to go on, which is recorded', async () => {
      const organization = await newOrganization();
      await ship(played(organization, september, 10));
      await store.nodeReports.say('home_silent', {
        node: 'node_silent', host: 'one', version: '0', runtime: 'v26', startedAtMs: 1, state: 'ready', reasons: [], callsInFlight: 0,
        oldestCallMs: null, callsForwarded: 0, callsRefused: 0, faults: 0, liveRuns: 0,
        journal: { rowsToShip: 0, lagMs: 0, bytes: 0, rowsInMemory: 0, setAside: 0 },
        settingsAgeMs: 0, eventLoopDelayMs: 0, spendDifferences: 0, leases: null,
      }, october - dayMs);
      const asked = { organization, monthMs: september };
      const waiting = await closeAndShow(at(october + dayMs), asked);
      assert.equal(refused(waiting), 'month_waiting');
      assert.match(JSON.stringify(waiting), /node_silent: It last reported at 2026-09-30T00:00:00\.000Z/);
      assert.equal(refused(await closeAndShow(at(october + dayMs), { ...asked, without: ['node_other'] })), 'month_waiting');
      const closed = await closeAndShow(at(october + dayMs), { ...asked, without: ['node_silent'] });
      assert.ok(!isRefusal(closed));
      assert.deepEqual(closed.nodes.map(({ node }) => node), ['node_silent']);
      assert.equal(monthName(september), closed.month);
      await store.nodeReports.say('home_silent', { ...(await store.nodeReports.list())[0]!.report, state: 'stopped' }, october + 2 * dayMs);
      assert.deepEqual(shown(await showMonth(at(december), { organization, monthMs: october })).nodes, []);
    });
  });
}
