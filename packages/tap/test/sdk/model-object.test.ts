/**
 * Model objects of LangChain.js and LlamaIndex.TS, as stand-ins of their shape that hold the real SDKs: the frameworks themselves are too
 * heavy to install for this. Spec: Tap client wrapper 1; rule 28.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { observe } from '../../src/observe/observe.ts';
import { startFakeProvider, type FakeProvider } from './fake-provider.ts';

let url = '';

/** LangChain: a model makes its client at its first call, and is made anew with settings bound to it. */
class OpenAiPart {
  readonly lc_namespace = ['langchain', 'chat_models'];
  client: OpenAI | undefined;

  _getClientOptions(): object {
    this.client ??= new OpenAI({ apiKey: 'k', baseURL: `${url}/v1`, maxRetries: 0 });
    return {};
  }

  async invoke(): Promise<unknown> {
    this._getClientOptions();
    return this.client!.chat.completions.create({ model: 'm', messages: [] });
  }
}

class ChatOpenAi extends OpenAiPart {
  readonly completions = new OpenAiPart();
  readonly responses = new OpenAiPart();

  override invoke(): Promise<unknown> {
    return this.completions.invoke();
  }

  withConfig(): ChatOpenAi {
    return new ChatOpenAi();
  }

  bindTools(): ChatOpenAi {
    return this.withConfig();
  }
}

class ChatAnthropic {
  readonly lc_namespace = ['langchain', 'chat_models'];
  batchClient: Anthropic | undefined = undefined;
  readonly createClient = (): Anthropic => new Anthropic({ apiKey: 'k', baseURL: url, maxRetries: 0 });

  invoke(): Promise<unknown> {
    this.batchClient ??= this.createClient();
    return this.batchClient.messages.create({ model: 'm', max_tokens: 9, messages: [] });
  }

  withConfig(): { readonly lc_namespace: readonly string[]; readonly bound: ChatAnthropic; invoke(): Promise<unknown> } {
    return { lc_namespace: ['langchain_core', 'runnables'], bound: this, invoke: () => this.invoke() };
  }
}

class Embeddings {
  client: OpenAI | undefined = undefined;

  embeddingWithRetry(): Promise<unknown> {
    this.client ??= new OpenAI({ apiKey: 'k', baseURL: `${url}/v1`, maxRetries: 0 });
    return this.client.embeddings.create({ model: 'm', input: 'x' });
  }

  invoke(): Promise<unknown> {
    return this.embeddingWithRetry();
  }
}

/** LlamaIndex: a model keeps a promise of its client. */
class LlamaOpenAi {
  #session: Promise<OpenAI> | undefined;
  lazySession = async (): Promise<OpenAI> => new OpenAI({ apiKey: 'k', baseURL: `${url}/v1`, maxRetries: 0 });

  get session(): Promise<OpenAI> {
    return (this.#session ??= this.lazySession());
  }

  async invoke(): Promise<unknown> {
    return (await this.session).chat.completions.create({ model: 'm', messages: [] });
  }
}

class LlamaAnthropic {
  readonly session = { anthropic: new Anthropic({ apiKey: 'k', baseURL: url, maxRetries: 0 }) };

  invoke(): Promise<unknown> {
    return this.session.anthropic.messages.create({ model: 'm', max_tokens: 9, messages: [] });
  }
}

const kinds: Readonly<Record<string, () => { invoke(): Promise<unknown> }>> = {
  'LangChain, OpenAI': () => new ChatOpenAi(),
  'LangChain, Anthropic': () => new ChatAnthropic(),
  'LangChain, embeddings': () => new Embeddings(),
  'LangChain, with settings bound to it': () => new ChatAnthropic().withConfig(),
  'LlamaIndex, OpenAI': () => new LlamaOpenAi(),
  'LlamaIndex, Anthropic': () => new LlamaAnthropic(),
};

describe('model objects of frameworks', () => {
  let provider: FakeProvider;
  before(async () => {
    provider = await startFakeProvider();
    url = provider.url;
  });
  after(() => provider.close());

  for (const [name, make] of Object.entries(kinds)) {
    test(`${name}: each call is reported once, and the model is unchanged`, async () => {
      const told: string[] = [];
      const model = make();
      const shown = JSON.stringify(Object.keys(model));
      assert.equal(observe(model, (seen) => told.push(`${seen.model} ${seen.status}`)), true);
      assert.equal(observe(model, (seen) => told.push(`again ${seen.model} ${seen.status}`)), true);
      assert.equal(JSON.stringify(Object.keys(model)), shown);
      assert.ok(await model.invoke());
      await model.invoke();
      assert.deepEqual(told, ['again served-m 200', 'again served-m 200']);
    });
  }

  test('a model made by binding tools or settings is observed too', async () => {
    const told: unknown[] = [];
    const model = new ChatOpenAi();
    observe(model, (seen) => told.push(seen.model));
    await model.bindTools().invoke();
    await model.withConfig().withConfig().invoke();
    assert.deepEqual(told, ['served-m', 'served-m']);
  });

  test('a session that a LlamaIndex model made before the tap is observed, and the tap makes none', async () => {
    const told: unknown[] = [];
    const model = new LlamaOpenAi();
    await model.invoke();
    assert.equal(observe(model, (seen) => told.push(seen.model)), true);
    await model.invoke();
    assert.deepEqual([...told], ['served-m']);

    const unasked = new LlamaOpenAi();
    let made = 0;
    const make = unasked.lazySession;
    unasked.lazySession = () => { made += 1; return make(); };
    observe(unasked, (seen) => told.push(seen.model));
    assert.equal(made, 0);
    await Promise.all([unasked.invoke(), unasked.invoke()]);
    assert.deepEqual([made, told.length], [1, 3]);
  });

  test('it is reported if a model makes a client of no known kind', async () => {
    let unknown = 0;
    const session = new LlamaOpenAi();
    session.lazySession = async () => ({ chat: { completions: Object.freeze({ create: () => ({}) }) } }) as unknown as OpenAI;
    assert.equal(observe(session, () => assert.fail('told'), () => { unknown += 1; }), true);
    await session.invoke();
    const chain = new ChatAnthropic();
    Object.assign(chain, { createClient: () => ({ messages: Object.freeze({ create: () => ({}) }) }) });
    observe(chain, () => assert.fail('told'), () => { unknown += 1; });
    await chain.invoke();
    assert.equal(unknown, 2);
  });

  test('a model that holds no known client is not recognised', () => {
    const model = { lc_namespace: ['langchain'], client: { generateContent: () => assert.fail('called') }, invoke: () => 1 };
    assert.equal(observe(model, () => assert.fail('told')), false);
    assert.equal(observe({ lc_namespace: ['langchain'], client: undefined }, () => assert.fail('told')), false);
  });
});
