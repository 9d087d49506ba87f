/** Every export form, read from a sample as its seller documents it, and files that are none. The samples' sources are named beside them. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { formatDollars } from '../../money.ts';
import { billSellers, readBill, type BillSeller } from './read-bill.ts';

const samples = new URL('test-support/samples/', import.meta.url);
const opus = { cachedTokens: 200, cacheWriteTokens: 1_500, inputTokens: 1_500, outputTokens: 500, webSearches: 10 };

/** Seller, then each line: day, name or item, counts, cost. */
const expected: Readonly<Record<string, readonly [BillSeller, ...(readonly [string, string | null, object, string | null])[]]>> = {
  'openai-costs.json': ['openai', ['2024-11-01', null, {}, '0.060000000']],
  'openai-usage-completions.json': ['openai', ['2024-11-01', null,
    { outputTokens: 500, inputTokens: 1_000, calls: 5, cachedTokens: 800, audioInputTokens: 0, audioOutputTokens: 0 }, null]],
  'openai-usage-code-interpreter-sessions.json': ['openai', ['2024-11-01', 'code_execution', { calls: 1 }, null]],
  'anthropic-cost-report.json': ['anthropic', ['2025-08-01', 'claude-opus-5', {}, '1.237891200']],
  'anthropic-usage-report.json': ['anthropic', ['2025-08-01', 'claude-opus-5', opus, null]],
  'anthropic-console-usage.csv': ['anthropic', ['2026-08-05', 'claude-opus-5',
    { outputTokens: 16_932, inputTokens: 46_981, cachedTokens: 0, cacheWriteTokens: 15_969, webSearches: 0 }, null]],
  'azure-cost-details.csv': ['azure',
    ['2026-03-22', 'gpt 4o 1120', { inputTokens: 2_000_500 }, '5.001250000'],
    ['2026-03-22', 'gpt 4o 1120', { inputTokens: 100_000, cachedTokens: 100_000 }, '0.125000000'],
    ['2026-03-22', 'gpt 5.4', { outputTokens: 250_000 }, '3.750000000']],
  'azure-focus.csv': ['azure', ['2026-03-22', 'gpt 4o mini 0718', { inputTokens: 2_000_000 }, '0.300000000']],
  'aws-cur2.csv': ['bedrock',
    ['2026-03-22', 'Claude4.6Sonnet', { inputTokens: 23_000 }, '0.069000000'],
    ['2026-03-22', 'Claude4.6Sonnet', { outputTokens: 14_266 }, '0.213990000'],
    ['2026-03-22', 'Claude4.6Sonnet', { inputTokens: 200_000, cachedTokens: 200_000 }, '0.060000000']],
  'aws-focus.csv': ['bedrock', ['2026-05-08', 'Claude4.6Opus', { outputTokens: 39_600 }, '0.990000000']],
  'google-billing.json': ['google',
    ['2026-03-21', 'gemini 2.5 flash', { outputTokens: 461_280 }, '1.153197000'],
    ['2026-03-21', 'gemini 2.5 flash', { inputTokens: 1_983_966 }, '0.595190000']],
  'openrouter-activity.json': ['openrouter', ['2025-08-24', 'openai/gpt-4.1-2025-04-14',
    { outputTokens: 125, inputTokens: 50, calls: 5, reasoningTokens: 25 }, '0.015000000']],
  'openrouter-activity.csv': ['openrouter',
    ['2026-04-13', 'openai/gpt-4o-mini', { outputTokens: 20, inputTokens: 10, calls: 1, cachedTokens: 1, reasoningTokens: 3 }, '0.120000000'],
    ['2026-04-13', 'openai/gpt-4o-mini', { outputTokens: 25, inputTokens: 15, calls: 1, cachedTokens: 2, reasoningTokens: 4 }, '0.340000000']],
};

test('every sample is read, and every sample is expected', () => {
  const files = readdirSync(samples).filter((name) => name !== 'README.md');
  assert.deepEqual(files.toSorted(), Object.keys(expected).toSorted());
  for (const [name, [seller, ...lines]] of Object.entries(expected)) {
    const text = readFileSync(new URL(name, samples), 'utf8');
    for (const form of [text, `\uFEFF${text.replaceAll('\n', '\r\n')}`]) {
      const bill = readBill(seller, form);
      assert.deepEqual(bill.lines.map((line) => [line.day, line.item ?? line.name, { ...line.counts }, line.cost === null ? null
        : formatDollars(line.cost)]),
        lines, name);
    }
  }
});

test('semicolons with decimal commas, tabs and quoted line feeds are read', () => {
  const head = ['Date', 'MeterName', 'MeterCategory', 'Quantity', 'UnitOfMeasure', 'CostInUsd', 'Tags'];
  const row = (cost: string, quantity: string, tags: string): readonly string[] =>
    ['2026-03-22', 'gpt 4o 1120 Inp glbl Tokens', 'Azure OpenAI', quantity, '1K', cost, tags];
  for (const [separator, cells] of [
    [';', row('1.234,5', '0,25', '"a; ""b""\nc"')], ['\t', row('1234.5', '0.25', '"a\tb"')], [',', row('"1,234.5"', '0.25', '"a, ""b""\r\nc"')],
  ] as const) {
    const [line] = readBill('azure', `${head.join(separator)}\n${cells.join(separator)}\n`).lines;
    assert.deepEqual([formatDollars(line!.cost!), line!.counts], ['1234.500000000', { inputTokens: 250 }], separator);
  }
});

/** The cost of one line of Azure, whose cells are these, and its tokens. */
function readCost(
  separator: string, cost: string, quantity: string, more: readonly string[] = [],
): readonly [cost: string, tokens: number | undefined] {
  const head = ['Date', 'MeterName', 'MeterCategory', 'Quantity', 'UnitOfMeasure', 'CostInUsd'];
  const row = ['2026-03-22', 'gpt 4o 1120 Inp glbl Tokens', 'Azure OpenAI', quantity, '1 Token', cost];
  const [line] = readBill('azure', [head.join(separator), row.join(separator), ...more].join('\n')).lines;
  return [formatDollars(line!.cost!), line!.counts.inputTokens];
}

test('thousands and signs are read as people and their programs write them', () => {
  for (const [separator, cost, quantity, dollars, tokens] of [
    [',', '"$1,234.50"', '"1,234,567"', '1234.500000000', 1_234_567], [',', '"-$1,234.50"', '1', '-1234.500000000', 1],
    [',', '"($1,234.50)"', '1', '-1234.500000000', 1], [',', '\u22121.5', '1', '-1.500000000', 1], [',', 'USD 2.25', '1', '2.250000000', 1],
    [',', "1'234.5", '12 345', '1234.500000000', 12_345], ['\t', '1,234.5', '1,234', '1234.500000000', 1_234],
    [';', '1.234.567,5', '12.000', '1234567.500000000', 12_000], [';', '1\u00a0234,5', '1.234', '1234.500000000', 1_234],
    [';', '1,234.5', '1,234', '1234.500000000', 1_234], [';', '0.25', '12.000', '0.250000000', 12], [';', '12.000', '3', '12000.000000000', 3],
  ] as const) {
    assert.deepEqual(readCost(separator, cost, quantity), [dollars, tokens], `${separator} ${cost} ${quantity}`);
  }
  assert.deepEqual(readBill('azure', 'sep=;\r\nDate;MeterName;MeterCategory;Quantity;UnitOfMeasure;CostInUsd\r\n'
    + '2026-03-22;gpt 4o 1120 Inp glbl Tokens;Azure OpenAI;1;1K;0,5;\r\n').lines.map(({ cost }) => cost), [500_000_000n], 'a cell too many is empty');
});

test('a comma that separates no thousands makes no number, and the sentence says in which row', () => {
  for (const cost of ['"12,34"', '"0,123"', '"1,2345.6"', '"1,23,456"']) {
    assert.throws(() => readCost(',', cost, '1'), /Row 2: An amount of the file is not a decimal number\. Its comma .* by semicolons\.$/, cost);
  }
  assert.throws(() => readCost(',', '1', '1', ['2026-03-23,gpt 4o 1120 Inp glbl Tokens,Azure OpenAI,some,1K,1']), /Row 3: A figure/);
  assert.throws(() => readBill('anthropic', 'usage_date_utc,cost_usd,model\n2026-03-22,1'), /cut short/);
  assert.throws(() => readBill('anthropic', 'usage_date_utc,model,cost_usd\n2026-03-22,claude-opus-5,1\nTotal,,1\n'), /Row 3: .* when it starts/);
});

test('a day that is none is no day, and not one of the next month', () => {
  const billOf = (day: string) => readBill('anthropic', `usage_date_utc,model,cost_usd\n${day},claude-opus-5,1\n`);
  for (const day of ['2026-02-30', '2026-02-29', '2026-04-31', '2026-13-01', '2026-00-10', '2026-03-00', '2026-02-30T00:00:00Z']) {
    assert.throws(() => billOf(day), /Row 2: .* does not say when it starts/, day);
  }
  for (const day of ['2028-02-29', '2026-12-31', '2026-03-01T00:00:00+02:00']) assert.equal(billOf(day).days.length, 1, day);
});

test('what is no text, and what another seller exports, is named', () => {
  const utf8 = (bytes: readonly number[]): string => Buffer.from(bytes).toString('utf8');
  const workbook = utf8([0x50, 0x4b, 3, 4, 20, 0, 6, 0, 8, 0]);
  for (const [text, said] of [
    [utf8([0x1f, 0x8b, 8, 0, 0, 0, 0, 0]), /gzip/], [workbook, /Excel workbook/], [utf8([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1]), /old Excel/],
    ['PAR1\u0015', /Parquet/], ['%PDF-1.7', /PDF.*download the usage or cost export/], [utf8([0x28, 0xb5, 0x2f, 0xfd]), /compressed/],
    ['\n<!DOCTYPE html><html>', /web page/], ['<Invoice xmlns="a">', /web page or XML/],
    [Buffer.from('\uFEFFdate,cost\n', 'utf16le').toString('utf8'), /UTF-16/],
  ] as const) {
    for (const seller of billSellers) assert.throws(() => readBill(seller, text), said);
  }
  const bucket = { starting_at: '2026-03-01T00:00:00Z', ending_at: '2026-03-02T00:00:00Z', results: [] };
  assert.throws(() => readBill('openai', JSON.stringify({ data: [bucket] })), /looks like an export of anthropic: name that/);
  assert.throws(() => readBill('openai', readFileSync(new URL('azure-focus.csv', samples), 'utf8')), /an export of azure or google or bedrock: name/);
  assert.throws(() => readBill('azure', readFileSync(new URL('openrouter-activity.json', samples), 'utf8')), /an export of openrouter/);
  assert.throws(() => readBill('azure', readFileSync(new URL('openai-costs.json', samples), 'utf8')), /an export of openai: name that/);
});

test('an export that stands in the file twice is refused, as pages, as rows or with its first row', () => {
  for (const name of Object.keys(expected)) {
    const [seller] = expected[name]!;
    const text = readFileSync(new URL(name, samples), 'utf8').trimEnd();
    const [head = '', ...rows] = text.split('\n');
    const twice = name.endsWith('.csv') ? [`${text}\n${text}`, [head, ...rows, ...rows].join('\n')]
      : [name === 'google-billing.json' ? `${text}\n${text}` : `[${text},${text}]`];
    for (const file of twice) assert.throws(() => readBill(seller, file), /first row again|more than once|twice, with the same results/, name);
  }
});

test('pages are joined, and the days between two of a file are covered', () => {
  const page = (day: string): object => ({ data: [{ starting_at: `${day}T00:00:00Z`,
    ending_at: `${day.slice(0, 8)}${String(Number(day.slice(8)) + 1).padStart(2, '0')}T00:00:00Z`,
    results: [{ uncached_input_tokens: 1, output_tokens: 1, model: 'claude-opus-5' }] }], has_more: false });
  const bill = readBill('anthropic', JSON.stringify([page('2026-03-01'), page('2026-03-04')]));
  assert.deepEqual(bill.days.map(({ day }) => day), ['2026-03-01', '2026-03-02', '2026-03-03', '2026-03-04']);
  const lines = `${JSON.stringify(page('2026-03-01'))}\n${JSON.stringify(page('2026-03-02'))}\n`;
  assert.equal(readBill('anthropic', lines).lines.length, 2);
});

test('amounts of another currency are left out and named; where the export says the rate they are converted', () => {
  const azure = 'Date,MeterName,MeterCategory,Quantity,UnitOfMeasure,CostInBillingCurrency,BillingCurrency\n'
    + '2026-03-22,gpt 4o 1120 Inp glbl Tokens,Azure OpenAI,1,1K,4,EUR\n';
  const bill = readBill('azure', azure);
  assert.deepEqual([bill.otherCurrency, bill.places, bill.lines[0]!.cost, bill.lines[0]!.counts], ['EUR', null, null, { inputTokens: 1_000 }]);
  const google = { usage_start_time: '2026-03-22 05:00:00 UTC', service: { description: 'Gemini API' },
    sku: { description: 'Generate content input token count gemini 2.5 flash text' },
    usage: { amount: 10, unit: 'count' }, cost: 3, currency: 'EUR', currency_conversion_rate: 0.75 };
  assert.equal(formatDollars(readBill('google', JSON.stringify([google])).lines[0]!.cost!), '4.000000000');
});

test('a file of no known form is refused with the forms that were looked for', () => {
  const sentences: Readonly<Record<BillSeller, RegExp>> = {
    openai: /usage API.*costs API.*amount_value.*num_model_requests/, anthropic: /usage_report.*cost_usd.*usage_input_tokens_no_cache/,
    azure: /MeterName.*FOCUS/, google: /sku\.description.*FOCUS/, bedrock: /line_item_usage_type.*FOCUS/,
      openrouter: /model_permaslug.*generation_id/,
  };
  for (const seller of billSellers) {
    for (const text of ['a,b\n1,2\n', '{"a":1}', '[{"a":1}]']) assert.throws(() => readBill(seller, text), sentences[seller], `${seller} ${text}`);
    for (const text of ['', '[]']) assert.throws(() => readBill(seller, text), /empty|no lines/);
  }
  assert.throws(() => readBill('azure', 'Date,MeterName,MeterCategory,Cost\n2026-03-22,D2s v5,Virtual Machines,1\n'), /no lines of models/);
});

test('what a file may build is bounded, before it is built', () => {
  const huge: readonly (readonly [string, RegExp])[] = [
    [`[${'{},'.repeat(1_000_000)}{}]`, /more than 1000000 values/],
    [`[${'{},'.repeat(250_000)}{}]`, /more than 200000 lines/],
    [`day,cost\n${'1,\n'.repeat(250_000)}`, /more than 200000 lines/],
    [`day,cost\n${','.repeat(4_100_000)}`, /more than 4000000 cells/],
  ];
  for (const [text, said] of huge) assert.throws(() => readBill('openai', text), said);
});

test('a cell of megabytes is read, quoted or not', () => {
  const names = 'Date,MeterCategory,MeterName,Quantity,UnitOfMeasure,CostInBillingCurrency,BillingCurrencyCode,Tags';
  const row = '2026-03-02,Azure OpenAI,gpt 4o 0806 Inp glbl Tokens,1000,1 Token,0.1,USD';
  for (const tags of [`"${'x'.repeat(8_000_000)}"`, `"${'""'.repeat(2_000_000)}"`, 'y'.repeat(8_000_000)]) {
    assert.equal(readBill('azure', `${names}\r\n${row},${tags}\r\n`).lines.length, 1);
  }
});
