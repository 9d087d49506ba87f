/**
 * After a plausible series of calls, with failures, cuts, callers who left and usage that never came, every figure that the product shows about
 * them is the same to the nano-dollar, on both engines, and so is the count of calls whose cost is not known: records, usage, overview,
 * what caps read, every export, the statement. Shipped
 * by two shippers at once that repeat and restart.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { OrganizationId } from '@metergate/core/id.ts';
import { nanoDollars } from '@metergate/core/money.ts';
import { createPriceBook } from '@metergate/core/price/price-book.ts';
import { priceList } from '@metergate/core/price/price-list.ts';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import { lackingCountNames, type LackingCalls } from '@metergate/core/spend/lacking-calls.ts';
import { openStore, type Store } from '@metergate/store/store.ts';
import { newDatabase } from '@metergate/store/test-support/contract-fixture.ts';
import { keptCalls } from '@metergate/testkit/kept-calls.ts';
import { testPostgres, type TestPostgres } from '@metergate/testkit/postgres.ts';
import { freshSqlite, masterKey } from '../http/test-support/platform-fixture.ts';
import { createDrawing } from '../seed/drawing.ts';
import { plausibleCalls } from '../seed/plausible-calls.ts';
import { callerOf } from '../seed/tenants.ts';
import { exportCalls, exportFormats } from './exports.ts';
import { showOverview } from './overview.ts';
import { isRefusal } from './refusal.ts';
import { makeStatement } from './statements/month-statement.ts';
import { showUsage } from './usage.ts';

const nowMs = Date.UTC(2026, 9, 30, 20);
const month = { fromMs: Date.UTC(2026, 9, 1), toMs: Date.UTC(2026, 10, 1) };
const nano = (text: string): bigint => BigInt(text.replace('.', ''));

for (const engine of ['SQLite', 'PostgreSQL'] as const) {
  describe(`figures agree on ${engine}`, () => {
    let server: TestPostgres | null = null;
    let remove = (): void => {};
    let store: Store;
    let organization: OrganizationId;
    let records: CallRecord[] = [];
    const bytes = (n: number): Uint8Array => randomBytes(n);
    const context = () => ({ store, nowMs, randomBytes: bytes });
    const options = (url: string) => ({ url, masterKey, clock: Date.now, randomBytes: bytes, create: true });

    before(async () => {
      const place = engine === 'SQLite' ? freshSqlite() : null;
      server = place === null ? await testPostgres() : null;
      const url = place?.url ?? await newDatabase(server!);
      remove = () => place?.remove();
      store = await openStore(options(url));
      const made = await store.organizations.create({ name: 'acme', plan: 'team' });
      assert.ok('id' in made);
      organization = made.id;
      const draw = createDrawing(41);
      const callers = ['key_a', 'key_b', 'key_c'].map((key, index) => callerOf(organization, key as CallRecord['key'], index + 1, draw));
      const book = createPriceBook({ list: priceList, overlay: null });
      records = [...plausibleCalls({ callers, calls: 4_000, nowMs, days: 20, book }, draw)].map((record, index) =>
        index % 50 === 7 && record.cost !== null ? { ...record, cost: null, costSource: 'unpriced' }
          : index % 60 === 9 && record.cost !== null ? { ...record, costGaps: ['region'] } : record);
      const other = await openStore(options(url));
      await Promise.all([shipAll(store, 7), shipAll(other, 8)]);
      await other.close();
    });
    after(async () => {
      await store.close();
      await server?.stop();
      remove();
    });

    /** Two journals, shipped in batches of any size, some of them twice. */
    async function shipAll(through: Store, seed: number): Promise<void> {
      const draw = createDrawing(seed);
      for (const half of [0, 1]) {
        const own = records.filter((_, index) => index % 2 === half).map((record, index) => ({ seq: index + 1, record }));
        for (let done = 0; done < own.length;) {
          const to = Math.min(own.length, done + 1 + draw.below(700));
          await through.calls.ship({ segment: `seg_${half}`, through: to, records: own.slice(Math.max(0, done - draw.below(200)), to) });
          done = to;
        }
      }
    }

    test('to the nano-dollar', async () => {
      const kept = await keptCalls(store, organization);
      assert.deepEqual(new Set(kept.map(({ outcome }) => outcome)), new Set(['completed', 'failed', 'cut', 'caller_gone', 'interrupted']));
      const money = [kept.length, kept.reduce((sum, { cost }) => sum + (cost ?? 0n), 0n)];
      assert.deepEqual(money, [records.length, records.reduce((sum, { cost }) => sum + (cost ?? 0n), 0n)], 'every record, once');
      const lacking = [
        records.filter(({ usage }) => usage === 'unknown' || usage === 'partial').length,
        records.filter(({ costSource }) => costSource === 'unpriced').length, records.filter(({ costGaps }) => costGaps.length > 0).length,
      ];
      assert.ok(lacking.every((calls) => calls > 10), 'calls of each kind whose cost is not known');
      const counted = (rows: readonly LackingCalls[]): number[] =>
        lackingCountNames.map((name) => rows.reduce((sum, row) => sum + row[name], 0));
      const expected = [...money, ...lacking];
      const shown: Record<string, unknown> = {};
      for (const by of [['day'], ['model'], ['key', 'model'], ['wire'], ['project', 'endpoint'], ['month'], ['run']] as const) {
        const rows = await showUsage(context(), { organization, by, sinceMs: month.fromMs, untilMs: month.toMs });
        assert.ok(!isRefusal(rows));
        shown[by.join()] = [rows.reduce((sum, { calls }) => sum + calls, 0), rows.reduce((sum, { cost }) => sum + nano(cost), 0n), ...counted(rows)];
      }
      for (const format of exportFormats) {
        const made = await exportCalls(context(), { organization, format, ...month });
        assert.ok(!isRefusal(made));
        let [calls, cost, text] = [0, 0n, ''];
        for await (const piece of made.pieces) {
          [calls, cost] = [calls + piece.calls, cost + piece.cost];
          if (format === 'focus') text += Buffer.from(piece.bytes).toString();
        }
        assert.deepEqual([calls, cost], money, format);
        if (format !== 'focus') continue;
        const [, ...lines] = text.trimEnd().split('\r\n');
        assert.equal(lines.reduce((sum, line) => sum + nano(line.slice(0, line.indexOf(','))), 0n), money[1], 'the lines of FOCUS');
      }
      const statement = await makeStatement(context(), { organization, monthMs: month.fromMs });
      assert.ok(!isRefusal(statement));
      shown['statement'] = [statement.totals.calls, nano(statement.totals.cost), ...counted([statement.totals])];
      const cap = await store.caps.set({
        organization, scope: 'organization', subject: null, window: 'month', limit: nanoDollars(1n), mode: 'refuse',
      });
      assert.ok(!('refused' in cap));
      const [first] = await store.caps.list(organization, nowMs);
      shown['cap'] = [money[0], first!.spent, ...counted([first!])];
      const overview = await showOverview(context(), { organization, sinceMs: month.fromMs, untilMs: nowMs });
      assert.ok(!isRefusal(overview));
      shown['overview'] = [overview.total.calls, nano(overview.total.cost), ...counted([overview.total])];
      for (const [name, found] of Object.entries(shown)) assert.deepEqual(found, expected, name);
    });
  });
}
