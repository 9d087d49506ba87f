/** The script for `@google/genai`, for every major of it. */
import type { GoogleGenAI } from '@google/genai';
import { onceAsked } from './compare.ts';
import type { Expected, Step } from './compare.ts';

type Client = GoogleGenAI;

const seen = (requestId: string | null) => (model: string, other: Expected = {}): Expected => ({
  provider: 'other', model: `served-${model}`, request_id: requestId, input_tokens: 8, output_tokens: 7, cached_tokens: 1,
  stop_reason: 'stop', tool_calls: 0, status: 200, rate_limit: null, ...other,
});
const none = { input_tokens: 0, output_tokens: 0, cached_tokens: 0 };
const failed = (model: string, status: number): Expected =>
  ({ model, request_id: null, ...none, stop_reason: 'error', tool_calls: 0, status, rate_limit: null });
/** What the first part of a stream says. */
const begun = { input_tokens: 8, output_tokens: 0, cached_tokens: 0 };

async function all(stream: AsyncIterable<unknown>, last?: () => boolean): Promise<unknown[]> {
  const parts: unknown[] = [];
  for await (const part of stream) {
    parts.push(part);
    if (last?.()) break;
  }
  return parts;
}

const ask = (model: string, config = {}): { model: string; contents: string; config: object } => ({ model, contents: 'CANARY-prompt', config });
const endings = [
  ['m', {}], ['m.tools', { stop_reason: 'tool_calls', tool_calls: 2 }], ['m.length', { stop_reason: 'length' }],
    ['m.filter', { stop_reason: 'content_filter' }],
] as const;

/** A tool that the SDK calls by itself before it calls the model again. */
const callable = {
  tool: () => Promise.resolve({ functionDeclarations: [{ name: 'look', description: 'looks' }] }),
  callTool: (calls: { name: string }[]) => Promise.resolve(calls.map(({ name }) => ({ functionResponse: { name, response: { seen: true } } }))),
};

/** The steps; `requestId` as the SDK passes it on: the oldest one does not, and unless it streams it calls only the tools of MCP. */
export function googleSteps(requestId: string | null): readonly Step<Client>[] {
  const seenAs = seen(requestId);
  return [
  ...endings.flatMap(([model, other]): Step<Client>[] => [
    { name: `generateContent ${model}`, run: (c) => c.models.generateContent(ask(model)), seen: [seenAs(model, other)] },
    {
      name: `generateContentStream ${model}`,
      run: async (c) => all(await c.models.generateContentStream(ask(model))),
      seen: [seenAs(model, other)],
    },
    { name: `chat ${model}`, run: (c) => c.chats.create({ model }).sendMessage({ message: 'CANARY-prompt' }), seen: [seenAs(model, other)] },
    {
      name: `chat ${model}, streamed`,
      run: async (c) => all(await c.chats.create({ model }).sendMessageStream({ message: 'CANARY-prompt' })),
      seen: [seenAs(model, other)],
    },
  ]),
  ...[400, 401, 429, 500].flatMap((status): Step<Client>[] => [
    {
      name: `answered by ${status}`,
      run: (c) => c.models.generateContent(ask(`m.status-${status}`)),
      seen: [failed(`m.status-${status}`, status)],
    },
    {
      name: `answered by ${status}, streamed`,
      run: (c) => c.models.generateContentStream(ask(`m.status-${status}`)),
      seen: [failed(`m.status-${status}`, status)],
    },
  ]),
  {
    name: 'stream left at the first part',
    run: async (c) => all(await c.models.generateContentStream(ask('m')), () => true),
    seen: [seenAs('m', { ...begun, stop_reason: 'other' })],
  },
  {
    name: 'stream, next by hand and return',
    run: async (c) => {
      const s = await c.models.generateContentStream(ask('m'));
      return [await s.next(), await s.return(undefined), await s.next()];
    },
    seen: [seenAs('m', { ...begun, stop_reason: 'other' })],
  },
  {
    name: 'stream cut by the provider',
    run: async (c) => all(await c.models.generateContentStream(ask('m.cut'))),
    seen: [{ ...seenAs('m.cut'), stop_reason: 'error' }],
  },
  {
    name: 'the stream itself',
    run: async (c) => {
      const s = await c.models.generateContentStream(ask('m'));
      const kind = [Object.prototype.toString.call(s), Object.keys(s), s[Symbol.asyncIterator]() === s];
      await all(s);
      return kind;
    },
    seen: [seenAs('m')],
  },
  {
    name: 'the promise itself',
    run: async (c) => { const p = c.models.generateContent(ask('m')); await p; return [p.constructor.name, Object.keys(p)]; },
    seen: [seenAs('m')],
  },
  {
    name: 'aborted before the head',
    run: async (c, provider) => {
      const abort = new AbortController();
      onceAsked(provider, () => abort.abort());
      const p = c.models.generateContent(ask('m.hang', { abortSignal: abort.signal }));
      return p;
    },
    seen: [failed('m.hang', 599)],
  },
  { name: 'dropped before the head', run: (c) => c.models.generateContent(ask('m.drop')), seen: [failed('m.drop', 599)] },
  {
    name: 'automatic function calling: an event for each call',
    run: (c) => c.models.generateContent(ask('m.tools', { tools: [callable] })),
    seen: [seenAs('m.tools', { stop_reason: 'tool_calls', tool_calls: 2 }), ...(requestId === null ? [] : [seenAs('m.tools')])],
  },
  {
    name: 'automatic function calling, streamed',
    run: async (c) => all(await c.models.generateContentStream(ask('m.tools', { tools: [callable] }))),
    seen: [seenAs('m.tools', { stop_reason: 'tool_calls', tool_calls: 2 }), seenAs('m.tools')],
  },
  {
    name: 'embedContent',
    run: (c) => c.models.embedContent({ model: 'm.embedding', contents: ['CANARY-prompt'] }),
    seen: [{ model: 'm.embedding', request_id: null, ...none, stop_reason: 'stop', status: 200, rate_limit: null }],
  },
  {
    name: 'embedContent refused',
    run: (c) => c.models.embedContent({ model: 'm.status-400', contents: ['CANARY-prompt'] }),
    seen: [failed('m.status-400', 400)],
  },
  {
    name: 'token counts and model lists give no event',
    run: async (c) => [await c.models.countTokens({ model: 'm', contents: 'CANARY-prompt' }), await all(await c.models.list())],
    seen: [],
  },
  {
    name: 'thirty at once',
    run: async (c) =>
      (await Promise.all(Array.from({ length: 30 },
        (_, i) => (i % 2 ? c.models.generateContent(ask('m')) : c.models.generateContentStream(ask('m')).then((s) => all(s)))))).length,
    seen: Array.from({ length: 30 }, () => seenAs('m')),
  },
];
}
