/** Over HTTP: a bill is compared within its bound and changes nothing; corrections are kept, shown, removed; calls are repriced. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nanoDollars } from '@metergate/core/money.ts';
import { batchOf, sampleRecord } from '@metergate/store/test-support/contract-fixture.ts';
import { billBytesMax } from './resources/reconciliations.ts';
import { platformOfFile, type PlatformFixture, type TestOrganization } from './test-support/platform-fixture.ts';

let platform: PlatformFixture;
let acme: TestOrganization;
platformOfFile(async (made) => {
  platform = made;
  acme = await platform.organization('acme');
  await platform.store.calls.ship(batchOf('seg_bill', [sampleRecord(acme.id, {
    startedAtMs: Date.UTC(2026, 2, 2), model: 'gpt-6', inputTokens: 100, outputTokens: 10, cost: nanoDollars(250_000_000n), cachedTokens: null,
    reasoningTokens: null, audioInputTokens: null, serviceTier: null, toolCalls: null,
  })]));
});

const file = JSON.stringify({ data: [{
  start_time: Date.UTC(2026, 2, 2) / 1_000, end_time: Date.UTC(2026, 2, 3) / 1_000,
  results: [{ amount: { value: 0.35, currency: 'usd' }, line_item: 'gpt-6, input' }],
}] });
const ask = (path: string, method = 'GET', body?: unknown, token = acme.tokens.owner) =>
  platform.ask(`/platform/v1${path}`, { method, token, ...(body === undefined ? {} : { body }) });

test('a bill is compared with the records, and nothing of it is kept', async () => {
  const { status, body } = await ask('/reconciliations', 'POST', { provider: 'openai', file }, acme.tokens.viewer);
  assert.equal(status, 200);
  const [line] = body['lines'] as { verdict: string; difference: { cost: string } }[];
  assert.deepEqual([line!.verdict, line!.difference.cost, body['equal']], ['theirs_more', '-0.100000000', false]);
  assert.deepEqual((await ask('/corrections')).body['data'], []);
});

test('a file that is not a bill, or is above the bound, is refused', async () => {
  const code = async (body: unknown) => ((await ask('/reconciliations', 'POST', body)).body['error'] as { code: string }).code;
  assert.equal(await code({ provider: 'openai', file: '{}' }), 'invalid_bill');
  assert.equal(await code({ provider: 'mistral', file }), 'invalid_input');
  assert.equal(await code({ provider: 'openai', file: 'x'.repeat(billBytesMax) }), 'body_too_large');
});

test('only an admin records corrections; usage shows them on request', async () => {
  assert.equal((await ask('/corrections', 'POST', { provider: 'openai', file }, acme.tokens.member)).status, 403);
  const recorded = await ask('/corrections', 'POST', { provider: 'openai', file }, acme.tokens.admin);
  assert.deepEqual([recorded.status, recorded.body['total']], [201, '0.100000000']);
  const usage = async (query: string) => ((await ask(`/usage?by=model&month=2026-03${query}`)).body['data'] as Record<string, unknown>[])[0]!;
  const shown = await usage('&adjusted=true');
  assert.deepEqual([shown['cost'], shown['correction'], shown['adjustedCost']], ['0.250000000', '0.100000000', '0.350000000']);
  assert.equal('correction' in await usage(''), false);
  const [made] = (await ask('/corrections?since=2026-03')).body['data'] as { id: string }[];
  assert.equal((await ask(`/corrections/${made!.id}`, 'DELETE')).status, 200);
  assert.equal((await usage('&adjusted=true'))['adjustedCost'], '0.250000000');
});

test('calls are repriced by a price file that comes with the question, and by the lists at hand', async () => {
  const prices = [{ provider: 'openai', model: 'gpt-6', input: '10', output: '100' }];
  const { status, body, text } = await ask('/usage?by=model&month=2026-03', 'POST', { prices }, acme.tokens.viewer);
  assert.equal(status, 200, text);
  const [row] = body['data'] as Record<string, unknown>[];
  const names = ['cost', 'repricedCost', 'repricedFrom', 'repricedCalls'];
  assert.deepEqual(names.map((name) => row![name]), ['0.250000000', '0.002000000', '0.250000000', 1]);
  assert.equal((await platform.store.prices.texts()).overlay, null, 'put in force nowhere');
  const [listed] = (await ask('/usage?by=model&month=2026-03&prices=list')).body['data'] as Record<string, unknown>[];
  assert.ok('repricedCost' in listed!);
  const wrong = await ask('/usage?by=model', 'POST', { prices: [{ model: 7 }] });
  assert.equal((wrong.body['error'] as { code: string }).code, 'invalid_price_file');
});
