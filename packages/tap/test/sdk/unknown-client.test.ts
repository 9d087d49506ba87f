/**
 * Unknown clients with methods of known names: plain promises, streams of any kind, parts made on demand, objects that cannot be changed.
 * Ecosystem: duck typing; status 200 assumed, no rate limits.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { observe } from '../../src/observe/observe.ts';
import { outcomeOf, settled } from './compare.ts';
import { portrait } from './portrait.ts';
import type { SeenCall } from '../../src/seen-call.ts';

const answer = { id: 'a', model: 'served', choices: [{ index: 0, finish_reason: 'stop', message: {} }],
  usage: { prompt_tokens: 3, completion_tokens: 2 } };

class OwnPromise<T> extends Promise<T> {
  withHeaders(): string {
    return 'mine';
  }
}

class Lazy {
  #made: object | undefined;
  touched = 0;
  get chat(): object {
    this.touched += 1;
    return (this.#made ??= { complete: () => Promise.resolve(answer) });
  }
}

const withStatus = (status: number): Error => Object.assign(new Error('no'), { status, headers: { 'x-ratelimit-limit-requests': '9' } });
type Made = { client: object; call: (client: never) => unknown };
const chat = (create: (...args: unknown[]) => unknown): Made => ({
  client: { chat: { completions: { create } } },
  call: (client: { chat: { completions: { create: typeof create } } }) => client.chat.completions.create({ model: 'asked' }),
});
async function* parts(): AsyncGenerator<unknown> {
  await Promise.resolve();
  yield { ...answer, usage: undefined };
  yield answer;
}
const iterated = async (client: never, call: Made['call']): Promise<unknown[]> => {
  const got: unknown[] = [];
  for await (const part of await call(client) as AsyncIterable<unknown>) got.push(part);
  return got;
};
const whole = { model: 'served', request_id: 'a', input_tokens: 3, output_tokens: 2, stop_reason: 'stop', status: 200, rate_limit: null,
  provider: 'other' };

const kinds: readonly (readonly [string, Made & { read?: typeof iterated }, object])[] = [
  ['a plain promise', chat(() => Promise.resolve(answer)), whole],
  ['a plain promise with methods of its own', chat(() => Object.assign(Promise.resolve(answer), { abort: () => 'mine' })), whole],
  ['a promise of a class of its own', chat(() => OwnPromise.resolve(answer)), whole],
  ['an answer without a promise', chat(() => answer), whole],
  ['a promise of a generator', { ...chat(() => Promise.resolve(parts())), read: iterated }, whole],
  ['a generator', { ...chat(() => parts()), read: iterated }, whole],
  ['an object to iterate', { ...chat(() => Promise.resolve({ [Symbol.asyncIterator]: () => parts() })), read: iterated }, whole],
  ['a web stream', { ...chat(() => Promise.resolve(ReadableStream.from(parts()))), read: iterated }, whole],
  ['a failure with a status', chat(() => Promise.reject(withStatus(503))),
    { status: 503, stop_reason: 'error', model: 'asked',
      rate_limit: { requests_limit: 9, requests_remaining: null, tokens_limit: null, tokens_remaining: null } }],
  ['a failure with a status that is none', chat(() => Promise.reject(withStatus(1000))), { status: 599, stop_reason: 'error' }],
  ['a failure that is no object', chat(() => OwnPromise.reject(null)), { status: 599, stop_reason: 'error' }], // eslint-disable-line
  ['messages', { client: { messages: { create: () => Promise.resolve({ type: 'message', id: 'a', model: 'served', stop_reason: 'end_turn',
    usage: { input_tokens: 3, output_tokens: 2 } }) } }, call: (c: { messages: { create(): unknown } }) => c.messages.create() }, whole],
  ['embeddings', { client: { embeddings: { create: () => Promise.resolve({ model: 'served', usage: { prompt_tokens: 3 } }) } },
    call: (c: { embeddings: { create(): unknown } }) => c.embeddings.create() }, { model: 'served', input_tokens: 3, stop_reason: 'stop' }],
  ['generateContent', { client: { models: { generateContent: () => Promise.resolve({ modelVersion: 'served', responseId: 'a',
    candidates: [{ finishReason: 'STOP' }], usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2 } }) } },
      call: (c: { models: { generateContent(): unknown } }) => c.models.generateContent() }, whole],
  ['a method that calls its neighbour',
    { client: { chat: { parse(): unknown { return this.complete(); }, complete: () => Promise.resolve(answer) } } as object,
      call: (c: { chat: { parse(): unknown } }) => c.chat.parse() }, whole],
];

describe('unknown clients', () => {
  for (const [name, { client, call, read }, expected] of kinds) {
    test(`${name}: the same outcome, one event`, async () => {
      const run = (): unknown => (read ? read(client as never, call) : call(client as never));
      const bare = portrait([await outcomeOf(run), portrait(await outcomeOf(() => [call(client as never)].map((made) => {
        (made as Promise<unknown>).catch?.(() => {});
        return [Object.getPrototypeOf(made) === OwnPromise.prototype, Object.keys(made as object)];
      })))]);
      const seen: SeenCall[] = [];
      assert.equal(observe(client, (one) => seen.push(one)), true);
      const got = portrait([await outcomeOf(run), portrait(await outcomeOf(() => [call(client as never)].map((made) => {
        (made as Promise<unknown>).catch?.(() => {});
        return [Object.getPrototypeOf(made) === OwnPromise.prototype, Object.keys(made as object)];
      })))]);
      assert.equal(got, bare);
      await settled(() => seen.length > 0);
      const { latency_ms: latency, ...rest } = seen[0]!;
      assert.ok(latency >= 0);
      assert.deepEqual(Object.fromEntries(Object.keys(expected).map((key) => [key, (rest as Record<string, unknown>)[key]])), expected);
    });
  }

  test('a part made on demand is still made on demand, once observed', async () => {
    const client = new Lazy();
    const seen: SeenCall[] = [];
    assert.equal(observe(client, (one) => seen.push(one)), true);
    assert.equal(client.touched, 0);
    const made = client.chat as { complete(): Promise<unknown> };
    assert.equal(client.chat, made);
    await made.complete();
    assert.equal(seen.length, 1);
  });

  const resisting: readonly (readonly [string, () => object])[] = [
    ['no client at all', () => ({ hello: 1 })],
    ['a function', () => () => 1],
    ['an empty object without prototype', () => Object.create(null) as object],
    ['a frozen client', () => Object.freeze({ chat: { completions: { create: () => answer } } })],
    ['frozen parts', () => ({ chat: Object.freeze({ completions: Object.freeze({ create: () => answer }) }) })],
    ['a getter that throws', () => ({ get chat(): object { throw new Error('mine'); } })],
    ['a proxy that throws', () => new Proxy({}, { get() { throw new Error('mine'); }, getPrototypeOf() { throw new Error('mine'); } })],
  ];
  for (const [name, make] of resisting) {
    test(`${name} is not observed, and nothing fails`, () => {
      assert.equal(observe(make(), () => assert.fail('told a call')), false);
    });
  }

  test('null and primitives are not observed, and nothing fails', () => {
    for (const value of [null, undefined, 1, 'x', Symbol('x')]) assert.equal(observe(value as never, () => {}), false);
  });

  test('a sink that throws does not affect the host', async () => {
    const { client, call } = chat(() => Promise.resolve(answer));
    observe(client, () => {
      throw new Error('ours');
    });
    assert.equal(await call(client as never), answer);
  });

  test('an answer whose getters throw is passed on as it is, and gives an event', async () => {
    const hostile = Object.defineProperties({}, Object.fromEntries(['model', 'id', 'usage', 'choices', 'type'].map((key) => [key, {
      get() { throw new Error('mine'); },
    }])));
    const { client, call } = chat(() => Promise.resolve(hostile));
    const seen: SeenCall[] = [];
    observe(client, (one) => seen.push(one));
    assert.equal(await call(client as never), hostile);
    assert.deepEqual(seen.map(({ model, status, input_tokens }) => ({ model, status, input_tokens })),
      [{ model: 'asked', status: 200, input_tokens: 0 }]);
  });

  test('a client that is observed again reports each call once, to the newer sink', async () => {
    const { client, call } = chat(() => Promise.resolve(answer));
    const told: string[] = [];
    assert.equal(observe(client, () => told.push('first')), true);
    await call(client as never);
    assert.equal(observe(client, () => told.push('second')), true);
    await call(client as never);
    assert.deepEqual(told, ['first', 'second']);
  });
});
