/**
 * After a random month of calls, of which some began work that was settled later, and whose calls were priced again, records, settlements and
 * corrections add up to every report, on both engines: adjusted usage by every dimension, every adjusted export, the statement, and on request
 * caps and a key's view of itself. Records, plain usage and receipts stay as they were.
 */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { requestIdFrom, type OrganizationId } from '@metergate/core/id.ts';
import { createPriceBook, type PriceBook } from '@metergate/core/price/price-book.ts';
import { priceList } from '@metergate/core/price/price-list.ts';
import { parseOverlay } from '@metergate/core/price/overlay.ts';
import { repricedCall } from '@metergate/core/price/reprice.ts';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import { lackingCounts } from '@metergate/core/spend/lacking-calls.ts';
import { usageDimensions, type UsageDimension } from '@metergate/core/report/usage-sum.ts';
import { openStore, type Store } from '@metergate/store/store.ts';
import { newDatabase } from '@metergate/store/test-support/contract-fixture.ts';
import { keptCalls } from '@metergate/testkit/kept-calls.ts';
import { testPostgres, type TestPostgres } from '@metergate/testkit/postgres.ts';
import { freshSqlite, masterKey } from '../../http/test-support/platform-fixture.ts';
import { createDrawing } from '../../seed/drawing.ts';
import { plausibleCalls } from '../../seed/plausible-calls.ts';
import { callerOf } from '../../seed/tenants.ts';
import { listCaps, setCap, type CapInput } from '../caps.ts';
import { showComparedUsage } from '../compared-usage.ts';
import { exportCalls, exportFormats } from '../exports.ts';
import { showOverview } from '../overview.ts';
import { loadPrices } from '../prices.ts';
import { isRefusal } from '../refusal.ts';
import { keyPresented, showSelf } from '../self.ts';
import { createServiceKey, type MintedServiceKey } from '../service-keys.ts';
import { makeStatement } from '../statements/month-statement.ts';
import { repriceCalls, type RepriceRequest } from './reprice-calls.ts';

const nowMs = Date.UTC(2026, 9, 30, 20);
const monthMs = Date.UTC(2026, 9, 1);
const month = { sinceMs: monthMs, untilMs: Date.UTC(2026, 10, 1) };
const nano = (text: string): bigint => BigInt(text.replace('.', ''));
const list = createPriceBook({ list: priceList, overlay: null });

/** Other prices for some of the models that were called, one of them only from the middle of the month on. */
function otherPrices(records: readonly CallRecord[]): string {
  const models = [...new Set(records.flatMap(({ wire, model, costSource }) =>
    (wire === 'upstream' || model === null || costSource === 'upstream' ? [] : [JSON.stringify([wire, model])])))].sort();
  const prices = models.flatMap((text, index) => {
    const [provider, model] = JSON.parse(text) as [string, string];
    const rates = { input: `${index + 1}.123456`, cached: '0.5', cacheWrite: '1.75', cacheWriteOneHour: '2.75', output: `${index + 2}.7` };
    return index % 3 === 2 ? [] : [{ provider, model, ...(index % 3 === 1 ? { from: '2026-10-20' } : {}), ...rates }];
  });
  return JSON.stringify({ prices });
}

function bookOf(text: string): PriceBook {
  const parsed = parseOverlay(text);
  assert.ok('overlay' in parsed);
  return createPriceBook({ list: priceList, overlay: { overlay: parsed.overlay, hash: createHash('sha256').update(text).digest('hex') } });
}

const nothingKnown = {
  usage: 'unknown', usageReason: 'deferred', model: null, inputTokens: null, outputTokens: null, cachedTokens: null, cacheWriteTokens: null,
  reasoningTokens: null, audioInputTokens: null, audioOutputTokens: null, toolCalls: null, units: null, cost: null, costGaps: [], costSource: 'none',
  pricedBy: null, priceList: null, cacheSavings: null, serviceTier: null, requestedModel: null,
} as const satisfies Partial<CallRecord>;

/** Every ninth call of a named provider begins a batch. Its settlements, reported by one or more polls of another key, have the call's usage. */
function withWork(records: readonly CallRecord[], poller: CallRecord['key']): { readonly calls: CallRecord[]; readonly told: CallRecord[] } {
  const begins = (index: number): boolean => index % 9 === 4 && records[index]!.wire !== 'upstream';
  const works = (index: number): CallRecord['works'] => [`batch_${index}`];
  return {
    calls: records.map((record, index): CallRecord => (begins(index)
      ? { ...record, ...nothingKnown, endpoint: 'other', method: 'POST', path: '/v1/batches', works: works(index) } : record)),
    told: records.flatMap((record, index) => (begins(index) && index % 27 !== 4 ? [0, 1, 2].slice(index % 3).map((time): CallRecord => ({
      ...record, id: requestIdFrom(`${index.toString(16).padStart(16, 'e')}${time}${'a'.repeat(15)}`), kind: 'settlement', works: works(index),
      endpoint: 'other', method: 'GET', path: `/v1/batches/batch_${index}`, key: poller, project: null, labels: ['poll'], run: null,
      startedAtMs: Math.min(record.startedAtMs + 86_400_000, nowMs),
    })) : [])),
  };
}

for (const engine of ['SQLite', 'PostgreSQL'] as const) {
  describe(`records and corrections on ${engine}`, () => {
    let server: TestPostgres | null = null;
    let remove = (): void => {};
    let store: Store;
    let organization: OrganizationId;
    let keys: readonly MintedServiceKey[] = [];
    let records: readonly CallRecord[] = [];
    let file = '';
    /** What each corrected record costs instead. */
    let corrected: ReadonlyMap<string, bigint> = new Map();
    const bytes = (n: number): Uint8Array => randomBytes(n);
    const context = () => ({
      store: store.acting({ actor: { kind: 'operator', id: null, name: 'ada' }, detail: { month: '2026-10' } }), nowMs, randomBytes: bytes,
    });
    const run = async (more: Partial<RepriceRequest> = {}) => {
      const done = await repriceCalls(context(), { organization, monthMs, prices: { file }, dryRun: false, ...more });
      assert.ok(!isRefusal(done));
      return done;
    };
    const trail = async () => (await store.audit.list({ organization, limit: 100 }))!.filter(({ action }) => action === 'repriceCalls').length;

    before(async () => {
      const place = engine === 'SQLite' ? freshSqlite() : null;
      server = place === null ? await testPostgres() : null;
      remove = () => place?.remove();
      store = await openStore({ url: place?.url ?? await newDatabase(server!), masterKey, clock: Date.now, randomBytes: bytes, create: true });
      const made = await store.organizations.create({ name: 'acme', plan: 'team' });
      assert.ok('id' in made);
      organization = made.id;
      const draw = createDrawing(Number(process.env['TEST_SEED'] ?? 77));
      keys = await Promise.all([1, 2, 3].map(async () => {
        const key = await createServiceKey(context(), { organization });
        assert.ok(!isRefusal(key));
        return key;
      }));
      const callers = keys.slice(0, 2).map(({ id }, index) => callerOf(organization, id as CallRecord['key'], index + 1, draw));
      const { calls, told } = withWork([...plausibleCalls({ callers, calls: 3_000, nowMs, days: 29, book: list }, draw)].map((record, index) => ({
        ...record, labels: index % 3 === 0 ? [] : index % 3 === 1 ? ['a'] : ['a', 'b'],
        ...(index % 40 === 7 && record.cost !== null ? { cost: null, costSource: 'unpriced' as const, priceList: null, pricedBy: null } : {}),
      })), keys[2]!.id as CallRecord['key']);
      for (const [segment, shipped] of [['seg_1', calls], ['seg_2', told]] as const) {
        await store.calls.ship({ segment, through: shipped.length, records: shipped.map((record, index) => ({ seq: index + 1, record })) });
      }
      records = (await keptCalls(store, organization)).toReversed();
      const once = new Map(told.map((record) => [record.works[0]!, record]));
      assert.ok(once.size > 100 && told.length > once.size);
      const sum = (all: Iterable<CallRecord>): bigint => [...all].reduce((so, { cost }) => so + (cost ?? 0n), 0n);
      assert.equal(sum(records), sum(calls) + sum(once.values()), 'each piece of work is settled once');
      assert.equal(records.filter(({ settledBy }) => settledBy !== null).length, once.size);
      file = otherPrices(records);
      const book = bookOf(file);
      corrected = new Map(records.flatMap((record) => {
        const found = repricedCall(record, { book, own: list, strict: true });
        return found.kind === 'repriced' && found.cost !== record.cost ? [[record.id, found.cost]] : [];
      }));
    });
    after(async () => {
      await store.close();
      await server?.stop();
      remove();
    });

    /** Sums of usage, recorded and adjusted. */
    async function usage(by: readonly UsageDimension[], filter: Record<string, string> = {}) {
      const rows = await showComparedUsage(context(), { organization, by, filter, ...(by.includes('hour')
        ? { sinceMs: Date.UTC(2026, 9, 19), untilMs: Date.UTC(2026, 9, 26) } : month) }, { adjusted: true });
      assert.ok(!isRefusal(rows), JSON.stringify(rows));
      return rows;
    }

    function expected(of: (record: CallRecord) => boolean = () => true): bigint {
      return records.filter(of).reduce((sum, { id, cost }) => sum + (corrected.get(id) ?? cost ?? 0n), 0n);
    }

    test('a dry run says what it would do and does nothing', async () => {
      assert.ok(corrected.size > 500 && corrected.size < records.length - 500, String(corrected.size));
      const { written, ...said } = await run({ dryRun: true });
      assert.deepEqual([written, said.corrected, await trail()], [0, corrected.size, 0]);
      for (const row of await usage(['day'])) assert.equal(row.adjustedCost, row.cost);
    });

    test('every report with corrections is the records with them, to the nano-dollar, and once', async () => {
      const before = await keptCalls(store, organization);
      const first = await run();
      assert.deepEqual([first.written, first.corrected], [corrected.size, corrected.size]);
      const again = await run();
      assert.deepEqual([again.written, again.corrected, await trail()], [0, corrected.size, 1], 'a second time changes nothing');
      assert.deepEqual(first.models.reduce((sum, { calls }) => sum + calls, 0), first.calls);
      assert.equal(nano(first.after) - nano(first.before), expected() - records.reduce((sum, { cost }) => sum + (cost ?? 0n), 0n));
      assert.deepEqual(await keptCalls(store, organization), before, 'records stay as they were');
      for (const by of usageDimensions.filter((each) => each !== 'label' && each !== 'hour')) {
        const rows = await usage([by]);
        assert.equal(rows.reduce((sum, { adjustedCost }) => sum + nano(adjustedCost!), 0n), expected(), by);
        assert.equal(rows.reduce((sum, { cost }) => sum + nano(cost), 0n), records.reduce((sum, { cost }) => sum + (cost ?? 0n), 0n), by);
      }
      for (const row of await usage(['key', 'model'])) {
        const due = expected(({ key, model }) => key === row.key && model === (row.model ?? null));
        assert.equal(nano(row.adjustedCost!), due, `${row.key} ${row.model}`);
      }
      for (const row of await usage(['label'])) {
        const name = row.label ?? null;
        assert.equal(nano(row.adjustedCost!), expected(({ labels }) => (name === null ? labels.length === 0 : labels.includes(name))));
      }
      const [ofLabel] = await usage([], { label: 'b' });
      assert.equal(nano(ofLabel!.adjustedCost!), expected(({ labels }) => labels.includes('b')));
      const hours = await usage(['hour']);
      const inHours = ({ startedAtMs }: CallRecord) => startedAtMs >= Date.UTC(2026, 9, 19) && startedAtMs < Date.UTC(2026, 9, 26);
      assert.equal(hours.reduce((sum, { adjustedCost }) => sum + nano(adjustedCost!), 0n), expected(inHours));
    });

    test('exports at corrected cost, and the statement, add up to the same; plain exports to the records', async () => {
      for (const adjusted of [true, false]) {
        for (const format of exportFormats) {
          const made = await exportCalls(context(), { organization, format, fromMs: month.sinceMs, toMs: month.untilMs, adjusted });
          assert.ok(!isRefusal(made));
          let [cost, text] = [0n, ''];
          for await (const piece of made.pieces) {
            cost += piece.cost;
            if (format === 'focus' || format === 'jsonl') text += Buffer.from(piece.bytes).toString();
          }
          const due = adjusted ? expected() : records.reduce((sum, each) => sum + (each.cost ?? 0n), 0n);
          assert.equal(cost, due, format);
          const lines = text.trimEnd().split(/\r?\n/);
          if (format === 'jsonl') {
            assert.equal(lines.reduce((sum, line) => sum + nano((JSON.parse(line) as { cost: string | null }).cost ?? '0'), 0n), due);
          }
          if (format === 'focus') assert.equal(lines.slice(1).reduce((sum, line) => sum + nano(line.slice(0, line.indexOf(','))), 0n), due);
        }
      }
      const statement = await makeStatement(context(), { organization, monthMs });
      assert.ok(!isRefusal(statement));
      const said = /Adjusted cost: ([\d.]+) USD/.exec(statement.html)?.[1];
      assert.equal(nano(said!), expected());
      const recorded = records.reduce((sum, { cost }) => sum + (cost ?? 0n), 0n);
      assert.equal(nano(statement.totals.cost), recorded);
      const overview = await showOverview(context(), { organization, sinceMs: month.sinceMs, untilMs: nowMs + 3_600_000 });
      assert.ok(!isRefusal(overview));
      const unknown = records.filter((each) => lackingCounts.unknownCalls(each)).length;
      const { total } = overview;
      assert.deepEqual([total.calls, nano(total.cost), total.unknownCalls], [records.length, recorded, unknown], 'the overview');
    });

    test('caps, and a key\'s view of itself, go by the records, by the corrections where that is wanted, and by the records again', async () => {
      const set = async (more: Pick<CapInput, 'scope' | 'key' | 'project'>) => {
        const cap = await setCap(context(), { organization, window: 'month', limit: '1000000', mode: 'refuse', ...more });
        assert.ok(!isRefusal(cap));
      };
      const project = records.find((each) => each.project !== null)!.project!;
      await set({ scope: 'organization' });
      for (const { id } of keys) await set({ scope: 'key', key: id });
      await set({ scope: 'project', project });
      const equal = async (costOf: (of: (record: CallRecord) => boolean) => bigint, what: string) => {
        const caps = await listCaps(context(), organization);
        assert.ok(!isRefusal(caps) && caps.length === 5);
        for (const cap of caps) {
          const due = costOf(({ key, project: of }) => cap.scope === 'organization' || (cap.scope === 'key' ? key === cap.key : of === cap.project));
          assert.equal(nano(cap.spent), due, `${what}, ${cap.scope} ${cap.key ?? cap.project ?? ''}`);
        }
        const presented = await keyPresented(context(), keys[0]!.key);
        const own = await showSelf(context(), presented!, { docs: '', labels: [] });
        assert.ok(!isRefusal(own));
        assert.deepEqual(own.caps.map(({ scope, spent }) => [scope, nano(spent)]).sort(), [
          ['key', costOf(({ key }) => key === keys[0]!.id)], ['organization', costOf(() => true)]], what);
        assert.deepEqual((await store.spendReconciler.reconcile(async () => true))!.differences, [], what);
      };
      const recorded = (of: (record: CallRecord) => boolean) => records.filter(of).reduce((sum, { cost }) => sum + (cost ?? 0n), 0n);
      const news = () => store.correctedSpend.after(0);
      await run();
      await equal(recorded, 'repriced');
      assert.equal((await run({ dryRun: true, caps: true })).written, 0);
      await equal(recorded, 'in a dry run');
      assert.equal((await run({ caps: true })).written, corrected.size);
      await equal(expected, 'on request');
      assert.equal((await run({ caps: true })).written, 0);
      await equal(expected, 'once');
      const told = (await news()).spent;
      assert.equal(told.reduce((sum, { cost }) => sum + cost!, 0n), engine === 'SQLite' ? expected() - recorded(() => true) : 0n);
      await Promise.all([run({ caps: true, prices: 'list' }), run({ caps: true })]);
      await run({ caps: true });
      await equal(expected, 'two at once');
      assert.equal((await run()).written, corrected.size);
      await equal(recorded, 'without it');
      assert.equal((await news()).spent.reduce((sum, { cost }) => sum + cost!, 0n), 0n);
    });

    test('by the prices that they were recorded by, no correction is left but for calls that had no price', async () => {
      const back = await run({ prices: 'list' });
      const priced = records.filter(({ costSource, wire }) => costSource === 'unpriced' && wire !== 'upstream').length;
      assert.ok(back.corrected <= priced && back.written >= corrected.size - priced);
      await loadPrices(context(), file);
      assert.equal((await run({ prices: 'current' })).corrected, corrected.size, 'the same prices, now in force');
    });
  });
}
