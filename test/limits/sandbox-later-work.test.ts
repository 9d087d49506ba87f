/**
 * Settling can be tried without a provider: the sandbox does batches and responses in the background, and what it says of them is in the sums, by a
 * client's poll and by following. Rule 6f; decisions 138 and 166.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import { eventually } from '@metergate/testkit/eventually.ts';
import { keptCalls } from '@metergate/testkit/kept-calls.ts';
import OpenAI, { toFile } from 'openai';
import { productForFile, type Tenant } from './tenant.ts';

const product = productForFile({ args: ['--sandbox'], connectProviders: false });

async function records(tenant: Tenant): Promise<readonly CallRecord[]> {
  return keptCalls(product.store, tenant.id as CallRecord['organization']);
}

/** Waits until this many settlements are kept. */
async function settled(tenant: Tenant, count: number): Promise<readonly CallRecord[]> {
  return eventually(async () => {
    const all = await records(tenant);
    return all.filter(({ kind }) => kind === 'settlement').length >= count && all;
  }, () => `not ${count} settlements`);
}

const messages = [{ role: 'user' as const, content: 'Name a river.' }];

test('a response in the background is settled by the poll that shows its usage', async () => {
  const tenant = await product.tenant();
  const client = new OpenAI({ apiKey: tenant.key, baseURL: `${product.system.gatewayUrl}/v1`, maxRetries: 0 });
  const { id } = await client.responses.create({ model: 'gpt-4o-mini', input: 'x', background: true });
  let answer = await client.responses.retrieve(id);
  assert.equal(answer.status, 'in_progress');
  answer = await client.responses.retrieve(id);
  const all = await settled(tenant, 1);
  const settlement = all.find(({ kind }) => kind === 'settlement')!;
  assert.deepEqual([settlement.inputTokens, settlement.works, settlement.costSource], [answer.usage!.input_tokens, [id], 'priced']);
  assert.equal(all.find(({ id: each }) => each === settlement.settles)?.settledBy, settlement.id);
});

test('batches on both wires are settled by following, without a poll', async () => {
  const tenant = await product.tenant({ follow: true });
  const openai = new OpenAI({ apiKey: tenant.key, baseURL: `${product.system.gatewayUrl}/v1`, maxRetries: 0 });
  const anthropic = new Anthropic({ apiKey: tenant.key, baseURL: product.system.gatewayUrl, maxRetries: 0 });
  const lines = [1, 2].map((at) => JSON.stringify({
    custom_id: `r-${at}`, method: 'POST', url: '/v1/chat/completions', body: { model: 'gpt-4o-mini', messages },
  })).join('\n');
  const file = await openai.files.create({ purpose: 'batch', file: await toFile(Buffer.from(lines), 'in.jsonl') });
  await openai.batches.create({ input_file_id: file.id, endpoint: '/v1/chat/completions', completion_window: '24h' });
  await anthropic.messages.batches.create({ requests: [{ custom_id: 'a', params: { model: 'claude-haiku-4-5', max_tokens: 16, messages } }] });
  const all = await settled(tenant, 2);
  const settlements = all.filter(({ kind }) => kind === 'settlement');
  assert.deepEqual(settlements.map(({ model, costGaps }) => [model, costGaps]).toSorted(),
    [['claude-haiku-4-5', ['service_tier']], ['gpt-4o-mini', ['service_tier']]]);
  assert.ok(settlements.every(({ cost, inputTokens, settles }) => cost! > 0n && inputTokens! > 0 && settles !== null));
  assert.equal(all.filter(({ usage, settledBy }) => usage === 'unknown' && settledBy === null).length, 0);
});
