/** OpenAI's SDK for Python and its Agents SDK over WebSocket, from their packages: through the built product and beside it. */
import { strict as assert } from 'node:assert';
import { after, before, suite, test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startSystem, type System } from '@metergate/testkit/system.ts';
import { startRealtimeProvider } from '@metergate/testkit/websocket/realtime-provider.ts';
import { startRespondingProvider } from '@metergate/testkit/websocket/responding-provider.ts';
import { allShipped } from '../all-shipped.ts';
import { toolsThenWords } from './clients/answers.ts';
import { has, python, runClient, type Ended } from './clients/installed.ts';

const program = fileURLToPath(new URL('clients/conversations.py', import.meta.url));
const usage = { input_tokens: 1_000, output_tokens: 100, total_tokens: 1_100 };
const output = toolsThenWords([{ name: 'exec_command', arguments: { cmd: 'echo one' } }]);

const converse = (name: string, origin: string, key: string): Promise<Ended> =>
  runClient([python, program, name, `${origin}/v1`, key], { env: {} });
/** What a scripted provider and a client number anew. */
const withoutNames = (text: string): string => text.replaceAll(/(resp|event|item|sess|msg|fc|call)_[0-9]+/g, '$1');

interface Provider {
  readonly url: string;
  readonly begun: readonly string[];
  readonly received: readonly (readonly string[])[];
  close(): Promise<void>;
}

/** The clients of one API, with a provider that speaks it. */
function clientsOf(api: string, start: () => Promise<Provider>, tests: (led: Led) => void): void {
  suite(`clients for Python: ${api}`, { timeout: 600_000 }, () => {
    const led = new Led();
    before(async () => {
      led.provider = await start();
      led.system = await startSystem({ env: { SVC_OPENAI_URL: led.provider.url } });
    });
    after(async () => {
      await led.system.stop();
      await led.provider.close();
    });
    tests(led);
  });
}

/** Clients that are led through the product. */
class Led {
  system!: System;
  provider!: Provider;

  async #tenant(name: string) {
    const organization = (await this.system.createOrganization(name)).id;
    await this.system.connectProvider('openai', organization);
    return { organization, key: (await this.system.createKey({ organization })).key };
  }

  /** `turns`: the responses of one conversation. */
  async metered(t: TestContext, name: string, turns: number): Promise<void> {
    if (!has(python, t)) return;
    const { provider, system } = this;
    const { organization, key } = await this.#tenant(name);
    const direct = await converse(name, provider.url, 'sk-direct');
    const through = await converse(name, system.gatewayUrl, key);
    assert.deepEqual([direct.code, through.code], [0, 0], direct.stderr + through.stderr);
    assert.equal(withoutNames(through.stdout), withoutNames(direct.stdout));
    assert.deepEqual(provider.received.at(-1)!.map(withoutNames), provider.received.at(-2)!.map(withoutNames));
    await allShipped(system);
    const calls = await system.calls({ organization, count: turns + 1 });
    const [handshake, ...others] = calls.filter(({ connection }) => connection === null);
    assert.deepEqual([others.length, handshake?.status, handshake?.usage], [0, 101, 'none']);
    const responses = calls.filter(({ connection, units }) => connection === handshake!.id && units === null);
    const figures = responses.map(({ inputTokens, outputTokens }) => [inputTokens, outputTokens]);
    assert.deepEqual(figures, Array.from({ length: turns }, () => [1_000, 100]));
    assert.ok(responses.every(({ usage: told, transport }) => told === 'reported' && transport === 'websocket'));
    await system.assertAtRest();
  }

  /** The client hears why, and what is recorded is what the provider began. */
  async capped(t: TestContext, name: string, limit: string): Promise<void> {
    if (!has(python, t)) return;
    const { provider, system } = this;
    const { organization, key } = await this.#tenant(`${name} at a cap`);
    const cap = ['--scope', 'organization', '--window', 'lifetime', '--limit', limit];
    const set = await system.cli(['cap', 'set', '--org', organization, ...cap, '--json']);
    assert.equal(set.code, 0, set.stderr);
    const begun = provider.begun.length;
    const { code, stdout, stderr } = await converse(name, system.gatewayUrl, key);
    assert.notEqual(code, 0);
    assert.match(stdout + stderr, /budget reached/);
    const made = provider.begun.length - begun;
    assert.ok(made > 0);
    await allShipped(system);
    const calls = await system.calls({ organization, count: made + 1 });
    assert.equal(calls.filter(({ connection, units }) => connection !== null && units === null).length, made);
    await system.assertAtRest();
  }
}

clientsOf('Responses', () => startRespondingProvider({ usage, output }), (led) => {
  test('responses.connect: ten turns, each a record', (t) => led.metered(t, 'responses', 10));
  test('responses.connect of the asynchronous client: ten turns, each a record', (t) => led.metered(t, 'responses_async', 10));
  test('Agents SDK with its transport set to WebSocket: tools and words', (t) => led.metered(t, 'agents', 4));
  test('responses.connect at a cap: an error event with our words', (t) => led.capped(t, 'responses', '0.01'));
  test('Agents SDK at a cap: it raises our words', (t) => led.capped(t, 'agents', '0.005'));
});

clientsOf('Realtime', () => startRealtimeProvider(), (led) => {
  test('realtime.connect: ten turns, also those that the provider begins', (t) => led.metered(t, 'realtime', 10));
  test('realtime.connect at a cap: an error event with our words', (t) => led.capped(t, 'realtime', '0.05'));
});
