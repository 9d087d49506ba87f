/**
 * What a host process shows: unhandled rejections, exit code and order of output, bare and observed; and events of calls the host abandoned.
 * Spec: Tap client wrapper 1 and 2.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, describe, test } from 'node:test';
import { startFakeProvider } from './fake-provider.ts';
import type { FakeProvider } from './fake-provider.ts';

const observeUrl = new URL('../../src/observe/observe.ts', import.meta.url).href;
const clients: Readonly<Record<string, string>> = {
  'openai': `new (await import('openai')).default({ apiKey: 'k', baseURL: url + '/v1', maxRetries: 0 })`,
  'openai-previous': `new (await import('openai-previous')).default({ apiKey: 'k', baseURL: url + '/v1', maxRetries: 0 })`,
  'openai-oldest': `new (await import('openai-oldest')).default({ apiKey: 'k', baseURL: url + '/v1', maxRetries: 0 })`,
  'mistral': `new (await import('@mistralai/mistralai')).Mistral({ apiKey: 'k', serverURL: url })`,
  'google': `new (await import('@google/genai')).GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: url } })`,
};
/** Scripts that end with a failure have a process each; those that continue after their failures share one script. */
const scripts: Readonly<Record<string, string>> = {
  'a failure nobody awaits': `ask(client, 'm.status-400')`,
  'a failure thrown at the top': `await ask(client, 'm.drop')`,
  'failures that the process handles, awaited late or caught, and the order of calls among each other': `
    let heard;
    const unheard = () => new Promise((resolve) => { heard = resolve; });
    process.on('unhandledRejection', (e) => { console.log('unhandled', e.status ?? e.statusCode); heard(); });
    ask(client, 'm.status-400');
    await unheard();
    const late = ask(client, 'm.status-400');
    await unheard();
    await late.catch((e) => console.log('caught late', e.status ?? e.statusCode));
    await ask(client, 'm.status-500').catch((e) => console.log('caught', e.status ?? e.statusCode));
    await Promise.all([1, 2, 3].map(async (n) => { await ask(client, 'm'); console.log(n > 0); }));
    process.exitCode = 3`,
};
const asks: Readonly<Record<string, string>> = {
  mistral: `(c, model) => c.chat.complete({ model, messages: [{ role: 'user', content: 'x' }] })`,
  google: `(c, model) => c.models.generateContent({ model, contents: 'x' })`,
};
const askOpenai = `(c, model) => c.chat.completions.create({ model, messages: [] })`;

/** What a host does with a call before it abandons it. */
const letGo: Readonly<Record<string, string>> = {
  'a stream never read': `await client.chat.completions.create({ model: 'm', messages: [], stream: true })`,
  'a promise never awaited': `client.chat.completions.create({ model: 'm', messages: [] })`,
  'a bare response never read': `await client.chat.completions.create({ model: 'm', messages: [] }).asResponse()`,
  'a stream begun': `const s = await client.chat.completions.create({ model: 'm.stall', messages: [], stream: true });
    await s[Symbol.asyncIterator]().next()`,
};

interface Ended {
  readonly code: unknown;
  readonly out: string;
  readonly errors: string;
}

/** The parts of Node's error output that differ from run to run. */
const unsteady = /127\.0\.0\.1:\d+|\(node:\d+\)|(localPort|remotePort|bytesRead|bytesWritten): \d+|date: '[^']*'|^ +at .*$|^file:.*$/gm;

function run(source: string, flags: readonly string[] = []): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(process.execPath, [...flags, '--input-type=module', '-e', source], { cwd: new URL('.', import.meta.url) }, (error, out, errors) => {
      resolve({ code: error?.code ?? 0, out, errors: errors.replaceAll(unsteady, '').replaceAll(/\n\s*/g, '\n') });
    });
  });
}

describe('the host process', () => {
  let provider: FakeProvider;
  before(async () => {
    provider = await startFakeProvider();
  });
  after(() => provider.close());

  for (const [sdk, client] of Object.entries(clients)) {
    // If calls give plain promises, one failure that ends the process is enough.
    for (const [name, script] of Object.entries(scripts).slice(asks[sdk] ? 1 : 0)) {
      test(`${sdk}: ${name}, the same code, output and unhandled rejections`, async () => {
        const source = (observed: boolean): string => `
          const url = ${JSON.stringify(provider.url)};
          const client = ${client};
          const ask = ${asks[sdk] ?? askOpenai};
          ${observed ? `(await import(${JSON.stringify(observeUrl)})).observe(client, () => {});` : ''}
          ${script};`;
        const [bare, observed] = await Promise.all([run(source(false)), run(source(true))]);
        assert.deepEqual(observed, bare);
      });
    }
  }

  const once = { stop_reason: 'other', status: 200 };
  const expected = Object.fromEntries(Object.keys(letGo).map((name) => [name, [once]]));

  test('a stream never read, one begun, a promise never awaited, a bare response never read: one event each when it is garbage', async () => {
    const { out, errors } = await run(letGoSource(provider.url, 'globalThis.gc()'), ['--expose-gc']);
    assert.deepEqual([JSON.parse(out), errors], [expected, '']);
  });

  test('the same when the process ends: one event each', async () => {
    const { out, errors } = await run(letGoSource(provider.url, 'settleOpenCalls()'));
    assert.deepEqual([JSON.parse(out), errors], [expected, '']);
  });
});

/** Abandons one call of each kind, again until there is an event, and then twice more. */
function letGoSource(url: string, end: string): string {
  const each = Object.entries(letGo).map(([name, script]) => `
    seen = told[${JSON.stringify(name)}] = [];
    await (async () => { ${script}; })();
    for (let turn = 0, left = 2; turn < 1000 && left > 0; turn += 1) {
      if (seen.length > 0) left -= 1;
      await new Promise((resolve) => setTimeout(resolve, 2));
      ${end};
    }`);
  return `
    import OpenAI from 'openai';
    import { observe, settleOpenCalls } from ${JSON.stringify(observeUrl)};
    const told = {};
    let seen;
    const client = new OpenAI({ apiKey: 'k', baseURL: ${JSON.stringify(`${url}/v1`)}, maxRetries: 0 });
    observe(client, ({ stop_reason, status }) => seen.push({ stop_reason, status }));
    ${each.join('')}
    console.log(JSON.stringify(told));
    process.exit(0);`;
}
