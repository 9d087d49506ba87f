/** The sandbox speaks Realtime in text: the SDK's client holds a conversation with it, and sound is answered with an error. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import OpenAI from 'openai';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import { startSandboxProvider } from '../sandbox-provider.ts';

test('a conversation in text, its usage, and an error for sound', { timeout: 120_000 }, async (t) => {
  const sandbox = await startSandboxProvider();
  t.after(() => sandbox.close());
  // The client asks for TLS; here it is given a plain connection, which says the same.
  const options = { createConnection: () => connect(Number(new URL(sandbox.url).port), '127.0.0.1') } as object;
  const client = new OpenAIRealtimeWS({ model: 'gpt-realtime-mini', options }, new OpenAI({ apiKey: 'none', baseURL: `${sandbox.url}/v1` }));
  const { promise, resolve } = Promise.withResolvers<string | null | undefined>();
  let words = '';
  let named: string | undefined;
  let tokens = 0;
  client.on('session.created', ({ session }) => {
    named = 'model' in session ? session.model : undefined;
    const content = [{ type: 'input_text' as const, text: 'Name a river.' }];
    client.send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content } });
    client.send({ type: 'response.create' });
  });
  client.on('response.output_text.delta', ({ delta }) => { words += delta; });
  client.on('response.done', ({ response }) => {
    tokens = Math.min(response.usage?.input_tokens ?? 0, response.usage?.output_tokens ?? 0);
    client.send({ type: 'input_audio_buffer.append', event_id: 'sound', audio: 'AAAA' });
  });
  client.on('error', ({ error }) => resolve(error?.event_id));
  assert.equal(await promise, 'sound');
  client.close();
  assert.equal(named, 'gpt-realtime-mini');
  assert.match(words, /Metergate's sandbox/);
  assert.ok(tokens > 0);
});
