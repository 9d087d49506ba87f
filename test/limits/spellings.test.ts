/**
 * Other spellings of a metered path, from outside, at a provider that decodes them all (rules 2 and 6a): under a reached cap
 * each is refused, under an open one each is recorded as the operation it is, with its tokens and its cost. The destination gets the
 * bytes of the path as they were sent.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import { eventually } from '@metergate/testkit/eventually.ts';
import { keptCalls } from '@metergate/testkit/kept-calls.ts';
import type { RawAnswer } from '@metergate/testkit/raw-client.ts';
import { limitHeaders, metered, meteredAnswer, sharedProduct, type Tenant } from './tenant.ts';

const product = sharedProduct();

const chat = ['/v1/chat/completion%73', '/v1/chat%2Fcompletions', '/v1//chat/completions', '/v1/chat/completions/', '/v1/%63hat/completions',
  '/v1/%2563hat/completions', '/v1/Chat/completions', '/v1/chat/completions;a=b', '/v1///chat%2f%2Fcompletions//?a=b', '/v1/chat%5ccompletions'];
const messages = ['/v1/message%73', '/v1//messages', '/v1/messages/', '/alt/v1/%6dessages', '/alt/v1//messages/?beta=true', '/v1/messages;a'];

async function records(tenant: Tenant): Promise<CallRecord[]> {
  return eventually(async () => {
    const found = await keptCalls(product.store, tenant.id as never);
    return found.length >= tenant.answered && found;
  }, () => `not ${tenant.answered} records`);
}

function messagesAnswer(): { headers: [string, string][]; body: string } {
  const usage = { input_tokens: 2, output_tokens: 1 };
  const message = { type: 'message', model: 'metered', stop_reason: 'end_turn', usage };
  return { headers: [['content-type', 'application/json']], body: JSON.stringify(message) };
}

test('under an open cap every spelling is recorded as the operation it is, with its tokens; the path arrives as it was sent', async () => {
  product.system.anthropic.respond(messagesAnswer());
  const tenant = await product.tenant();
  await tenant.cap({ scope: 'organization', window: 'day', limit: '1000' });
  await tenant.until((answer) => limitHeaders(answer).scope === 'organization');
  const before = tenant.answered;
  const called: { path: string; answer: RawAnswer }[] = [];
  for (const path of [...chat, ...messages]) {
    const provider = chat.includes(path) ? product.system.openai : product.system.anthropic;
    const heard = provider.nextRequest();
    called.push({ path, answer: await tenant.call(3, { target: path }) });
    assert.equal((await heard).target, path.replace('/alt', ''));
  }
  for (const { path, answer } of called) assert.deepEqual([answer.status, limitHeaders(answer).scope], [200, 'organization'], path);
  const found = new Map((await records(tenant)).map((record) => [record.path, record]));
  assert.equal(before + called.length, tenant.answered);
  for (const path of [...chat, ...messages]) {
    const { endpoint, usage, inputTokens, outputTokens, cost } = found.get(path.split('?')[0]!)!;
    const expected = chat.includes(path) ? ['chat.completions', 'reported', 3, 0] : ['messages', 'reported', 2, 1];
    assert.deepEqual([endpoint, usage, inputTokens, outputTokens], expected, path);
    assert.equal(cost, 3_000_000_000n, path);
  }
});

test('a stream requested by another spelling reports its usage as the plain one does', async () => {
  const tenant = await product.tenant();
  for (const path of chat) {
    const heard = product.system.openai.nextRequest();
    await tenant.call(JSON.stringify({ stream: true, tokens: 1 }), { target: path });
    assert.equal((await heard).body.toString(), '{"stream_options":{"include_usage":true},"stream":true,"tokens":1}', path);
  }
});

test('under a reached cap every spelling is refused, and the provider is never contacted', async () => {
  const tenant = await product.tenant();
  await tenant.cap({ scope: 'organization', window: 'day', limit: '0' });
  await tenant.until((answer) => answer.status === 402);
  const heard = [product.system.openai.requests.length, product.system.anthropic.requests.length];
  for (const target of [...chat, ...messages]) assert.equal((await tenant.call(metered(1), { target })).status, 402, target);
  assert.deepEqual([product.system.openai.requests.length, product.system.anthropic.requests.length], heard);
  assert.equal((await records(tenant)).length, tenant.answered);
});

test('a reached run is refused in every spelling too', async () => {
  const tenant = await product.tenant();
  const headers = [['x-svc-run-id', 'r'], ['x-svc-run-budget', '2']] as const;
  product.system.openai.respond(meteredAnswer);
  assert.equal((await tenant.call(2, { target: chat[1]!, headers })).status, 200);
  for (const target of [...chat, ...messages]) assert.equal((await tenant.call(metered(1), { target, headers })).status, 402, target);
});

test('a path that leaves the family, in any spelling, and TRACE are 404 and reach no provider', async () => {
  const tenant = await product.tenant();
  const heard = product.system.openai.connections;
  for (const target of ['/v1/..%2fadmin', '/v1/%2e%2e%2fadmin', '/v1/..%5cadmin', '/v1/..;/admin', '/v1/..%00/admin', '/v1/%252e%252e/admin',
    '/upstream/v1/..%2fadmin', '/alt/v1/..%2fadmin', '/v1/messages/..;/admin']) {
    assert.equal((await tenant.call('{}', { target })).status, 404, target);
  }
  for (const target of ['/v1/models', '/upstream/v1/x', '/alt/v1/messages']) {
    const answer = await tenant.call('', { method: 'TRACE', target });
    assert.equal(answer.status, 404);
    assert.equal((JSON.parse(answer.body.toString()) as { error: { message: string } }).error.message, `Unknown request URL: TRACE ${target}.`);
  }
  assert.equal(product.system.openai.connections, heard);
});
