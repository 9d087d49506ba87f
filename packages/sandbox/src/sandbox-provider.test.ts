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

test('no usage chunk is sent where the request did not ask for one', async (context) => {
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

test('unknown paths answer 404 and bodies that are no JSON object 400, each in its wire', async (context) => {
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
