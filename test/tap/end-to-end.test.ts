/**
 * The tap against the running product, as a team uses it: hosts with the providers' own SDKs, tapped, call a provider directly; what they
 * report arrives at the platform and `baseline show` shows it. Inspect mode sends nothing; a rotated key and a retired tap end the
 * reporting and nothing else. Spec: Tap client wrapper, Tap reporter, Tap ingestion; rules 20 and 27 to 30c.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fixture } from '@metergate/testkit/corpus.ts';
import { eventually } from '@metergate/testkit/eventually.ts';
import { startSystem, type System } from '@metergate/testkit/system.ts';
import { runHost, type Ended } from '@metergate/tap/src/test-support/host.ts';
import { pythons, runPython } from './pythons.ts';

let system: System;
/** The Baseline and the key that is in use. */
let baseline: { id: string; key: string };

before(async () => {
  system = await startSystem();
  baseline = await cli('baseline', 'create', '--org', 'default');
  for (const provider of [system.openai, system.anthropic]) {
    provider.respond(({ target, body }) => {
      const text = body.toString();
      const wire = target.includes('messages') ? 'messages' : target.includes('responses') ? 'responses' : 'chat';
      const form = text.includes('"stream":true') ? 'sse' : 'json';
      const { response } = fixture(text.includes('no-such-model') ? 'chat-error' : `${wire}-${form}`);
      return { status: response.status, headers: response.headers, body: response.body };
    });
  }
});
after(async () => {
  assert.equal(await system.stop(), 0, system.stderr());
});

async function cli<Result>(...args: readonly string[]): Promise<Result> {
  const result = await system.cli([...args, '--json']);
  assert.equal(result.code, 0, result.stderr);
  return result.json() as Result;
}

interface Shown {
  readonly report: {
    readonly total: Readonly<Record<'calls' | 'inputTokens' | 'outputTokens' | 'cachedTokens' | 'failures', { value: number; label: string }>>;
    readonly byProvider: readonly { provider: string; calls: { value: number }; cost: { value: string | null; label: string } }[];
    readonly byModel: readonly { model: string; calls: { value: number } }[];
    readonly byTag: readonly { tag: string; calls: { value: number } }[];
  };
}
const shown = (): Promise<Shown> => cli<Shown>('baseline', 'show', baseline.id);
const callsShown = async (): Promise<number> => (await shown()).report.total.calls.value;
/** What is shown once that many calls have arrived: a host that ends waits only a limited time for a busy platform. */
async function shownOf(calls: number): Promise<Shown['report']> {
  return eventually(async () => {
    const { report } = await shown();
    return report.total.calls.value >= calls && report;
  }, () => `not ${calls} calls`);
}

/** Settings of a host with this key. */
const settings = (key: string, more: Record<string, string> = {}): Record<string, string> => ({
  SVC_TAP_KEY: key, SVC_TAP_ENDPOINT: `${system.platformUrl}/tap/v1/events`, OPENAI: system.openai.url, ANTHROPIC: system.anthropic.url, ...more,
});

/** Clients of the providers' public addresses; only the last step of a request is redirected to the scripted provider. */
const clients = `
const led = (from, to) => (url, init) => fetch(String(url).replace(from, to), init);
const OpenAI = (await import(${JSON.stringify(import.meta.resolve('openai'))})).default;
const Anthropic = (await import(${JSON.stringify(import.meta.resolve('@anthropic-ai/sdk'))})).default;
const openai = new OpenAI({ apiKey: 'CANARY-key', maxRetries: 0, fetch: led('https://api.openai.com', process.env.OPENAI) });
const anthropic = new Anthropic({ apiKey: 'CANARY-key', maxRetries: 0, fetch: led('https://api.anthropic.com', process.env.ANTHROPIC) });
`;
const calls = `
const messages = [{ role: 'user', content: 'CANARY-prompt' }];
const say = (value) => console.log(JSON.stringify(value));
say((await openai.chat.completions.create({ model: 'asked', messages })).choices[0].finish_reason);
let chunks = 0;
const stream = await openai.chat.completions.create({ model: 'asked', messages, stream: true, stream_options: { include_usage: true } });
for await (const chunk of stream) chunks += chunk.choices.length;
say(chunks);
say((await openai.responses.create({ model: 'asked', input: 'CANARY-prompt' })).output_text);
say(await openai.chat.completions.create({ model: 'no-such-model', messages }).catch((error) => [error.constructor.name, error.status]));
say((await anthropic.messages.create({ model: 'asked', max_tokens: 9, messages })).content);
say((await anthropic.messages.stream({ model: 'asked', max_tokens: 9, messages }).finalMessage()).usage);
`;

const wholeHost = (key: string, wrap: string, more?: Record<string, string>): Promise<Ended> =>
  runHost(`${clients}${wrap}${calls}`, { env: settings(key, more) });
const wrapping = `tap(openai, 'checkout'); tap(anthropic, 'support');`;

test('the Baseline shows what two tapped SDKs did; the host behaves as without the tap', async () => {
  const bare = await wholeHost(baseline.key, '');
  const tapped = await wholeHost(baseline.key, wrapping);
  assert.deepEqual([tapped.code, tapped.stdout, tapped.stderr], [0, bare.stdout, '']);
  assert.equal(bare.stdout.trim().split('\n').length, 6);
  const report = await shownOf(6);
  assert.deepEqual(report.total.calls, { value: 6, label: 'reported' });
  assert.deepEqual([report.total.inputTokens.value, report.total.failures.value], [103, 1]);
  assert.deepEqual(report.byProvider.map(({ provider, calls: { value } }) => [provider, value]).sort(), [['anthropic', 2], ['openai', 4]]);
  assert.deepEqual(report.byTag.map(({ tag, calls: { value } }) => [tag, value]).sort(), [['checkout', 4], ['support', 2]]);
  assert.deepEqual(report.byModel.map(({ model, calls: { value } }) => [model, value]).sort(), [
    ['claude-sonnet-4-20250514', 2], ['gpt-4.1-mini-2025-04-14', 1], ['gpt-4o-mini-2024-07-18', 2], ['no-such-model', 1],
  ]);
  for (const { cost } of report.byProvider) assert.equal(cost.label, 'modeled');
  const text = (await system.cli(['baseline', 'show', baseline.id])).stdout;
  assert.match(text, /^anthropic\/claude-sonnet-4-20250514 +2 /m);
  assert.ok(!(text + system.stderr() + system.stdout()).includes('CANARY'));
});

/** A Python program whose client answers by itself; the tap is the one for Python. */
const pythonHost = `
import sys
from metergate_tap import tap

class Completions:
    def create(self, **request):
        return {"id": f"python_{request['n']}", "model": "gpt-4o-mini-2024-07-18", "choices": [{"index": 0, "finish_reason": "stop",
            "message": {"content": "CANARY-answer"}}], "usage": {"prompt_tokens": 5, "completion_tokens": 2}}

class Chat:
    completions = Completions()

class Client:
    base_url = "https://api.openai.com/v1/"
    chat = Chat()

client = tap(Client(), "python-unit")
for n in range(120):
    client.chat.completions.create(model="asked", n=n, messages=[{"role": "user", "content": "CANARY-prompt"}])
print(client.chat.completions.create(model="asked", n=120)["id"])
sys.exit(6)
`;

const [python] = pythons();
if (python) {
  test('a Python host reports to the same Baseline as the JavaScript ones', async () => {
    const already = await callsShown();
    const ended = await runPython(python, pythonHost, settings(baseline.key));
    assert.deepEqual([ended.code, ended.stdout, ended.stderr], [6, 'python_120\n', '']);
    const report = await shownOf(already + 121);
    assert.equal(report.total.calls.value, already + 121);
    assert.deepEqual(report.byTag.filter(({ tag }) => tag === 'python-unit').map(({ calls: { value } }) => value), [121]);
    assert.ok(!(system.stderr() + system.stdout()).includes('CANARY'));
  });
}

test('inspect mode, despite a key: the batch is printed and nothing arrives', async () => {
  const already = await callsShown();
  const ended = await wholeHost(baseline.key, wrapping, { SVC_TAP_INSPECT: 'yes' });
  assert.equal(ended.code, 0);
  const [notice, batch] = ended.stderr.trimEnd().split('\n');
  assert.match(notice!, /^metergate-tap: inspect mode: .*nothing is sent.*key/);
  assert.equal((JSON.parse(batch!) as { events: unknown[] }).events.length, 6);
  assert.equal(await callsShown(), already);
});

test('after a rotation the old key is refused three times and the host continues; the new key reports', async () => {
  const before = baseline.key;
  const already = await callsShown();
  baseline = { ...baseline, ...await cli<{ key: string }>('baseline', 'rotate-key', baseline.id) };
  const old = await runHost(`tap(client, 'old'); await call(450); console.log(made);`, { env: settings(before) });
  assert.deepEqual([old.code, old.stdout], [0, '450\n']);
  assert.match(old.stderr, /^metergate-tap: the tap key was not accepted three times[^\n]*\n$/);
  assert.equal(await callsShown(), already);
  const renewed = await runHost(`tap(client, 'new'); await call(250); process.exit(3);`, { env: settings(baseline.key) });
  assert.deepEqual([renewed.code, renewed.stderr], [3, '']);
  assert.equal((await shownOf(already + 250)).total.calls.value, already + 250);
});

test('a call reported twice counts once', async () => {
  const already = await callsShown();
  await runHost(`tap(client, 'new'); await call(250);`, { env: settings(baseline.key) });
  assert.equal(await callsShown(), already);
});

test('a retired tap ends the reporting with one line, and nothing else', async () => {
  const already = await callsShown();
  await cli('baseline', 'retire', baseline.id);
  const ended = await runHost(`tap(client, 'late'); await call(450); console.log(made); process.exitCode = 4;`, { env: settings(baseline.key) });
  assert.deepEqual([ended.code, ended.stdout], [4, '450\n']);
  assert.match(ended.stderr, /^metergate-tap: the tap has ended for this key[^\n]*\n$/);
  assert.equal(await callsShown(), already);
});

test('a platform that is away: the host ends as it would, and nothing is printed', async () => {
  const env = settings(baseline.key, { SVC_TAP_ENDPOINT: 'http://127.0.0.1:9/tap/v1/events' });
  const ended = await runHost(`tap(client, 't'); await call(3); console.log(made);`, { env, inRealTime: true });
  assert.deepEqual([ended.code, ended.stdout, ended.stderr], [0, '3\n', '']);
});
