/**
 * Answers at paths that name no metered operation, from outside: usage found there counts against caps, a charge that is not reported is
 * unknown, and a cost that is not the whole bill says so, on the record and beside the money. Rules 6a and 6b.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import { eventually } from '@metergate/testkit/eventually.ts';
import { keptCalls } from '@metergate/testkit/kept-calls.ts';
import { productForFile, type Tenant } from './tenant.ts';

const product = productForFile();

async function recordOf(tenant: Tenant, path: string): Promise<CallRecord> {
  const all = () => keptCalls(product.store, tenant.id as never);
  return eventually(async () => (await all()).find((record) => record.path === path), () => `no record of ${path}`);
}

const json = (value: object) => ({ headers: [['content-type', 'application/json']] as [string, string][], body: JSON.stringify(value) });

test('a compaction\'s tokens count, and chat at the second provider is read as chat', async () => {
  const tenant = await product.tenant();
  product.system.openai.respond(json({ model: 'metered', output: [], usage: { input_tokens: 2, output_tokens: 1 } }));
  assert.equal((await tenant.call('{}', { target: '/v1/responses/compact' })).status, 200);
  const compact = await recordOf(tenant, '/v1/responses/compact');
  const { endpoint, usage, inputTokens, outputTokens, cost } = compact;
  assert.deepEqual([endpoint, usage, inputTokens, outputTokens, cost], ['other', 'reported', 2, 1, 3_000_000_000n]);
  const completion = { model: 'metered', choices: [{ finish_reason: 'stop' }], usage: { prompt_tokens: 4, completion_tokens: 0 } };
  product.system.anthropic.respond(json(completion));
  assert.equal((await tenant.call('{}', { target: '/alt/v1/chat/completions' })).status, 200);
  const chat = await recordOf(tenant, '/alt/v1/chat/completions');
  assert.deepEqual([chat.wire, chat.usage, chat.inputTokens, chat.finishReason, chat.cost], ['anthropic', 'reported', 4, 'stop', 4_000_000_000n]);
  await tenant.cap({ scope: 'organization', window: 'day', limit: '7' });
  await tenant.until(({ status }) => status === 402, { target: '/v1/responses/compact' });
});

test('work that is billed later, or never reports usage, is an unknown call beside the cap; free work is not', async () => {
  const tenant = await product.tenant();
  await tenant.cap({ scope: 'organization', window: 'day', limit: '1000' });
  product.system.openai.respond(json({ id: 'batch_1', object: 'batch', status: 'validating' }));
  const expected = [
    ['/v1/batches', 'unknown', 'deferred'], ['/v1/images/generations', 'unknown', 'not_reported'], ['/v1/files', 'none', null],
  ] as const;
  for (const [target, usage, usageReason] of expected) {
    assert.equal((await tenant.call('{}', { target })).status, 200);
    const record = await recordOf(tenant, target);
    assert.deepEqual([record.usage, record.usageReason, record.cost], [usage, usageReason, null], target);
  }
  product.system.openai.respond(json({ status: 'queued', background: true, model: 'metered', usage: null }));
  await tenant.call('{}', { target: '/v1/responses' });
  assert.equal((await recordOf(tenant, '/v1/responses')).usageReason, 'deferred');
  assert.equal((await tenant.caps())[0]!.unknownCalls, 3);
});

test('a tier and a fee without a price are named on the record, and counted beside the cap', async () => {
  const tenant = await product.tenant();
  await tenant.cap({ scope: 'organization', window: 'day', limit: '1000' });
  product.system.openai.respond(json({
    model: 'gpt-5', status: 'completed', service_tier: 'flex', output: [{ type: 'code_interpreter_call' }],
    usage: { input_tokens: 1_000, output_tokens: 100 },
  }));
  assert.equal((await tenant.call('{}', { target: '/v1/responses' })).status, 200);
  const { cost, costGaps, serviceTier, toolCalls } = await recordOf(tenant, '/v1/responses');
  assert.deepEqual({ cost, costGaps, serviceTier, toolCalls }, {
    cost: 2_250_000n, costGaps: ['service_tier', 'code_interpreter'], serviceTier: 'flex',
    toolCalls: { webSearch: 0, webFetch: 0, fileSearch: 0, codeInterpreter: 1 },
  });
  assert.deepEqual((await tenant.caps()).map(({ unknownCalls, gapCalls }) => [unknownCalls, gapCalls]), [[0, 1]]);
});

test('an answer that names no model is priced by the one that was asked for, in each form of a request; one that names its own is not', async () => {
  const tenant = await product.tenant();
  const usage = { input_tokens: 2, output_tokens: 1, total_tokens: 3 };
  product.system.openai.respond(json({ created: 1, data: [], usage }));
  const long = JSON.stringify({ prompt: 'x'.repeat(300_000), model: 'metered' });
  const form = '--b\r\nContent-Disposition: form-data; name="image"; filename="a"\r\n\r\n'
    + `${'y'.repeat(100_000)}\r\n--b\r\nContent-Disposition: form-data; name="model"\r\n\r\nmetered\r\n--b--\r\n`;
  const requests = [
    ['/v1/images/generations', '{"model":"metered"}', 'application/json'], ['/v1/images/long', long, 'application/json'],
    ['/v1/images/edits', form, 'multipart/form-data; boundary=b'],
  ] as const;
  for (const [target, body, type] of requests) {
    assert.equal((await tenant.call(body, { target, headers: [['content-type', type]] })).status, 200);
    const { model, requestedModel, cost, costSource, pricedBy, requestBytes } = await recordOf(tenant, target);
    assert.deepEqual([model, requestedModel, cost, costSource, pricedBy], [null, 'metered', 3_000_000_000n, 'fallback', 'requested_model'], target);
    assert.equal(requestBytes, body.length);
  }
  product.system.openai.respond(json({ model: 'unlisted', choices: [], usage: { prompt_tokens: 2, completion_tokens: 1 } }));
  assert.equal((await tenant.call('{"model":"metered"}', { target: '/v1/chat/completions' })).status, 200);
  const answered = await recordOf(tenant, '/v1/chat/completions');
  assert.deepEqual([answered.model, answered.requestedModel, answered.costSource, answered.pricedBy], ['unlisted', 'metered', 'fallback', 'model']);
});
