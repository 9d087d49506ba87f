/**
 * Other providers' own clients on named upstreams, from their packages: recorded to the token and priced, and refused at a cap with the sentence
 * in the error that the client gives. The answers have the form of their provider's. Decisions 150 to 152.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventStreamCodec } from '@smithy/eventstream-codec';
import { GoogleGenAI } from '@google/genai';
import { Mistral } from '@mistralai/mistralai';
import { AzureOpenAI } from 'openai';
import { headerValue } from '@metergate/testkit/http-message.ts';
import { rawCall } from '@metergate/testkit/raw-client.ts';
import type { ScriptedAnswer } from '@metergate/testkit/scripted-provider.ts';
import { requestIdOf } from '../running-product.ts';
import { sharedProduct } from '../limits/tenant.ts';

const product = sharedProduct();
const secret = 'provider-secret-0001';
const json: [string, string] = ['content-type', 'application/json'];

async function declared(options: readonly string[]) {
  const { system } = product;
  const tenant = await product.tenant();
  const place = ['--org', tenant.id, '--name', 'theirs'];
  const url = system.upstream.url;
  const declaration = await system.cli(['upstream', 'declare', ...place, '--url', url, ...options, '--json'], secret);
  assert.equal(declaration.code, 0, declaration.stderr);
  await system.cli(['upstream', 'enable', ...place, '--json']);
  const records = async (count: number) => (await system.calls({ count, organization: tenant.id })).map((record) => {
    const { model, requestedModel, usage, inputTokens, outputTokens, cachedTokens, cost, costSource, streamed, upstream, status } = record;
    assert.deepEqual([upstream, status, usage, costSource], ['theirs', 200, 'reported', 'priced'], JSON.stringify(record));
    assert.ok(Number(cost) > 0);
    return [model, requestedModel, inputTokens, outputTokens, cachedTokens, streamed];
  });
  return { id: tenant.id, key: tenant.key, cap: tenant.cap.bind(tenant), base: `${system.gatewayUrl}/upstreams/theirs`, records };
}

const usageMetadata = { promptTokenCount: 100, cachedContentTokenCount: 40, candidatesTokenCount: 20, thoughtsTokenCount: 30, totalTokenCount: 150 };
const gemini = {
  candidates: [{ content: { role: 'model', parts: [{ text: 'hello' }] }, finishReason: 'STOP', index: 0 }], usageMetadata,
  modelVersion: 'gemini-2.5-flash',
};

test('google-genai: content and its stream, with the key where it puts it', async () => {
  const { system } = product;
  const { base, key, records } = await declared(['--auth', 'x-goog-api-key', '--provider', 'google']);
  const client = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: base } });
  system.upstream.respond(({ target }): ScriptedAnswer => target.includes('alt=sse')
    ? { headers: [['content-type', 'text/event-stream']], body: [`data: ${JSON.stringify(gemini)}\r\n\r\n`] }
    : { headers: [json], body: JSON.stringify(gemini) });
  const answer = await client.models.generateContent({ model: 'gemini-2.5-flash', contents: 'hi' });
  assert.equal(answer.text, 'hello');
  let text = '';
  for await (const part of await client.models.generateContentStream({ model: 'gemini-2.5-flash', contents: 'hi' })) text += part.text;
  assert.equal(text, 'hello');
  for (const { headers, target } of system.upstream.requests.slice(-2)) {
    assert.ok(headers.some(([name, value]) => name.toLowerCase() === 'x-goog-api-key' && value === secret));
    assert.ok(!JSON.stringify([headers, target]).includes('svc_live_'));
  }
  const row = ['gemini-2.5-flash', 'gemini-2.5-flash', 100, 50, 40];
  assert.deepEqual(await records(2), [[...row, true], [...row, false]]);
});

test('google-genai on Vertex: the key in the place of its token', async () => {
  const { system } = product;
  const { base, key, records } = await declared(['--provider', 'google']);
  const authClient = { getRequestHeaders: async () => new Headers({ authorization: `Bearer ${key}` }) };
  const options = { project: 'p', location: 'us-east5', googleAuthOptions: { authClient: authClient as never }, httpOptions: { baseUrl: base } };
  const client = new GoogleGenAI({ vertexai: true, ...options });
  system.upstream.respond({ headers: [json], body: JSON.stringify(gemini) });
  assert.equal((await client.models.generateContent({ model: 'gemini-2.5-flash', contents: 'hi' })).text, 'hello');
  const received = system.upstream.requests.at(-1)!;
  assert.match(received.target, /^\/v1\w*\/projects\/p\/locations\/us-east5\/publishers\/google\/models\/gemini-2\.5-flash:generateContent$/);
  assert.equal(headerValue(received.headers, 'authorization'), `Bearer ${secret}`);
  assert.ok(!JSON.stringify(received.headers).includes('svc_live_'));
  assert.deepEqual(await records(1), [['gemini-2.5-flash', 'gemini-2.5-flash', 100, 50, 40, false]]);
});

test('AzureOpenAI: a deployment', async () => {
  const { system } = product;
  const { base, key, records } = await declared(['--auth', 'api-key', '--provider', 'azure']);
  const client = new AzureOpenAI({ endpoint: base, apiKey: key, apiVersion: '2024-10-21', maxRetries: 0 });
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, prompt_tokens_details: { cached_tokens: 4 } };
  const choices = [{ index: 0, message: { content: 'hello' }, finish_reason: 'stop' }];
  const body = { id: 'x', object: 'chat.completion', model: 'gpt-4o-2024-08-06', choices, usage };
  system.upstream.respond({ headers: [json], body: JSON.stringify(body) });
  const answer = await client.chat.completions.create({ model: 'my-deployment', messages: [{ role: 'user', content: 'hi' }] });
  assert.equal(answer.choices[0]!.message.content, 'hello');
  const received = system.upstream.requests.at(-1)!;
  assert.equal(received.target, '/openai/deployments/my-deployment/chat/completions?api-version=2024-10-21');
  assert.ok(received.headers.some(([name, value]) => name.toLowerCase() === 'api-key' && value === secret));
  assert.ok(!JSON.stringify(received.headers).includes('svc_live_'));
  assert.deepEqual(await records(1), [['gpt-4o-2024-08-06', 'my-deployment', 10, 5, 4, false]]);
});

test('Mistral: a stream reports its usage unasked', async () => {
  const { system } = product;
  const { base, key, records } = await declared(['--provider', 'mistral']);
  const chunk = (finish: string | null, more: object) => `data: ${JSON.stringify({
    id: 'x', object: 'chat.completion.chunk', created: 1, model: 'mistral-small-latest',
    choices: [{ index: 0, delta: { content: 'hi' }, finish_reason: finish }], ...more,
  })}\n\n`;
  const usage = { prompt_tokens: 9, total_tokens: 11, completion_tokens: 2 };
  const body = [chunk(null, {}), chunk('stop', { usage }), 'data: [DONE]\n\n'];
  system.upstream.respond({ headers: [['content-type', 'text/event-stream']], body });
  const client = new Mistral({ serverURL: base, apiKey: key });
  let text = '';
  for await (const { data } of await client.chat.stream({ model: 'mistral-small-latest', messages: [{ role: 'user', content: 'x' }] })) {
    text += data.choices[0]!.delta.content;
  }
  assert.equal(text, 'hihi');
  assert.deepEqual(await records(1), [['mistral-small-latest', 'mistral-small-latest', 9, 2, null, true]]);
});

test('Bedrock: the binary event streams of Converse and of an invoked model, whole and in single bytes', async () => {
  const { system } = product;
  const codec = new EventStreamCodec((bytes) => Buffer.from(bytes).toString('utf8'), (text) => Buffer.from(text, 'utf8'));
  const frame = (type: string, payload: unknown): Buffer => Buffer.from(codec.encode({
    headers: {
      ':event-type': { type: 'string', value: type }, ':content-type': { type: 'string', value: 'application/json' },
      ':message-type': { type: 'string', value: 'event' },
    },
    body: Buffer.from(JSON.stringify(payload)),
  }));
  const chunk = (event: unknown): Buffer => frame('chunk', { bytes: Buffer.from(JSON.stringify(event)).toString('base64'), p: 'abcd' });
  const converse = [
    frame('messageStart', { role: 'assistant' }), frame('messageStop', { stopReason: 'end_turn' }),
    frame('metadata', { usage: { inputTokens: 30, outputTokens: 6, totalTokens: 36, cacheReadInputTokens: 100 }, metrics: { latencyMs: 1 } }),
  ];
  const model = 'claude-sonnet-4-20250514';
  const invoked = [
    chunk({ type: 'message_start', message: { model, usage: { input_tokens: 30, output_tokens: 1, cache_read_input_tokens: 100 } } }),
    chunk({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 6 } }), chunk({ type: 'message_stop' }),
  ];
  const { base, key, records } = await declared(['--provider', 'aws']);
  const asked = 'us.anthropic.claude-sonnet-4-20250514-v1:0';
  for (const [path, frames, cuts] of [
    ['converse-stream', converse, []], ['converse-stream', converse, 'every'], ['invoke-with-response-stream', invoked, []],
    ['invoke-with-response-stream', invoked, 'every'],
  ] as const) {
    const body = Buffer.concat(frames);
    system.upstream.respond({ headers: [['content-type', 'application/vnd.amazon.eventstream']], body, framing: 'chunked', cuts });
    const answer = await rawCall(new URL(base).origin, {
      method: 'POST', target: `/upstreams/theirs/model/${encodeURIComponent(asked)}/${path}`, body: '{}',
      headers: [['authorization', `Bearer ${key}`]],
    });
    assert.ok(answer.body.equals(body));
    assert.ok(requestIdOf(answer));
  }
  assert.deepEqual(await records(4), [
    [model, asked, 30, 6, 100, true], [model, asked, 30, 6, 100, true], [null, asked, 30, 6, 100, true], [null, asked, 30, 6, 100, true],
  ]);
});

test('Usage by upstream is what the records come to, also by other prices and with corrections; lists can be asked for one', async () => {
  const { system } = product;
  const { id, key, base } = await declared(['--provider', 'mistral']);
  const body = { model: 'mistral-small-latest', choices: [], usage: { prompt_tokens: 1_000_000, completion_tokens: 0, total_tokens: 1_000_000 } };
  system.upstream.respond({ headers: [json], body: JSON.stringify(body) });
  for (const target of ['/upstreams/theirs/v1/chat/completions', '/upstreams/theirs/v1/chat/completions', '/v1/chat/completions']) {
    const sent = await rawCall(new URL(base).origin, {
      method: 'POST', target, headers: [['authorization', `Bearer ${key}`], json], body: '{"model":"m","tokens":3}',
    });
    assert.equal(sent.status, 200);
  }
  const records = await system.calls({ count: 3, organization: id });
  const costs = (upstream: string | null): string[] => records.filter((each) => each.upstream === upstream).map(({ cost }) => cost!);
  const asked = async (...options: string[]) => {
    const { stdout, stderr, code } = await system.cli(['usage', '--org', id, '--since', '1d', '--by', 'upstream', ...options, '--json']);
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout) as { upstream: string | null; calls: number; cost: string; adjustedCost?: string; notRepricedCalls?: number }[];
  };
  const rows = (await asked()).map(({ upstream, calls, cost }) => [upstream, calls, Number(cost)]);
  assert.deepEqual(rows.toSorted((one, other) => Number(other[1]) - Number(one[1])),
    [['theirs', 2, Number(costs('theirs')[0]) * 2], [null, 1, Number(costs(null)[0])]]);
  const [own] = await asked('--upstream', 'theirs', '--adjusted', '--prices', 'current');
  // By other prices its calls cost what the prices of where they went say.
  assert.deepEqual([own!.calls, own!.adjustedCost, own!.notRepricedCalls], [2, own!.cost, 0]);
  const listed = await system.cli(['calls', 'list', '--org', id, '--upstream', 'theirs', '--json']);
  assert.equal((JSON.parse(listed.stdout) as unknown[]).length, 2);
  const long = await system.cli(['usage', '--org', id, '--since', '40d', '--by', 'model', '--upstream', 'theirs', '--json']);
  assert.match(long.stderr, /Usage by upstream is for at most 31 days/);
});

const sentence = 'Daily budget reached. Traffic resumes at reset, or raise the cap.';

test('At a cap, each client shows the sentence in its own error', async () => {
  const { base, key, cap } = await declared(['--auth', 'x-goog-api-key']);
  await cap({ scope: 'organization', window: 'day', limit: '0', mode: 'refuse' });
  const google = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: base } });
  await assert.rejects(google.models.generateContent({ model: 'm', contents: 'hi' }),
    ({ status, message }: { status: number; message: string }) => status === 402 && message.includes(sentence));
  const azure = new AzureOpenAI({ endpoint: base, apiKey: key, apiVersion: '2024-10-21', maxRetries: 0 });
  await assert.rejects(azure.chat.completions.create({ model: 'd', messages: [] }),
    ({ status, message, code }: { status: number; message: string; code: string }) =>
      status === 402 && message.includes(sentence) && code === 'budget_exceeded');
});

test('A refusal has the form that the clients of its provider read; status, code and sentence stay', async () => {
  const { base, key, cap } = await declared([]);
  await cap({ scope: 'organization', window: 'day', limit: '0', mode: 'refuse' });
  const refused = async (path: string) => {
    const answer = await rawCall(new URL(base).origin, {
      method: 'POST', target: `/upstreams/theirs${path}`, headers: [['authorization', `Bearer ${key}`]], body: '{}',
    });
    assert.equal(answer.status, 402);
    assert.equal(headerValue(answer.headers, 'x-svc-budget-scope'), 'organization');
    return { headers: answer.headers, body: JSON.parse(answer.body.toString()) as Record<string, unknown> };
  };
  const envelope = { message: sentence, type: 'insufficient_quota', param: null, code: 'budget_exceeded' };
  assert.deepEqual((await refused('/v1beta/models/m:streamGenerateContent?alt=sse')).body, {
    error: {
      code: 402, message: sentence, status: 'RESOURCE_EXHAUSTED',
      details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'budget_exceeded', domain: 'metergate' }],
    },
  });
  for (const path of ['/model/m/converse', '/model/m/invoke-with-response-stream']) {
    const { headers, body } = await refused(path);
    assert.deepEqual(body, { message: sentence, error: envelope });
    assert.equal(headerValue(headers, 'x-amzn-errortype'), 'ServiceQuotaExceededException');
    assert.equal(headerValue(headers, 'x-amzn-requestid'), headerValue(headers, 'x-request-id'));
  }
  const cohere = await refused('/v2/chat');
  assert.deepEqual(cohere.body, { id: headerValue(cohere.headers, 'x-request-id'), message: sentence, error: envelope });
  assert.deepEqual((await refused('/api/chat')).body, { error: sentence, code: 'budget_exceeded' });
  assert.deepEqual((await refused('/v1/chat/completions')).body, { error: envelope });
});

test('So has a refusal at a path of that provider whose usage is not read, and Anthropic\'s clients find their id', async () => {
  const { base, key, cap } = await declared([]);
  await cap({ scope: 'organization', window: 'day', limit: '0', mode: 'refuse' });
  const refused = async (path: string, method = 'POST') => {
    const { headers, body } = await rawCall(new URL(base).origin, {
      method, target: `/upstreams/theirs${path}`, headers: [['authorization', `Bearer ${key}`]], body: '{}',
    });
    return { headers, body: JSON.parse(body.toString()) as { error: { status?: string; code?: unknown } | string; message?: string } };
  };
  const google = ['/v1beta/models/m', '/v1beta/files/f', '/v1beta/models/m:countTokens', '/v1beta1/projects/p/locations/l/models',
    '/v1/projects/p/locations/l/publishers/google/models/m:predict'];
  for (const path of google) {
    const { error } = (await refused(path, path.endsWith('f') ? 'GET' : 'POST')).body;
    assert.deepEqual(typeof error === 'string' ? error : [error.status, error.code], ['RESOURCE_EXHAUSTED', 402], path);
  }
  for (const path of ['/model/m/count-tokens', '/async-invoke', '/guardrail/g/version/1/apply']) {
    const { headers, body } = await refused(path);
    assert.deepEqual([headerValue(headers, 'x-amzn-errortype'), body.message], ['ServiceQuotaExceededException', sentence], path);
  }
  for (const path of ['/api/tags', '/api/show', '/api/blobs/sha256:0']) assert.equal((await refused(path, 'GET')).body.error, sentence, path);
  const envelope = { error: { message: sentence, type: 'insufficient_quota', param: null, code: 'budget_exceeded' } };
  const asSpecified = ['/v1/models', '/v1beta/openai/models', '/v1beta1/projects/p/locations/l/endpoints/openapi/chat/completions', '/api/v1/models'];
  for (const path of asSpecified) {
    const { headers, body } = await refused(path);
    assert.deepEqual([headerValue(headers, 'request-id'), body], [null, envelope], path);
  }
  const messages = ['/v1/messages', '/v1/messages/count_tokens', '/anthropic/v1/messages', '/v1/projects/p/publishers/anthropic/models/m:rawPredict'];
  for (const path of messages) {
    const { headers, body } = await refused(path);
    assert.deepEqual([headerValue(headers, 'request-id'), body], [headerValue(headers, 'x-request-id'), envelope], path);
  }
  const { headers } = await refused('/model/m/invoke');
  assert.equal(headerValue(headers, 'request-id'), headerValue(headers, 'x-request-id'));
});
