/**
 * A FOCUS export splits each call with the prices that its record names, whatever is in force by then, and tells upstreams apart, on both
 * engines. Rule 25; decision 0305.
 */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { OrganizationId } from '@metergate/core/id.ts';
import { costOf } from '@metergate/core/price/cost.ts';
import { parseOverlay } from '@metergate/core/price/overlay.ts';
import { createPriceBook, type PriceBook } from '@metergate/core/price/price-book.ts';
import { priceList, priceListId, type PriceList } from '@metergate/core/price/price-list.ts';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import { nothingDue, noTokens } from '@metergate/core/usage/reading.ts';
import { openStore, type Store } from '@metergate/store/store.ts';
import { newDatabase, sampleRecord } from '@metergate/store/test-support/contract-fixture.ts';
import { testPostgres, type TestPostgres } from '@metergate/testkit/postgres.ts';
import { freshSqlite, masterKey } from '../../http/test-support/platform-fixture.ts';
import { showCallCost } from '../call-cost.ts';
import { exportCalls } from '../exports.ts';
import { isRefusal } from '../refusal.ts';
import { focusLines } from './focus-lines.ts';

const startMs = Date.UTC(2026, 9, 5, 8);
const dayMs = 86_400_000;
const month = { fromMs: Date.UTC(2026, 9, 1), toMs: Date.UTC(2026, 10, 1) };

/** The shipped list under another day, with every price of gpt-4o tenfold. */
function laterList(date: string): PriceList {
  const providers = priceList.providers.map((seller) => ({ ...seller, models: seller.models.map((model) => (model.id !== 'gpt-4o' ? model
    : { ...model, prices: model.prices.map((price) => ({ ...price, input: 25_000_000, output: 100_000_000 })) })) }));
  return { ...priceList, date, hash: createHash('sha256').update(date).digest('hex'), providers };
}
const shipped = createPriceBook({ list: priceList, overlay: null });
const overlayText = JSON.stringify({ prices: [{ provider: 'openai', model: 'gpt-4o', input: '7', output: '9' }] });

function overlayBook(): PriceBook {
  const parsed = parseOverlay(overlayText);
  assert.ok(!('refusal' in parsed));
  const hash = createHash('sha256').update(overlayText).digest('hex');
  return createPriceBook({ list: priceList, overlay: { overlay: parsed.overlay, hash } });
}

interface Sold {
  readonly book?: PriceBook;
  /** The name of the upstream that it goes to, and what is declared of that. */
  readonly upstream?: { readonly name: string; readonly url: string; readonly provider: string | null };
  readonly changes?: Partial<CallRecord>;
}

let made = 0;
/** A call as the gateway records it by a book. */
function sold(organization: OrganizationId, { book = shipped, upstream, changes = {} }: Sold): CallRecord {
  const startedAtMs = startMs + made++ * 60_000;
  const tokens = { ...noTokens, input: 1_000, output: 200 };
  const reading = { ...nothingDue, model: 'gpt-4o', usage: 'reported', tokens } as const;
  const provider = upstream === undefined ? 'openai' as const : null;
  const cost = costOf({
    reading, provider, upstreamHost: upstream?.url ?? null, listedAs: upstream?.provider ?? null, book, fallback: null, atMs: startedAtMs,
  });
  assert.equal(cost.costSource, 'priced');
  return sampleRecord(organization, {
    startedAtMs, model: 'gpt-4o', wire: provider ?? 'upstream', inputTokens: 1_000, outputTokens: 200, cachedTokens: null, cacheWriteTokens: null,
    reasoningTokens: null, serviceTier: null, audioInputTokens: null, audioOutputTokens: null, toolCalls: null, labels: [],
    path: upstream === undefined ? '/v1/chat/completions' : `/upstreams/${upstream.name}/v1/chat/completions`, ...cost, ...changes,
  });
}

test('it holds the list of one call at a time, and asks again where the next one names another', async () => {
  const books = ['2026-09-01', '2026-09-02'].map((date) => createPriceBook({ list: laterList(date), overlay: null })) as [PriceBook, PriceBook];
  const asked: string[] = [];
  const pricesOf = async (priceList: string) => (asked.push(priceList), books.find(({ context }) => context.listId === priceList) ?? null);
  const form = focusLines({
    account: { id: 'org_one', name: 'one' }, pricesOf, upstreamNamed: () => ({ upstreamUrl: null, listedAs: null, provider: null }), ...month,
  });
  const [one, two] = books.map((book) => sold('org_one' as OrganizationId, { book })) as [CallRecord, CallRecord];
  const unpriced = { ...one, priceList: null, cost: null, costSource: 'unpriced' } as const;
  for (const record of [one, one, two, unpriced, two, one]) {
    await form.ahead!(record);
    form.add({ record, keyName: null });
  }
  assert.deepEqual(asked, [one, two, one].map(({ priceList }) => priceList));
  assert.doesNotMatch(String(form.end()), /gpt-4o\/all/);
});

for (const engine of ['SQLite', 'PostgreSQL'] as const) {
  describe(`FOCUS and prices, on ${engine}`, () => {
    let server: TestPostgres | null = null;
    let remove = (): void => {};
    let store: Store;
    const bytes = (n: number): Uint8Array => randomBytes(n);
    const context = () => ({ store, nowMs: startMs + 40 * dayMs, randomBytes: bytes });

    before(async () => {
      const place = engine === 'SQLite' ? freshSqlite() : null;
      server = place === null ? await testPostgres() : null;
      remove = () => place?.remove();
      store = await openStore({ url: place?.url ?? await newDatabase(server!), masterKey, clock: Date.now, randomBytes: bytes, create: true });
    });
    after(async () => {
      await store.close();
      await server?.stop();
      remove();
    });

    async function organizationWith(name: string, callsOf: (id: OrganizationId) => readonly CallRecord[]): Promise<OrganizationId> {
      const organization = await store.organizations.create({ name, plan: 'team' });
      assert.ok('id' in organization);
      const records = callsOf(organization.id);
      await store.calls.ship({ segment: `seg_${name}`, through: records.length, records: records.map((record, at) => ({ seq: at + 1, record })) });
      return organization.id;
    }

    async function textOf(organization: string): Promise<string> {
      const file = await exportCalls(context(), { organization, format: 'focus', ...month });
      assert.ok(!isRefusal(file));
      const pieces: Uint8Array[] = [];
      for await (const piece of file.pieces) pieces.push(piece.bytes);
      return Buffer.concat(pieces).toString();
    }

    /** No cell of these calls contains a comma; only that of the tags is in quotes, and it is empty. */
    async function rowsOf(organization: string): Promise<Record<string, string>[]> {
      const [head, ...lines] = (await textOf(organization)).trimEnd().split('\r\n').map((line) => line.split(','));
      return lines.map((cells) => Object.fromEntries(head!.map((column, at) => [column, cells[at]!])));
    }

    const shown = (rows: readonly Record<string, string>[], ...columns: string[]) =>
      rows.map((row) => columns.map((column) => row[column]).join(' ')).sort();

    test('the same file before and after another list, and prices of one\'s own, are in force; whole once the list is gone', async () => {
      const mine = overlayBook();
      const records: CallRecord[] = [];
      const id = await organizationWith('acme', (organization) => {
        records.push(sold(organization, {}), sold(organization, { book: mine }));
        return records;
      });
      await store.prices.keepList({ id: priceListId(priceList), json: JSON.stringify(priceList) });
      await store.prices.loadOverlay(overlayText, mine.context.overlayId!);
      const first = await textOf(id);
      assert.deepEqual(shown(await rowsOf(id), 'SkuId', 'PricingQuantity', 'BilledCost'), [
        'gpt-4o/input 2000.0 0.009500000', 'gpt-4o/output 400.0 0.003800000',
      ]);
      const costs = async () => Promise.all(records.map(async ({ id: call }) => {
        const cost = await showCallCost(context(), id, call);
        assert.ok(!isRefusal(cost));
        return cost.lines?.map(({ of, count, amount }) => `${of} ${count} ${amount}`) ?? cost.withoutLines;
      }));
      const lines = [['input 1000 0.0025', 'output 200 0.002'], ['input 1000 0.007', 'output 200 0.0018']];
      assert.deepEqual(await costs(), lines);

      const [later, latest] = ['2026-10-20', '2026-10-21'].map(laterList) as [PriceList, PriceList];
      for (const list of [later, latest]) {
        const record = { ...sold(id, { book: createPriceBook({ list, overlay: null }) }), startedAtMs: startMs + 30 * dayMs };
        await store.calls.ship({ segment: `seg_${list.date}`, through: 1, records: [{ seq: 1, record }] });
        await store.prices.importList({ id: priceListId(list), json: JSON.stringify(list) });
      }
      await store.prices.loadOverlay(JSON.stringify({ prices: [{ provider: 'openai', model: 'gpt-4o', input: '1', output: '1' }] }), 'overlay/other');
      assert.equal(await textOf(id), first);
      assert.deepEqual(await costs(), lines);

      const gone = await organizationWith('gone', (organization) =>
        [sold(organization, {}), sold(organization, { changes: { priceList: '2020-01-01/0123456789abcdef' } })]);
      assert.deepEqual(shown(await rowsOf(gone), 'SkuId', 'PricingQuantity', 'BilledCost'), [
        'gpt-4o/all 1200.0 0.004500000', 'gpt-4o/input 1000.0 0.002500000', 'gpt-4o/output 200.0 0.002000000',
      ]);
    });

    test('each upstream has its lines, split by its prices, under the provider that it is', async () => {
      const upstreams = [
        { name: 'europe', url: 'https://house.openai.azure.com', provider: null },
        { name: 'proxy', url: 'https://llm.example.com/v1', provider: 'openai' },
        { name: 'past', url: 'https://api.openai.com', provider: null },
      ];
      const id = await organizationWith('upstreams', (organization) => [
        ...upstreams.map((upstream) => sold(organization, { upstream })),
        sampleRecord(organization, {
          startedAtMs: startMs, wire: 'upstream', path: '/upstreams/own/v1/chat/completions', model: 'gpt-4o', labels: [],
        }),
      ]);
      for (const { name, url, provider } of [...upstreams.slice(0, 2), { name: 'own', url: 'https://own.example.com', provider: null }]) {
        assert.equal(await store.namedUpstreams.declare(id, { name, url, credential: '', auth: 'none', dialect: null, provider }), null);
      }
      const rows = await rowsOf(id);
      assert.deepEqual(shown(rows, 'x_Upstream', 'x_TokenType', 'ProviderName'), [
        'europe input Microsoft Azure', 'europe output Microsoft Azure', 'own all Declared upstream', 'past all Declared upstream',
        'proxy input OpenAI', 'proxy output OpenAI',
      ]);
      for (const row of rows) assert.deepEqual([row['PublisherName'], row['InvoiceIssuerName']], [row['ProviderName'], row['ProviderName']]);
    });
  });
}
