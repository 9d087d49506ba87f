/** Clients derived from an observed one, and clients that cannot be observed. Rules 28 and 30b. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import OpenAI from 'openai';
import { createOpenAI } from '@ai-sdk/openai';
import { generateText } from 'ai';
import { observe } from '../../src/observe/observe.ts';
import { compare } from './compare.ts';
import { startFakeProvider } from './fake-provider.ts';
import type { FakeProvider } from './fake-provider.ts';

describe('derived clients', () => {
  let provider: FakeProvider;
  before(async () => {
    provider = await startFakeProvider();
  });
  after(() => provider.close());
  const made = (): OpenAI => new OpenAI({ apiKey: 'k', baseURL: `${provider.url}/v1`, maxRetries: 0 });
  const call = (client: OpenAI): Promise<unknown> => client.embeddings.create({ model: 'm', input: 'x' });

  test('a client made by withOptions follows its parent to a newer sink, until it gets its own', async () => {
    const told: string[] = [];
    const parent = made();
    observe(parent, () => told.push('first'));
    const child = parent.withOptions({});
    assert.equal(child.constructor, OpenAI);
    await call(child);
    observe(parent, () => told.push('second'));
    await call(child);
    observe(child, () => told.push('own'));
    await call(child);
    await call(parent);
    assert.deepEqual(told, ['first', 'second', 'own', 'second']);
  });

  test('a model passed to tap keeps its own sink when its provider is observed too', async () => {
    const told: string[] = [];
    const provided = createOpenAI({ apiKey: 'k', baseURL: `${provider.url}/v1` });
    assert.equal(observe(provided, () => told.push('provider')), true);
    const model = provided.chat('m');
    await generateText({ model, prompt: 'x' });
    observe(model, () => told.push('model'));
    await generateText({ model, prompt: 'x' });
    const bare = createOpenAI({ apiKey: 'k', baseURL: `${provider.url}/v1` })('m');
    assert.equal(observe(bare, () => told.push('bare')), true);
    await generateText({ model: bare, prompt: 'x' });
    assert.deepEqual(told, ['provider', 'model', 'bare']);
  });

  test('a frozen client is not observed, and still works', async () => {
    const client = Object.freeze(made());
    assert.equal(observe(client, () => assert.fail('told a call')), false);
    assert.ok(await call(client as OpenAI));
  });

  test('each of two clients reports its own calls', async () => {
    const told: string[] = [];
    const [one, two] = [made(), made()];
    observe(one, () => told.push('one'));
    observe(two, () => told.push('two'));
    await call(two);
    await call(one);
    assert.deepEqual(told, ['two', 'one']);
  });
});

compare({
  name: 'nobody listens',
  client: () => new OpenAI({ apiKey: 'k', baseURL: 'http://127.0.0.1:1/v1', maxRetries: 0 }),
  steps: [{
    name: 'a refused connection is 599',
    run: (c) => c.chat.completions.create({ model: 'm', messages: [] }),
    seen: [{ status: 599, stop_reason: 'error', model: 'm', request_id: null, rate_limit: null }],
    unheard: true,
  }],
});
