/**
 * `metergate login` on a fresh home, with the tools from their packages: a first metered call from each, and everything as it was after `logout`.
 * Decision 196.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { lstatSync, mkdirSync, readFileSync, renameSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { eventually } from '@metergate/testkit/eventually.ts';
import type { ReceivedRequest, ScriptedAnswer } from '@metergate/testkit/scripted-provider.ts';
import { startSystem, type System } from '@metergate/testkit/system.ts';
import { hasTerminal, hasTools, newMachine, signedIn, type Ended, type Machine, type Person, type Program, type Running } from './machine.ts';

const password = 'correct horse battery';
const events = (...data: readonly { readonly type: string }[]): string => data.map((each) =>
  `event: ${each.type}\ndata: ${JSON.stringify(each)}\n\n`).join('');
const stream = (body: string): ScriptedAnswer => ({ headers: [['content-type', 'text/event-stream']], body: [body] });

/** As each provider answers a stream: the word, and 11 tokens for 3. */
function claudeAnswer({ body }: ReceivedRequest): ScriptedAnswer {
  const asked = JSON.parse(body.toString() || '{}') as { readonly model?: string; readonly stream?: boolean };
  const model = asked.model ?? 'claude-sonnet-4-5';
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model, content: [], stop_reason: null, stop_sequence: null };
  if (asked.stream !== true) {
    const content = [{ type: 'text', text: 'Danube' }];
    const whole = { ...message, content, stop_reason: 'end_turn', usage: { input_tokens: 11, output_tokens: 3 } };
    return { headers: [['content-type', 'application/json']], body: JSON.stringify(whole) };
  }
  return stream(events(
    { type: 'message_start', message: { ...message, usage: { input_tokens: 11, output_tokens: 1 } } } as never,
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } } as never,
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Danube' } } as never,
    { type: 'content_block_stop', index: 0 } as never,
    { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 3 } } as never,
    { type: 'message_stop' },
  ));
}

/** Continue and aider speak chat, Codex the Responses API. */
function openaiAnswer({ target, body }: ReceivedRequest): ScriptedAnswer {
  return target.endsWith('/chat/completions') ? chatAnswer(body) : codexAnswer();
}

function chatAnswer(body: Buffer): ScriptedAnswer {
  const asked = JSON.parse(body.toString()) as { readonly stream?: boolean; readonly stream_options?: { readonly include_usage?: boolean } };
  const usage = { prompt_tokens: 11, completion_tokens: 3, total_tokens: 14 };
  const head = { id: 'x', created: 1, model: 'gpt-5.2' };
  if (asked.stream !== true) {
    const choices = [{ index: 0, message: { role: 'assistant', content: 'Danube' }, finish_reason: 'stop' }];
    return { headers: [['content-type', 'application/json']], body: JSON.stringify({ ...head, object: 'chat.completion', choices, usage }) };
  }
  const chunk = (more: object): string => `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices: [], ...more })}\n\n`;
  const choice = (delta: object, reason: string | null) => chunk({ choices: [{ index: 0, delta, finish_reason: reason }] });
  const last = asked.stream_options?.include_usage === true ? chunk({ usage }) : '';
  return stream(`${choice({ role: 'assistant', content: 'Danube' }, null)}${choice({}, 'stop')}${last}data: [DONE]\n\n`);
}

function codexAnswer(): ScriptedAnswer {
  const item = { id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'Danube',
    annotations: [] }] };
  const usage = { input_tokens: 11, output_tokens: 3, total_tokens: 14 };
  return stream(events(
    { type: 'response.created', response: { id: 'resp_1', model: 'gpt-5.2' } } as never,
    { type: 'response.output_item.done', output_index: 0, item } as never,
    { type: 'response.completed', response: { id: 'resp_1', model: 'gpt-5.2', status: 'completed', output: [item], usage } } as never,
  ));
}

function geminiAnswer({ target }: ReceivedRequest): ScriptedAnswer {
  const answer = {
    candidates: [{ content: { role: 'model', parts: [{ text: 'Danube' }] }, finishReason: 'STOP', index: 0 }], modelVersion: 'gemini-2.5-flash',
    usageMetadata: { promptTokenCount: 11, candidatesTokenCount: 3, totalTokenCount: 14 },
  };
  return target.includes('alt=sse') ? stream(`data: ${JSON.stringify(answer)}\r\n\r\n`)
    : { headers: [['content-type', 'application/json']], body: JSON.stringify(answer) };
}

suite('metergate login with the tools of npm', { timeout: 900_000 }, () => {
  let system: System;
  let ada: Person;
  const machines: Machine[] = [];
  before(async () => {
    system = await startSystem();
    system.anthropic.respond(claudeAnswer);
    system.openai.respond(openaiAnswer);
    system.upstream.respond(geminiAnswer);
    const email = 'ada@example.com';
    for (const [args, input] of [
      [['user', 'create', '--email', email, '--org', 'default', '--role', 'member'], `${password}\n`],
      [['upstream', 'declare', '--org', 'default', '--name', 'gemini', '--url', system.upstream.url, '--auth', 'x-goog-api-key', '--provider',
        'google'], 'g-key'],
      [['upstream', 'enable', '--org', 'default', '--name', 'gemini'], ''],
      [['org', 'set', 'default', '--enforce-key-caps', 'on', '--own-keys', 'keys=1,expires=30d,cap=5/month'], ''],
    ] as const) {
      const { code, stderr } = await system.cli(args, input);
      assert.equal(code, 0, stderr);
    }
    ada = await signedIn(system.platformUrl, email, password);
  });
  after(async () => {
    for (const machine of machines) machine.remove();
    await system?.stop();
  });
  const machineWith = (...programs: readonly Program[]) => {
    const machine = newMachine({ with: programs });
    machines.push(machine);
    return machine;
  };

  test('a first metered call from Claude Code, Codex and Gemini CLI; after logout everything is as before', async (t) => {
    if (!hasTools('claude', 'codex', 'gemini')) return t.diagnostic('the tools that .ci/run installs are not in .venvs: none is set up here');
    const machine = machineWith('claude', 'codex', 'gemini');
    const empty = machine.files();
    const login = machine.metergate('login', system.platformUrl, '--yes');
    const url = new URL(await machine.opened());
    const id = url.searchParams.get('id')!;
    assert.deepEqual([url.origin, url.pathname, [...url.searchParams.keys()]], [new URL(system.platformUrl).origin, '/connect', ['id']]);
    const shown = await ada.ask('GET', `/auth/machine-sign-ins/${id}`);
    assert.deepEqual([shown.status, shown.body['byBrowser'], shown.body['state']], [200, true, 'open']);
    const allowed = await ada.ask('POST', `/auth/machine-sign-ins/${id}/allow`);
    const back = await fetch(String(allowed.body['returnTo']), { redirect: 'error' });
    assert.equal(back.status, 200);
    assert.ok(!(await back.text()).includes('svc_live_') && !String(allowed.body['returnTo']).includes('svc_live_'));
    const { code, stdout, stderr } = await login.ended;
    assert.equal(code, 0, stderr);
    assert.ok(!(stdout + stderr).includes(/svc_live_\w{20}/.exec(stdout + stderr)?.[0] ?? 'svc_live_none'), 'the key is not shown whole');

    const said = {
      claude: await machine.tool('claude', ['-p', 'Name a river.']),
      codex: await machine.tool('codex', ['exec', '--skip-git-repo-check', '-m', 'gpt-5.2', 'Name a river.']),
      gemini: await machine.tool('gemini', ['-m', 'gemini-2.5-flash', '--skip-trust', '-p', 'Name a river.']),
    };
    for (const [tool, ended] of Object.entries(said)) assert.match(ended.stdout, /Danube/, `${tool}: ${ended.stdout}${ended.stderr}`);
    const key = ((await ada.ask('GET', '/keys')).body['data'] as { id: string; person: string; name: string; expiresAt: string }[])
      .find(({ person }) => person === 'ada@example.com')!;
    assert.match(key.name, /\(metergate login\)$/);
    assert.ok(Date.parse(key.expiresAt) > Date.now());
    const calls = await callsBy(key.id, 3);
    const wires = new Set(calls.map(({ wire }) => wire));
    assert.deepEqual([...wires].sort(), ['anthropic', 'openai', 'upstream'], JSON.stringify(calls.map(({ path, status }) => [path, status])));
    for (const wire of wires) assert.ok(calls.some((call) => call.wire === wire && call.usage === 'reported' && Number(call.cost) > 0), wire);
    for (const provider of [system.anthropic, system.openai, system.upstream]) {
      assert.ok(!JSON.stringify(provider.requests.map(({ headers, target, body }) => [headers, target, body.toString()])).includes('svc_live_'));
    }
    assert.ok(!(system.stderr() + system.stdout()).includes('svc_live_0'), 'no key in the log');

    const before = machine.files();
    const out = await machine.metergate('logout', '--yes', '--end-key').ended;
    assert.equal(out.code, 0, out.stdout + out.stderr);
    const afterwards = machine.files();
    const ours = Object.keys(before).filter((path) => /settings\.json$|config\.toml$|\.gemini\/\.env$|metergate/.test(path));
    assert.ok(ours.length >= 5, ours.join());
    const left = textsWith(machine, 'svc_live_');
    assert.deepEqual(left, [], 'no file holds a key any more');
    assert.deepEqual(Object.keys(empty), []);
    t.diagnostic(`left by the tools themselves: ${Object.keys(afterwards).length} files`);
    assert.equal((await fetch(`${system.gatewayUrl}/v1/models`, { headers: { authorization: `Bearer ${key.id}` } })).status, 401);
    const ended = ((await ada.ask('GET', '/keys')).body['data'] as { id: string; revokedAt: string | null }[]).find((each) => each.id === key.id)!;
    assert.notEqual(ended.revokedAt, null);
  });

  for (const { tool, file, text, commands } of [
    {
      tool: 'cn', file: '.continue/config.yaml',
      text: 'name: mine\nversion: 1.0.0\nschema: v1\nmodels:\n  - name: a\n    provider: openai\n    model: gpt-4o\n    roles: [chat]\n'
        + '  - name: b\n    provider: anthropic\n    model: claude-sonnet-4-5\n    roles: [chat]\n',
      commands: [['-p', 'Name a river.', '--config', '~/.continue/config.yaml']],
    },
    {
      tool: 'aider', file: '.aider.conf.yml', text: null,
      commands: ['openai/gpt-5.2', 'anthropic/claude-sonnet-4-5'].map((model) => ['--model', model, '--message', 'Name a river.', '--no-git',
        '--yes-always', '--no-check-update', '--analytics-disable', '--no-show-model-warnings', '--no-detect-urls', '--map-tokens', '0']),
    },
  ] as const) {
    test(`${tool} from its package: a first metered call with what was written, and as before after logout`, async (t) => {
      if (!hasTools(tool)) return t.diagnostic(`${tool} is not in .venvs: it is not set up here`);
      await endKeys();
      const machine = machineWith(tool);
      if (text !== null) machine.write(file, text);
      const before = machine.files();
      const login = await byCode(machine.metergate('login', system.platformUrl, '--code', '--yes'));
      assert.equal(login.code, 0, login.stdout + login.stderr);
      for (const command of commands) {
        const ended = await machine.tool(tool, command.map((each) => each.replace('~', machine.home)), { CONTINUE_TELEMETRY_ENABLED: '0' });
        assert.match(ended.stdout, /Danube/, ended.stdout + ended.stderr);
      }
      const key = ((await ada.ask('GET', '/keys')).body['data'] as { id: string; person: string; revokedAt: string | null }[])
        .find(({ person, revokedAt }) => person === 'ada@example.com' && revokedAt === null)!;
      const calls = await callsBy(key.id, commands.length);
      for (const call of calls) {
        assert.deepEqual([call.inputTokens, call.outputTokens, call.usage, Number(call.cost) > 0], [11, 3, 'reported', true], JSON.stringify(call));
      }
      const out = await machine.metergate('logout', '--yes', '--end-key').ended;
      assert.equal(out.code, 0, out.stdout + out.stderr);
      assert.deepEqual(textsWith(machine, 'svc_live_'), []);
      assert.equal(machine.files()[file], before[file], `${file} is as it was`);
    });
  }

  /** The records of a key, once there are that many: those of the keys before it are there already. */
  function callsBy(key: string, count: number) {
    return eventually(async () => {
      const calls = (await system.calls({ count: 0 })).filter((call) => call.key === key);
      return calls.length >= count && calls;
    }, `not ${count} records`);
  }

  /** The person types the code that the machine shows. */
  async function byCode(login: Running, decision: 'allow' | 'refuse' = 'allow'): Promise<Ended> {
    const [, code] = await login.says(/\n {2}([A-Z]{4}-[A-Z]{4})\n/);
    await allow(code!, decision);
    return login.ended;
  }
  async function allow(userCode: string, decision: 'allow' | 'refuse' = 'allow'): Promise<void> {
    const { body } = await ada.ask('POST', '/auth/machine-sign-ins/find', { userCode });
    const { status } = await ada.ask('POST', `/auth/machine-sign-ins/${String(body['id'])}/${decision}`);
    assert.equal(status, 200);
  }
  async function endKeys(): Promise<void> {
    for (const { id, person } of (await ada.ask('GET', '/keys')).body['data'] as { id: string; person: string | null }[]) {
      if (person !== null) await ada.ask('DELETE', `/keys/${id}`);
    }
  }
  const liveKeys = async () => ((await ada.ask('GET', '/keys')).body['data'] as { person: string | null; revokedAt: string | null }[])
    .filter(({ person, revokedAt }) => person === 'ada@example.com' && revokedAt === null).length;

  test('settings that are there: every byte, mode and link is as before after logout, also where the file changed in between', async () => {
    const machine = machineWith();
    machine.write('.claude/settings.json', '{\r\n\t"theme": "dark",\r\n\t"env": { "ANTHROPIC_API_KEY": "sk-ant-mine" }\r\n}', 0o644);
    machine.write('.codex/config.toml', '# mine\nmodel = "gpt-5.2"\nmodel_provider = "openai" # usual\n\n[projects."/x"]\ntrust_level = "trusted"',
      0o600);
    machine.write('.gemini/.env', 'OTHER=1\nGEMINI_API_KEY="AIza-mine"\n', 0o640);
    machine.write('.gemini/settings.json', '{\n  // shown\n  "ui": { "theme": "x" }\n}\n');
    machine.write('.aider.conf.yml', '# aider\nmodel: sonnet\n');
    machine.write('.continue/config.yaml', 'models:\n  - name: a\n    provider: openai\n    model: gpt-5.2\n');
    mkdirSync(join(machine.home, 'dotfiles'));
    renameSync(join(machine.home, '.codex/config.toml'), join(machine.home, 'dotfiles/codex.toml'));
    symlinkSync('../dotfiles/codex.toml', join(machine.home, '.codex/config.toml'));
    const before = machine.files();
    const login = await byCode(machine.metergate('login', system.platformUrl, '--code', '--yes'));
    assert.equal(login.code, 0, login.stdout + login.stderr);
    assert.match(login.stderr, /settings\.json \(others on this machine may read it\)/);
    const during = machine.files();
    for (const path of Object.keys(before)) assert.equal(during[path]!.split(' ')[0], before[path]!.split(' ')[0], `the mode of ${path}`);
    assert.equal(textsWith(machine, 'svc_live_').length, 7, textsWith(machine, 'svc_live_').join());
    assert.ok(lstatSync(join(machine.home, '.codex/config.toml')).isSymbolicLink());
    assert.equal(statSync(join(machine.home, '.config/metergate/login.json')).mode & 0o777, 0o600);
    const again = await machine.metergate('login', system.platformUrl, '--yes').ended;
    assert.match(again.stdout, /Nothing was written/, 'who is logged in gets no second key');
    const other = await machine.metergate('login', 'http://127.0.0.1:1', '--yes').ended;
    assert.deepEqual([other.code, other.stderr.includes('logged in at')], [1, true]);
    const out = await machine.metergate('logout', '--yes', '--end-key').ended;
    assert.equal(out.code, 0, out.stdout + out.stderr);
    assert.match(out.stderr, /codex\/config\.toml: as it was before, to the byte/);
    assert.deepEqual(machine.files(), before);
    assert.equal(await liveKeys(), 0);

    assert.equal((await byCode(machine.metergate('login', system.platformUrl, '--code', '--yes'))).code, 0);
    const codex = readFileSync(join(machine.home, '.codex/config.toml'), 'utf8');
    machine.write('dotfiles/codex.toml', `${codex}\n[projects."/y"]\ntrust_level = "trusted"\n`);
    const claude = JSON.parse(readFileSync(join(machine.home, '.claude/settings.json'), 'utf8')) as object;
    machine.write('.claude/settings.json', JSON.stringify({ ...claude, more: true }), 0o644);
    const env = readFileSync(join(machine.home, '.gemini/.env'), 'utf8');
    machine.write('.gemini/.env', env.replace('GEMINI_API_KEY=', 'GEMINI_API_KEY=changed-'), 0o640);
    const partly = await machine.metergate('logout', '--yes').ended;
    assert.equal(partly.code, 1);
    assert.match(partly.stdout, /\.gemini\/\.env was changed where our settings stood/);
    assert.match(partly.stdout, /still works: revoke it under Service keys/);
    assert.deepEqual(JSON.parse(readFileSync(join(machine.home, '.claude/settings.json'), 'utf8')),
      { theme: 'dark', env: { ANTHROPIC_API_KEY: 'sk-ant-mine' }, more: true });
    const toml = readFileSync(join(machine.home, '.codex/config.toml'), 'utf8');
    assert.ok(toml.includes('model_provider = "openai" # usual') && toml.includes('"/y"') && !toml.includes('metergate'), toml);
    machine.write('.gemini/.env', env, 0o640);
    assert.equal((await machine.metergate('logout', '--yes', '--end-key').ended).code, 0, 'what was left is tried again');
    assert.equal(readFileSync(join(machine.home, '.gemini/.env'), 'utf8'), 'OTHER=1\nGEMINI_API_KEY="AIza-mine"\n');
  });

  test('files that are broken or no files are left, with a sentence; who refuses, only prints or names no tool writes nothing', async () => {
    const machine = machineWith();
    machine.write('.claude/settings.json', '{ "env": ');
    machine.write('.codex/config.toml', 'model = "x\n');
    mkdirSync(join(machine.home, '.gemini/.env'), { recursive: true });
    machine.write('.aider.conf.yml', `a: ${'x'.repeat(1_100_000)}\n`);
    machine.write('.continue/config.yaml', 'models: [\n');
    const before = machine.files();
    const login = await byCode(machine.metergate('login', system.platformUrl, '--code', '--yes'));
    for (const words of [/Claude Code: .*settings\.json is not a JSON object\. It is left as it is/, /Codex: .*is not TOML/,
      /Gemini CLI: .*\.env is no file/,
      /aider: .*larger than a megabyte/, /Continue: .*is not YAML/]) assert.match(login.stderr, words);
    assert.match(login.stdout, /Nothing was written, and the new key was ended/);
    assert.deepEqual(machine.files(), before);
    assert.equal(await liveKeys(), 0);
    const bare = await machineWith().metergate('login', system.platformUrl, '--code', '--yes').ended;
    assert.deepEqual([bare.code, bare.stderr], [0, ''], 'nobody signs in for nothing');
    assert.match(bare.stdout, /^Nothing was written\. No tool was found/);
    const refused = await byCode(machine.metergate('login', system.platformUrl, '--code', '--yes'), 'refuse');
    assert.deepEqual([refused.code, /was not allowed/.test(refused.stderr)], [1, true]);
    const unasked = await machine.metergate('login', system.platformUrl).ended;
    assert.deepEqual([unasked.code, /give --yes or --print/.test(unasked.stderr)], [2, true]);
    const print = await byCode(machine.metergate('login', system.platformUrl, '--code', '--print'));
    assert.match(print.stdout, /experimental_bearer_token = svc_live_\w{43}/);
    assert.deepEqual(machine.files(), before);
    assert.equal(await liveKeys(), 1);
    const second = await byCode(machine.metergate('login', system.platformUrl, '--code', '--print'));
    assert.deepEqual([second.code, /You have a key, and may have only one\. Revoke it first\./.test(second.stderr)], [1, true]);
    for (const [url, words] of [[system.gatewayUrl, /no Metergate platform answers/], ['http://192.0.2.1', /plain http/], ['ftp://x',
      /address of the pages/]] as const) {
      const wrong = await machine.metergate('login', url, '--code', '--yes').ended;
      assert.notEqual(wrong.code, 0);
      assert.match(wrong.stderr, words);
    }
    assert.match((await machine.metergate('logout', '--yes').ended).stdout, /Nobody is logged in/);
  });

  test('at a terminal: what would be written is shown and asked for; no ends the key, names choose, and logout asks too', async (t) => {
    if (!hasTerminal()) return t.diagnostic('this machine has no program script, which gives a command a terminal');
    const machine = machineWith();
    machine.write('.codex/config.toml', 'model = "gpt-5.2"\n');
    machine.write('.claude/settings.json', '{}\n');
    const before = machine.files();
    const asked = async (answer: string): Promise<Ended> => {
      const login = machine.atTerminal('login', system.platformUrl, '--code');
      const [, code] = await login.says(/\n {2}([A-Z]{4}-[A-Z]{4})\r\n/);
      await allow(code!);
      await login.says(/Write these\? yes, or the names of some, or no: $/);
      assert.deepEqual(machine.files(), before, 'nothing is written before the answer');
      login.types(answer);
      return login.ended;
    };
    await endKeys();
    const declined = await asked('no');
    assert.equal(declined.code, 0, declined.stdout);
    assert.match(declined.stdout, /model_provider = metergate\r\n[^]*Nothing was written, and the new key was ended/);
    assert.ok(!/svc_live_\w{20}/.test(declined.stdout), 'the key is not shown whole');
    assert.deepEqual([machine.files(), await liveKeys()], [before, 0]);
    const some = await asked('codex');
    assert.equal(some.code, 0, some.stdout);
    assert.deepEqual([textsWith(machine, 'svc_live_').filter((path) => !path.includes('login.json')), await liveKeys()], [['.codex/config.toml'], 1]);
    const kept = machine.atTerminal('logout');
    await kept.says(/Take these back\? yes, or end to end the key too, or no: $/);
    kept.types('no');
    assert.match((await kept.ended).stdout, /Nothing was changed/);
    const out = machine.atTerminal('logout');
    await out.says(/or no: $/);
    out.types('end');
    assert.match((await out.ended).stdout, /is ended\./);
    assert.deepEqual([machine.files(), await liveKeys()], [before, 0]);
  });

  test('--print shows the key and the settings of the tools that are named, or found', async () => {
    const machine = machineWith();
    machine.write('.codex/config.toml', 'model = "gpt-5.2"\n');
    for (const [args, titles] of [[['--only', 'codex'], ['Codex']], [['--only', 'aider,codex'], ['aider', 'Codex']], [[], ['Codex']]] as const) {
      await endKeys();
      const { stdout } = await byCode(machine.metergate('login', system.platformUrl, '--code', '--print', ...args));
      const shown = ['Claude Code', 'Codex', 'Gemini CLI', 'aider', 'Continue'].filter((title) => new RegExp(`^${title}(?:$|:)`, 'm').test(stdout));
      assert.deepEqual(shown.sort(), [...titles].sort(), stdout);
    }
    await endKeys();
    const empty = machineWith();
    const { stdout } = await byCode(empty.metergate('login', system.platformUrl, '--code', '--print'));
    for (const title of ['Claude Code', 'Codex', 'Gemini CLI', 'aider', 'Continue']) assert.ok(stdout.includes(title), stdout);
    assert.deepEqual(empty.files(), {});
  });

  test('an answer that is lost with the key in it is no refusal, and says where the key is', async (t) => {
    await endKeys();
    const relay = createServer(async (request, response) => {
      const { method = '', url = '' } = request;
      const body = method === 'GET' ? {} : { body: await textOf(request) };
      const said = await (await fetch(system.platformUrl + url, { method, headers: { 'content-type': 'application/json' }, ...body })).text();
      if (said.includes('svc_live_')) request.socket.destroy();
      else response.writeHead(said.includes('"error"') ? 409 : 200, { 'content-type': 'application/json' }).end(said);
    });
    relay.listen(0, '127.0.0.1');
    t.after(() => relay.close());
    await once(relay, 'listening');
    const machine = machineWith();
    machine.write('.claude/settings.json', '{}\n');
    const login = await byCode(machine.metergate('login', `http://127.0.0.1:${(relay.address() as AddressInfo).port}`, '--code', '--yes'));
    assert.equal(login.code, 1, login.stdout);
    assert.match(login.stderr, /an answer to this machine was lost\. Nothing was written\. .* under Service keys/);
    assert.deepEqual([readFileSync(join(machine.home, '.claude/settings.json'), 'utf8'), await liveKeys()], ['{}\n', 1]);
  });

  test('what comes to the waiting machine from elsewhere changes nothing', async () => {
    const machine = machineWith();
    machine.write('.claude/settings.json', '{}\n');
    await endKeys();
    const login = machine.metergate('login', system.platformUrl, '--yes');
    const id = new URL(await machine.opened()).searchParams.get('id')!;
    const { body } = await ada.ask('POST', `/auth/machine-sign-ins/${id}/allow`);
    const back = new URL(String(body['returnTo']));
    for (const path of ['/?id=other&code=x', `/?id=${id}`, `/?id=${id}&code=short`, '/favicon.ico',
      `/x?id=${id}&code=${back.searchParams.get('code')!}`]) {
      assert.equal((await fetch(new URL(path, back.origin))).status, 404, path);
    }
    assert.equal((await fetch(back, { method: 'POST' })).status, 404);
    assert.equal((await fetch(back)).status, 200);
    assert.equal((await login.ended).code, 0);
    assert.equal((await machine.metergate('logout', '--yes', '--end-key').ended).code, 0);
    assert.equal(readFileSync(join(machine.home, '.claude/settings.json'), 'utf8'), '{}\n');
  });
});

function textsWith(machine: Machine, word: string): string[] {
  return Object.keys(machine.files()).filter((path) => {
    const whole = join(machine.home, path);
    return statSync(whole).isFile() && readFileSync(whole).includes(word);
  });
}
