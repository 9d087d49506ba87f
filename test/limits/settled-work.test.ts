/**
 * Work that is billed later, from outside: what became of it passes the gateway, and from then on caps, runs and reports have it, once, whoever asks
 * and however often, also through a kill of the process. Rule 6f.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { showRun } from '@metergate/platform/use-cases/runs.ts';
import { showUsage } from '@metergate/platform/use-cases/usage.ts';
import { isRefusal } from '@metergate/platform/use-cases/refusal.ts';
import { eventually } from '@metergate/testkit/eventually.ts';
import type { ReceivedRequest, ScriptedAnswer } from '@metergate/testkit/scripted-provider.ts';
import type { Coding } from '@metergate/testkit/coding.ts';
import { keptCalls } from '@metergate/testkit/kept-calls.ts';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import { meteredAnswer, productForFile, type Tenant } from './tenant.ts';

const product = productForFile({ env: { SVC_UPSTREAM_ALLOW: '127.0.0.0/8' } });
const json = (document: unknown): ScriptedAnswer => ({ headers: [['content-type', 'application/json']], body: JSON.stringify(document) });

/** The providers' own forms. `lines`: of the batch with that number of requests, each of ten tokens and two. */
function provided(request: ReceivedRequest, lines: number, coding: Coding | null): ScriptedAnswer {
  const { method, target } = request;
  if (target === '/v1/chat/completions') return meteredAnswer(request);
  const number = target.match(/\d+/g)?.at(-1) ?? '0';
  const response = { id: `resp_${number}`, object: 'response', background: true, model: 'metered', output: [] };
  const usage = { input_tokens: 3, input_tokens_details: { cached_tokens: 0 }, output_tokens: 0, output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 3 };
  if (method === 'POST' && target === '/v1/responses') return json({ ...response, id: 'resp_1', status: 'queued', usage: null });
  if (/responses\/resp_\d+(\/cancel)?$/.test(target)) return json({ ...response, status: method === 'POST' ? 'cancelled' : 'completed', usage });
  if (method === 'POST' && target === '/v1/batches') return json({ id: 'batch_1', object: 'batch', status: 'validating', model: 'metered' });
  if (/batches\/batch_\d+$/.test(target)) {
    return json({ id: `batch_${number}`, object: 'batch', status: 'completed', output_file_id: 'file-1', error_file_id: null, request_counts: {
      total: lines } });
  }
  const results = (line: (at: number) => unknown): ScriptedAnswer => ({
    headers: [['content-type', 'application/octet-stream']], body: Array.from({ length: lines }, (_,
      at) => `${JSON.stringify(line(at))}\n`).join(''), coding,
  });
  if (target === '/v1/files/file-1/content') {
    return results((at) => ({ id: `batch_req_${at}`, custom_id: `r-${at}`, error: null, response: { status_code: 200, request_id: 'r', body: {
      id: `chatcmpl-${at}`, object: 'chat.completion', model: 'metered', choices: [], usage: { prompt_tokens: 10, completion_tokens: 2,
        total_tokens: 12 } } } }));
  }
  const asked = { id: 'msgbatch_01AbC', type: 'message_batch', processing_status: 'in_progress', results_url: null };
  if (target === '/v1/messages/batches') return json(asked);
  return results((at) => ({ custom_id: `r-${at}`, result: { type: 'succeeded', message: {
    id: `msg_${at}`, type: 'message', role: 'assistant', model: 'metered', content: [], stop_reason: 'end_turn', usage: { input_tokens: 10,
      output_tokens: 2 } } } }));
}

async function tenantOf(lines = 3, coding: Coding | null = null): Promise<Tenant> {
  const tenant = await product.tenant();
  for (const provider of [product.system.openai, product.system.anthropic]) provider.respond((request) => provided(request, lines, coding));
  return tenant;
}

async function records(tenant: Tenant, until: (all: readonly CallRecord[]) => boolean): Promise<readonly CallRecord[]> {
  let last: readonly CallRecord[] = [];
  return eventually(async () => {
    last = await keptCalls(product.store, tenant.id as CallRecord['organization']);
    return until(last) && last;
  }, () => `not so: ${last.map(({ kind, path, settledBy, usageReason }) => [kind, path, settledBy, usageReason].join()).join(' ')}`);
}

const settled = (all: readonly CallRecord[]): readonly CallRecord[] => all.filter(({ kind }) => kind === 'settlement');
const get = (tenant: Tenant, target: string) => tenant.call('', { method: 'GET', target });

async function total(tenant: Tenant) {
  const shown = await showUsage(product.context(), { organization: tenant.id, by: ['wire'] });
  assert.ok(!isRefusal(shown), JSON.stringify(shown));
  const { cost, unknownCalls } = shown[0]!;
  return { cost, unknownCalls };
}

describe('a response in the background', () => {
  test('polled, and cancelled again and again, is in cap, run and reports once; the next call meets the cap', async () => {
    const tenant = await tenantOf();
    await tenant.cap({ scope: 'organization', window: 'day', limit: '3' });
    const run = { headers: [['x-svc-run-id', 'r1'], ['x-svc-run-budget', '100']] as const };
    await tenant.call(JSON.stringify({ model: 'metered', background: true }), { target: '/v1/responses', ...run });
    const [began] = await records(tenant, (all) => all.length === 1);
    assert.deepEqual([began!.usage, began!.works], ['unknown', ['resp_1']]);
    for (let poll = 0; poll < 3; poll += 1) assert.equal((await get(tenant, '/v1/responses/resp_1')).status, 200);
    const all = await records(tenant, (found) => settled(found).length > 0 && found.some(({ settledBy }) => settledBy !== null));
    const [one] = settled(all);
    assert.deepEqual([one!.settles, one!.run, one!.inputTokens, one!.cost], [began!.id, 'r1', 3, 3_000_000_000n]);
    await tenant.until(({ status }) => status === 402);
    const [cap] = await tenant.caps();
    assert.deepEqual([cap!.spent, cap!.unknownCalls], ['3.000000000', 0]);
    const shown = await showRun(product.context(), { organization: tenant.id, run: 'r1' });
    assert.ok(!isRefusal(shown));
    assert.deepEqual([shown.spent, shown.unknownCalls], ['3.000000000', 0]);
  });

  test('cancelled is counted once for three cancellations, and not again by a poll', async () => {
    const tenant = await tenantOf();
    await tenant.call(JSON.stringify({ model: 'metered', background: true }), { target: '/v1/responses' });
    for (let times = 0; times < 3; times += 1) await tenant.call('{}', { target: '/v1/responses/resp_1/cancel' });
    await get(tenant, '/v1/responses/resp_1');
    const all = await records(tenant, (found) => found.length >= 6);
    assert.equal(settled(all).length, 1);
    assert.deepEqual(await total(tenant), { cost: '3.000000000', unknownCalls: 0 });
  });
});

for (const coding of [null, 'gzip', 'br'] as const) {
  test(`a batch of 1,000 lines on either wire is in the sums once, ${coding ?? 'not'} compressed`, async () => {
    const tenant = await tenantOf(1_000, coding);
    await tenant.call('{}', { target: '/v1/batches' });
    await tenant.call('{}', { target: '/v1/messages/batches' });
    await get(tenant, '/v1/batches/batch_1');
    const poll = async (): Promise<readonly CallRecord[]> => {
      for (const target of ['/v1/files/file-1/content', '/v1/messages/batches/msgbatch_01AbC/results']) {
        assert.equal((await get(tenant, target)).status, 200);
      }
      return records(tenant, (found) => found.length - settled(found).length >= tenant.answered);
    };
    // A copy that is not decoded in time tells nothing, and costs nothing: the next one does.
    const all = await eventually(async () => {
      const polled = await poll();
      return settled(polled).length >= 2 && polled;
    }, () => 'not two settlements');
    assert.deepEqual(settled(all).map(({ wire, inputTokens, outputTokens, cost }) => [wire, inputTokens, outputTokens, cost]).sort(),
      [['anthropic', 10_000, 2_000, 12_000_000_000_000n], ['openai', 10_000, 2_000, 12_000_000_000_000n]]);
    assert.equal((await total(tenant)).unknownCalls, 0);
  });
}

test('killed in the middle of polls, every piece of work is settled once', async () => {
  const tenant = await tenantOf();
  await tenant.call(JSON.stringify({ model: 'metered', background: true }), { target: '/v1/responses' });
  await get(tenant, '/v1/responses/resp_1');
  await product.system.kill9();
  product.system = await product.system.restart();
  await tenant.until(({ status }) => status === 200, { method: 'GET', target: '/v1/responses/resp_1' });
  const all = await records(tenant, (found) => found.some(({ settledBy }) => settledBy !== null));
  assert.equal(settled(all).length, 1);
  assert.equal((await total(tenant)).cost, '3.000000000');
});
