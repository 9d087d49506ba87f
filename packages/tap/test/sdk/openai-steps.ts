/** The script for the `openai` SDK, for every major of it: each observed call, in each way it can end and be read. */
import type OpenAI from 'openai';
import { bodySteps } from './body-steps.ts';
import { onceAsked } from './compare.ts';
import type { Expected, Step } from './compare.ts';

type Client = OpenAI;
type Options = { signal?: AbortSignal; timeout?: number };

const limits = { requests_limit: 500, requests_remaining: 499, tokens_limit: 30000, tokens_remaining: null };
const spoken = [{ role: 'user' as const, content: 'CANARY-prompt' }];
const tools = [{
  type: 'function' as const,
  function: { name: 'look', description: 'looks', function: () => 'seen', parse: JSON.parse, parameters: { type: 'object', properties: {} } },
}];

const chatSeen = (model: string, other: Expected = {}): Expected => ({
  provider: 'other', model: `served-${model}`, request_id: 'chatcmpl-N', input_tokens: 11, output_tokens: 7, cached_tokens: 4,
  stop_reason: 'stop', tool_calls: 0, status: 200, rate_limit: limits, ...other,
});
const none = { input_tokens: 0, output_tokens: 0, cached_tokens: 0 };
const failed = (model: string, status: number): Expected => ({
  model, ...none, stop_reason: 'error', tool_calls: 0, status,
    ...(status === 599 ? { request_id: null, rate_limit: null } : { request_id: 'req_first', rate_limit: limits }),
});

type Create = (client: Client, model: string, more?: object, options?: Options) => ReturnType<Client['chat']['completions']['create']>;
const chat: Create = (client, model, more = {}, options = {}) =>
  client.chat.completions.create({ model, messages: spoken, ...more } as never, options) as never;
const streamed = { stream: true, stream_options: { include_usage: true } };

/** Everything a stream gives, in order. */
async function all(stream: AsyncIterable<unknown>, last?: (chunk: unknown) => boolean): Promise<unknown[]> {
  const chunks: unknown[] = [];
  for await (const chunk of stream) {
    chunks.push(chunk);
    if (last?.(chunk)) break;
  }
  return chunks;
}

type Stream = AsyncIterable<unknown> & { tee(): [Stream, Stream]; toReadableStream(): ReadableStream<Uint8Array>; controller: AbortController };

const endings: Step<Client>[] = [
  ['m', {}], ['m.tools', { stop_reason: 'tool_calls', tool_calls: 2 }], ['m.length', { stop_reason: 'length' }],
    ['m.filter', { stop_reason: 'content_filter' }],
].flatMap(([name, other]) => [
  { name: `chat ${name}`, run: (client: Client) => chat(client, name as string), seen: [chatSeen(name as string, other as Expected)] },
  {
    name: `chat ${name}, streamed with usage`,
    run: async (client: Client) => all(await chat(client, name as string, streamed) as never),
    seen: [chatSeen(name as string, other as Expected)],
  },
  {
    name: `chat ${name}, streamed without usage`,
    run: async (client: Client) => all(await chat(client, name as string, { stream: true }) as never),
    seen: [chatSeen(name as string, { ...other as Expected, ...none })],
  },
]);

const failures: Step<Client>[] = [400, 401, 429, 500].flatMap((status) => [false, true].map((stream) => ({
  name: `chat answered by ${status}${stream ? ', streamed' : ''}`,
  run: (client: Client) => chat(client, `m.status-${status}`, stream ? streamed : {}),
  seen: [failed(`m.status-${status}`, status)],
})));

const readings: Step<Client>[] = [
  {
    name: 'withResponse',
    run: async (c) => {
      const { data, response, request_id } = await chat(c, 'm').withResponse();
      return { data, request_id, status: response.status, used: response.bodyUsed };
    },
    seen: [chatSeen('m')],
  },
  {
    name: 'withResponse of a stream',
    run: async (c) => all((await chat(c, 'm', streamed).withResponse()).data as never),
    seen: [chatSeen('m')],
  },
  { name: 'asResponse, json', run: async (c) => (await chat(c, 'm').asResponse()).json(), seen: [chatSeen('m')] },
  { name: 'asResponse, text', run: async (c) => (await chat(c, 'm').asResponse()).text(), seen: [chatSeen('m')] },
  { name: 'asResponse of an error', run: (c) => chat(c, 'm.status-500').asResponse(), seen: [failed('m.status-500', 500)] },
  { name: 'awaited twice', run: async (c) => { const p = chat(c, 'm'); return [await p, await p]; }, seen: [chatSeen('m')] },
  {
    name: 'then, catch, finally',
    run: (c) => {
      let done = 0;
      return chat(c, 'm.status-400').finally(() => { done += 1; }).catch((e: Error) => [e, done]).then((x) => [x]);
    },
    seen: [failed('m.status-400', 400)],
  },
  {
    name: 'the promise itself',
    run: async (c) => {
      const p = chat(c, 'm');
      const kind = [p.constructor.name, p instanceof Promise, Object.keys(p)];
      await p;
      return kind;
    },
    seen: [chatSeen('m')],
  },
  {
    name: 'post by the host itself',
    run: (c) => c.post('/chat/completions', { body: { model: 'm', messages: spoken } }),
    seen: [chatSeen('m')],
  },
];

const streams: Step<Client>[] = [
  {
    name: 'stream, tee',
    run: async (c) => { const [a, b] = (await chat(c, 'm', streamed) as never as Stream).tee(); return Promise.all([all(a), all(b)]); },
    seen: [chatSeen('m')],
  },
  {
    name: 'stream, toReadableStream',
    run: async (c) => new Response((await chat(c, 'm', streamed) as never as Stream).toReadableStream()).text(),
    seen: [chatSeen('m')],
  },
  {
    name: 'stream, left at the first chunk',
    run: async (c) => {
      const s = await chat(c, 'm', streamed) as never as Stream;
      return [await all(s, () => true), s.controller.signal.aborted];
    },
    seen: [chatSeen('m', { ...none, stop_reason: 'other' })],
  },
  {
    name: 'stream, aborted by its controller',
    run: async (c) => {
      const s = await chat(c, 'm.stall', streamed) as never as Stream;
      return all(s, () => { s.controller.abort(); return false; });
    },
    seen: [chatSeen('m.stall', { ...none, stop_reason: 'other' })],
  },
  {
    name: 'stream, read a second time',
    run: async (c) => { const s = await chat(c, 'm', streamed) as never as Stream; return [await all(s), await all(s)]; },
    seen: [chatSeen('m')],
  },
  {
    name: 'stream, cut by the provider',
    run: async (c) => all(await chat(c, 'm.cut', streamed) as never),
    seen: [chatSeen('m.cut', { ...none, stop_reason: 'error' })],
  },
  {
    name: 'stream, the object itself',
    run: async (c) => {
      const s = await chat(c, 'm', streamed) as never as Stream;
      const kind = [Object.keys(s), s];
      await all(s);
      return kind;
    },
    seen: [chatSeen('m')],
  },
];

const aborts: Step<Client>[] = [
  {
    name: 'aborted before the head',
    run: async (c, provider) => {
      const abort = new AbortController();
      onceAsked(provider, () => abort.abort());
      const p = chat(c, 'm.hang', {}, { signal: abort.signal });
      return p;
    },
    seen: [failed('m.hang', 599)],
  },
  { name: 'timed out before the head', run: (c) => chat(c, 'm.hang', {}, { timeout: 30 }), seen: [failed('m.hang', 599)], unheard: true },
  { name: 'dropped before the head', run: (c) => chat(c, 'm.drop'), seen: [failed('m.drop', 599)] },
  { name: 'cut in a JSON body', run: (c) => chat(c, 'm.cut.bare'), seen: [failed('m.cut.bare', 200)] },
  { name: 'no JSON in a JSON body', run: (c) => chat(c, 'm.nojson'), seen: [failed('m.nojson', 200)] },
  {
    name: 'aborted in a stream',
    run: async (c) => {
      const abort = new AbortController();
      const s = await chat(c, 'm.stall', streamed, { signal: abort.signal });
      return all(s as never, () => { abort.abort(); return false; });
    },
    seen: [chatSeen('m.stall', { ...none, stop_reason: 'other' })],
  },
];

/** Chat helpers live on the resource since the fifth major, under `beta` before. */
const helpers = (c: Client): Client['chat']['completions'] =>
  typeof c.chat.completions.stream === 'function' ? c.chat.completions : (c.beta as never as { chat: Client['chat'] }).chat.completions;

const format = { type: 'json_schema' as const, json_schema: { name: 'a', schema: { type: 'object' }, strict: true } };
const helping: Step<Client>[] = [
  { name: 'parse', run: (c) => helpers(c).parse({ model: 'm', messages: spoken, response_format: format }), seen: [chatSeen('m')] },
  {
    name: 'parse, withResponse',
    run: async (c) => (await helpers(c).parse({ model: 'm', messages: spoken }).withResponse()).data,
    seen: [chatSeen('m')],
  },
  {
    name: 'parse of an answer cut for length throws',
    run: (c) => helpers(c).parse({ model: 'm.length', messages: spoken, response_format: format }),
    seen: [chatSeen('m.length', { stop_reason: 'length' })],
  },
  {
    name: 'stream helper, final completion',
    run: (c) => helpers(c).stream({ model: 'm', messages: spoken, stream_options: { include_usage: true } }).finalChatCompletion(),
    seen: [chatSeen('m')],
  },
  {
    name: 'stream helper, events',
    run: async (c) => {
      const names: string[] = [];
      const s = helpers(c).stream({ model: 'm.tools', messages: spoken, stream_options: { include_usage: true } });
      for (const name of ['connect', 'content', 'message', 'end'] as const) s.on(name, () => names.push(name));
      await s.done();
      return names;
    },
    seen: [chatSeen('m.tools', { stop_reason: 'tool_calls', tool_calls: 2 })],
  },
  {
    name: 'stream helper, aborted',
    run: async (c) => {
      const s = helpers(c).stream({ model: 'm.stall', messages: spoken });
      s.on('chunk', () => s.abort());
      return s.finalContent();
    },
    seen: [chatSeen('m.stall', { ...none, stop_reason: 'other' })],
  },
  {
    name: 'stream helper, refused',
    run: (c) => helpers(c).stream({ model: 'm.status-429', messages: spoken }).finalContent(),
    seen: [failed('m.status-429', 429)],
  },
  {
    name: 'runTools: an event for each call',
    run: (c) => helpers(c).runTools({ model: 'm.tools', messages: spoken, tools } as never).finalContent(),
    seen: [chatSeen('m.tools', { stop_reason: 'tool_calls', tool_calls: 2 }), chatSeen('m.tools')],
  },
  {
    name: 'runTools, streamed',
    run: (c) => helpers(c).runTools({ model: 'm.tools', messages: spoken, stream: true, tools } as never).finalContent(),
    seen: [chatSeen('m.tools', { ...none, stop_reason: 'tool_calls', tool_calls: 2 }), chatSeen('m.tools', none)],
  },
];

const responsesSeen = (model: string, other: Expected = {}): Expected => ({
  model: `served-${model}`, request_id: 'resp-N', input_tokens: 20, output_tokens: 9, cached_tokens: 5, stop_reason: 'stop', tool_calls: 0,
    status: 200, rate_limit: limits, ...other,
});
const otherCalls: Step<Client>[] = [
  ...[['m', {}], ['m.tools', { stop_reason: 'tool_calls', tool_calls: 1 }], ['m.length', { stop_reason: 'length' }],
    ['m.failing', { stop_reason: 'error' }]].flatMap(([model, other]) => [
    {
      name: `responses ${model}`,
      run: (c: Client) => c.responses.create({ model: model as string, input: 'CANARY-prompt' }),
      seen: [responsesSeen(model as string, other as Expected)],
    },
    {
      name: `responses ${model}, streamed`,
      run: async (c: Client) => all(await c.responses.create({ model: model as string, input: 'CANARY-prompt', stream: true })),
      seen: [responsesSeen(model as string, other as Expected)],
    },
  ]),
  {
    name: 'responses, left at the second event',
    run: async (c) => {
      let n = 0;
      return all(await c.responses.create({ model: 'm', input: 'CANARY-prompt', stream: true }), () => (n += 1) === 2);
    },
    seen: [responsesSeen('m', { ...none, stop_reason: 'other' })],
  },
  { name: 'responses.parse', run: (c) => c.responses.parse({ model: 'm', input: 'CANARY-prompt' }), seen: [responsesSeen('m')] },
  { name: 'responses.stream', run: (c) => c.responses.stream({ model: 'm', input: 'CANARY-prompt' }).finalResponse(), seen: [responsesSeen('m')] },
  {
    name: 'responses refused', run: (c) => c.responses.create({ model: 'm.status-401', input: 'CANARY-prompt' }),
    seen: [failed('m.status-401', 401)],
  },
  {
    name: 'embeddings',
    run: (c) => c.embeddings.create({ model: 'm', input: 'CANARY-prompt' }),
    seen: [
      { model: 'served-m', request_id: 'req_first', input_tokens: 5, output_tokens: 0, cached_tokens: 0, stop_reason: 'stop', tool_calls: 0,
        status: 200, rate_limit: limits },
    ],
  },
  {
    name: 'embeddings as floats',
    run: (c) => c.embeddings.create({ model: 'm', input: 'CANARY-prompt', encoding_format: 'float' }),
    seen: [{ input_tokens: 5, stop_reason: 'stop' }],
  },
  {
    name: 'embeddings refused',
    run: (c) => c.embeddings.create({ model: 'm.status-400', input: 'CANARY-prompt' }),
    seen: [failed('m.status-400', 400)],
  },
  {
    name: 'completions',
    run: (c) => c.completions.create({ model: 'm', prompt: 'CANARY-prompt' }),
    seen: [{ model: 'served-m', request_id: 'cmpl-N', input_tokens: 3, output_tokens: 2, stop_reason: 'stop' }],
  },
  {
    name: 'completions, streamed',
    run: async (c) => all(await c.completions.create({ model: 'm.length', prompt: 'CANARY-prompt', stream: true })),
    seen: [{ model: 'served-m.length', input_tokens: 3, output_tokens: 2, stop_reason: 'length' }],
  },
  {
    name: 'model lists, moderations and stored answers give no event',
    run: async (c) =>
      [await all(c.models.list()), await c.moderations.create({ input: 'CANARY-prompt' }), await c.chat.completions.update('id', { metadata: {} })],
    seen: [],
  },
  {
    name: 'a retry inside the SDK is one event',
    run: (c) =>
      (typeof c.withOptions === 'function' ? c.withOptions({ maxRetries: 1 }) : c).chat.completions.create({ model: 'm.status-429.once',
        messages: spoken }, { maxRetries: 1 }),
    seen: [chatSeen('m.status-429.once')],
    unheard: true,
  },
  {
    name: 'children of withOptions',
    run: async (c) => (typeof c.withOptions === 'function' ? chat(c.withOptions({ timeout: 5000 }).withOptions({}), 'm') : chat(c, 'm')),
    seen: [chatSeen('m')],
  },
  {
    name: 'fifty at once keep their order',
    run: async (c) => {
      const order: number[] = [];
      await Promise.all(Array.from({ length: 50 }, async (_, i) => {
        await chat(c, i % 2 ? 'm' : 'm.tools', i % 3 ? {} : streamed).then((x): unknown => (i % 3 ? x : all(x as never)));
        order.push(i);
      }));
      return order.length;
    },
    seen: Array.from({ length: 50 }, () => ({ status: 200 })),
  },
];

const bodies = bodySteps<Client>({
  ask: (client, model, more) => chat(client, model, more), streamed, last: '[DONE]', seen: chatSeen,
  begun: { ...none, request_id: 'chatcmpl-N' },
  bare: { ...none, request_id: 'req_first', stop_reason: 'other', status: 200, rate_limit: limits },
});

/** A client for this script: no retries, so that one step is one call. */
export const openaiSteps: readonly Step<Client>[] = [
  ...endings, ...failures, ...readings, ...streams, ...aborts, ...helping, ...otherCalls, ...bodies,
];
