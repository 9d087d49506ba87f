/** Work that is done later: the official SDKs of both providers send it, poll it and read its results. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI, { toFile } from 'openai';
import { startSandboxProvider } from '../sandbox-provider.ts';

async function sandboxUrl(context: TestContext): Promise<string> {
  const sandbox = await startSandboxProvider();
  context.after(() => sandbox.close());
  return sandbox.url;
}

const messages = [{ role: 'user' as const, content: 'x' }];
const line = (url: string, at: number): string =>
  JSON.stringify({ custom_id: `r-${at}`, method: 'POST', url, body: { model: 'gpt-4o-mini', input: 'x', messages } });

test('a response in the background is under way, then there; a cancelled one has no usage', async (context) => {
  const client = new OpenAI({ apiKey: 'none', baseURL: `${await sandboxUrl(context)}/v1`, maxRetries: 0 });
  const begun = await client.responses.create({ model: 'gpt-4o', input: 'x', background: true });
  assert.deepEqual([begun.status, begun.usage], ['queued', null]);
  assert.equal((await client.responses.retrieve(begun.id)).status, 'in_progress');
  const ended = await client.responses.retrieve(begun.id);
  assert.deepEqual([ended.status, ended.background], ['completed', true]);
  assert.match(ended.output_text, /Metergate's sandbox/);
  assert.ok(ended.usage!.input_tokens > 0);
  assert.deepEqual((await client.responses.retrieve(begun.id)).usage, ended.usage);
  const other = await client.responses.create({ model: 'gpt-4o', input: 'x', background: true });
  assert.equal((await client.responses.cancel(other.id)).status, 'cancelled');
  assert.equal((await client.responses.retrieve(other.id)).usage, null);
  await assert.rejects(client.responses.retrieve('resp_nobody'), { status: 404 });
});

test('a batch of an uploaded file has its usage, the lines that it answered, and a file of those that failed', async (context) => {
  const client = new OpenAI({ apiKey: 'none', baseURL: `${await sandboxUrl(context)}/v1`, maxRetries: 0 });
  const lines = [line('/v1/chat/completions', 1), line('/v1/responses', 2), line('/v1/nowhere', 3), 'no json'].join('\n');
  const file = await client.files.create({ purpose: 'batch', file: await toFile(Buffer.from(lines), 'in.jsonl') });
  assert.deepEqual([file.filename, file.purpose, file.bytes], ['in.jsonl', 'batch', lines.length]);
  assert.equal(await (await client.files.content(file.id)).text(), lines);
  const begun = await client.batches.create({ input_file_id: file.id, endpoint: '/v1/responses', completion_window: '24h' });
  assert.equal(begun.status, 'validating');
  assert.equal((await client.batches.retrieve(begun.id)).status, 'in_progress');
  const ended = await client.batches.retrieve(begun.id);
  assert.deepEqual([ended.status, ended.request_counts], ['completed', { total: 4, completed: 2, failed: 2 }]);
  const results = (await (await client.files.content(ended.output_file_id!)).text()).trim().split('\n').map((text) => JSON.parse(text));
  assert.deepEqual(results.map(({ custom_id }) => custom_id), ['r-1', 'r-2']);
  const input = results.map(({ response: { body: { usage } } }) => usage.prompt_tokens ?? usage.input_tokens as number);
  assert.equal(ended.usage!.input_tokens, input[0] + input[1]);
  assert.match(await (await client.files.content(ended.error_file_id!)).text(), /"custom_id":"r-3".*\n.*"custom_id":null/);
  await assert.rejects(client.batches.create({ input_file_id: 'file-nobody', endpoint: '/v1/responses', completion_window: '24h' }), { status: 400 });
});

test('a batch of messages has results once it has ended', async (context) => {
  const client = new Anthropic({ apiKey: 'none', baseURL: await sandboxUrl(context), maxRetries: 0 });
  const params = { model: 'claude-haiku-4-5', max_tokens: 16, messages };
  const { id } = await client.messages.batches.create({ requests: [{ custom_id: 'a', params }, { custom_id: 'b', params }] });
  // The client asks for the batch first, to learn where its results are.
  await assert.rejects(client.messages.batches.results(id));
  const ended = await client.messages.batches.retrieve(id);
  assert.deepEqual([ended.processing_status, ended.request_counts.succeeded], ['ended', 2]);
  const seen: string[] = [];
  for await (const { custom_id: name, result } of await client.messages.batches.results(id)) {
    seen.push(name);
    assert.ok(result.type === 'succeeded' && result.message.usage.output_tokens > 0);
  }
  assert.deepEqual(seen, ['a', 'b']);
});
