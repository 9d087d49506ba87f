/** The Agents SDK for JavaScript, from its package, over WebSocket: through the built product and beside it. */
import { strict as assert } from 'node:assert';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { startSystem, type System } from '@metergate/testkit/system.ts';
import { realtimeUsage, startRealtimeProvider } from '@metergate/testkit/websocket/realtime-provider.ts';
import { startRespondingProvider } from '@metergate/testkit/websocket/responding-provider.ts';
import { toolsThenWords } from './clients/answers.ts';
import { has, nodePackages } from './clients/installed.ts';

/** What is used of the package, which the repository does not depend on. */
interface Agents {
  readonly Agent: new (options: object) => object;
  readonly Runner: new (options: object) => { run(agent: object, input: string): Promise<{ readonly finalOutput: string }> };
  readonly OpenAIProvider: new (options: object) => { close(): Promise<void> };
  readonly tool: (options: object) => object;
}
interface RealtimeAgents {
  readonly RealtimeAgent: new (options: object) => object;
  readonly RealtimeSession: new (agent: object, options: object) => RealtimeSession;
  readonly OpenAIRealtimeWebSocket: new (options: object) => object;
}
interface RealtimeSession {
  connect(options: { readonly apiKey: string }): Promise<void>;
  readonly transport: { on(event: '*', heard: (event: { readonly type: string }) => void): void; sendEvent(event: object): void };
  on(event: 'error', heard: (error: unknown) => void): void;
  close(): void;
}

const agents = join(nodePackages, '@openai/agents');
const load = createRequire(join(nodePackages, 'any.js'));
const { input_tokens: input, output_tokens: output } = realtimeUsage;
const usage = { input_tokens: 1_000, output_tokens: 100, total_tokens: 1_100 };
const lifetime = ['--scope', 'organization', '--window', 'lifetime'];

async function productWith(provider: { readonly url: string; close(): Promise<void> }) {
  const system = await startSystem({ env: { SVC_OPENAI_URL: provider.url } });
  const stop = async (): Promise<void> => {
    await system.stop();
    await provider.close();
  };
  return { system, stop };
}

async function cappedKey(system: System, limit: string) {
  const organization = (await system.createOrganization('capped')).id;
  await system.connectProvider('openai', organization);
  const set = await system.cli(['cap', 'set', '--org', organization, ...lifetime, '--limit', limit, '--json']);
  assert.equal(set.code, 0, set.stderr);
  return { organization, key: (await system.createKey({ organization })).key };
}

suite('Agents SDK with its transport set to WebSocket', { timeout: 120_000 }, () => {
  const calls = [{ name: 'lookUp', arguments: { of: 'rivers' } }];
  let provider: Awaited<ReturnType<typeof startRespondingProvider>>;
  let product: Awaited<ReturnType<typeof productWith>>;
  before(async () => {
    provider = await startRespondingProvider({ usage, output: toolsThenWords(calls) });
    product = await productWith(provider);
  });
  after(() => product.stop());

  async function converse(origin: string, apiKey: string): Promise<readonly unknown[]> {
    const { Agent, Runner, OpenAIProvider, tool } = load('@openai/agents') as Agents;
    const asked: unknown[] = [];
    const parameters = { type: 'object', properties: { of: { type: 'string' } }, required: ['of'], additionalProperties: false };
    const lookUp = tool({ name: 'lookUp', description: 'Looks up.', parameters, strict: false, execute: (given: unknown) => {
      asked.push(given);
      return 'Danube';
    } });
    const modelProvider = new OpenAIProvider({
      apiKey, baseURL: `${origin}/v1`, websocketBaseURL: `${origin.replace('http', 'ws')}/v1`, useResponses: true, useResponsesWebSocket: true,
    });
    try {
      const runner = new Runner({ modelProvider, tracingDisabled: true });
      const agent = new Agent({ name: 'river', instructions: 'Name rivers.', model: 'gpt-5.2', tools: [lookUp] });
      const said = [];
      for (const question of ['Name a river.', 'Another.']) said.push((await runner.run(agent, question)).finalOutput);
      return [said, asked];
    } finally {
      await modelProvider.close();
    }
  }

  test('tools and words: the same as without the gateway, on one connection, each response a record', async (t) => {
    if (!has(agents, t)) return;
    const { system } = product;
    const { key } = await system.createKey({ project: 'agents' });
    const direct = await converse(provider.url, 'sk-direct');
    assert.deepEqual(await converse(system.gatewayUrl, key), direct);
    assert.deepEqual(direct, [['The Danube.', 'The Danube.'], [{ of: 'rivers' }, { of: 'rivers' }]]);
    const withoutNames = (text: string): string => text.replaceAll(/(resp|msg|fc|call)_[0-9]+/g, '$1');
    assert.deepEqual(provider.received[1]!.map(withoutNames), provider.received[0]!.map(withoutNames));
    const records = await system.calls({ count: 5 });
    const handshake = records.find(({ connection }) => connection === null)!;
    const responses = records.filter(({ connection }) => connection === handshake.id);
    const shown = responses.map(({ inputTokens, outputTokens, usage: told, project }) => [inputTokens, outputTokens, told, project]);
    assert.deepEqual([records.length, shown], [5, Array.from({ length: 4 }, () => [1_000, 100, 'reported', 'agents'])]);
    await system.assertAtRest();
  });

  // It keeps the words of every provider's error event to itself.
  test('at a cap it raises', async (t) => {
    if (!has(agents, t)) return;
    const { system } = product;
    const { organization, key } = await cappedKey(system, '0.005');
    await assert.rejects(converse(system.gatewayUrl, key), /unsuccessful terminal state "error"/);
    const records = await system.calls({ organization, count: 3 });
    assert.equal(records.filter(({ usage: told }) => told === 'reported').length, 2);
  });
});

suite('RealtimeSession of the Agents SDK', { timeout: 120_000 }, () => {
  let provider: Awaited<ReturnType<typeof startRealtimeProvider>>;
  let product: Awaited<ReturnType<typeof productWith>>;
  before(async () => {
    provider = await startRealtimeProvider();
    product = await productWith(provider);
  });
  after(() => product.stop());

  /** A conversation of so many turns, half of them spoken: the events that came, and what the client calls an error. */
  async function converse(origin: string, apiKey: string, turns: number): Promise<readonly { readonly type: string }[]> {
    const { RealtimeAgent, RealtimeSession, OpenAIRealtimeWebSocket } = load('@openai/agents/realtime') as RealtimeAgents;
    const url = `${origin.replace('http', 'ws')}/v1/realtime?model=gpt-realtime`;
    const transport = new OpenAIRealtimeWebSocket({ url, useInsecureApiKey: true });
    const session = new RealtimeSession(new RealtimeAgent({ name: 'river' }), { transport, model: 'gpt-realtime' });
    const events: { readonly type: string }[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    let done = 0;
    const ask = (): void => session.transport.sendEvent({ type: done % 2 === 0 ? 'response.create' : 'input_audio_buffer.commit' });
    session.on('error', () => resolve());
    session.transport.on('*', (event) => {
      events.push(event);
      if (event.type !== 'response.done') return;
      done += 1;
      if (done === turns) resolve();
      else ask();
    });
    await session.connect({ apiKey });
    ask();
    await promise;
    session.close();
    return events;
  }

  test('seven turns, of which the provider begins three: each is a record', async (t) => {
    if (!has(agents, t)) return;
    const { system } = product;
    const { key } = await system.createKey();
    const types = (events: readonly { readonly type: string }[]): string[] => events.map(({ type }) => type);
    const direct = await converse(provider.url, 'sk-direct', 7);
    assert.deepEqual(types(await converse(system.gatewayUrl, key, 7)), types(direct));
    assert.doesNotMatch(provider.heads[1]!, /svc_live_/);
    // Three turns are spoken, and transcribed.
    const records = await system.calls({ count: 11 });
    assert.equal(records.length, 11);
    const responses = records.filter(({ connection, units }) => connection !== null && units === null);
    assert.deepEqual(responses.map(({ inputTokens, outputTokens }) => [inputTokens, outputTokens]), Array.from({ length: 7 }, () => [input, output]));
    await system.assertAtRest();
  });

  test('at a cap it hears our words', async (t) => {
    if (!has(agents, t)) return;
    const { system } = product;
    const { key } = await cappedKey(system, '0.05');
    const said = JSON.stringify(await converse(system.gatewayUrl, key, 100));
    assert.match(said, /budget_exceeded/);
    await system.assertAtRest();
  });
});
