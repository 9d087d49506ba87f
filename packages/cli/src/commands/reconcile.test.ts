/** `metergate reconcile` on a separate store: each known export form, verdicts, reasons and exit codes. Rules: Interfaces; docs/reconcile.md. */
import assert from 'node:assert/strict';
import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { OrganizationId } from '@metergate/core/id.ts';
import { nanoDollars } from '@metergate/core/money.ts';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import { batchOf, sampleRecord } from '@metergate/store/test-support/contract-fixture.ts';
import { ownStore, type OwnStore } from '../test-support/own-store.ts';

interface Line {
  readonly day: string; readonly model: string | null; readonly requestId: string | null; readonly verdict: string; readonly reasons: string[];
  readonly item: string | null; readonly billName: string | null; readonly dayVerdict: string;
  readonly kinds: { readonly kind: string; readonly ours: number | null; readonly theirs: number | null; readonly difference: number }[];
  readonly ours: Record<string, number | string | null>; readonly theirs: Record<string, number | string | null>;
  readonly difference: Record<string, number | string | null>;
}

let own: OwnStore;
const second = Date.parse('2026-03-02T00:00:00Z') / 1_000;
const dollars = (amount: number) => nanoDollars(BigInt(Math.round(amount * 1e9)));

before(async () => {
  own = await ownStore();
  const organization = ((await own.json(['org', 'create', 'acme'])) as { id: OrganizationId }).id;
  const at = (text: string) => Date.parse(`2026-${text.includes('-') ? text : `03-${text}`}Z`);
  const call = (text: string, given: Partial<CallRecord>): CallRecord => sampleRecord(organization, {
    startedAtMs: at(text), model: 'gpt-6', inputTokens: 100, outputTokens: 10, cost: dollars(0.25), providerRequestId: null, cachedTokens: 1,
      audioInputTokens: 0, toolCalls: null, units: null, reasoningTokens: null, ...given,
  });
  await own.inStore((store) => store.calls.ship(batchOf('seg_1', [
    call('02T00:00', { providerRequestId: 'r1' }), call('02T23:59:59.999', { providerRequestId: 'r2' }), call('03T00:00', {}),
    call('03T01:00', { usage: 'unknown', inputTokens: null, outputTokens: null, cost: null, costSource: 'none' }),
    call('03T02:00', { model: 'gpt-6-mini', costGaps: ['web_search'] }),
    call('04-04T05:00', { wire: 'upstream', path: '/upstreams/azure/openai/v1/chat/completions', model: 'gpt-4o-2024-11-20', inputTokens: 3_000 }),
    call('04-04T06:00', { wire: 'upstream', path: '/upstream/v1/chat/completions', model: 'gpt-4o-2024-11-20', inputTokens: 5_000 }),
    call('02T05:00', { wire: 'anthropic', model: 'claude-x', inputTokens: 7, outputTokens: 3, cachedTokens: 5, cost: dollars(1.2345) }),
  ])));
});
after(() => own?.end());

interface Held {
  readonly code: number;
  readonly lines: Line[];
  readonly totals: Record<string, Record<string, unknown>>;
}

async function held(provider: string, file: unknown, name = 'bill'): Promise<Held> {
  writeFileSync(join(own.directory, name), typeof file === 'string' ? file : JSON.stringify(file));
  const { code, stdout } = await own.run(['reconcile', '--org', 'acme', '--provider', provider, name, '--json']);
  return { code, ...(JSON.parse(stdout) as Omit<Held, 'code'>) };
}
const short = (lines: readonly Line[]) => lines.map(({ day, model, verdict, reasons }) => [day.slice(-2), model, verdict, ...reasons]);

const usage = (day: number, results: readonly object[]) => ({
  object: 'bucket', start_time: second + day * 86_400, end_time: second + (day + 1) * 86_400,
  results: results.map((result) => ({ object: 'organization.usage.completions.result', ...result })),
});
const gpt = (calls: number, input = 100 * calls, output = 10 * calls) =>
  ({ input_tokens: input, output_tokens: output, num_model_requests: calls, model: 'gpt-6', input_cached_tokens: calls });

test('OpenAI, usage pages: equal lines exit 0, days meet at midnight, and cost is not compared', async () => {
  const { code, lines, totals } = await held('openai', { object: 'page', data: [usage(0, [gpt(1), gpt(1)])], has_more: false, next_page: null });
  assert.equal(code, 0);
  assert.deepEqual(lines, [{
    day: '2026-03-02', model: 'gpt-6', item: null, billName: 'gpt-6', requestId: null, ours: { calls: 2, inputTokens: 200, outputTokens: 20,
      cost: '0.500000000' },
    theirs: { calls: 2, inputTokens: 200, outputTokens: 20, cost: null }, difference: { calls: 0, inputTokens: 0, outputTokens: 0, cost: null },
    kinds: [['outputTokens', 20], ['inputTokens', 200], ['calls', 2], ['cachedTokens', 2]].map(([kind, count]) => ({ kind, ours: count,
      theirs: count, difference: 0 })),
    verdict: 'equal', dayVerdict: 'equal', reasons: [],
  }]);
  assert.deepEqual(totals.theirs, { calls: 2, inputTokens: 200, outputTokens: 20, cost: null });
});

test('each verdict, with the reasons that can be named, and exit 1', async () => {
  const { code, lines } = await held('openai', [
    { object: 'page', data: [usage(0, [gpt(1)])], has_more: true },
    { object: 'page', data: [usage(1, [gpt(3), { ...gpt(2), model: 'gpt-5' }])], has_more: false },
  ]);
  assert.equal(code, 1);
  assert.deepEqual(short(lines), [
    ['02', 'gpt-6', 'ours_more'], ['03', 'gpt-5', 'theirs_only', 'past_the_gateway'],
    ['03', 'gpt-6', 'theirs_more', 'unknown_usage', 'past_the_gateway'], ['03', 'gpt-6-mini', 'ours_only', 'cost_gaps'],
  ]);
});

test('OpenAI, cost pages: line items are summed by model, rounding is no difference, another price is named', async () => {
  const item = (line_item: string, value: number) =>
    ({ object: 'organization.costs.result', amount: { value, currency: 'usd' }, line_item, project_id: null });
  const page = (value: number) => ({
    data: [{ ...usage(0, []), results: [item('gpt-6, input', 0.3), item('gpt-6, cached input', 0.1), item('gpt-6, output', value)] }],
    has_more: false,
  });
  const equal = await held('openai', page(0.1));
  assert.deepEqual([equal.code, equal.lines[0]!.theirs.cost, equal.lines[0]!.theirs.calls], [0, '0.500000000', null]);
  const more = await held('openai', page(0.2));
  assert.deepEqual([more.code, ...short(more.lines)[0]!], [1, '02', 'gpt-6', 'theirs_more']);
  assert.equal(more.lines[0]!.difference.cost, '-0.100000000');
});

test('OpenAI, costs by day only are compared with all models of the day', async () => {
  const { code, lines } = await held('openai', { data: [{ ...usage(0, []), results: [
    { object: 'organization.costs.result', amount: { value: 0.5, currency: 'usd' }, line_item: null },
  ] }] });
  assert.deepEqual([code, ...short(lines)], [0, ['02', null, 'equal']]);
});

test('OpenAI, CSV of the dashboard: usage, cost, and a line for each request', async () => {
  const usageCsv = 'start_time,end_time,start_time_iso,end_time_iso,project_id,num_model_requests,model,input_tokens,output_tokens\r\n'
    + `${second},${second + 86_400},2026-03-02T00:00:00+00:00,2026-03-03T00:00:00+00:00,"p, 1",2,gpt-6,200,20\r\n`;
  assert.equal((await held('openai', `\uFEFF${usageCsv}`)).code, 0);
  const costCsv = `start_time,end_time,amount_value,amount_currency,line_item\n${second},${second + 86_400},0.5,usd,"gpt-6, output"\n`;
  assert.equal((await held('openai', costCsv)).code, 0);
  const requests = 'date,request_id,model,input_tokens,output_tokens\n2026-03-02,r1,gpt-6,100,10\n2026-03-02,r3,gpt-6,100,10\n';
  const { lines } = await held('openai', requests);
  assert.deepEqual(lines.map(({ requestId, verdict }) => [requestId, verdict]), [['r1', 'equal'], ['r2', 'ours_only'], ['r3', 'theirs_only']]);
});

test('Anthropic: usage and cost reports, in cents, and the console\'s CSV', async () => {
  const bucket = { starting_at: '2026-03-02T00:00:00Z', ending_at: '2026-03-03T00:00:00Z' };
  const usageReport = { data: [{ ...bucket, results: [{
    uncached_input_tokens: 7, cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 0 }, cache_read_input_tokens: 5,
    output_tokens: 3, model: 'claude-x',
  }] }], has_more: false, next_page: null };
  assert.equal((await held('anthropic', usageReport)).code, 0);
  const cost = (amount: string) =>
    ({ data: [{ ...bucket, results: [{ currency: 'USD', amount, model: 'claude-x', cost_type: 'tokens' }] }], has_more: false });
  assert.equal((await held('anthropic', cost('123.45'))).code, 0);
  const other = await held('anthropic', cost('200'));
  assert.deepEqual([other.code, ...short(other.lines)[0]!], [1, '02', 'claude-x', 'theirs_more']);
  const usageCsv = 'usage_date_utc,model_version,api_key,usage_input_tokens_no_cache,usage_output_tokens\n2026-03-02,claude-x,"k, 1",7,3\n';
  assert.equal((await held('anthropic', usageCsv)).code, 0);
  const costCsv = 'usage_date_utc,model,token_type,cost_usd\n2026-03-02,claude-x,output,1.23\n';
  assert.equal((await held('anthropic', costCsv)).code, 0);
});

test('a bill of a cloud is compared with the calls to one upstream: the one that is named, or the one without a name', async () => {
  const csv = (tokens: string) => 'Date,MeterName,MeterCategory,Quantity,UnitOfMeasure,CostInUsd\n'
    + `04/04/2026,gpt 4o 1120 Inp glbl Tokens,Azure OpenAI,${tokens},1K,0.25\n`;
  const ask = async (tokens: string, ...words: string[]) => {
    writeFileSync(join(own.directory, 'azure.csv'), csv(tokens));
    return own.run(['reconcile', '--org', 'acme', '--provider', 'azure', ...words, 'azure.csv', '--json']);
  };
  const named = await ask('3', '--upstream', 'azure');
  assert.deepEqual([named.code, (JSON.parse(named.stdout) as { lines: Line[] }).lines.map(({ model, billName }) => [model, billName])],
    [0, [['gpt-4o-2024-11-20', 'gpt 4o 1120']]]);
  assert.equal((await ask('5')).code, 0);
  assert.equal((await ask('3')).code, 1);
  const other = await ask('3', '--upstream', 'azur');
  assert.deepEqual([other.code, /declared no upstream of this name/.test(other.stderr)], [1, true]);
  const openai = await own.run(['reconcile', '--org', 'acme', '--provider', 'openai', '--upstream', 'azure', 'azure.csv']);
  assert.match(openai.stderr, /go to no upstream/);
  await own.json(['org', 'create', 'zeta']);
  const declared = ['--name', 'azure', '--url', 'https://a.example.com', '--auth', 'none'];
  await own.json(['upstream', 'declare', '--org', 'zeta', ...declared], { stdin: ['none'] });
  const unnamed = await own.run(['reconcile', '--org', 'zeta', '--provider', 'azure', 'azure.csv']);
  assert.deepEqual([unnamed.code, /Say which upstream the bill is of: azure\./.test(unnamed.stderr)], [1, true], 'nobody is accused');
  const recorded = await own.run(['reconcile', '--org', 'acme', '--provider', 'azure', '--upstream', 'azure', 'azure.csv', '--record']);
  assert.match(recorded.stderr, /recorded from bills of openai and anthropic/);
});

test('any other file exits 1 with a sentence', async () => {
  for (const [file, sentence] of [
    ['', /empty/], ['{', /not JSON/], ['{"a":1}', /form of the file is not known/], ['[]', /no lines/],
    ['a,b\n1,2\n', /form of the file is not known.*costs API.*amount_value.*docs\/reconcile\.md/],
    ['date,input_tokens\nsoon,1\n', /does not say when it starts.*docs\/reconcile\.md/], ['"open\n', /quote/],
    [{ data: [usage(0, [gpt(1)])], has_more: true }, /there is more/],
    [{ data: [{ ...usage(0, [gpt(1)]), end_time: second + 90_000 }] }, /longer than a day/],
    [{ data: [usage(0, [{ ...gpt(1), input_tokens: -1 }])] }, /whole number/],
    [{ data: [usage(0, [{ amount: { value: 1, currency: 'eur' } }])] }, /another currency/],
  ] as const) {
    writeFileSync(join(own.directory, 'other'), typeof file === 'string' ? file : JSON.stringify(file));
    const { code, stderr } = await own.run(['reconcile', '--org', 'acme', '--provider', 'openai', 'other']);
    assert.equal(code, 1, String(sentence));
    assert.match(stderr, sentence);
  }
  assert.match((await own.run(['reconcile', '--org', 'acme', '--provider', 'openai', 'absent'])).stderr, /absent does not exist/);
});

test('a file in gzip or in UTF-16 is read; one that is cut short, or too large, is refused in a sentence', async () => {
  const csv = `start_time,end_time,amount_value,amount_currency,line_item\n${second},${second + 86_400},0.5,usd,"gpt-6, output"\n`;
  const ask = async (bytes: Uint8Array) => {
    writeFileSync(join(own.directory, 'packed'), bytes);
    return own.run(['reconcile', '--org', 'acme', '--provider', 'openai', 'packed']);
  };
  const bigEndian = Buffer.from(`\uFEFF${csv}`, 'utf16le').swap16();
  for (const bytes of [gzipSync(csv), Buffer.from(`\uFEFF${csv}`, 'utf16le'), bigEndian, gzipSync(bigEndian)]) {
    assert.equal((await ask(bytes)).code, 0);
  }
  assert.match((await ask(gzipSync(csv).subarray(0, 40))).stderr, /cut short or damaged/);
  truncateSync(join(own.directory, 'packed'), 257 << 20);
  assert.match((await own.run(['reconcile', '--org', 'acme', '--provider', 'openai', 'packed'])).stderr, /more than 256 MiB/);
});

/** Costs of the first two days, as OpenAI says them: more than ours on the first, less on the second. */
const costs = (first: number, later: number) => ({
  object: 'page', has_more: false, next_page: null,
  data: [first, later].map((value, day) => ({
    object: 'bucket', start_time: second + day * 86_400, end_time: second + (day + 1) * 86_400,
    results: [{ object: 'organization.costs.result', amount: { value, currency: 'usd' }, line_item: 'gpt-6, input' }],
  })),
});
const adjusted = async (...words: string[]) =>
  await own.json(['usage', '--org', 'acme', '--month', '2026-03', '--adjusted', ...words]) as Record<string, unknown>[];
const money = (rows: readonly Record<string, unknown>[]) =>
  rows.map((row) => [row['day'] ?? row['model'] ?? row['month'], row['cost'], row['correction'], row['adjustedCost']]);

test('--record keeps the differences of a cost export, replacing those kept for these days; usage shows them beside the cost', async () => {
  writeFileSync(join(own.directory, 'costs'), JSON.stringify(costs(0.75, 0.25)));
  const recorded = await own.json(['reconcile', '--org', 'acme', '--provider', 'openai', 'costs', '--record']) as Record<string, unknown>;
  assert.deepEqual([recorded['total'], recorded['openDays'], (recorded['corrections'] as { model: string; correction: string }[])
    .map(({ model, correction }) => [model, correction])], ['0.000000000', [], [['gpt-6', '0.250000000'], ['gpt-6-mini', '-0.250000000']]]);
  assert.deepEqual(money(await adjusted('--by', 'day')), [
    ['2026-03-02', '1.734500000', '0.250000000', '1.984500000'], ['2026-03-03', '0.500000000', '-0.250000000', '0.250000000'],
  ]);
  writeFileSync(join(own.directory, 'costs'), JSON.stringify(costs(0.5, 1)));
  await own.json(['reconcile', '--org', 'acme', '--provider', 'openai', 'costs', '--record']);
  assert.deepEqual(money(await adjusted('--by', 'month')), [['2026-03', '2.234500000', '0.500000000', '2.734500000']]);
  assert.deepEqual(money(await adjusted('--by', 'model', '--wire', 'openai')), [
    ['gpt-6', '0.750000000', '0.750000000', '1.500000000'], ['gpt-6-mini', '0.250000000', '-0.250000000', '0.000000000'],
  ]);
  const plain = await own.json(['usage', '--org', 'acme', '--month', '2026-03', '--by', 'month']) as Record<string, unknown>[];
  assert.deepEqual([plain[0]!['cost'], 'correction' in plain[0]!], ['2.234500000', false]);
  const { stdout } = await own.run(['usage', '--org', 'acme', '--month', '2026-03', '--adjusted', '--by', 'model']);
  assert.match(stdout, /CORRECTION +ADJUSTED USD/);
});

test('corrections are listed and removed one by one', async () => {
  const list = async () => await own.json(['correction', 'list', '--org', 'acme']) as Record<'id' | 'day' | 'model' | 'ours' | 'theirs', string>[];
  const [first, ...more] = await list();
  assert.deepEqual([first, ...more].map((each) => [each!.day, each!.model, each!.ours, each!.theirs]), [
    ['2026-03-03', 'gpt-6', '0.250000000', '1.000000000'], ['2026-03-03', 'gpt-6-mini', '0.250000000', '0.000000000'],
  ]);
  assert.match((await own.run(['correction', 'list', '--org', 'acme'])).stdout, /gpt-6-mini/);
  await own.json(['correction', 'remove', first!.id]);
  assert.equal((await list()).length, 1);
  assert.equal((await own.run(['correction', 'remove', first!.id])).code, 1);
});

test('corrections that a bill does not allow are refused in a sentence: by key, by parts of days, from a file without amounts', async () => {
  const refused = async (args: readonly string[]) => {
    const { code, stderr } = await own.run(args);
    assert.equal(code, 1, args.join(' '));
    return stderr;
  };
  assert.match(await refused(['usage', '--org', 'acme', '--month', '2026-03', '--by', 'key', '--adjusted']), /no adjusted usage by or for a key/);
  assert.match(await refused(['usage', '--org', 'acme', '--month', '2026-03', '--by', 'day', '--label', 'a', '--adjusted']), /for a label/);
  assert.match(await refused(['usage', '--org', 'acme', '--by', 'day', '--since', '2026-03-02T05:00:00Z', '--adjusted']), /whole days/);
  writeFileSync(join(own.directory, 'usage'), JSON.stringify({ object: 'page', data: [usage(0, [gpt(1)])], has_more: false, next_page: null }));
  assert.match(await refused(['reconcile', '--org', 'acme', '--provider', 'openai', 'usage', '--record']), /has no amounts/);
});

test('usage --prices shows what the calls would cost by other prices, beside what they did', async () => {
  writeFileSync(join(own.directory, 'prices.json'), JSON.stringify({ prices: [{ provider: 'openai', model: 'gpt-6', input: '10', output: '100' }] }));
  const asked = ['usage', '--org', 'acme', '--month', '2026-03', '--by', 'model', '--prices'];
  const rows = await own.json([...asked, 'prices.json']) as Record<string, unknown>[];
  const gpt6 = rows.find(({ model }) => model === 'gpt-6')!;
  // Two calls and one, each 100 tokens in and 10 out: 0.001 + 0.001 dollars, and the tier that the price does not know is a gap.
  assert.deepEqual([gpt6['repricedCalls'], gpt6['repricedCost'], gpt6['repricedFrom'], gpt6['cost'], gpt6['repricedGapCalls']],
    [3, '0.006000000', '0.750000000', '0.750000000', 3]);
  const house = rows.find(({ model }) => model === 'claude-x')!;
  assert.deepEqual([house['repricedCalls'], house['notRepricedCalls']], [0, 1]);
  assert.match((await own.run([...asked, 'list'])).stdout, /REPRICED USD/);
  const { code, stderr } = await own.run(['usage', '--org', 'acme', '--by', 'model', '--prices', 'nowhere.json']);
  assert.equal(code, 1);
  assert.match(stderr, /takes list, current, the name of a price list, or a price file/);
});

test('usage --prices shows what the calls to declared upstreams would cost where they go now', async () => {
  for (const words of [['--name', 'azure', '--url', 'https://mine.example.com/openai/v1', '--auth', 'none'], ['--url', 'https://own.example.com']]) {
    await own.json(['upstream', 'declare', '--org', 'acme', ...words], { stdin: ['none'] });
  }
  const priced = (host: string) => ({ host, model: 'gpt-4o-2024-11-20', input: '10', output: '100' });
  writeFileSync(join(own.directory, 'hosts.json'), JSON.stringify({ prices: [priced('mine.example.com')] }));
  const asked = ['usage', '--org', 'acme', '--month', '2026-04', '--by', 'upstream', '--prices', 'hosts.json'];
  const rows = (await own.json(asked) as Record<string, unknown>[])
    .map((row) => [row['upstream'], row['repricedCalls'], row['repricedCost'], row['repricedFrom'], row['notRepricedCalls']]);
  // 3,000 tokens in and 10 out: 0.03 + 0.001 dollars. The other one's host has no price.
  assert.deepEqual(rows.sort(([one], [other]) => (String(one) < String(other) ? -1 : 1)), [
    ['azure', 1, '0.031000000', '0.250000000', 0], [null, 0, '0.000000000', '0.000000000', 1],
  ]);
});
