/** The sandbox answers as both providers would, labels every text as simulated, and refuses what it does not know. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { startSandboxProvider } from './sandbox-provider.ts';

const label = /Metergate's sandbox/;
const messages = [{ role: 'user' as const, content: 'Name a river.' }];

async function sandboxUrl(context: TestContext): Promise<string> {
  const sandbox = await startSandboxProvider();
  context.after(() => sandbox.close());
  return sandbox.url;
}

test('the openai SDK reads every simulated operation, whole and streamed', async (context) => {
  const client = new OpenAI({ apiKey: 'none', baseURL: `${await sandboxUrl(context)}/v1`, maxRetries: 0 });
  const chat = await client.chat.completions.create({ model: 'gpt-4o', messages });
  assert.match(chat.choices[0]?.message.content ?? '', label);
  assert.ok((chat.usage?.prompt_tokens ?? 0) > 0);
  let streamed = '';
  let usageChunks = 0;
  const stream = await client.chat.completions.create({ model: 'gpt-4o', messages, stream: true, stream_options: { include_usage: true } });
  for await (const chunk of stream) {
    streamed += chunk.choices[0]?.delta.content ?? '';
    usageChunks += chunk.usage ? 1 : 0;
  }
  assert.match(streamed, label);
  assert.equal(usageChunks, 1);
  assert.match((await client.responses.create({ model: 'gpt-4o', input: 'x' })).output_text, label);
  assert.match((await client.responses.stream({ model: 'gpt-4o', input: 'x' }).finalResponse()).output_text, label);
  assert.match((await client.completions.create({ model: 'm', prompt: 'x' })).choices[0]?.text ?? '', label);
  assert.equal((await client.embeddings.create({ model: 'e', input: ['a', 'b'], encoding_format: 'float' })).data.length, 2);
  assert.ok((await client.models.list()).data.length > 0);
});

test('no usage chunk is sent unless the request asks for one', async (context) => {
  const client = new OpenAI({ apiKey: 'none', baseURL: `${await sandboxUrl(context)}/v1`, maxRetries: 0 });
  const stream = await client.chat.completions.create({ model: 'm', messages, stream: true });
  for await (const chunk of stream) assert.equal(chunk.usage, undefined);
});

test('the anthropic SDK reads messages, whole and streamed', async (context) => {
  const client = new Anthropic({ apiKey: 'none', baseURL: await sandboxUrl(context), maxRetries: 0 });
  const request = { model: 'claude-haiku-4-5', max_tokens: 64, messages };
  const whole = await client.messages.create(request);
  const streamed = await client.messages.stream(request).finalMessage();
  assert.deepEqual(streamed.content, whole.content);
  assert.equal(streamed.usage.output_tokens, whole.usage.output_tokens);
});

test('what both providers have is answered as the one whose credential came', async (context) => {
  const url = await sandboxUrl(context);
  const openai = new OpenAI({ apiKey: 'none', baseURL: `${url}/v1`, maxRetries: 0 });
  // The gateway sends the provider key under this name, whichever the client used.
  const anthropic = new Anthropic({ apiKey: null, defaultHeaders: { 'x-api-key': 'none' }, baseURL: url, maxRetries: 0 });
  for await (const model of openai.models.list()) assert.match(model.id, /^(gpt|text)-/);
  const listed = await anthropic.models.list();
  assert.deepEqual(listed.data.map(({ id, type }) => ({ id, type })), [{ id: 'claude-haiku-4-5', type: 'model' }]);
  assert.equal(listed.has_more, false);
  await assert.rejects(openai.files.list(), (error: InstanceType<typeof OpenAI.APIError>) => error.status === 404 && error.code === 'unknown_url');
  await assert.rejects(anthropic.beta.files.list(), (error: InstanceType<typeof Anthropic.APIError>) =>
    error.status === 404 && error.type === 'not_found_error');
});

const weather = {
  type: 'object', required: ['city', 'days'],
  properties: {
    city: { type: 'string' }, days: { type: 'integer', minimum: 2 }, unit: { enum: ['C', 'F'] }, at: { type: 'array', items: { type: 'number' } },
  },
};
const question = [{ role: 'user' as const, content: 'What is the weather?' }];
const example = { city: 'example', days: 2, unit: 'C', at: [1] };

test('tools are called with fitting arguments, whole and streamed, and a result is answered with a text: chat completions', async (context) => {
  const client = new OpenAI({ apiKey: 'none', baseURL: `${await sandboxUrl(context)}/v1`, maxRetries: 0 });
  const tools = [{ type: 'function' as const, function: { name: 'weather', parameters: weather } }];
  const whole = (await client.chat.completions.create({ model: 'gpt-4o', messages: question, tools })).choices[0]!;
  const streamed = (await client.chat.completions.stream({ model: 'gpt-4o', messages: question, tools }).finalChatCompletion()).choices[0]!;
  for (const choice of [whole, streamed]) {
    assert.equal(choice.finish_reason, 'tool_calls');
    const call = choice.message.tool_calls?.[0];
    assert.ok(call?.type === 'function');
    assert.deepEqual([call.function.name, JSON.parse(call.function.arguments)], ['weather', example]);
  }
  const result = { role: 'tool' as const, tool_call_id: whole.message.tool_calls![0]!.id, content: '21 C' };
  const last = await client.chat.completions.create({ model: 'gpt-4o', messages: [...question, whole.message, result], tools });
  assert.match(last.choices[0]?.message.content ?? '', label);
  for (const silent of [{ messages: question, tool_choice: 'none' as const }, { messages }]) {
    const { choices } = await client.chat.completions.create({ model: 'gpt-4o', tools, ...silent });
    assert.match(choices[0]?.message.content ?? '', label, 'nobody asked for the tool');
  }
  const forced = await client.chat.completions.create({ model: 'gpt-4o', messages, tools, tool_choice: 'required' });
  assert.equal(forced.choices[0]?.finish_reason, 'tool_calls');
});

test('the same for responses and messages', async (context) => {
  const url = await sandboxUrl(context);
  const openai = new OpenAI({ apiKey: 'none', baseURL: `${url}/v1`, maxRetries: 0 });
  const tools = [{ type: 'function' as const, name: 'weather', parameters: weather, strict: false }];
  const asked = { model: 'gpt-4o', input: 'What is the weather?', tools };
  for (const { output } of [await openai.responses.create(asked), await openai.responses.stream(asked).finalResponse()]) {
    const call = output[0];
    assert.ok(call?.type === 'function_call');
    assert.deepEqual([call.name, JSON.parse(call.arguments)], ['weather', example]);
    const input = [call, { type: 'function_call_output' as const, call_id: call.call_id, output: '21 C' }];
    assert.match((await openai.responses.create({ ...asked, input })).output_text, label);
  }
  const anthropic = new Anthropic({ apiKey: 'none', baseURL: url, maxRetries: 0 });
  const tool = { name: 'weather', input_schema: { ...weather, type: 'object' as const } };
  const request = { model: 'claude-haiku-4-5', max_tokens: 64, messages: question, tools: [tool] };
  for (const answer of [await anthropic.messages.create(request), await anthropic.messages.stream(request).finalMessage()]) {
    const use = answer.content[0];
    assert.ok(use?.type === 'tool_use');
    assert.deepEqual([answer.stop_reason, use.name, use.input], ['tool_use', 'weather', example]);
    const result = { role: 'user' as const, content: [{ type: 'tool_result' as const, tool_use_id: use.id, content: '21 C' }] };
    const last = await anthropic.messages.create({ ...request, messages: [...question, { role: 'assistant', content: answer.content }, result] });
    assert.equal(last.content[0]?.type, 'text');
  }
});

test('an answer requested as JSON is JSON of that form, whole and streamed', async (context) => {
  const url = await sandboxUrl(context);
  const schema = {
    type: 'object', required: ['where', 'on'], additionalProperties: false, $defs: { Place: weather },
    properties: { where: { $ref: '#/$defs/Place' }, on: { type: 'string', format: 'date' }, note: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
  };
  const answer = { where: example, on: '2026-01-01', note: 'example' };
  const client = new OpenAI({ apiKey: 'none', baseURL: `${url}/v1`, maxRetries: 0 });
  const chat = { model: 'gpt-4o', messages, response_format: { type: 'json_schema' as const, json_schema: { name: 'n', schema, strict: true } } };
  assert.deepEqual((await client.chat.completions.parse(chat)).choices[0]?.message.parsed, answer);
  const streamed = await client.chat.completions.stream(chat).finalChatCompletion();
  assert.deepEqual(streamed.choices[0]?.message.parsed, answer);
  const response = { model: 'gpt-4o', input: 'x', text: { format: { type: 'json_schema' as const, name: 'n', schema } } };
  assert.deepEqual((await client.responses.parse(response)).output_parsed, answer);
  const object = await client.chat.completions.create({ model: 'gpt-4o', messages, response_format: { type: 'json_object' } });
  assert.match((JSON.parse(object.choices[0]?.message.content ?? '') as { answer: string }).answer, label);
  const anthropic = new Anthropic({ apiKey: 'none', baseURL: url, maxRetries: 0 });
  const format = { type: 'json_schema' as const, schema };
  const message = await anthropic.messages.create({ model: 'claude-haiku-4-5', max_tokens: 64, messages, output_config: { format } });
  assert.deepEqual(message.content.map((block) => (block.type === 'text' ? JSON.parse(block.text) as unknown : null)), [answer]);
});

test('embeddings come in the requested form and length, for all kinds of inputs, tokens among them', async (context) => {
  const client = new OpenAI({ apiKey: 'none', baseURL: `${await sandboxUrl(context)}/v1`, maxRetries: 0 });
  const base64 = (await client.embeddings.create({ model: 'e', input: 'x', dimensions: 8 })).data[0]!.embedding;
  const float = (await client.embeddings.create({ model: 'e', input: 'x', dimensions: 8, encoding_format: 'float' })).data[0]!.embedding;
  assert.deepEqual([base64.length, base64], [8, float]);
  assert.ok(base64.some((value) => value !== 0));
  assert.equal((await client.embeddings.create({ model: 'e', input: 'x' })).data[0]!.embedding.length, 1_536);
  const tokens = await client.embeddings.create({ model: 'e', input: [[1, 2, 3], [4]] });
  assert.deepEqual([tokens.data.length, tokens.usage.prompt_tokens], [2, 4]);
  assert.equal((await client.embeddings.create({ model: 'e', input: [1, 2, 3] })).data.length, 1);
});

test('count_tokens counts, and a marked prompt is written to the cache once and then read from it', async (context) => {
  const url = await sandboxUrl(context);
  const client = new Anthropic({ apiKey: 'none', baseURL: url, maxRetries: 0 });
  const system = [{ type: 'text' as const, text: 'long '.repeat(900), cache_control: { type: 'ephemeral' as const } }];
  const request = { model: 'claude-haiku-4-5', max_tokens: 64, messages, system };
  assert.ok((await client.messages.countTokens({ model: request.model, messages, system })).input_tokens > 1_000);
  const first = (await client.messages.create(request)).usage;
  const second = (await client.messages.create({ ...request, messages: [{ role: 'user', content: 'Another one.' }] })).usage;
  assert.ok((first.cache_creation_input_tokens ?? 0) > 1_000 && first.cache_read_input_tokens === 0);
  assert.deepEqual([second.cache_creation_input_tokens, second.cache_read_input_tokens], [0, first.cache_creation_input_tokens]);
  const openai = new OpenAI({ apiKey: 'none', baseURL: `${url}/v1`, maxRetries: 0 });
  const chat = { model: 'gpt-4o', messages: [{ role: 'system' as const, content: 'long '.repeat(2_000) }, ...messages] };
  const cached = async (): Promise<number | undefined> => (await openai.chat.completions.create(chat)).usage?.prompt_tokens_details?.cached_tokens;
  assert.equal(await cached(), 0);
  assert.ok(((await cached()) ?? 0) >= 1_024);
});

test('a requested error has the wire\'s own form, and SDKs raise their class for it', async (context) => {
  const url = await sandboxUrl(context);
  const openai = new OpenAI({ apiKey: 'none', baseURL: `${url}/v1`, maxRetries: 0 });
  const anthropic = new Anthropic({ apiKey: 'none', baseURL: url, maxRetries: 0 });
  for (const status of [400, 401, 403, 404, 429, 500, 503, 529]) {
    const headers = { 'x-sandbox-status': String(status) };
    const first = await openai.chat.completions.create({ model: 'm', messages }, { headers }).then(() => null, (error: unknown) => error);
    const second = await anthropic.messages.create({ model: 'm', max_tokens: 1, messages }, { headers }).then(() => null, (error: unknown) => error);
    assert.ok(first instanceof OpenAI.APIError && first.status === status, String(first));
    assert.ok(second instanceof Anthropic.APIError && second.status === status, String(second));
    assert.match(first.message, /sandbox/);
  }
});

test('unknown paths answer 404 and bodies that are not a JSON object 400, each on its wire', async (context) => {
  const url = await sandboxUrl(context);
  const post = async (path: string, body: string): Promise<{ status: number; json: Record<string, unknown> }> => {
    const answer = await fetch(url + path, { method: 'POST', body });
    return { status: answer.status, json: (await answer.json()) as Record<string, unknown> };
  };
  assert.equal((await post('/v1/nothing', '{}')).status, 404);
  assert.equal((await post('/v1/messages/batches', '{}')).json['type'], 'error');
  assert.equal((await post('/v1/chat/completions', '[1]')).status, 400);
  assert.equal((await post('/v1/messages', '{')).status, 400);
});
