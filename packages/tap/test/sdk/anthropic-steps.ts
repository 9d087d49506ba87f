/** The script for `@anthropic-ai/sdk`, for every major of it. */
import type Anthropic from '@anthropic-ai/sdk';
import { bodySteps } from './body-steps.ts';
import { onceAsked } from './compare.ts';
import type { Expected, Step } from './compare.ts';

type Client = Anthropic;

const limits = { requests_limit: 50, requests_remaining: 49, tokens_limit: 40000, tokens_remaining: 39000 };
const asking = (model: string): { model: string; max_tokens: number; messages: { role: 'user'; content: string }[] } =>
  ({ model, max_tokens: 9, messages: [{ role: 'user', content: 'CANARY-prompt' }] });

const messageSeen = (model: string, other: Expected = {}): Expected => ({
  provider: 'other', model: `served-${model}`, request_id: 'msg-N', input_tokens: 10, output_tokens: 6, cached_tokens: 2,
  stop_reason: 'stop', tool_calls: 0, status: 200, rate_limit: limits, ...other,
});
const none = { input_tokens: 0, output_tokens: 0, cached_tokens: 0 };
const failed = (model: string, status: number): Expected => ({
  model, ...none, stop_reason: 'error', tool_calls: 0, status,
    ...(status === 599 ? { request_id: null, rate_limit: null } : { request_id: 'req_second', rate_limit: limits }),
});
/** What is known if a stream ends after `message_start`. */
const begun = { input_tokens: 10, output_tokens: 1, cached_tokens: 2 };

type Stream = AsyncIterable<unknown> & { tee(): [Stream, Stream]; toReadableStream(): ReadableStream<Uint8Array>; controller: AbortController };

async function all(stream: AsyncIterable<unknown>, last?: (part: unknown) => boolean): Promise<unknown[]> {
  const parts: unknown[] = [];
  for await (const part of stream) {
    parts.push(part);
    if (last?.(part)) break;
  }
  return parts;
}

type Ask = (client: Client, model: string, more?: object, options?: object) => ReturnType<Client['messages']['create']>;

/** Both resources that send messages; the majors differ only in what they accept besides the body. */
const askings: readonly (readonly [string, Ask])[] = [
  ['messages', (client, model, more = {}, options = {}) => client.messages.create({ ...asking(model), ...more } as never, options) as never],
  ['beta.messages', (client, model, more = {}, options = {}) => client.beta.messages.create({ ...asking(model), ...more } as never,
    options) as never],
];

const onBoth: Step<Client>[] = askings.flatMap(([name, ask]): Step<Client>[] => [
  ...([
    ['m', {}], ['m.tools', { stop_reason: 'tool_calls', tool_calls: 2 }], ['m.length', { stop_reason: 'length' }],
      ['m.filter', { stop_reason: 'content_filter' }],
  ] as const).flatMap(([model, other]): Step<Client>[] => [
    { name: `${name} ${model}`, run: (c) => ask(c, model), seen: [messageSeen(model, other)] },
    {
      name: `${name} ${model}, streamed`,
      run: async (c) => all(await ask(c, model, { stream: true }) as never),
      seen: [messageSeen(model, other)],
    },
  ]),
  ...[400, 401, 429, 500, 529].map((status): Step<Client> => (
    { name: `${name} answered by ${status}`, run: (c) => ask(c, `m.status-${status}`), seen: [failed(`m.status-${status}`, status)] })),
  {
    name: `${name}, withResponse`,
    run: async (c) => {
      const { data, response, request_id } = await ask(c, 'm').withResponse();
      return { data, request_id, status: response.status };
    },
    seen: [messageSeen('m')],
  },
  { name: `${name}, asResponse, json`, run: async (c) => (await ask(c, 'm').asResponse()).json(), seen: [messageSeen('m')] },
  {
    name: `${name}, tee`,
    run: async (c) => {
      const [a, b] = (await ask(c, 'm', { stream: true }) as never as Stream).tee();
      return Promise.all([all(a), all(b)]);
    },
    seen: [messageSeen('m')],
  },
  {
    name: `${name}, toReadableStream`,
    run: async (c) => new Response((await ask(c, 'm', { stream: true }) as never as Stream).toReadableStream()).text(),
    seen: [messageSeen('m')],
  },
  {
    name: `${name}, left at the first event`,
    run: async (c) => {
      const s = await ask(c, 'm', { stream: true }) as never as Stream;
      return [await all(s, () => true), s.controller.signal.aborted];
    },
    seen: [messageSeen('m', { ...begun, stop_reason: 'other' })],
  },
  {
    name: `${name}, aborted by its controller`,
    run: async (c) => {
      const s = await ask(c, 'm.stall', { stream: true }) as never as Stream;
      return all(s, () => { s.controller.abort(); return false; });
    },
    seen: [messageSeen('m.stall', { ...begun, stop_reason: 'other' })],
  },
  {
    name: `${name}, stream cut by the provider`,
    run: async (c) => all(await ask(c, 'm.cut', { stream: true }) as never),
    seen: [messageSeen('m.cut', { ...begun, stop_reason: 'error' })],
  },
  {
    name: `${name}, error event in the stream`,
    run: async (c) => all(await ask(c, 'm.oops', { stream: true }) as never),
    seen: [messageSeen('m.oops', { ...begun, stop_reason: 'error' })],
  },
  {
    name: `${name}, aborted before the head`,
    run: async (c, provider) => {
      const abort = new AbortController();
      onceAsked(provider, () => abort.abort());
      const p = ask(c, 'm.hang', {}, { signal: abort.signal });
      return p;
    },
    seen: [failed('m.hang', 599)],
  },
  { name: `${name}, timed out`, run: (c) => ask(c, 'm.hang', {}, { timeout: 30 }), seen: [failed('m.hang', 599)], unheard: true },
  { name: `${name}, dropped before the head`, run: (c) => ask(c, 'm.drop'), seen: [failed('m.drop', 599)] },
  { name: `${name}, cut in the body`, run: (c) => ask(c, 'm.cut.bare'), seen: [failed('m.cut.bare', 200)] },
  {
    name: `${name}, stream object`,
    run: async (c) => {
      const s = await ask(c, 'm', { stream: true }) as never as Stream;
      const kind = [Object.keys(s), s];
      await all(s);
      return kind;
    },
    seen: [messageSeen('m')],
  },
  {
    name: `${name}, promise object`,
    run: async (c) => {
      const p = ask(c, 'm');
      const kind = [p.constructor.name, p instanceof Promise, Object.keys(p)];
      await p;
      return kind;
    },
    seen: [messageSeen('m')],
  },
]);

const helping: Step<Client>[] = [
  { name: 'stream helper, final message', run: (c) => c.messages.stream(asking('m')).finalMessage(), seen: [messageSeen('m')] },
  {
    name: 'stream helper, tools and events',
    run: async (c) => {
      const names: string[] = [];
      const s = c.messages.stream(asking('m.tools'));
      for (const name of ['connect', 'contentBlock', 'message', 'end'] as const) s.on(name, () => { names.push(name); });
      await s.done();
      return [names, s.request_id];
    },
    seen: [messageSeen('m.tools', { stop_reason: 'tool_calls', tool_calls: 2 })],
  },
  {
    name: 'stream helper, iterated and left',
    run: async (c) => all(c.messages.stream(asking('m')), () => true),
    seen: [messageSeen('m', { stop_reason: 'other', ...begun })],
  },
  {
    name: 'stream helper, aborted',
    run: async (c) => { const s = c.messages.stream(asking('m.stall')); s.on('streamEvent', () => s.abort()); return s.finalMessage(); },
    seen: [messageSeen('m.stall', { ...begun, stop_reason: 'other' })],
  },
  {
    name: 'stream helper, refused',
    run: (c) => c.messages.stream(asking('m.status-429')).finalMessage(),
    seen: [failed('m.status-429', 429)],
  },
  {
    name: 'beta stream helper',
    run: (c) =>
      (typeof c.beta.messages.stream === 'function' ? c.beta.messages as never as Client['messages'] : c.messages).stream(asking('m')).finalMessage(),
    seen: [messageSeen('m')],
  },
  {
    name: 'parse',
    run: (c) => (typeof c.messages.parse === 'function' ? c.messages.parse(asking('m')) : c.messages.create(asking('m'))),
    seen: [messageSeen('m')],
  },
  {
    name: 'children of withOptions',
    run: (c) => (typeof c.withOptions === 'function' ? c.withOptions({ timeout: 5000 }) : c).messages.create(asking('m')),
    seen: [messageSeen('m')],
  },
  { name: 'tool runner: an event for each call', run: async (c) => runTools(c), seen: [messageSeen('m')] },
  {
    name: 'batch results: an event for each message and error in them',
    run: async (c) => all(await c.messages.batches.results('batch_1')),
    seen: batchSeen(),
    unheard: true,
  },
  { name: 'beta batch results', run: async (c) => all(await c.beta.messages.batches.results('batch_1')), seen: batchSeen(), unheard: true },
  {
    name: 'token counts and model lists give no event',
    run: async (c) =>
      [await (c.messages.countTokens ?? c.beta.messages.countTokens).call(c.messages, { model: 'm', messages: [] }), await all(c.models.list())],
    seen: [],
  },
  {
    name: 'thirty at once',
    run: async (c) =>
      (await Promise.all(Array.from({ length: 30 },
        async (_, i) => (i % 2 ? c.messages.create(asking('m')) : c.messages.stream(asking('m')).finalMessage())))).length,
    seen: Array.from({ length: 30 }, () => messageSeen('m')),
  },
];

function batchSeen(): Expected[] {
  const line = { provider: 'other', model: 'served-m', request_id: 'msg-N', input_tokens: 10, output_tokens: 6, cached_tokens: 2, status: 200,
    rate_limit: null } as const;
  return [
    { ...line, stop_reason: 'stop', tool_calls: 0 },
    { ...line, stop_reason: 'tool_calls', tool_calls: 2 },
    { model: null, request_id: null, ...none, stop_reason: 'error', tool_calls: 0, status: 200 },
  ];
}

async function runTools(client: Client): Promise<unknown> {
  if (typeof client.beta.messages.toolRunner !== 'function') return client.messages.create(asking('m'));
  return client.beta.messages.toolRunner({ ...asking('m'), tools: [] }).runUntilDone();
}

const bodies = bodySteps<Client>({
  ask: (client, model, more) => client.messages.create({ ...asking(model), ...more } as never) as never,
  streamed: { stream: true }, last: 'message_stop', seen: messageSeen, begun,
  bare: { ...none, request_id: 'req_second', stop_reason: 'other', status: 200, rate_limit: limits },
});

export const anthropicSteps: readonly Step<Client>[] = [...onBoth, ...helping, ...bodies];
