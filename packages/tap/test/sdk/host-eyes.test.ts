/**
 * What a host could see of the tap if it looked: at the client, at its methods, at errors and their stacks; and clients used in unusual ways:
 * subclassed, with detached methods, with a test's mocks, Azure's. Spec: Tap client wrapper 1.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { inspect, isDeepStrictEqual } from 'node:util';
import Anthropic from '@anthropic-ai/sdk';
import { createOpenAI } from '@ai-sdk/openai';
import { GoogleGenAI } from '@google/genai';
import { Mistral } from '@mistralai/mistralai';
import { generateText } from 'ai';
import OpenAI, { AzureOpenAI } from 'openai';
import OldestOpenAI from 'openai-oldest';
import { observe } from '../../src/observe/observe.ts';
import type { SeenCall } from '../../src/seen-call.ts';
import { outcomeOf, settled } from './compare.ts';
import { startFakeProvider, type FakeProvider } from './fake-provider.ts';

interface Kind<Client extends object> {
  readonly make: (url: string) => Client;
  /** A call that the provider refuses for its model's name. */
  readonly ask: (client: Client, model: string) => unknown;
}

const kind = <Client extends object>(make: Kind<Client>['make'],
  ask: Kind<Client>['ask']): Kind<object> => ({ make, ask } as unknown as Kind<object>);
const messages = [{ role: 'user' as const, content: 'x' }];
const kinds: Readonly<Record<string, Kind<object>>> = {
  openai: kind((url) => new OpenAI({ apiKey: 'k', baseURL: `${url}/v1`, maxRetries: 0 }),
    (c, model) => c.chat.completions.create({ model, messages })),
  'openai, oldest': kind((url) => new OldestOpenAI({ apiKey: 'k', baseURL: `${url}/v1`, maxRetries: 0 }),
    (c, model) => c.chat.completions.create({ model, messages })),
  anthropic: kind((url) => new Anthropic({ apiKey: 'k', baseURL: url, maxRetries: 0 }),
    (c, model) => c.messages.create({ model, max_tokens: 9, messages })),
  google: kind((url) => new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: url, retryOptions: { attempts: 1 } } }),
    (c, model) => c.models.generateContent({ model, contents: 'x' })),
  mistral: kind((url) => new Mistral({ apiKey: 'k', serverURL: url, retryConfig: { strategy: 'none' } }),
    (c, model) => c.chat.complete({ model, messages })),
  'ai, a provider': kind((url) => createOpenAI({ apiKey: 'k', baseURL: `${url}/v1` }),
    (c, model) => generateText({ model: c.chat(model), prompt: 'x', maxRetries: 0 })),
};

let provider: FakeProvider;
before(async () => {
  provider = await startFakeProvider();
});
after(() => provider.close());

function observed<Client extends object>(client: Client): { client: Client; seen: SeenCall[] } {
  const seen: SeenCall[] = [];
  assert.equal(observe(client, (call) => seen.push(call)), true);
  return { client, seen };
}

/** Everything that inspecting a value shows, except what is hidden on purpose. */
async function looks(value: object): Promise<unknown> {
  const inherited: string[] = [];
  for (const key in value) inherited.push(key);
  return {
    keys: Reflect.ownKeys(value).filter((key) => Object.prototype.propertyIsEnumerable.call(value, key)),
    inherited,
    json: await outcomeOf(() => JSON.stringify(value)),
    inspected: inspect(value, { depth: 3 }).replaceAll(/\d{4}-\d\d-\d\dT[^ ,]*/g, 'TIME'),
    spread: Object.keys({ ...value }),
    clone: await outcomeOf(() => structuredClone(value)).then((outcome) => String((outcome as { threw?: unknown }).threw ?? 'cloned')),
    state: [Object.isExtensible(value), Object.isSealed(value), String(value), typeof value],
  };
}

/** The frames of a stack that are the host's own: this file's, by their functions. */
function framesOfHost(error: unknown): string[] {
  const lines = String((error as Error).stack).split('\n').filter((line) => line.includes('host-eyes.test'));
  return lines.map((line) => line.trim().replace(/\(.*$|file:.*$/, ''));
}

/** The host's own function that makes the call; the test looks for its name in the stack. */
async function checkout(run: () => unknown): Promise<unknown> {
  try {
    return await run();
  } catch (error) {
    return error;
  }
}

for (const [name, { make, ask }] of Object.entries(kinds)) {
  describe(name, () => {
    test('an observed client looks like a bare one, before and after a call', async () => {
      const bare = make(provider.url);
      const { client } = observed(make(provider.url));
      assert.deepEqual(await looks(client), await looks(bare));
      // Where two bare clients are deeply equal, an observed one is too.
      assert.equal(isDeepStrictEqual(bare, client), isDeepStrictEqual(bare, make(provider.url)));
      await ask(bare, 'm');
      await ask(client, 'm');
      assert.deepEqual(await looks(client), await looks(bare));
    });

    test('an error has the same own names, the same clone and the host\'s own line in its stack', async () => {
      const error = await checkout(() => ask(make(provider.url), 'm.status-400'));
      const { client } = observed(make(provider.url));
      const seenError = await checkout(() => ask(client, 'm.status-400'));
      assert.ok(error instanceof Error && seenError instanceof Error);
      assert.deepEqual(Reflect.ownKeys(seenError), Reflect.ownKeys(error));
      const cloned = (one: unknown): Promise<string> => outcomeOf(() => structuredClone(one)).then((copy) =>
        (copy as { threw?: unknown }).threw ? 'not to be cloned' : `${String(copy)} ${Object.keys(copy as object).join()}`);
      assert.equal(await cloned(seenError), await cloned(error));
      assert.deepEqual(framesOfHost(seenError), framesOfHost(error));
    });

    test('listeners, timers and handles of the process are as without the tap, and a call leaves none behind', async () => {
      const counts = (): unknown => process.eventNames().map((event) => [event, process.listenerCount(event)]);
      const bareCounts = counts();
      const { client } = observed(make(provider.url));
      await ask(client, 'm');
      assert.deepEqual(counts(), bareCounts);
    });
  });
}

describe('clients used in other ways', () => {
  const openai = (): OpenAI => new OpenAI({ apiKey: 'k', baseURL: `${provider.url}/v1`, maxRetries: 0 });
  const request = { model: 'm', messages };

  test('a detached method fails as it does on a bare client, a bound one works and is seen once', async () => {
    const bare = await outcomeOf(() => (0, openai().chat.completions.create)(request));
    const { client, seen } = observed(openai());
    const { create } = client.chat.completions;
    const off = await outcomeOf(() => create(request));
    assert.equal(String((off as { threw: unknown }).threw), String((bare as { threw: unknown }).threw));
    await create.bind(client.chat.completions)(request);
    await Reflect.apply(create, client.chat.completions, [request]);
    assert.equal(seen.length, 2);
  });

  test('a detached method that needs no object works, and is seen once', async () => {
    const { client, seen } = observed(new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: provider.url } }));
    const { generateContent } = client.models;
    assert.equal((await generateContent({ model: 'm', contents: 'x' })).modelVersion, 'served-m');
    assert.equal(seen.length, 1);
  });

  test('a subclass with private fields, methods and its own post', async () => {
    class Ours extends OpenAI {
      #posts = 0;
      override post: OpenAI['post'] = (...args) => {
        this.#posts += 1;
        return super.post(...args) as never;
      };
      get posts(): number {
        return this.#posts;
      }
      ask(): Promise<unknown> {
        return this.chat.completions.create(request);
      }
    }
    const { client, seen } = observed(new Ours({ apiKey: 'k', baseURL: `${provider.url}/v1` }));
    await client.ask();
    assert.deepEqual([client.posts, seen.length, client instanceof Ours, client.constructor.name], [1, 1, true, 'Ours']);
    assert.ok(client.withOptions({}) instanceof Ours);
  });

  test('Azure\'s client: the same answers, events with the provider `other`', async () => {
    const azure = (): AzureOpenAI => new AzureOpenAI({ apiKey: 'k', apiVersion: '2025-01-01', endpoint: provider.url, deployment: 'm',
      maxRetries: 0 });
    const { client, seen } = observed(azure());
    const answer = await client.chat.completions.create(request);
    assert.equal(answer.model, (await azure().chat.completions.create(request)).model);
    const parts: unknown[] = [];
    for await (const part of await client.chat.completions.create({ ...request, stream: true,
      stream_options: { include_usage: true } })) parts.push(part);
    await client.embeddings.create({ model: 'm', input: 'x' });
    await outcomeOf(() => client.responses.create({ model: 'm', input: 'x' }));
    assert.deepEqual(seen.map((call) => [call.provider, call.model, call.stop_reason]), [
      ['other', 'served-m', 'stop'], ['other', 'served-m', 'stop'], ['other', 'served-m', 'stop'], ['other', 'served-m', 'stop'],
    ]);
  });

  test('a method keeps its properties: a test can still ask its mock for the recorded calls', async () => {
    const create = Object.assign((given: unknown) => {
      create.calls.push(given);
      return Promise.resolve({ id: 'a', model: 'm', choices: [] });
    }, { calls: [] as unknown[], reset() { create.calls.length = 0; } });
    const { client } = observed({ chat: { completions: { create } } });
    await client.chat.completions.create(request);
    assert.deepEqual(client.chat.completions.create.calls, [request]);
    client.chat.completions.create.reset();
    assert.equal(create.calls.length, 0);
  });

  test('a method stays observed after a mock replaced it for a while', async () => {
    const { client, seen } = observed({ chat: { completions: { create: () => Promise.resolve({ model: 'm' }) } } });
    const { completions } = client.chat;
    const original = completions.create;
    completions.create = () => Promise.resolve({ model: 'mocked' });
    await completions.create();
    completions.create = original;
    await completions.create();
    assert.equal(seen.length, 1);
  });

  test('the call\'s asynchronous context is there while it runs and after it', async () => {
    const { AsyncLocalStorage } = await import('node:async_hooks');
    const context = new AsyncLocalStorage<string>();
    for (const { make, ask } of Object.values(kinds)) {
      const { client, seen } = observed(make(provider.url));
      const stores = await Promise.all(['a', 'b'].map((id) => context.run(id, async () => {
        await ask(client, 'm');
        return context.getStore();
      })));
      assert.deepEqual(stores, ['a', 'b']);
      await settled(() => seen.length >= 2);
      assert.equal(seen.length, 2);
    }
  });
});
