/** The JavaScript SDK's own clients of Realtime, through the built product and beside it. */
import { strict as assert } from 'node:assert';
import { connect } from 'node:net';
import { after, before, suite, test } from 'node:test';
import { parseDollars } from '@metergate/core/money.ts';
import type { CallRecordJson } from '@metergate/core/record/call-record.ts';
import OpenAI from 'openai';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import { startRealtimeProvider, type RealtimeProvider } from '@metergate/testkit/websocket/realtime-provider.ts';
import { startSystem, type System } from '@metergate/testkit/system.ts';

suite('OpenAIRealtimeWS of the JavaScript SDK', { timeout: 120_000 }, () => {
  let provider: RealtimeProvider;
  let system: System;
  let key: string;
  before(async () => {
    provider = await startRealtimeProvider();
    system = await startSystem({ env: { SVC_OPENAI_URL: provider.url } });
    ({ key } = await system.createKey({ project: 'voice' }));
  });
  after(async () => {
    await system.stop();
    await provider.close();
  });

  /** The client asks for TLS; here it is given a plain connection, which says the same. */
  function realtime(origin: string, apiKey: string): OpenAIRealtimeWS {
    const port = Number(new URL(origin).port);
    const options = { createConnection: () => connect(port, '127.0.0.1') } as object;
    return new OpenAIRealtimeWS({ model: 'gpt-realtime', options }, new OpenAI({ baseURL: `${origin}/v1`, apiKey }));
  }

  /** What came of one response that was asked for and one that was not. */
  async function converse(origin: string, apiKey: string): Promise<readonly unknown[]> {
    const client = realtime(origin, apiKey);
    const events: unknown[] = [];
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    client.on('event', (event) => {
      events.push(event);
      if (event.type === 'session.created') client.send({ type: 'response.create', event_id: 'mine', response: { output_modalities: ['text'] } });
      else if (event.type === 'response.done' && events.length < 8) {
        client.send({ type: 'input_audio_buffer.append', audio: 'AAAA' });
        client.send({ type: 'input_audio_buffer.commit' });
      } else if (event.type === 'conversation.item.input_audio_transcription.completed') client.close({ code: 1000, reason: 'done' });
    });
    client.socket.on('close', () => resolve());
    client.on('error', reject);
    await promise;
    return events;
  }

  const withoutNames = (events: readonly unknown[]): string => JSON.stringify(events).replaceAll(/(?:resp|item|event)_\d+/g, 'name');

  test('both ends hear the same with the gateway between them as without it, and each response and transcription is a record', async () => {
    const direct = await converse(provider.url, 'sk-direct');
    const through = await converse(system.gatewayUrl, key);
    assert.equal(withoutNames(through), withoutNames(direct));
    assert.equal(through.length, 13);
    assert.deepEqual(provider.received[1], provider.received[0]);
    const lines = (head: string): string[] => head.split('\r\n').slice(1).map((line) => line.split(':')[0]!.toLowerCase()).sort();
    assert.deepEqual(lines(provider.heads[1]!), lines(provider.heads[0]!));
    const calls = await system.calls({ count: 4 });
    const [handshake, ...more] = calls.filter(({ connection }) => connection === null);
    assert.deepEqual([more.length, handshake?.status, handshake?.usage], [0, 101, 'none']);
    const own = calls.filter(({ connection }) => connection === handshake!.id);
    const shown = own.map(({ model, inputTokens, units, usage, project, cost }) => [model, inputTokens, units, usage, project, Number(cost)]);
    const response = ['gpt-realtime', 1_000, null, 'reported', 'voice', 0.02272];
    const transcription = ['whisper-1', null, { seconds: 2.5 }, 'reported', 'voice', 0.00025];
    const byModel = (one: readonly unknown[], other: readonly unknown[]): number => String(one[0]).localeCompare(String(other[0]));
    assert.deepEqual(shown.toSorted(byModel), [response, response, transcription]);
    await system.assertAtRest();
    await assertExported(calls);
  });

  /** Each export has these calls, and the costs of its lines add up to theirs. */
  async function assertExported(calls: readonly CallRecordJson[]): Promise<void> {
    const costs = (amounts: readonly (string | null)[]): bigint => amounts.reduce((sum, cost) => sum + (parseDollars(cost ?? '0') ?? 0n), 0n);
    const due = costs(calls.map(({ cost }) => cost));
    const span = ['--from', 'yesterday', '--to', new Date(Date.now() + 60_000).toISOString(), '--out', '-'];
    const exported = async (format: string): Promise<string> =>
      (await system.cli(['export', '--org', 'default', '--format', format, ...span])).stdout;
    const lines = (await exported('jsonl')).trim().split('\n').map((line) => JSON.parse(line) as CallRecordJson);
    const carried = (records: readonly CallRecordJson[]): Set<string> =>
      new Set(records.map(({ id, transport, connection }) => [id, transport, connection].join()));
    assert.deepEqual(carried(lines), carried(calls));
    const [names = [], ...rows] = (await exported('focus')).trim().split('\n').map((line) => line.split(','));
    const column = (name: string): string[] => rows.map((row) => row[names.indexOf(name)]!);
    assert.equal(costs(column('BilledCost')), due);
    assert.equal(column('x_Calls').reduce((sum, count) => sum + Number(count), 0), calls.length);
  }

  test('a cap that is reached: a create is refused with the client\'s own name for it, and speech ends the connection', async () => {
    const organization = (await system.createOrganization('capped')).id;
    await system.connectProvider('openai', organization);
    const capped = await system.createKey({ organization });
    const set = await system.cli(['cap', 'set', '--org', organization, '--scope', 'organization', '--window', 'lifetime',
      '--limit', '0.05', '--json']);
    assert.equal(set.code, 0, set.stderr);
    const client = realtime(system.gatewayUrl, capped.key);
    const refused = Promise.withResolvers<{ readonly error?: { readonly event_id?: string | null } | undefined; readonly message: string }>();
    const closed = Promise.withResolvers<readonly [number, string]>();
    let completed = 0;
    let asked = 0;
    const ask = (): void => client.send({ type: 'response.create', event_id: `ask_${asked += 1}` });
    client.on('session.created', ask);
    client.on('response.done', () => {
      completed += 1;
      ask();
    });
    client.on('error', (error) => refused.resolve(error));
    client.socket.on('close', (code: number, reason: Buffer) => closed.resolve([code, String(reason)]));
    const { error, message } = await refused.promise;
    assert.match(message, /budget reached[^]*code=budget_exceeded/);
    assert.deepEqual([error?.event_id, completed], [`ask_${asked}`, 3]);
    client.send({ type: 'input_audio_buffer.append', audio: 'AAAA' });
    assert.deepEqual(await closed.promise, [1008, 'budget_exceeded']);
    const calls = await system.calls({ organization, count: completed + 1 });
    assert.equal(calls.filter(({ usage }) => usage === 'reported').length, completed);
  });
});
