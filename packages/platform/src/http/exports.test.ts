/**
 * An export adds up to what `usage` shows, to the nano-dollar and the token, in each format; FOCUS has its mandatory columns; refusals
 * come before the first byte. Rule 25; rules: Interfaces.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServiceKeyId } from '@metergate/core/id.ts';
import { nanoDollars, parseDollars } from '@metergate/core/money.ts';
import { costOf } from '@metergate/core/price/cost.ts';
import { createPriceBook } from '@metergate/core/price/price-book.ts';
import { priceList } from '@metergate/core/price/price-list.ts';
import type { CallRecord, CallRecordJson } from '@metergate/core/record/call-record.ts';
import { nothingDue, noTokens } from '@metergate/core/usage/reading.ts';
import { sampleRecord } from '@metergate/store/test-support/contract-fixture.ts';
import {
  freshSqlite, platformFixture, platformOfFile, type Answered, type PlatformFixture, type TestOrganization,
} from './test-support/platform-fixture.ts';

const dayMs = 86_400_000;
const fromMs = Date.UTC(2026, 8, 30);
const range = `from=${new Date(fromMs).toISOString()}&to=${new Date(fromMs + 2 * dayMs).toISOString()}`;

let platform: PlatformFixture;
let acme: TestOrganization;
platformOfFile(async (made) => {
  platform = made;
  acme = await platform.organization('acme, "ltd" a');
  const records = [...priced(), ...others()];
  const rows = records.map((record, index) => ({ seq: index + 1, record }));
  await platform.store.calls.ship({ segment: 'seg_1', through: rows.length, records: rows });
});

/** Calls as the gateway would price them today, over two days and two months. */
function priced(): CallRecord[] {
  const book = createPriceBook({ list: priceList, overlay: null });
  return Array.from({ length: 40 }, (_, index) => {
    const startedAtMs = fromMs + index * (dayMs / 20);
    const model = ['gpt-4o', 'gpt-4o-mini'][index % 2]!;
    const tokens = { ...noTokens, input: 1_000 + index, cached: index * 3, output: 77 + index, reasoning: index };
    const reading = { ...nothingDue, model, usage: 'reported', tokens } as const;
    const cost = costOf({ reading, provider: 'openai', upstreamHost: null, book, fallback: null, atMs: startedAtMs });
    assert.equal(cost.costSource, 'priced');
    return sampleRecord(acme.id, {
      startedAtMs, model, key: `key_${index % 3}` as ServiceKeyId, project: index % 4 === 0 ? null : '=cmd|calc', inputTokens: tokens.input,
      cachedTokens: tokens.cached, outputTokens: tokens.output, reasoningTokens: tokens.reasoning, cacheWriteTokens: null,
      serviceTier: null, audioInputTokens: null, audioOutputTokens: null, toolCalls: null, ...cost,
    });
  });
}

/** One of each other kind, and two outside the range. */
function others(): CallRecord[] {
  const at = (startedAtMs: number, changes: Partial<CallRecord>) =>
    sampleRecord(acme.id, { startedAtMs, inputTokens: 5, cachedTokens: null, ...changes });
  return [
    at(fromMs + 1, { cost: null, costSource: 'unpriced', priceList: null, model: '+unknown model' }),
    at(fromMs + 2, { cost: null, costSource: 'none', usage: 'unknown', usageReason: 'cut', inputTokens: null, outputTokens: null, model: null }),
    at(fromMs + 3, { cost: null, costSource: 'none', usage: 'none', inputTokens: null, outputTokens: null, endpoint: 'models', model: null }),
    at(fromMs + 4, { wire: 'upstream', cost: nanoDollars(7n), costSource: 'upstream', priceList: null }),
    at(fromMs - 1, {}), at(fromMs + 2 * dayMs, {}),
  ];
}

const ask = (path: string): Promise<Answered> => platform.ask(`/platform/v1${path}`, { token: acme.tokens.viewer });

async function usage(by: string): Promise<Record<string, unknown>[]> {
  const answer = await ask(`/usage?by=${by}&${range.replace('from', 'since').replace('to=', 'until=')}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body['data'] as Record<string, unknown>[];
}

const sum = (values: readonly unknown[]): bigint => values.reduce<bigint>((total, value) => total + BigInt(value as number), 0n);
const dollarsSum = (values: readonly unknown[]): bigint => values.reduce<bigint>((total, value) => total + parseDollars(String(value))!, 0n);

const askAs = (role: 'owner', path: string): Promise<Answered> => platform.ask(`/platform/v1${path}`, { token: acme.tokens[role] });

test('with its largest values a list of usage has what top alone answers, and its own rows and pages as without them', async () => {
  const asked = async (query: string) => {
    const { status, body, text } = await askAs('owner', `/usage?${range.replace('from', 'since').replace('to=', 'until=')}&${query}`);
    assert.equal(status, 200, text);
    return body as Record<string, unknown> & { readonly data: readonly Record<string, unknown>[] };
  };
  for (const by of ['key', 'project,model', 'day,key', 'person', 'key,person', 'day']) {
    for (const order of ['cost', 'calls', 'tokens']) {
      const { largest, ...list } = await asked(`by=${by}&largest=2&largestBy=${order}&limit=3&total=true`);
      assert.deepEqual(list, await asked(`by=${by}&limit=3&total=true`), by);
      assert.deepEqual(largest, (await asked(`by=${by}&top=2&order=${order}&limit=1000`)).data, `${by} by ${order}`);
    }
  }
  const pages: Record<string, unknown>[] = [];
  for (let cursor: unknown = ''; cursor !== null;) {
    const page = await asked(`by=day,key&limit=2${cursor === '' ? '' : `&cursor=${String(cursor)}`}`);
    pages.push(...page.data);
    cursor = page['nextCursor'];
  }
  assert.deepEqual(pages, (await asked('by=day,key&limit=1000')).data);
  const refused = await ask('/usage?by=model&largest=2&adjusted=true');
  assert.deepEqual([refused.status, (refused.body['error'] as { code: string }).code], [400, 'invalid_input']);
});

test('usage: the rows of every dimension but labels add up to the same; days are in their order', async () => {
  const days = await usage('day');
  assert.deepEqual(days.map(({ day }) => day), ['2026-09-30', '2026-10-01']);
  for (const by of ['model', 'key', 'project', 'run', 'day', 'hour', 'wire', 'endpoint']) {
    const rows = await usage(by);
    assert.deepEqual(Object.keys(rows[0]!), [
      by, 'calls', 'inputTokens', 'cachedTokens', 'cacheWriteTokens', 'outputTokens', 'reasoningTokens', 'cost', 'cacheSavings', 'unknownCalls',
      'unpricedCalls', 'gapCalls',
    ]);
    assert.equal(sum(rows.map(({ calls }) => calls)), 44n, by);
    assert.deepEqual([sum(rows.map((row) => row['unknownCalls'])), sum(rows.map((row) => row['unpricedCalls']))], [1n, 1n]);
    assert.equal(dollarsSum(rows.map(({ cost }) => cost)), dollarsSum(days.map(({ cost }) => cost)));
  }
  assert.deepEqual((await usage('project')).map(({ project }) => project), ['=cmd|calc', null, 'search']);
});

test('usage: pages are the list, each row once', async () => {
  const seen: unknown[] = [];
  for (let cursor = ''; ;) {
    const page = await ask(`/usage?since=2026-09&by=project&limit=1${cursor}`);
    assert.equal(page.status, 200, page.text);
    seen.push(...(page.body['data'] as { project: string }[]).map(({ project }) => project));
    if (page.body['nextCursor'] === null) break;
    cursor = `&cursor=${String(page.body['nextCursor'])}`;
  }
  assert.deepEqual(seen, ((await ask('/usage?since=2026-09&by=project')).body['data'] as { project: string }[]).map(({ project }) => project));
  assert.equal(seen.length, 3);
});

test('jsonl: every record of the time, oldest first, as calls are listed', async () => {
  const { text, headers, status } = await ask(`/exports?format=jsonl&${range}`);
  assert.equal(status, 200);
  assert.equal(headers.get('content-type'), 'application/x-ndjson');
  assert.equal(headers.get('content-disposition'), 'attachment; filename="metergate-calls-2026-09-30-to-2026-10-02.jsonl"');
  const records = text.trimEnd().split('\n').map((line) => JSON.parse(line) as CallRecordJson);
  const listed = (await ask(`/calls?${range.replace('from', 'since').replace('to=', 'until=')}`)).body['data'] as CallRecordJson[];
  assert.deepEqual(records, listed.toReversed());
  assert.equal(records.length, 44);
});

/** Cells of a table; parsed by hand, since no cell of these tests contains a line break. */
function tableOf(text: string): Record<string, string>[] {
  const [head, ...lines] = text.trimEnd().split('\r\n')
    .map((line) => [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))/g)].map(([, quoted, bare]) => quoted?.replaceAll('""', '"') ?? bare!));
  return lines.map((cells) => {
    assert.equal(cells.length, head!.length);
    return Object.fromEntries(head!.map((name, index) => [name, cells[index]!]));
  });
}

test('csv: the same records, and text of callers cannot become a formula', async () => {
  const rows = tableOf((await ask(`/exports?format=csv&${range}`)).text);
  const days = await usage('day');
  assert.equal(rows.length, 44);
  assert.equal(dollarsSum(rows.map((row) => row['cost'] || '0')), dollarsSum(days.map(({ cost }) => cost)));
  for (const name of ['inputTokens', 'outputTokens']) assert.equal(sum(rows.map((row) => row[name])), sum(days.map((day) => day[name])));
  assert.deepEqual(new Set(rows.map((row) => row['project'])), new Set(['', "'=cmd|calc", 'search']));
  assert.ok(rows.some((row) => row['model'] === "'+unknown model") && rows.every((row) => row['labels'] === '["a","naïve","🤖"]'));
});

const mandatory = [
  'BilledCost', 'BillingAccountId', 'BillingAccountName', 'BillingCurrency', 'BillingPeriodStart', 'BillingPeriodEnd',
  'ChargeCategory', 'ChargeClass', 'ChargeDescription', 'ChargePeriodStart', 'ChargePeriodEnd', 'ContractedCost',
  'EffectiveCost', 'InvoiceIssuerName', 'ListCost', 'PricingQuantity', 'PricingUnit', 'ProviderName', 'PublisherName',
  'ServiceCategory', 'ServiceName',
];

test('focus: the mandatory columns, a line for each day, key, project, model and token type, and the totals of usage', async () => {
  const rows = tableOf((await ask(`/exports?format=focus&${range}`)).text);
  for (const name of mandatory) assert.ok(rows.every((row) => name in row), name);
  const lines = rows.map((row) => ['ChargePeriodStart', 'x_ServiceKeyId', 'x_Project', 'x_Model', 'x_TokenType', 'ProviderName', 'x_CostSource']
    .map((name) => row[name]).join('|'));
  assert.equal(new Set(lines).size, lines.length, 'one line for each');
  const days = await usage('day');
  assert.equal(dollarsSum(rows.map((row) => row['BilledCost'])), dollarsSum(days.map(({ cost }) => cost)));
  for (const [column, name] of [
    ['x_Calls', 'calls'], ['x_UnknownCalls', 'unknownCalls'], ['x_UnpricedCalls', 'unpricedCalls'], ['x_GapCalls', 'gapCalls'],
  ] as const) {
    assert.equal(sum(rows.map((row) => row[column])), sum(days.map((day) => day[name])), column);
  }
  const pricedRows = rows.filter((row) => row['x_CostSource'] === 'priced');
  const quantity = (...kinds: string[]) => sum(
    pricedRows.filter((row) => kinds.includes(row['x_TokenType']!)).map((row) => row['PricingQuantity']!.replace(/\.0$/, '')));
  assert.deepEqual([quantity('input', 'cache_read'), quantity('output', 'reasoning')], [
    sum(Array.from({ length: 40 }, (_, index) => 1_000 + index)), sum(Array.from({ length: 40 }, (_, index) => 77 + index)),
  ]);
  assert.equal(quantity('all'), 0n, 'costs of these prices can be told apart');
  const months = new Set(rows.map((row) => [row['BillingPeriodStart'], row['BillingPeriodEnd'], row['ChargePeriodStart']].join(' ')));
  assert.deepEqual(months, new Set([
    '2026-09-01T00:00:00Z 2026-10-01T00:00:00Z 2026-09-30T00:00:00Z', '2026-10-01T00:00:00Z 2026-11-01T00:00:00Z 2026-10-01T00:00:00Z',
  ]));
  assert.deepEqual([...new Set(rows.map((row) => row['BillingAccountName']))], ['acme, "ltd" a']);
  const unknown = rows.find((row) => row['x_TokenType'] === 'unknown')!;
  assert.deepEqual([unknown['PricingUnit'], unknown['PricingQuantity'], unknown['BilledCost']], ['Calls', '1.0', '0.000000000']);
});

test('a charge does not leave the time that is exported', async () => {
  const [from, to] = [new Date(fromMs + 3_600_000).toISOString(), new Date(fromMs + 7_200_000).toISOString()];
  const rows = tableOf((await ask(`/exports?format=focus&from=${from}&to=${to}`)).text);
  const periods = new Set(rows.map((row) => `${row['ChargePeriodStart']} ${row['ChargePeriodEnd']}`));
  assert.deepEqual(periods, new Set(['2026-09-30T01:00:00Z 2026-09-30T02:00:00Z']));
});

test('refused before the first byte: a period that ends before it begins, an unknown format, an invalid instant', async () => {
  const codes = await Promise.all([
    '/exports?from=2026-10-01T00:00:00Z&to=2026-10-01T00:00:00Z', `/exports?format=xls&${range}`,
    '/exports?from=tomorrow&to=2026-10-01T00:00:00Z', '/exports?from=2026-10-01T00:00:00Z', '/usage?by=node', '/usage?by=day&cursor=AAAA',
  ].map(async (path) => {
    const { status, body } = await ask(path);
    return [status, (body['error'] as { code: string }).code];
  }));
  assert.deepEqual(codes, [
    [400, 'invalid_input'], [400, 'invalid_input'], [400, 'invalid_input'], [400, 'invalid_input'],
    [400, 'invalid_input'], [400, 'invalid_cursor'],
  ]);
});

test('if the store goes away in the middle, the download breaks off and the fault is reported', async () => {
  const other = freshSqlite();
  const broken = await platformFixture(other.url);
  const organization = await broken.organization('broken');
  await broken.store.calls.ship({ segment: 's', through: 1, records: [{ seq: 1, record: sampleRecord(organization.id, { startedAtMs: fromMs }) }] });
  const response = await broken.app.request(`http://platform.test/platform/v1/exports?format=csv&${range}`, {
    headers: { authorization: `Bearer ${organization.tokens.viewer}` },
  });
  assert.equal(response.status, 200);
  await broken.end();
  await assert.rejects(response.text());
  assert.equal(broken.reports.length, 1);
  other.remove();
});

test('a reader that leaves in the middle ends the export, and that is not a fault', async () => {
  const download = await platform.app.request(`http://platform.test/platform/v1/exports?format=csv&${range}`, {
    headers: { authorization: `Bearer ${acme.tokens.viewer}` },
  });
  const reader = download.body!.getReader();
  assert.equal((await reader.read()).done, false);
  const pending = reader.read();
  await reader.cancel();
  assert.equal((await pending).done, true);
  assert.deepEqual(platform.reports, []);
});
