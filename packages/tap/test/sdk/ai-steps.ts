/** The script for the models and providers of the AI SDK, used by `ai` itself. */
import type { createOpenAI } from '@ai-sdk/openai';
import type * as Ai from 'ai';
import { onceAsked } from './compare.ts';
import type { Expected, Step } from './compare.ts';

type Provider = ReturnType<typeof createOpenAI>;

const limits = { requests_limit: 500, requests_remaining: 499, tokens_limit: 30000, tokens_remaining: null };
const none = { input_tokens: 0, output_tokens: 0, cached_tokens: 0 };
const chatSeen = (model: string, other: Expected = {}): Expected => ({
  provider: 'other', model: `served-${model}`, request_id: 'chatcmpl-N', input_tokens: 11, output_tokens: 7, cached_tokens: 4,
  stop_reason: 'stop', tool_calls: 0, status: 200, rate_limit: limits, ...other,
});
const responsesSeen = (model: string, other: Expected = {}): Expected => ({
  model: `served-${model}`, request_id: 'resp-N', input_tokens: 20, output_tokens: 9, cached_tokens: 5, stop_reason: 'stop', tool_calls: 0,
    status: 200, ...other,
});
const failed = (model: string, status: number): Expected => ({
  model, ...none, stop_reason: 'error', tool_calls: 0, status,
    ...(status === 599 ? { request_id: null, rate_limit: null } : { request_id: 'req_first', rate_limit: limits }),
});

async function all(stream: AsyncIterable<unknown>, last?: () => boolean): Promise<unknown[]> {
  const parts: unknown[] = [];
  for await (const part of stream) {
    parts.push(part);
    if (last?.()) break;
  }
  return parts;
}

/** The steps, with the functions of one major of `ai`. */
export function aiSteps({ generateText, streamText, embed, embedMany, jsonSchema }: typeof Ai): readonly Step<Provider>[] {
  const tools = { look: { description: 'looks', inputSchema: jsonSchema({ type: 'object', properties: {} }) } };
  const text = async (p: Provider, model: Ai.LanguageModel, more = {}): Promise<unknown> => {
    const { text: said, finishReason, usage, toolCalls } = await generateText({ model, prompt: 'CANARY-prompt', maxRetries: 0, ...more });
    return { said, finishReason, usage, calls: toolCalls.length, p: typeof p };
  };
  const stream = async (model: Ai.LanguageModel, more = {}): Promise<unknown> => {
    const result = streamText({ model, prompt: 'CANARY-prompt', maxRetries: 0, onError: () => {}, ...more });
    const parts = await all(result.textStream);
    return { parts, usage: await result.usage, finishReason: await result.finishReason };
  };
  const direct = { prompt: [{ role: 'user', content: [{ type: 'text', text: 'CANARY-prompt' }] }] } as never;
  return [
    { name: 'generateText, chat', run: (p) => text(p, p.chat('m')), seen: [chatSeen('m')] },
    {
      name: 'generateText, chat with tools',
      run: (p) => text(p, p.chat('m.tools'), { tools }),
      seen: [chatSeen('m.tools', { stop_reason: 'tool_calls', tool_calls: 2 })],
    },
    {
      name: 'generateText, chat cut for length',
      run: (p) => text(p, p.chat('m.length')),
      seen: [chatSeen('m.length', { stop_reason: 'length' })],
    },
    {
      name: 'generateText, chat filtered',
      run: (p) => text(p, p.chat('m.filter')),
      seen: [chatSeen('m.filter', { stop_reason: 'content_filter' })],
    },
    { name: 'generateText, responses', run: (p) => text(p, p.responses('m')), seen: [responsesSeen('m')] },
    {
      name: 'generateText, responses with tools',
      run: (p) => text(p, p.languageModel('m.tools'), { tools }),
      seen: [responsesSeen('m.tools', { stop_reason: 'tool_calls', tool_calls: 1 })],
    },
    { name: 'streamText, chat', run: (p) => stream(p.chat('m')), seen: [chatSeen('m')] },
    {
      name: 'streamText, chat with tools',
      run: (p) => stream(p.chat('m.tools'), { tools }),
      seen: [chatSeen('m.tools', { stop_reason: 'tool_calls', tool_calls: 2 })],
    },
    { name: 'streamText, responses', run: (p) => stream(p.responses('m')), seen: [responsesSeen('m')] },
    {
      name: 'streamText refused',
      run: async (p) =>
        (await all(streamText({ model: p.chat('m.status-429'), prompt: 'CANARY-prompt', maxRetries: 0, onError: () => {} }).textStream)).length,
      seen: [failed('m.status-429', 429)],
    },
    {
      name: 'streamText cut by the provider',
      run: async (p) =>
        (await all(streamText({ model: p.chat('m.cut'), prompt: 'CANARY-prompt', maxRetries: 0, onError: () => {} }).textStream)).length,
      seen: [chatSeen('m.cut', { ...none, stop_reason: 'error' })],
    },
    ...[400, 401, 500].map((status): Step<Provider> => ({ name: `generateText answered by ${status}`,
      run: (p) => text(p, p.chat(`m.status-${status}`)), seen: [failed(`m.status-${status}`, status)] })),
    {
      name: 'each try of `ai` itself is a call',
      run: (p) => text(p, p.chat('m.status-429.once'), { maxRetries: 1 }),
      seen: [failed('m.status-429.once', 429), chatSeen('m.status-429.once')],
    },
    { name: 'dropped before the head', run: (p) => text(p, p.chat('m.drop')), seen: [failed('m.drop', 599)] },
    {
      name: 'aborted before the head',
      run: async (p, provider) => {
        const abort = new AbortController();
        onceAsked(provider, () => abort.abort());
        const t = text(p, p.chat('m.hang'), { abortSignal: abort.signal });
        return t;
      },
      seen: [failed('m.hang', 599)],
    },
    {
      name: 'doStream by hand, left',
      run: async (p) => {
        const { stream: s } = await p.chat('m').doStream(direct);
        const r = s.getReader();
        await r.read();
        await r.cancel();
        return [s.constructor.name, s instanceof ReadableStream];
      },
      seen: [{ stop_reason: 'other', status: 200, rate_limit: limits }],
    },
    {
      name: 'doStream by hand, teed',
      run: async (p) => {
        const { stream: s } = await p.chat('m').doStream(direct);
        const [a, b] = s.tee();
        return [(await all(a as never)).length, (await all(b as never)).length];
      },
      seen: [chatSeen('m')],
    },
    {
      name: 'embed',
      run: async (p) => (await embed({ model: p.textEmbeddingModel('m'), value: 'CANARY-prompt' })).embedding,
      seen: [
        { model: 'm', request_id: 'req_first', input_tokens: 5, output_tokens: 0, stop_reason: 'stop', status: 200, rate_limit: limits },
      ],
    },
    {
      name: 'embedMany',
      run: async (p) => (await embedMany({ model: p.embedding('m'), values: ['x', 'y'] })).usage,
      seen: [{ input_tokens: 5, stop_reason: 'stop' }],
    },
    {
      name: 'the model itself',
      run: async (p) => { const m = p.chat('m'); return [Object.keys(m), m.constructor.name, m.provider, m.modelId]; },
      seen: [],
    },
    {
      name: 'twenty at once',
      run: async (p) =>
        (await Promise.all(Array.from({ length: 20 }, (_, i) => (i % 2 ? text(p, p.chat('m')) : stream(p.chat('m')))))).length,
      seen: Array.from({ length: 20 }, () => chatSeen('m')),
    },
  ];
}
