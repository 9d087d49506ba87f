/** The JavaScript SDK's own WebSocket client of the Responses API, through the built product and beside it. */
import { strict as assert } from 'node:assert';
import { after, before, suite, test } from 'node:test';
import OpenAI from 'openai';
import { ResponsesWS } from 'openai/resources/responses/ws';
import { startSystem, type System } from '@metergate/testkit/system.ts';
import { startRespondingProvider, type RespondingProvider } from '@metergate/testkit/websocket/responding-provider.ts';

suite('ResponsesWS of the JavaScript SDK', { timeout: 120_000 }, () => {
  let provider: RespondingProvider;
  let system: System;
  let key: string;
  before(async () => {
    provider = await startRespondingProvider();
    system = await startSystem({ env: { SVC_OPENAI_URL: provider.url } });
    ({ key } = await system.createKey({ project: 'agents' }));
  });
  after(async () => {
    await system.stop();
    await provider.close();
  });

  /** What a conversation of three turns brought. */
  async function converse(baseURL: string, apiKey: string): Promise<readonly unknown[]> {
    const ws = new ResponsesWS(new OpenAI({ baseURL, apiKey }));
    const events: unknown[] = [];
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    let turns = 0;
    const ask = (): void => ws.send({ type: 'response.create', model: 'gpt-5.2', input: `turn ${turns}`, stream_id: 'lane' });
    ws.on('event', (event) => {
      events.push(event);
      if (event.type !== 'response.completed') return;
      turns += 1;
      if (turns === 3) ws.close({ code: 1000, reason: 'done' });
      else ask();
    });
    ws.on('close', () => resolve());
    ws.on('error', reject);
    ask();
    await promise;
    return events;
  }

  const withoutNames = (events: readonly unknown[]): string => JSON.stringify(events).replaceAll(/resp_\d+/g, 'resp');

  test('both ends hear the same with the gateway between them as without it, and each turn is a record', async () => {
    const direct = await converse(`${provider.url}/v1`, 'sk-direct');
    const through = await converse(`${system.gatewayUrl}/v1`, key);
    assert.equal(withoutNames(through), withoutNames(direct));
    assert.equal(through.length, 15);
    assert.deepEqual(provider.received[1], provider.received[0]);
    const names = (head: string): string[] => head.split('\r\n').slice(1).map((line) => line.split(':')[0]!.toLowerCase()).sort();
    assert.deepEqual(names(provider.heads[1]!), names(provider.heads[0]!));
    const calls = await system.calls({ count: 4 });
    const [handshake, ...more] = calls.filter(({ connection }) => connection === null);
    assert.equal(more.length, 0);
    const responses = calls.filter(({ connection }) => connection === handshake!.id);
    const shown = responses.map(({ inputTokens, outputTokens, usage, transport, project, status }) =>
      [inputTokens, outputTokens, usage, transport, project, status]);
    assert.deepEqual(shown, Array.from({ length: 3 }, () => [11, 7, 'reported', 'websocket', 'agents', 200]));
    assert.ok(responses.every(({ cost }) => Number(cost) > 0));
    await system.assertAtRest();
  });

  test('a cap that is reached in the middle: the client hears why, and the connection goes on', async () => {
    const organization = (await system.createOrganization('capped')).id;
    await system.connectProvider('openai', organization);
    const capped = await system.createKey({ organization });
    const set = await system.cli(['cap', 'set', '--org', organization, '--scope', 'organization', '--window', 'lifetime',
      '--limit', '0.0002', '--json']);
    assert.equal(set.code, 0, set.stderr);
    const ws = new ResponsesWS(new OpenAI({ baseURL: `${system.gatewayUrl}/v1`, apiKey: capped.key }));
    const { promise, resolve } = Promise.withResolvers<{ readonly message: string }>();
    let completed = 0;
    ws.on('error', resolve);
    ws.on('response.completed', () => {
      completed += 1;
      ws.send({ type: 'response.create', model: 'gpt-5.2', input: 'more' });
    });
    ws.send({ type: 'response.create', model: 'gpt-5.2', input: 'more' });
    const error = await promise as { readonly message: string; readonly error?: { readonly error?: { readonly code?: string } } };
    assert.match(JSON.stringify([error.message, error.error]), /budget_exceeded|budget reached/);
    ws.close();
    assert.ok(completed >= 1);
    const calls = await system.calls({ organization, count: completed + 1 });
    assert.equal(calls.filter(({ usage }) => usage === 'reported').length, completed);
  });
});
