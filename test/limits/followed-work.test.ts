/**
 * Work that is billed later and that nobody polls: where the organization wants it, the platform asks for its outcome by itself. A batch of 1,000
 * lines on each wire is in the sums soon after it ended, once, through a kill of the process and with a caller who polls at the same time.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import { eventually } from '@metergate/testkit/eventually.ts';
import { keptCalls } from '@metergate/testkit/kept-calls.ts';
import type { ReceivedRequest, ScriptedAnswer } from '@metergate/testkit/scripted-provider.ts';
import { meteredAnswer, productForFile, type Tenant } from './tenant.ts';

const product = productForFile({ env: { SVC_UPSTREAM_ALLOW: '127.0.0.0/8' } });
const lines = 1_000;
const json = (document: unknown): ScriptedAnswer => ({ headers: [['content-type', 'application/json']], body: JSON.stringify(document) });
const results = (line: (at: number) => unknown): ScriptedAnswer =>
  ({ headers: [['content-type', 'application/x-jsonl']], body: Array.from({ length: lines }, (_, at) => `${JSON.stringify(line(at))}\n`).join('') });

/** Whether the provider says that its batches have ended. */
let ended = false;

function provided(request: ReceivedRequest): ScriptedAnswer {
  const { method, target, headers } = request;
  if (target === '/v1/chat/completions') return meteredAnswer(request);
  if (method === 'POST' && target === '/v1/batches') return json({ id: 'batch_1', object: 'batch', status: 'validating' });
  if (target === '/v1/batches/batch_1') {
    return json({ id: 'batch_1', object: 'batch', status: ended ? 'completed' : 'in_progress', output_file_id: ended ? 'file-1' : null });
  }
  if (target === '/v1/files/file-1/content') {
    return results((at) => ({ id: `batch_req_${at}`, custom_id: `r-${at}`, error: null, response: { status_code: 200, request_id: 'r', body: {
      id: `chatcmpl-${at}`, object: 'chat.completion', model: 'metered', choices: [],
      usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 } } } }));
  }
  if (target.startsWith('/v1/messages/batches')) assert.ok(headers.some(([name]) => name.toLowerCase() === 'anthropic-version') || method === 'POST');
  if (target.endsWith('/results')) {
    return results((at) => ({ custom_id: `r-${at}`, result: { type: 'succeeded', message: {
      id: `msg_${at}`, type: 'message', role: 'assistant', model: 'metered', content: [], stop_reason: 'end_turn',
      usage: { input_tokens: 10, output_tokens: 2 } } } }));
  }
  return json({ id: 'msgbatch_01AbC', type: 'message_batch', processing_status: ended ? 'ended' : 'in_progress', results_url: null });
}

async function settlements(tenant: Tenant): Promise<readonly CallRecord[]> {
  const all = await keptCalls(product.store, tenant.id as CallRecord['organization']);
  return all.filter(({ kind }) => kind === 'settlement');
}

const until = (happens: () => Promise<boolean> | boolean): Promise<true> => eventually(happens, () => `not ${happens}`);

test('a batch of 1,000 lines on each wire is asked for until it has ended, and is in caps and sums once', async () => {
  const tenant = await product.tenant({ follow: true });
  const { openai, anthropic } = product.system;
  for (const provider of [openai, anthropic]) provider.respond(provided);
  await tenant.call('{}', { target: '/v1/batches' });
  await tenant.call('{}', { target: '/v1/messages/batches' });
  const asked = (target: string): number =>
    [...openai.requests, ...anthropic.requests].filter((each) => each.method === 'GET' && each.target === target).length;
  await until(() => asked('/v1/batches/batch_1') > 0 && asked('/v1/messages/batches/msgbatch_01AbC') > 0);
  await product.system.kill9();
  product.system = await product.system.restart();
  ended = true;
  const poll = async (): Promise<void> => {
    for (const target of ['/v1/batches/batch_1', '/v1/files/file-1/content', '/v1/messages/batches/msgbatch_01AbC/results']) {
      await tenant.call('', { method: 'GET', target });
    }
  };
  await until(async () => {
    await poll();
    return (await settlements(tenant)).length >= 2;
  });
  await poll();
  assert.deepEqual((await settlements(tenant)).map(({ wire, inputTokens, outputTokens, key }) => [wire, inputTokens, outputTokens, key]).sort(),
    [['anthropic', 10_000, 2_000, tenant.keyId], ['openai', 10_000, 2_000, tenant.keyId]]);
});

test('nobody has to poll, and caps see it; an organization that does not want it is not asked for', async () => {
  const [tenant, other] = [await product.tenant({ follow: true }), await product.tenant()];
  await tenant.cap({ scope: 'organization', window: 'day', limit: '100' });
  for (const each of [other, tenant]) await each.call('{}', { target: '/v1/batches' });
  await until(async () => (await settlements(tenant)).length === 1);
  await until(async () => (await tenant.call(0)).status === 402);
  assert.equal((await tenant.caps())[0]!.unknownCalls, 0);
  assert.equal((await settlements(other)).length, 0);
});

test('work at an upstream is asked for there, with its own credential, and caps see it', async () => {
  const tenant = await product.tenant({ follow: true });
  const { system } = product;
  const args = ['--org', tenant.id, '--name', 'azure'];
  const declared = await system.cli(['upstream', 'declare', ...args, '--url', system.upstream.url, '--auth', 'api-key', '--json'], 'secret-of-azure');
  assert.equal(declared.code, 0, declared.stderr);
  assert.equal((await system.cli(['upstream', 'enable', ...args, '--json'])).code, 0);
  ended = true;
  // At its own paths, the provider answers as at the first wire's.
  system.upstream.respond((request) => provided({ ...request, target: request.target.replace(/^\/openai(?:\/v1)?/, '/v1').replace(/\?.*/, '') }));
  await tenant.cap({ scope: 'organization', window: 'day', limit: '100' });
  await until(async () => (await tenant.call('{}', { target: '/upstreams/azure/openai/batches?api-version=2024-10-21' })).status === 200);
  await until(async () => (await settlements(tenant)).length === 1);
  await until(async () => (await tenant.call(0)).status === 402);
  const [settled] = await settlements(tenant);
  assert.deepEqual([settled!.wire, settled!.inputTokens, settled!.outputTokens], ['upstream', 10_000, 2_000]);
  const asked = system.upstream.requests.filter(({ method }) => method === 'GET');
  assert.deepEqual([...new Set(asked.map(({ target }) => target))].sort(), ['/openai/v1/batches/batch_1', '/openai/v1/files/file-1/content']);
  assert.ok(asked.every(({ headers }) => headers.some(([name, value]) => name.toLowerCase() === 'api-key' && value === 'secret-of-azure')));
  assert.equal((await tenant.caps())[0]!.unknownCalls, 0);
});
