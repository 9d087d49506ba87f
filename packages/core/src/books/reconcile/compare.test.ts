/** A bill beside records: every kind of token, items, names, days, and who is accused of calls past the gateway. Rules: `reconcile`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDollars, nanoDollars } from '../../money.ts';
import { createPriceBook, type PriceBook } from '../../price/price-book.ts';
import { priceList } from '../../price/price-list.ts';
import type { CallRecord } from '../../record/call-record.ts';
import { Reconciliation, type ComparedLine } from './compare.ts';
import { readBill, type BillSeller } from './read-bill.ts';
import { playedCall, pricesOfTest, searches } from './test-support/played-call.ts';

const day = '2026-03-02';
const nowMs = Date.parse('2026-11-24T12:00Z');
const now = { inForce: pricesOfTest.book };

function compared(
  seller: BillSeller, file: unknown, calls: readonly CallRecord[], { inForce, own = null }: { inForce: PriceBook; own?: PriceBook | null } = now,
): ComparedLine[] {
  const bill = readBill(seller, typeof file === 'string' ? file : JSON.stringify(file));
  const reconciliation = new Reconciliation(seller, bill, { ...pricesOfTest, book: inForce });
  for (const call of calls) reconciliation.take(call, own);
  return reconciliation.lines(nowMs);
}
const short = (lines: readonly ComparedLine[]): unknown[] =>
  lines.map((line) => [line.day.slice(-2), line.model ?? line.item ?? line.billName, line.verdict, ...line.reasons]);
const accused = (lines: readonly ComparedLine[]): unknown[] => short(lines.filter(({ verdict }) => verdict !== 'equal'));

const seconds = (at: string): number => Date.parse(at) / 1_000;
function openaiDays(list: string, days: Readonly<Record<string, readonly object[]>>): object {
  return { object: 'page', has_more: false, data: Object.entries(days).map(([name, results]) => ({
    object: 'bucket', start_time: seconds(`${name}T00:00Z`), end_time: seconds(`${name}T00:00Z`) + 86_400,
    results: results.map((result) => ({ object: `organization.${list}.result`, ...result })),
  })) };
}
const usage = (days: Readonly<Record<string, readonly object[]>>): object => openaiDays('usage.completions', days);
const used = (calls: number, given: object = {}): object =>
  ({ model: 'gpt-4o-2024-08-06', num_model_requests: calls, input_tokens: 1_000 * calls, output_tokens: 100 * calls, input_cached_tokens: 0,
    ...given });
const item = (line_item: string | null, value: string | number): object => ({ amount: { value, currency: 'usd' }, line_item });
const dollars = (...calls: readonly CallRecord[]): string => formatDollars(nanoDollars(calls.reduce((sum, { cost }) => sum + cost!, 0n)));
const claude = (given: Partial<CallRecord>): CallRecord => playedCall(`${day}T05:00Z`, {
  wire: 'anthropic', endpoint: 'messages', path: '/v1/messages', model: 'claude-sonnet-4-5-20250929', requestedModel: 'claude-sonnet-4-5', ...given,
});
const anthropic = (...results: readonly object[]): object =>
  ({ data: [{ starting_at: `${day}T00:00:00Z`, ending_at: '2026-03-03T00:00:00Z', results }], has_more: false, next_page: null });

test('every kind of token is compared: cache reads and writes of Anthropic, cached tokens and sound of OpenAI', () => {
  const result = {
    model: 'claude-sonnet-4-5-20250929', uncached_input_tokens: 1_000, output_tokens: 100, cache_read_input_tokens: 200_000,
    cache_creation: { ephemeral_5m_input_tokens: 30, ephemeral_1h_input_tokens: 12 }, server_tool_use: { web_search_requests: 2 },
  };
  const calls = [claude({ cachedTokens: 200_000, cacheWriteTokens: 42, toolCalls: searches(2) })];
  assert.deepEqual(accused(compared('anthropic', anthropic(result), calls)), []);
  for (const [kind, changed, difference] of [
    ['cachedTokens', { cache_read_input_tokens: 9_000_000 }, -8_800_000], ['webSearches', { server_tool_use: { web_search_requests: 1 } }, 1],
    ['cacheWriteTokens', { cache_creation: { ephemeral_5m_input_tokens: 30, ephemeral_1h_input_tokens: 13 } }, -1],
  ] as const) {
    const [line] = compared('anthropic', anthropic({ ...result, ...changed }), calls);
    assert.deepEqual([line!.verdict, line!.kinds.filter((each) => each.difference !== 0).map((each) => [each.kind, each.difference])],
      [difference < 0 ? 'theirs_more' : 'ours_more', [[kind, difference]]]);
  }
  const cached = [playedCall(`${day}T01:00Z`, { cachedTokens: 512, audioInputTokens: 7 })];
  assert.deepEqual(accused(compared('openai', usage({ [day]: [used(1, { input_cached_tokens: 512, input_audio_tokens: 7 })] }), cached)), []);
  assert.deepEqual(accused(compared('openai', usage({ [day]: [used(1)] }), cached)), [['02', 'gpt-4o-2024-08-06', 'ours_more', 'cost_gaps']]);
  assert.deepEqual(accused(compared('openai', usage({ [day]: [used(1, { input_cached_tokens: 512, input_audio_tokens: 8 })] }), cached)),
    [['02', 'gpt-4o-2024-08-06', 'theirs_more', 'cost_gaps']]);
});

test('taxes, credits and refunds are named as what nothing here can be held against, and accuse nobody', () => {
  const calls = [playedCall(`${day}T01:00Z`)];
  for (const name of ['sales-tax', 'prepaid-credits', 'VAT 19%', 'Refund', 'rounding-adjustment']) {
    for (const amount of ['3.20', '-3.20']) {
      const bill = openaiDays('costs', { [day]: [item('gpt-4o-2024-08-06, input', dollars(...calls)), item(name, amount)] });
      assert.deepEqual(accused(compared('openai', bill, calls)), [['02', 'other', 'not_matched']], `${name} ${amount}`);
    }
  }
});

test('tools are separate items: their fees are read from the cost of the calls, and a correct bill accuses nobody', () => {
  const calls = [playedCall(`${day}T01:00Z`), playedCall(`${day}T02:00Z`, { toolCalls: searches(3) })];
  const [tokens, fees] = [dollars(calls[0]!, calls[0]!), '0.03'];
  assert.equal(dollars(calls[1]!), formatDollars(nanoDollars(calls[0]!.cost! + 30_000_000n)), 'a search costs a cent');
  const bill = (searched: string): object => openaiDays('costs', { [day]: [item('gpt-4o-2024-08-06, input', tokens), item('web search tool calls',
    searched)] });
  const lines = compared('openai', bill(fees), calls);
  assert.deepEqual(short(lines), [['02', 'web_search', 'equal'], ['02', 'gpt-4o-2024-08-06', 'equal']]);
  assert.deepEqual([lines[0]!.ours!.calls, lines[0]!.billName], [3, 'web search tool calls']);
  assert.deepEqual(accused(compared('openai', bill('0.04'), calls)), [['02', 'web_search', 'theirs_more']]);
  assert.deepEqual(accused(compared('openai', openaiDays('costs', { [day]: [item('gpt-4o-2024-08-06, output', tokens)] }), calls)),
    [['02', 'web_search', 'ours_only']]);
  const storage = openaiDays('costs', { [day]: [item('gpt-4o-2024-08-06', tokens), item('web search', fees), item('File search storage', 1)] });
  assert.deepEqual(accused(compared('openai', storage, calls)), [['02', 'storage', 'not_matched']]);
});

test('where the fees of tools cannot be separated from the cost, the line says so, and the day decides', () => {
  // Another price than the list has, so the lines of its cost are not known.
  const calls = [playedCall(`${day}T02:00Z`, { toolCalls: searches(3), cost: nanoDollars(50_000_000n) })];
  const lines = compared('openai', openaiDays('costs', { [day]: [item('gpt-4o-2024-08-06', '0.02'), item('web search', '0.03')] }), calls);
  assert.deepEqual(short(lines), [['02', 'web_search', 'equal'], ['02', 'gpt-4o-2024-08-06', 'ours_more', 'tools_not_split', 'day_equal']]);
  assert.deepEqual(lines.map(({ dayVerdict }) => dayVerdict), ['equal', 'equal']);
});

test('the fees of tools are read by the prices that the calls were recorded by, whichever are in force', () => {
  const calls = [playedCall(`${day}T02:00Z`, { toolCalls: searches(3) })];
  const tokens = formatDollars(nanoDollars(calls[0]!.cost! - 30_000_000n));
  const bill = openaiDays('costs', { [day]: [item('gpt-4o-2024-08-06', tokens), item('web search', '0.04')] });
  const inForce = createPriceBook({ list: { ...priceList, date: '2026-11-01' }, overlay: null });
  assert.deepEqual(accused(compared('openai', bill, calls, { inForce, own: pricesOfTest.book })), [['02', 'web_search', 'theirs_more']]);
  assert.ok(compared('openai', bill, calls, { inForce }).some(({ reasons }) => reasons.includes('tools_not_split')));
});

test('usage of tools is compared by its counts; sessions hold several calls of code', () => {
  const calls = [playedCall(`${day}T01:00Z`, { toolCalls: { webSearch: 0, webFetch: 0, fileSearch: 2, codeInterpreter: 3 } })];
  const bill = (list: string, result: object): object => openaiDays(`usage.${list}`, { [day]: [result] });
  assert.deepEqual(short(compared('openai', bill('file_searches', { num_requests: 2 }), calls)), [['02', 'file_search', 'equal']]);
  assert.deepEqual(short(compared('openai', bill('file_searches', { num_requests: 3 }), calls)), [['02', 'file_search', 'theirs_more']]);
  assert.deepEqual(short(compared('openai', bill('code_interpreter_sessions', { num_sessions: 1 }), calls)), [['02', 'code_execution', 'equal']]);
  assert.deepEqual(short(compared('openai', bill('code_interpreter_sessions', { num_sessions: 4 }), calls)), [['02', 'code_execution',
    'theirs_more']]);
});

test('a usage export is compared with the calls of its operations', () => {
  const embedding = playedCall(`${day}T03:00Z`, { endpoint: 'embeddings', path: '/v1/embeddings', model: 'text-embedding-3-small',
    outputTokens: null });
  const moderation = playedCall(`${day}T03:00Z`, { endpoint: 'other', path: '/v1/moderations', model: null, usage: 'none', inputTokens: null,
    outputTokens: null });
  const calls = [playedCall(`${day}T01:00Z`), embedding, moderation];
  assert.deepEqual(short(compared('openai', usage({ [day]: [used(1)] }), calls)), [['02', 'gpt-4o-2024-08-06', 'equal']]);
  const embeddings = openaiDays('usage.embeddings', { [day]: [{ model: 'text-embedding-3-small', num_model_requests: 1, input_tokens: 1_000 }] });
  assert.deepEqual(short(compared('openai', embeddings, calls)), [['02', 'text-embedding-3-small', 'equal']]);
  const moderations = openaiDays('usage.moderations', { [day]: [{ model: 'omni-moderation-latest', num_model_requests: 1, input_tokens: 9 }] });
  assert.deepEqual(short(compared('openai', moderations, calls)), [['02', 'moderation', 'equal']]);
});

test('rows of zeros are no lines', () => {
  const zero = { model: 'gpt-5', num_model_requests: 0, input_tokens: 0, output_tokens: 0, input_cached_tokens: 0 };
  assert.deepEqual(short(compared('openai', usage({ [day]: [used(1), zero] }), [playedCall(`${day}T01:00Z`)])), [['02', 'gpt-4o-2024-08-06',
    'equal']]);
  const costs = openaiDays('costs', { [day]: [item('gpt-4o-2024-08-06', dollars(playedCall(`${day}T01:00Z`))), item('web search tool calls', 0)] });
  assert.deepEqual(accused(compared('openai', costs, [playedCall(`${day}T01:00Z`)])), []);
});

test('names as pages show them are matched; of models without calls they are theirs alone; what nobody knows is not matched', () => {
  const calls = [claude({}), claude({ model: 'claude-3-5-haiku-20241022' })];
  const [sonnet, haiku] = calls.map((call) => dollars(call));
  const csv = (...rows: readonly string[]): string => ['usage_date_utc,model,token_type,cost_usd', ...rows.map((row) => `${day},${row}`)].join('\n');
  const lines = compared('anthropic', csv(`Claude Sonnet 4.5,input,${sonnet}`, `Claude Haiku 3.5,input,${haiku}`), calls);
  assert.deepEqual(short(lines), [['02', 'claude-3-5-haiku-20241022', 'equal'], ['02', 'claude-sonnet-4-5-20250929', 'equal']]);
  assert.equal(lines[1]!.billName, 'Claude Sonnet 4.5');
  const more = csv(`Claude Sonnet 4.5,input,${sonnet}`, `Claude Haiku 3.5,input,${haiku}`, 'Claude Opus 4.1,input,1', 'Prompt tooling,input,2');
  assert.deepEqual(accused(compared('anthropic', more, calls)), [
    ['02', 'Prompt tooling', 'not_matched'], ['02', 'Claude Opus 4.1', 'theirs_only', 'lines_not_matched'],
  ]);
  // Two releases are two models, whatever they have in common.
  const other = usage({ [day]: [used(1, { model: 'gpt-4o-2024-11-20' })] });
  assert.deepEqual(accused(compared('openai', other, [playedCall(`${day}T01:00Z`)])), [
    ['02', 'gpt-4o-2024-08-06', 'ours_only', 'day_equal'], ['02', 'gpt-4o-2024-11-20', 'theirs_only', 'day_equal'],
  ]);
});

test('a day is compared as the bill cuts it: in another zone, by the hour, and without results', () => {
  const bucket = (start: string, hours: number, ...results: readonly object[]): object => ({
    start_time: seconds(start), end_time: seconds(start) + hours * 3_600,
    results: results.map((result) => ({ object: 'organization.usage.completions.result', ...result })),
  });
  const calls = [playedCall('2026-03-01T22:00Z'), playedCall('2026-03-02T21:59:59Z'), playedCall('2026-03-02T22:00Z')];
  const zoned = { data: [bucket('2026-03-01T22:00Z', 24, used(2)), bucket('2026-03-02T22:00Z', 24)], has_more: false };
  assert.deepEqual(short(compared('openai', zoned, calls)), [['02', 'gpt-4o-2024-08-06', 'equal'], ['03', 'gpt-4o-2024-08-06', 'ours_only']]);
  const west = { data: [bucket('2026-03-02T08:00Z', 24, used(2))] };
  assert.deepEqual(short(compared('openai', west, calls)), [['02', 'gpt-4o-2024-08-06', 'equal']]);
  // A day of another zone is over at another time.
  const late = { data: [bucket('2026-11-23T16:00Z', 24, used(1)), bucket('2026-11-22T16:00Z', 24, used(1))] };
  assert.deepEqual(short(compared('openai', late, [])).map((line) => (line as string[]).includes('day_not_over')), [false, true]);
  const hours = { data: [bucket('2026-03-02T21:00Z', 1, used(1)), bucket('2026-03-02T22:00Z', 1, used(1))] };
  assert.deepEqual(short(compared('openai', hours, calls)), [['02', 'gpt-4o-2024-08-06', 'equal']]);
  const named = 'start_time_iso,end_time_iso,model,input_tokens,output_tokens\n'
    + '2026-03-02T00:00:00+02:00,2026-03-03T00:00:00+02:00,gpt-4o-2024-08-06,2000,200\n';
  assert.deepEqual(short(compared('openai', named, calls)), [['02', 'gpt-4o-2024-08-06', 'equal']]);
  assert.deepEqual(short(compared('openai', usage({ '2026-03-01': [], '2026-03-02': [] }), [calls[1]!])), [['02', 'gpt-4o-2024-08-06', 'ours_only']]);
});

/** Google's rows: an hour each, in UTC, of one call. */
const googleRows = (...hours: readonly string[]): string => hours.map((at) => JSON.stringify({
  service: { description: 'Gemini API' }, sku: { description: 'Generate content input token count gemini 2.5 flash text' }, cost_type: 'regular',
  usage_start_time: `${at}:00:00 UTC`, usage_end_time: new Date(Date.parse(`${at}:00Z`) + 3_600_000).toISOString(), cost: 0.0003, currency: 'USD',
  usage: { amount: 1_000, unit: 'count' },
})).join('\n');
const gemini = (at: string): CallRecord => ({
  ...playedCall(at, { wire: 'upstream', endpoint: 'other', path: '/upstream/v1/x', model: 'gemini-2.5-flash', outputTokens: 0 }),
  cost: nanoDollars(300_000n), costSource: 'priced',
});

test('days of Google are those of Pacific time, unless its file was cut at midnight of UTC; what a cut day lacks is named as that', () => {
  const calls = ['2026-10-31T06:59Z', '2026-10-31T07:00Z', '2026-11-01T06:59Z', '2026-11-01T07:59Z', '2026-11-02T07:59Z', '2026-11-02T08:00Z']
    .map(gemini);
  // 1 November has 25 hours there.
  const days = googleRows('2026-10-31 07', '2026-11-01 06', '2026-11-01 07', '2026-11-02 07');
  assert.deepEqual(short(compared('google', days, calls)), [['31', 'gemini-2.5-flash', 'equal'], ['01', 'gemini-2.5-flash', 'equal']]);
  const without = googleRows('2026-10-31 07', '2026-10-31 08', '2026-11-02 08');
  assert.deepEqual(accused(compared('google', without, [gemini('2026-11-02T07:30Z')])).slice(1, 2), [['01', 'gemini-2.5-flash', 'ours_only']]);
  const utc = googleRows('2026-10-31 06', '2026-10-31 07', '2026-10-31 23');
  assert.deepEqual(short(compared('google', utc, [...calls.slice(0, 2), gemini('2026-10-31T23:59Z')])), [['31', 'gemini-2.5-flash', 'equal']]);
  // Nothing says where this file was cut: its days may have more hours than it has rows of.
  const within = googleRows('2026-10-31 09', '2026-11-01 03');
  assert.deepEqual(short(compared('google', within, [gemini('2026-10-31T07:30Z'), gemini('2026-10-31T09:30Z'), gemini('2026-11-01T03:30Z')])),
    [['31', 'gemini-2.5-flash', 'ours_more', 'day_cut']]);
  assert.deepEqual(short(compared('google', within, [gemini('2026-10-31T09:30Z')])), [['31', 'gemini-2.5-flash', 'theirs_more', 'past_the_gateway']]);
});

test('calls past the gateway are named only where the sums of the day prove them', () => {
  const calls = [playedCall(`${day}T01:00Z`), playedCall(`${day}T02:00Z`)];
  const gpt5 = used(1, { model: 'gpt-5-2025-08-07' });
  const isPast = (lines: readonly ComparedLine[]): unknown[] => lines.filter(({ reasons }) => reasons.includes('past_the_gateway')).map(({ model }) =>
    model);
  assert.deepEqual(isPast(compared('openai', usage({ [day]: [used(2), gpt5] }), calls)), ['gpt-5-2025-08-07']);
  assert.deepEqual(isPast(compared('openai', usage({ [day]: [used(3)] }), calls)), ['gpt-4o-2024-08-06']);
  // The same calls under another name: the day's sum is the same.
  assert.deepEqual(isPast(compared('openai', usage({ [day]: [used(1), gpt5] }), calls)), []);
  // As many as could not be measured here.
  const unknown = playedCall(`${day}T03:00Z`, { model: null, usage: 'unknown', inputTokens: null, outputTokens: null });
  assert.deepEqual(isPast(compared('openai', usage({ [day]: [used(3)] }), [...calls, { ...unknown, model: 'gpt-4o-2024-08-06' }])), []);
  assert.deepEqual(isPast(compared('openai', usage({ [day]: [used(2), gpt5] }), [...calls, unknown])), []);
  // What was settled since is known: its settlement is a separate record.
  assert.deepEqual(isPast(compared('openai', usage({ [day]: [used(2), gpt5] }), [...calls, { ...unknown, settledBy: calls[0]!.id }])),
    ['gpt-5-2025-08-07']);
  // Without counts of calls by tokens, and by cost alone only for a model without calls here.
  const tokens = (input: number, model: string): object => ({ model, uncached_input_tokens: input, output_tokens: 100 });
  const known = tokens(1_000, 'claude-sonnet-4-5-20250929');
  assert.deepEqual(isPast(compared('anthropic', anthropic(known, tokens(5, 'claude-opus-4-1-20250805')), [claude({})])),
    ['claude-opus-4-1-20250805']);
  assert.deepEqual(isPast(compared('anthropic', anthropic(known, tokens(5, 'claude-opus-4-1-20250805')), [claude({}),
    claude({ usage: 'unknown' })])), []);
  const costs = (...items: readonly object[]): object => openaiDays('costs', { [day]: items });
  const whole = item('gpt-4o-2024-08-06', dollars(...calls));
  assert.deepEqual(isPast(compared('openai', costs(whole, item('gpt-5-2025-08-07', 3)), calls)), ['gpt-5-2025-08-07']);
  assert.deepEqual(isPast(compared('openai', costs(item('gpt-4o-2024-08-06', 3)), calls)), []);
});

test('a bill of costs has no line for what it charges nothing for: calls that cost nothing here, or have no price, are no difference', () => {
  const priced = playedCall(`${day}T01:00Z`);
  const unpriced = playedCall(`${day}T02:00Z`, { model: 'nobody-1', cost: null, costSource: 'unpriced' });
  const costs = (days: Readonly<Record<string, readonly object[]>>): object => openaiDays('costs', days);
  assert.deepEqual(accused(compared('openai', costs({ [day]: [item('gpt-4o-2024-08-06, input', dollars(priced))] }), [priced, unpriced])), []);
  assert.deepEqual(accused(compared('openai', costs({ '2026-03-01': [item('gpt-4o-2024-08-06', '1')], [day]: [] }), [unpriced])),
    [['01', 'gpt-4o-2024-08-06', 'theirs_only', 'past_the_gateway']]);
  const head = 'start_time_iso,end_time_iso,amount_value';
  const row = (of: string, next: string): string => `2026-03-${of}T00:00:00Z,2026-03-${next}T00:00:00Z,`;
  const byDay = `${head}\n${row('01', '02')}2.50\n${row('02', '03')}0\n`;
  const first = playedCall('2026-03-01T01:00Z', { cost: nanoDollars(2_500_000_000n) });
  assert.deepEqual(accused(compared('openai', byDay, [first, unpriced])), []);
  const ten = Array.from({ length: 10 }, () => priced);
  assert.deepEqual(accused(compared('openai', byDay, [first, ...ten, unpriced])), [['02', null, 'ours_only', 'unpriced']]);
  // A bill with counts says how often it was called, so silence there is a difference.
  assert.deepEqual(accused(compared('openai', usage({ '2026-03-01': [], [day]: [] }), [unpriced])), [['02', 'nobody-1', 'ours_only', 'unpriced']]);
});

test('a batch is one settlement here and many requests on the bill: that proves no calls past the gateway', () => {
  const began = playedCall(`${day}T01:00Z`, { path: '/v1/batches', endpoint: 'other', model: null, usage: 'unknown', inputTokens: null,
    outputTokens: null, cost: null });
  const settlement = playedCall(`${day}T02:00Z`, { kind: 'settlement', path: '/v1/files/file-1/content', endpoint: 'other', settles: began.id,
    inputTokens: 1_000_000, outputTokens: 100_000 });
  const calls = [{ ...began, settledBy: settlement.id }, settlement];
  assert.deepEqual(accused(compared('openai', usage({ [day]: [used(1_000, { batch: true })] }), calls)), []);
  assert.deepEqual(accused(compared('openai', usage({ [day]: [used(1_001, { batch: true })] }), calls)),
    [['02', 'gpt-4o-2024-08-06', 'theirs_more', 'past_the_gateway']], 'by its tokens');
  assert.deepEqual(accused(compared('openai', usage({ [day]: [used(1_001)] }), [...calls, playedCall(`${day}T03:00Z`)])), []);
});

test('what an upstream leaves out of the input as Anthropic does is a part of it in bills of clouds', () => {
  const csv = ['line_item_usage_start_date,line_item_usage_type,line_item_usage_amount,pricing_unit,line_item_unblended_cost,line_item_product_code',
    ...['Claude4.6Sonnet-input-tokens,2', 'Claude4.6Sonnet-output-tokens,0.1', 'Claude4.6Sonnet-cache-read-input-token-count,3'].map((type) =>
      `${day}T05:00:00Z,USE1-${type},1K tokens,0.01,AmazonBedrock`)].join('\n');
  const call = (path: string): CallRecord => playedCall(`${day}T05:00Z`, {
    wire: 'upstream', endpoint: 'other', path, model: 'us.anthropic.claude-sonnet-4-6', inputTokens: 2_000, outputTokens: 100, cachedTokens: 3_000,
    cost: nanoDollars(30_000_000n),
  });
  assert.deepEqual(short(compared('bedrock', csv, [call('/upstreams/bedrock/model/a/converse')])),
    [['02', 'us.anthropic.claude-sonnet-4-6', 'equal']]);
  assert.deepEqual(accused(compared('bedrock', csv, [call('/upstreams/bedrock/v1/chat/completions')])),
    [['02', 'us.anthropic.claude-sonnet-4-6', 'theirs_more', 'unpriced', 'past_the_gateway']]);
});

test('a request that the bill lists twice is named, not called past the gateway', () => {
  const row = `${day},r1,gpt-4o-2024-08-06,1000,100`;
  const lines = compared('openai', ['date,request_id,model,input_tokens,output_tokens', row, row].join('\n'),
    [playedCall(`${day}T01:00Z`, { providerRequestId: 'r1' })]);
  assert.deepEqual(short(lines), [['02', null, 'theirs_more', 'listed_twice']].map(([date, , ...rest]) => [date,
    lines[0]!.model ?? lines[0]!.billName, ...rest]));
});

test('a played month: a cent, a missing day, a doubled call, a call past the gateway and tools are found, and nothing else is accused', () => {
  const calls: CallRecord[] = [];
  const items = new Map<string, object[]>();
  for (let date = 1; date <= 28; date += 1) {
    const name = `2026-02-${String(date).padStart(2, '0')}`;
    const ofDay = [
      ...Array.from({ length: date }, (_, index) => playedCall(`${name}T${String(index % 24).padStart(2, '0')}:30Z`, { cachedTokens: index * 8,
        inputTokens: 997 + index })),
      playedCall(`${name}T12:00Z`, { model: 'gpt-4o-mini-2024-07-18', toolCalls: searches(date % 3) }),
    ];
    calls.push(...ofDay);
    const gpt = ofDay.filter(({ model }) => model === 'gpt-4o-2024-08-06');
    const mini = ofDay.at(-1)!;
    const fees = 10_000_000n * BigInt(date % 3);
    items.set(name, [
      item('gpt-4o-2024-08-06, input', dollars(...gpt)), item('gpt-4o-mini-2024-07-18, input', formatDollars(nanoDollars(mini.cost! - fees))),
      item('web search tool calls', formatDollars(nanoDollars(fees))),
    ]);
  }
  const bill = (): object => openaiDays('costs', Object.fromEntries(items));
  assert.deepEqual(accused(compared('openai', bill(), calls)), [], 'the correct bill');
  const cost = (name: string, more: string): string => {
    const own = calls.filter(({ startedAtMs, model }) => new Date(startedAtMs).toISOString().startsWith(name) && model === 'gpt-4o-2024-08-06');
    return String(Number(dollars(...own)) + Number(more));
  };
  const changed = (name: string, at: number, value: object): void => { items.get(name)!.splice(at, 1, value); };
  changed('2026-02-05', 0, item('gpt-4o-2024-08-06, input', cost('2026-02-05', '0.01')));
  items.set('2026-02-09', []);
  changed('2026-02-12', 0, item('gpt-4o-2024-08-06, input', cost('2026-02-12', dollars(playedCall('2026-02-12T01:00Z')))));
  items.get('2026-02-15')!.push(item('gpt-5-2025-08-07, output', 0.5));
  changed('2026-02-20', 2, item('web search tool calls', 0.05));
  assert.deepEqual(accused(compared('openai', bill(), calls)), [
    ['05', 'gpt-4o-2024-08-06', 'theirs_more'], ['09', 'gpt-4o-2024-08-06', 'ours_only'], ['09', 'gpt-4o-mini-2024-07-18', 'ours_only'],
    ['12', 'gpt-4o-2024-08-06', 'theirs_more'], ['15', 'gpt-5-2025-08-07', 'theirs_only', 'past_the_gateway'], ['20', 'web_search', 'theirs_more'],
  ]);
});

test('a number of JSON is as exact as it can be, and a text at least to the cent', () => {
  const call = playedCall(`${day}T10:00:00Z`, { cost: nanoDollars(140_000_000n) });
  const rows = [[0.1, 'ours_more'], [0.14, 'equal'], [0.140001, 'theirs_more'], ['0.1', 'ours_more'], ['0.14', 'equal']] as const;
  for (const [value, verdict] of rows) {
    const bill = openaiDays('costs', { [day]: [item('gpt-4o-2024-08-06, output', value)] });
    assert.deepEqual(compared('openai', bill, [call]).map((line) => line.verdict), [verdict], String(value));
  }
});

test('a line of a cloud may take back what another one charged', () => {
  const rows = [['2000', '0.2'], ['-1000', '-0.1']].map(([quantity, cost]) =>
    `${day},Azure OpenAI,gpt 4o 0806 Inp glbl Tokens,${quantity},1 Token,${cost},USD`);
  const bill = `Date,MeterCategory,MeterName,Quantity,UnitOfMeasure,CostInBillingCurrency,BillingCurrencyCode\n${rows.join('\n')}\n`;
  const call = playedCall(`${day}T10:00:00Z`, { wire: 'upstream', inputTokens: 1_000, cost: nanoDollars(100_000_000n) });
  const [line, ...others] = compared('azure', bill, [call]);
  assert.deepEqual([line?.model, line?.verdict, line?.theirs?.inputTokens, line?.theirs?.cost, others], [call.model, 'equal', 1_000, call.cost, []]);
});
