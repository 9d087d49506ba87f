/**
 * The providers' own SDKs, current and one older major, against the gateway, with only key and base URL changed:
 * JSON, streaming, tools, errors, abort. The SDK gives the same results as with the provider itself.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import AnthropicPrevious from '@anthropic-ai/sdk-previous';
import OpenAI from 'openai';
import OpenAIPrevious from 'openai-previous';
import { fixture } from '@metergate/testkit/corpus.ts';
import { gate, type ScriptedAnswer, type ScriptedProvider } from '@metergate/testkit/scripted-provider.ts';
import { requestIdForm, serviceForFile } from '../running-product.ts';

/** Abandoned calls are not drained here, so the provider sees an abort at once. */
const service = serviceForFile({}, async ({ system }) => {
  const result = await system.cli(['org', 'set', 'default', '--drain', '0', '--json']);
  assert.equal(result.code, 0, result.stderr);
});
const messages = [{ role: 'user' as const, content: 'Name a river.' }];

/** Answers with a hand-made exchange, as its provider did. */
function answerWith(provider: ScriptedProvider, name: string): void {
  const { response } = fixture(name);
  provider.respond({ status: response.status, headers: response.headers, body: response.body, cuts: [17, 90], framing: 'chunked' });
}

function event(data: unknown, name?: string): string {
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
}

const openaiClients = [['openai', OpenAI], ['openai-previous', OpenAIPrevious as unknown as typeof OpenAI]] as const;

function openai(Client: typeof OpenAI): OpenAI {
  return new Client({ apiKey: service.key, baseURL: `${service.system.gatewayUrl}/v1`, maxRetries: 0 });
}

for (const [name, Client] of openaiClients) {
  test(`${name}: JSON, both ids, embeddings and the Responses API`, async () => {
    answerWith(service.system.openai, 'chat-json');
    const { data, response } = await openai(Client).chat.completions.create({ model: 'gpt-4o-mini', messages }).withResponse();
    assert.deepEqual(JSON.parse(JSON.stringify(data)), JSON.parse(fixture('chat-json').response.body.toString()));
    assert.match(response.headers.get('x-svc-request-id') ?? '', requestIdForm);
    assert.equal(response.headers.get('x-request-id'), 'req_provider_0001');
    answerWith(service.system.openai, 'embeddings-json');
    const embedded = await openai(Client).embeddings.create({ model: 'e', input: 'river', encoding_format: 'float' });
    assert.equal(embedded.data[0]?.embedding.length, 48);
    answerWith(service.system.openai, 'responses-json');
    assert.equal((await openai(Client).responses.create({ model: 'm', input: 'x' })).output_text, 'The Danube');
  });

  test(`${name}: streaming, with the usage chunk the gateway asked for`, async () => {
    answerWith(service.system.openai, 'chat-sse');
    let text = '';
    let promptTokens = 0;
    for await (const chunk of await openai(Client).chat.completions.create({ model: 'gpt-4o-mini', messages, stream: true })) {
      text += chunk.choices[0]?.delta.content ?? '';
      promptTokens = chunk.usage?.prompt_tokens ?? promptTokens;
    }
    assert.deepEqual([text, promptTokens], ['The Danube – čas', 21]);
    answerWith(service.system.openai, 'responses-sse');
    const final = await openai(Client).responses.stream({ model: 'm', input: 'x' }).finalResponse();
    assert.equal(final.usage?.input_tokens, 33);
  });

  test(`${name}: tools, whole and by the tool runner over two calls`, async () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'length', arguments: '{"river":"Danube"}' } };
    let asked = 0;
    service.system.openai.respond((): ScriptedAnswer => {
      const toolCall = asked++ === 0;
      const message = toolCall ? { role: 'assistant', content: null, tool_calls: [call] } : { role: 'assistant', content: '2850 km' };
      const choice = { index: 0, message, finish_reason: toolCall ? 'tool_calls' : 'stop' };
      const document = { id: 'c', object: 'chat.completion', created: 1, model: 'm', choices: [choice] };
      return { headers: [['content-type', 'application/json']], body: JSON.stringify(document) };
    });
    const given: unknown[] = [];
    const parameters = { type: 'object' as const, properties: { river: { type: 'string' } } };
    const runner = openai(Client).chat.completions.runTools({
      model: 'm', messages,
      tools: [{ type: 'function', function: { name: 'length', description: 'd', parameters, parse: JSON.parse, function: (args: unknown) => {
        given.push(args);
        return '2850';
      } } }],
    });
    assert.equal(await runner.finalContent(), '2850 km');
    assert.deepEqual([given, asked], [[{ river: 'Danube' }], 2]);
  });

  test(`${name}: errors of the provider and of the gateway are its own error classes`, async () => {
    answerWith(service.system.openai, 'chat-error');
    await assert.rejects(openai(Client).chat.completions.create({ model: 'no-such', messages }), (error: unknown) => {
      assert.ok(error instanceof Client.NotFoundError);
      return error.code === 'model_not_found';
    });
    const stranger = new Client({ apiKey: 'svc_live_strangerstrangerstrangerstranger', baseURL: `${service.system.gatewayUrl}/v1`, maxRetries: 0 });
    await assert.rejects(stranger.models.list(), (error: unknown) => {
      assert.ok(error instanceof Client.AuthenticationError);
      return error.code === 'invalid_api_key' && requestIdForm.test(error.requestID ?? '');
    });
  });

  test(`${name}: an abort mid-stream ends the stream, and the record says that the caller left`, { timeout: 120_000 }, async () => {
    const hold = gate();
    const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta: { content: 'a' } }] };
    service.system.openai.respond({ headers: [['content-type', 'text/event-stream']], body: [event(chunk), hold.opened, event(chunk)] });
    const { data: stream, response } = await openai(Client).chat.completions.create({ model: 'm', messages, stream: true }).withResponse();
    const closed = service.system.openai.nextClose();
    for await (const _ of stream) break;
    stream.controller.abort();
    await closed;
    hold.open();
    const id = response.headers.get('x-svc-request-id') ?? '';
    const record = (await service.system.callsById([id])).get(id);
    assert.deepEqual([record?.outcome, record?.usage, record?.cost], ['caller_gone', 'unknown', null]);
  });
}

const anthropicClients = [
  ['@anthropic-ai/sdk', Anthropic], ['@anthropic-ai/sdk-previous', AnthropicPrevious as unknown as typeof Anthropic],
] as const;
const request = { model: 'claude-haiku-4-5', max_tokens: 64, messages };

for (const [name, Client] of anthropicClients) {
  for (const spelling of ['', '/alt']) {
    const client = (): Anthropic => new Client({ apiKey: service.key, baseURL: service.system.gatewayUrl + spelling, maxRetries: 0 });

    test(`${name} at ${spelling}/v1: JSON and streaming`, async () => {
      answerWith(service.system.anthropic, 'messages-json');
      const { data, response } = await client().messages.create(request).withResponse();
      assert.deepEqual(JSON.parse(JSON.stringify(data)), JSON.parse(fixture('messages-json').response.body.toString()));
      assert.match(response.headers.get('x-svc-request-id') ?? '', requestIdForm);
      assert.equal(response.headers.get('request-id'), 'req_011provider');
      answerWith(service.system.anthropic, 'messages-sse');
      const final = await client().messages.stream(request).finalMessage();
      assert.deepEqual([final.content.at(0)?.type, final.usage.input_tokens, final.usage.output_tokens], ['text', 14, 7]);
    });
  }

  const client = (): Anthropic => new Client({ apiKey: service.key, baseURL: service.system.gatewayUrl, maxRetries: 0 });

  test(`${name}: an auth token instead of an API key, and tools`, async () => {
    const content = [{ type: 'tool_use', id: 'toolu_1', name: 'length', input: { river: 'Danube' } }];
    const usage = { input_tokens: 3, output_tokens: 4 };
    const document = { id: 'm', type: 'message', role: 'assistant', model: 'x', content, stop_reason: 'tool_use', stop_sequence: null, usage };
    service.system.anthropic.respond({ headers: [['content-type', 'application/json']], body: JSON.stringify(document) });
    const byToken = new Client({ authToken: service.key, apiKey: null, baseURL: service.system.gatewayUrl, maxRetries: 0 });
    const tools = [{ name: 'length', input_schema: { type: 'object' as const } }];
    const answer = await byToken.messages.create({ ...request, tools });
    assert.deepEqual(JSON.parse(JSON.stringify(answer.content)), content);
    assert.equal(answer.stop_reason, 'tool_use');
  });

  test(`${name}: errors of the provider and of the gateway are its own error classes`, async () => {
    const document = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
    service.system.anthropic.respond({ status: 529, headers: [['content-type', 'application/json']], body: JSON.stringify(document) });
    await assert.rejects(client().messages.create(request), (error: unknown) => {
      assert.ok(error instanceof Client.APIError);
      return error.status === 529;
    });
    const stranger = new Client({ apiKey: 'svc_live_strangerstrangerstrangerstranger', baseURL: service.system.gatewayUrl, maxRetries: 0 });
    await assert.rejects(stranger.messages.create(request), (error: unknown) => error instanceof Client.AuthenticationError);
  });

  test(`${name}: an abort mid-stream keeps the usage reported so far, marked partial`, { timeout: 120_000 }, async () => {
    const hold = gate();
    const usage = { input_tokens: 11, output_tokens: 1 };
    const start = { type: 'message_start', message: { id: 'm', type: 'message', role: 'assistant', model: 'claude-haiku-4-5', content: [], usage } };
    service.system.anthropic.respond({
      headers: [['content-type', 'text/event-stream']],
      body: [event(start, 'message_start'), hold.opened, event({ type: 'ping' }, 'ping')],
    });
    const { data: stream, response } = await client().messages.create({ ...request, stream: true }).withResponse();
    const closed = service.system.anthropic.nextClose();
    for await (const _ of stream) break;
    stream.controller.abort();
    await closed;
    hold.open();
    const id = response.headers.get('x-svc-request-id') ?? '';
    const record = (await service.system.callsById([id])).get(id);
    assert.deepEqual([record?.outcome, record?.usage, record?.inputTokens], ['caller_gone', 'partial', 11]);
  });
}
