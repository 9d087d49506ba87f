/** The `openai` SDK's WebSocket clients, bare and observed: the host hears and sends the same, and there is one event for each response. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, suite, test } from 'node:test';
import OpenAI from 'openai';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import { ResponsesWS } from 'openai/resources/responses/ws';
import { observe } from '@metergate/tap/src/observe/observe.ts';
import type { SeenCall } from '@metergate/tap/src/seen-call.ts';
import { startRealtimeProvider, type RealtimeProvider } from '@metergate/testkit/websocket/realtime-provider.ts';
import { startRespondingProvider, type RespondingProvider } from '@metergate/testkit/websocket/responding-provider.ts';
import { frameOf } from '@metergate/testkit/websocket/wire.ts';

const withoutNames = (value: unknown): string => JSON.stringify(value).replaceAll(/(?:resp|item|event)_\d+/g, 'name');
const shown = ({ provider, model, input_tokens, output_tokens, cached_tokens, stop_reason, status }: SeenCall): unknown =>
  [provider, model, input_tokens, output_tokens, cached_tokens, stop_reason, status];

suite('ResponsesWS', { timeout: 120_000 }, () => {
  let provider: RespondingProvider;
  before(async () => { provider = await startRespondingProvider(); });
  after(async () => { await provider.close(); });

  /** Three turns, of which the last is left in its middle. */
  async function converse(seen: SeenCall[] | null): Promise<readonly unknown[]> {
    const ws = new ResponsesWS(new OpenAI({ baseURL: `${provider.url}/v1`, apiKey: 'CANARY-key' }));
    if (seen !== null) assert.equal(observe(ws, (call) => { seen.push(call); }), true);
    const events: unknown[] = [];
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    let created = 0;
    const ask = (): void => ws.send({ type: 'response.create', model: 'gpt-5.2', input: 'CANARY', stream_id: 'lane' });
    ws.on('event', (event) => {
      events.push(event);
      if (event.type === 'response.created') created += 1;
      if (created === 3) ws.close({ code: 1000, reason: 'done' });
      else if (event.type === 'response.completed') ask();
    });
    ws.on('close', () => resolve());
    ws.on('error', reject);
    ask();
    await promise;
    return events.slice(0, 11);
  }

  test('the host hears the same, and each response is one event', async () => {
    const bare = await converse(null);
    const seen: SeenCall[] = [];
    assert.equal(withoutNames(await converse(seen)), withoutNames(bare));
    const turn = ['other', 'gpt-5.2-2025-12-11', 11, 7, 0, 'stop', 200];
    assert.deepEqual(seen.map(shown), [turn, turn, ['other', 'gpt-5.2-2025-12-11', 0, 0, 0, 'other', 200]]);
    assert.deepEqual(seen.map(({ request_id: id }) => id), provider.begun.slice(3));
    assert.ok(seen.every(({ latency_ms: latencyMs }) => latencyMs > 0));
    assert.doesNotMatch(JSON.stringify(seen), /CANARY/);
    assert.deepEqual(provider.received[1], provider.received[0]);
  });

  test('a connection that cannot be made: the request that waits for it is a call without an answer', async () => {
    const ws = new ResponsesWS(new OpenAI({ baseURL: 'http://127.0.0.1:9/v1', apiKey: 'CANARY-key' }));
    const seen: SeenCall[] = [];
    observe(ws, (call) => { seen.push(call); });
    ws.on('error', () => {});
    ws.send({ type: 'response.create', model: 'gpt-5.2', input: 'CANARY' });
    await new Promise<void>((resolve) => ws.on('close', () => resolve()));
    assert.deepEqual(seen.map(shown), [['other', 'gpt-5.2', 0, 0, 0, 'error', 599]]);
  });
});

/** Its client speaks TLS alone, so its connections are made here. */
function connected({ url }: RealtimeProvider, more: object): OpenAIRealtimeWS {
  const port = Number(new URL(url).port);
  const options = { createConnection: () => connect(port, '127.0.0.1') } as object;
  return new OpenAIRealtimeWS({ model: 'asked', options, ...more }, new OpenAI({ baseURL: `${url}/v1`, apiKey: 'CANARY-key' }));
}

suite('OpenAIRealtimeWS', { timeout: 120_000 }, () => {
  let provider: RealtimeProvider;
  before(async () => { provider = await startRealtimeProvider(); });
  after(async () => { await provider.close(); });

  /** One response that is asked for, and one that is not. */
  async function converse(seen: SeenCall[] | null): Promise<readonly unknown[]> {
    const client = connected(provider, {});
    if (seen !== null) assert.equal(observe(client, (call) => { seen.push(call); }), true);
    const events: unknown[] = [];
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    client.on('event', (event) => {
      events.push(event);
      if (event.type === 'session.created') client.send({ type: 'response.create', response: { instructions: 'CANARY' } });
      else if (event.type === 'response.done' && events.length < 8) client.send({ type: 'input_audio_buffer.commit' });
      else if (event.type === 'conversation.item.input_audio_transcription.completed') client.close();
    });
    client.socket.on('close', () => resolve());
    client.on('error', reject);
    await promise;
    return events;
  }

  test('the host hears the same, and each response is one event, also one that the provider begins', async () => {
    const bare = await converse(null);
    const seen: SeenCall[] = [];
    assert.equal(withoutNames(await converse(seen)), withoutNames(bare));
    const response = ['other', 'gpt-realtime', 1_000, 100, 200, 'stop', 200];
    assert.deepEqual(seen.map(shown), [response, response]);
    assert.deepEqual(seen.map(({ request_id: id }) => id), provider.begun.slice(2));
    assert.deepEqual(provider.received[1], provider.received[0]);
  });

  test('what the client refuses to send, because nothing is connected yet, is no call', async () => {
    const seen: SeenCall[] = [];
    const client = connected(provider, {});
    observe(client, (call) => { seen.push(call); });
    const { promise: refused, resolve } = Promise.withResolvers<unknown>();
    client.on('error', resolve);
    client.send({ type: 'response.create' });
    await refused;
    await new Promise<void>((opened) => client.on('session.created', () => opened()));
    client.close();
    await new Promise<void>((closed) => client.socket.on('close', () => closed()));
    assert.deepEqual(seen.map(shown), []);
  });

  test('the response that runs when the last socket of a client that connects again is closed', async () => {
    let announced = 0;
    const ending = await startRealtimeProvider({ pause: async (peer) => {
      if (ending.begun.length > announced) {
        announced += 1;
        return;
      }
      if (announced > 1) peer.send(frameOf(Buffer.from([0x03, 0xe8]), { opcode: 8 }));
      peer.socket.end();
      throw new Error('ended');
    } });
    const seen: SeenCall[] = [];
    const client = connected(ending, { reconnect: true, reconnectInitialDelay: 1 });
    observe(client, (call) => { seen.push(call); });
    client.on('error', () => {});
    const ask = (): void => client.send({ type: 'response.create' });
    client.once('session.created', ask);
    client.on('reconnected', ask);
    await new Promise<void>((closed) => client.on('close', () => closed()));
    const broken = ['other', 'gpt-realtime', 0, 0, 0, 'error', 200];
    assert.deepEqual(seen.map(shown), [broken, broken]);
    assert.deepEqual(seen.map(({ request_id: id }) => id), ending.begun);
    await ending.close();
  });
});
