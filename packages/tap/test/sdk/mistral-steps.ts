/** The script for `@mistralai/mistralai`, for every major of it. */
import { createRequire } from 'node:module';
import type { Mistral } from '@mistralai/mistralai';
import { onceAsked } from './compare.ts';
import type { Expected, Step } from './compare.ts';

type Client = Mistral;

const limits = { requests_limit: 500, requests_remaining: 499, tokens_limit: 30000, tokens_remaining: null };
const seen = (cachedTokens: number) => (model: string, other: Expected = {}): Expected => ({
  provider: 'other', model: `served-${model}`, request_id: 'chatcmpl-N', input_tokens: 11, output_tokens: 7, cached_tokens: cachedTokens,
  stop_reason: 'stop', tool_calls: 0, status: 200, rate_limit: null, ...other,
});
const none = { input_tokens: 0, output_tokens: 0, cached_tokens: 0 };
const failed = (model: string | null, status: number): Expected => ({
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

/** A schema made with the library that the SDK itself depends on. */
function anObject(): unknown {
  const { z } = createRequire(import.meta.resolve('@mistralai/mistralai'))('zod') as { z: { object(shape: object): unknown } };
  return z.object({});
}

const ask = (model: string): { model: string; messages: { role: 'user'; content: string }[] } => ({ model,
  messages: [{ role: 'user', content: 'CANARY-prompt' }] });
const endings = [
  ['m', {}], ['m.tools', { stop_reason: 'tool_calls', tool_calls: 2 }], ['m.length', { stop_reason: 'length' }],
] as const;

/**
 * Signals by name. This SDK makes a `Request` from its options, and the runtime's `Request` can lose its signal when garbage is collected.
 * So the signal bypasses it and is applied where the request is sent.
 */
const signals = new Map<string, AbortSignal>();
const signalled = (signal: AbortSignal): { fetchOptions: { headers: Record<string, string> } } => {
  const name = `signal-${signals.size}`;
  signals.set(name, signal);
  return { fetchOptions: { headers: { 'x-signal': name } } };
};

/** Sends the SDK's requests. */
export async function fetchSignalled(input: Request | string | URL, init?: RequestInit): Promise<Response> {
  const { url, method, headers, body } = await plain(new Request(input, init));
  return fetch(url, { method, headers, body, signal: signals.get(headers.get('x-signal') ?? '') ?? null });
}

async function plain(request: Request): Promise<{ url: string; method: string; headers: Headers; body: string }> {
  return { url: request.url, method: request.method, headers: request.headers, body: await request.text() };
}

/** The steps; `cachedTokens` as the SDK passes them on: the oldest one drops them. */
export function mistralSteps(cachedTokens: number): readonly Step<Client>[] {
  const seenAs = seen(cachedTokens);
  return [
  ...endings.flatMap(([model, other]): Step<Client>[] => [
    { name: `chat ${model}`, run: (c) => c.chat.complete(ask(model)), seen: [seenAs(model, other)] },
    { name: `chat ${model}, streamed`, run: async (c) => all(await c.chat.stream(ask(model))), seen: [seenAs(model, other)] },
    { name: `agents ${model}`, run: (c) => c.agents.complete({ ...ask(model), agentId: model } as never), seen: [seenAs(model, other)] },
    { name: `fim ${model}`, run: (c) => c.fim.complete({ model, prompt: 'CANARY-prompt' }), seen: [seenAs(model, other)] },
  ]),
  ...[400, 401, 429, 500].flatMap((status): Step<Client>[] => [
    { name: `answered by ${status}`, run: (c) => c.chat.complete(ask(`m.status-${status}`)), seen: [failed(`m.status-${status}`, status)] },
    {
      name: `answered by ${status}, streamed`,
      run: (c) => c.chat.stream(ask(`m.status-${status}`)),
      seen: [failed(`m.status-${status}`, status)],
    },
  ]),
  { name: 'parse', run: (c) => c.chat.parse({ ...ask('m'), responseFormat: anObject() } as never), seen: [seenAs('m')] },
  { name: 'what the SDK itself refuses was no call', run: (c) => c.chat.complete({ model: 7, messages: 'x' } as never), seen: [] },
  { name: 'fim, streamed', run: async (c) => all(await c.fim.stream({ model: 'm', prompt: 'CANARY-prompt' })), seen: [seenAs('m')] },
  { name: 'agents, streamed', run: async (c) => all(await c.agents.stream({ ...ask('m'), agentId: 'm' } as never)), seen: [seenAs('m')] },
  {
    name: 'embeddings',
    run: (c) => c.embeddings.create({ model: 'm', inputs: ['CANARY-prompt'] }),
    seen: [{ model: 'served-m', request_id: 'emb-N', input_tokens: 5, output_tokens: 0, stop_reason: 'stop', status: 200 }],
  },
  {
    name: 'embeddings refused',
    run: (c) => c.embeddings.create({ model: 'm.status-400', inputs: ['CANARY-prompt'] }),
    seen: [failed('m.status-400', 400)],
  },
  {
    name: 'stream left at the first event',
    run: async (c) => all(await c.chat.stream(ask('m')), () => true),
    seen: [seenAs('m', { ...none, stop_reason: 'other' })],
  },
  {
    name: 'stream read by a reader',
    run: async (c) => {
      const s = await c.chat.stream(ask('m'));
      const r = s.getReader();
      const got = [await r.read(), s.locked];
      await r.cancel();
      r.releaseLock();
      return [got, s.locked];
    },
    seen: [seenAs('m', { ...none, stop_reason: 'other' })],
  },
  {
    name: 'stream read through tee',
    run: async (c) => {
      const s = await c.chat.stream(ask('m'));
      const [a, b] = s.tee();
      return [s.locked, a.constructor.name, await all(a as never), await all(b as never)];
    },
    seen: [seenAs('m')],
  },
  {
    name: 'stream piped',
    run: async (c) => {
      const got: unknown[] = [];
      await (await c.chat.stream(ask('m'))).pipeThrough(new TransformStream()).pipeTo(new WritableStream({ write: (part) => {
        got.push(part);
      } }));
      return got;
    },
    seen: [seenAs('m')],
  },
  {
    name: 'stream cancelled unread',
    run: async (c) => (await c.chat.stream(ask('m'))).cancel(),
    seen: [{ model: 'm', request_id: null, ...none, stop_reason: 'other', status: 200 }],
  },
  {
    name: 'stream cut by the provider',
    run: async (c) => all(await c.chat.stream(ask('m.cut'))),
    seen: [seenAs('m.cut', { ...none, stop_reason: 'error' })],
  },
  {
    name: 'the stream itself',
    run: async (c) => {
      const s = await c.chat.stream(ask('m'));
      const kind = [s.constructor.name, s instanceof ReadableStream, Object.keys(s), s.locked];
      await all(s);
      return kind;
    },
    seen: [seenAs('m')],
  },
  {
    name: 'the promise itself',
    run: async (c) => { const p = c.chat.complete(ask('m')); await p; return [p.constructor.name, Object.keys(p)]; },
    seen: [seenAs('m')],
  },
  {
    name: 'aborted before the head',
    run: async (c, provider) => {
      const abort = new AbortController();
      onceAsked(provider, () => abort.abort());
      const p = c.chat.complete(ask('m.hang'), signalled(abort.signal));
      return p;
    },
    seen: [failed('m.hang', 599)],
  },
  {
    name: 'aborted in a stream',
    run: async (c) => {
      const abort = new AbortController();
      const s = await c.chat.stream(ask('m.stall'), signalled(abort.signal));
      return all(s, () => { abort.abort(); return false; });
    },
    seen: [seenAs('m.stall', { ...none, stop_reason: 'other' })],
  },
  {
    name: 'timed out',
    run: (c, provider) => {
      const abort = new AbortController();
      onceAsked(provider, () => abort.abort(new DOMException('too slow', 'TimeoutError')));
      return c.chat.complete(ask('m.hang'), signalled(abort.signal));
    },
    seen: [failed('m.hang', 599)],
  },
  { name: 'dropped before the head', run: (c) => c.chat.complete(ask('m.drop')), seen: [failed('m.drop', 599)] },
  {
    name: 'keys of the client after use',
    run: async (c) => { await c.chat.complete(ask('m')); return [Object.keys(c), Object.keys(c.chat), c.chat === c.chat]; },
    seen: [seenAs('m')],
  },
  {
    name: 'thirty at once',
    run: async (c) =>
      (await Promise.all(Array.from({ length: 30 },
        (_, i) => (i % 2 ? c.chat.complete(ask('m')) : c.chat.stream(ask('m')).then((s) => all(s)))))).length,
    seen: Array.from({ length: 30 }, () => seenAs('m')),
  },
];
}
