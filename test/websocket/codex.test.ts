/** Codex from its package, with nothing but a base URL and a service key: through the built product and beside it. */
import { strict as assert } from 'node:assert';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { draws } from '@metergate/testkit/drawn.ts';
import { startSystem, type System } from '@metergate/testkit/system.ts';
import { startRespondingProvider, type RespondingProvider } from '@metergate/testkit/websocket/responding-provider.ts';
import { toolsThenWords } from './clients/answers.ts';
import { codex, emptyHome, has, runClient, type Ended } from './clients/installed.ts';

/** Of one session; a long one where more is drawn. */
const tools = draws(3);
const usage = { input_tokens: 1_000, output_tokens: 100, total_tokens: 1_100 };
/** What a response of so many tokens costs. */
const dollarsEach = 0.00315;
/** What Codex makes up anew each time. */
const names = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

suite('Codex', { timeout: 100_000 * tools }, () => {
  let provider: RespondingProvider;
  let system: System;
  before(async () => {
    const echoes = Array.from({ length: tools }, (_, at) => ({ name: 'exec_command', arguments: { cmd: `echo tool ${at + 1}` } }));
    provider = await startRespondingProvider({ usage, output: toolsThenWords(echoes) });
    system = await startSystem({ env: { SVC_OPENAI_URL: provider.url } });
  });
  after(async () => {
    await system.stop();
    await provider.close();
  });

  function ask(origin: string, key: string): Promise<Ended> {
    const home = emptyHome();
    writeFileSync(join(home, 'config.toml'), `openai_base_url = "${origin}/v1"\n`);
    const command = [codex, 'exec', '--skip-git-repo-check', '--json', '-m', 'gpt-5.2', 'Name a river.'];
    return runClient(command, { home, env: { CODEX_HOME: home, CODEX_API_KEY: key } });
  }

  /** What a connection brought, but for what is new each time: the shape of each request. */
  const asked = (messages: readonly string[]): unknown[] => messages.filter((text) => text.startsWith('{')).map((text) => {
    const { input, ...more } = JSON.parse(text) as { readonly input: readonly { readonly type: string }[] };
    return [Object.keys(more), input.map(({ type }) => type)];
  });

  test('speaks WebSocket from the first turn, uses its tools and warns of nothing; each response is a record', async (t) => {
    if (!has(codex, t)) return;
    const { key } = await system.createKey({ project: 'agents' });
    const direct = await ask(provider.url, 'sk-direct');
    const through = await ask(system.gatewayUrl, key);
    assert.deepEqual([direct.code, through.code], [0, 0], direct.stderr + through.stderr);
    assert.equal(through.stdout.replaceAll(names, ''), direct.stdout.replaceAll(names, ''));
    assert.match(through.stdout, new RegExp(`"aggregated_output":"tool ${tools}\\\\n"[^]*The Danube\\.`));
    assert.doesNotMatch(through.stdout + through.stderr, /reconnecting|falling back/i);
    const [before, after] = provider.received;
    assert.equal(provider.received.length, 2);
    assert.deepEqual(asked(after!), asked(before!));
    const calls = await system.calls({ count: tools + 3 });
    const [handshake, ...others] = calls.filter(({ connection }) => connection === null);
    assert.deepEqual([others.length, handshake?.status, handshake?.transport, handshake?.usage], [0, 101, 'websocket', 'none']);
    const responses = calls.filter(({ connection }) => connection === handshake!.id);
    const shown = responses.map(({ inputTokens, outputTokens, usage: told, project, requestedModel, session }) =>
      [inputTokens, outputTokens, told, project, requestedModel, session]);
    // The first prepares the connection; then come the tools and the message.
    const row = [1_000, 100, 'reported', 'agents', 'gpt-5.2', handshake!.session];
    assert.deepEqual(shown, Array.from({ length: tools + 2 }, () => row));
    assert.match(handshake!.session!, /^[0-9a-f-]{36}$/);
    await system.assertAtRest();
  });

  test('a cap that is reached in the middle: it says why, and stops', async (t) => {
    if (!has(codex, t)) return;
    const usedTools = tools >> 1;
    const responses = 1 + usedTools;
    const organization = (await system.createOrganization('capped')).id;
    await system.connectProvider('openai', organization);
    const { key } = await system.createKey({ organization });
    const set = await system.cli(['cap', 'set', '--org', organization, '--scope', 'organization', '--window', 'lifetime',
      '--limit', (responses * dollarsEach - 0.001).toFixed(5), '--json']);
    assert.equal(set.code, 0, set.stderr);
    const begun = provider.begun.length;
    const { code, stdout } = await ask(system.gatewayUrl, key);
    assert.equal(code, 1);
    assert.match(stdout, new RegExp(`"aggregated_output":"tool ${usedTools}\\\\n"`));
    assert.match(stdout.trimEnd().split('\n').at(-1)!, /"turn.failed".*402 Payment Required: Lifetime budget reached\./);
    assert.doesNotMatch(stdout, new RegExp(`tool ${usedTools + 1}\\b|Danube`));
    const calls = await system.calls({ organization, count: responses + 1 });
    assert.deepEqual([calls.length, provider.begun.length - begun], [responses + 1, responses]);
    assert.ok(calls.every(({ transport }) => transport === 'websocket'));
    await system.assertAtRest();
  });
});
