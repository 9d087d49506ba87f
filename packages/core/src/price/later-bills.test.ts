/**
 * Bills of work that is billed later: batches on both wires, background responses, videos, training, and completions of the oldest kind. The answers
 * have the shapes that providers document; each is read in small pieces and costs what its charges add up to, to the nano-dollar, or names
 * the gap, or waits for an answer that tells more. Rules 6b and 6f.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { formatDollars } from '../money.ts';
import { createOutcomeReader } from '../usage/outcome-reader.ts';
import { outcomePlaceOf } from '../usage/outcome-place.ts';
import type { Wire } from '../wire/wire.ts';
import { costOf } from './cost.ts';
import { parseOverlay } from './overlay.ts';
import { createPriceBook } from './price-book.ts';
import { priceList } from './price-list.ts';
import { costTogether } from './priced-together.ts';
import { OutcomeTally } from './settlement.ts';
import { chat, embeddings, figures, message, response, tokens, type Usage } from './test-support/answers.ts';

const own = parseOverlay(JSON.stringify({ prices: [
  { provider: 'openai', model: 'gpt-4.1-nano', input: '0.10', cached: '0.025', output: '0.40', serviceTiers: { batch: '0.5' } },
  { provider: 'openai', model: 'sora-2', second: '0.10' },
] }));
assert.ok('overlay' in own);
const listed = createPriceBook({ list: priceList, overlay: null });
const withOwn = createPriceBook({ list: priceList, overlay: { overlay: own.overlay, hash: 'ab'.repeat(32) } });

interface Told {
  readonly path: string;
  /** One object, or the lines of a file. */
  readonly body: object | readonly object[];
  /** The provider that a named upstream was declared to be. */
  readonly listedAs?: string;
  readonly overlay?: boolean;
}

const ok = (body: object, custom_id: string = 'a'): object =>
  ({ id: `batch_req_${custom_id}`, custom_id, response: { status_code: 200, request_id: 'r', body }, error: null });
const failed = { id: 'batch_req_x', custom_id: 'x', response: { status_code: 400, body: { error: { message: 'no' } } }, error: null };
const expired = { id: 'batch_req_y', custom_id: 'y', response: null, error: { code: 'batch_expired', message: 'late' } };
const file = '/v1/files/file-1/content';
const results = '/v1/messages/batches/msgbatch_1/results';
const done = (type: string, more: object = {}): object => ({ custom_id: type, result: { type, ...more } });
const succeeded = (model: string, usage: Usage): object => done('succeeded', { message: message(model, usage).body });
const batch = (model: string, usage: Usage, status: string = 'completed'): object =>
  ({ id: 'batch_1', object: 'batch', endpoint: '/v1/responses', model, status, output_file_id: 'file-1', error_file_id: null, usage });
const later = (status: string, usage: Usage | null): object =>
  ({ ...response('gpt-5', usage ?? {}, { id: 'resp_1', status, background: true }).body, usage });
const video = (status: string): object => ({ id: 'video_1', object: 'video', model: 'sora-2', status, seconds: '8', size: '720x1280' });
const training = { object: 'fine_tuning.job', id: 'ftjob-1', model: 'gpt-4o-mini-2024-07-18', status: 'succeeded', trained_tokens: 5768 };

/** US dollars; `unpriced`: counted, and without a price; `waits`: not settled by this answer. */
const bills: readonly (readonly [what: string, told: Told, dollars: string, ...gaps: string[]])[] = [
  ['lines of chat', { path: file, body: [ok(chat('gpt-4o-mini', tokens(1000, 100)).body), ok(chat('gpt-4o-mini', tokens(10, 1)).body, 'b')] },
    // 1,010 × 0.15 + 101 × 0.60 millionths.
    '0.000212100', 'service_tier'],
  ['lines of chat, some cached',
    { path: file, body: [ok(chat('gpt-4.1-mini', tokens(2000, 10, { prompt_tokens_details: { cached_tokens: 1024 } })).body)] },
    // 976 × 0.40 + 1,024 × 0.10 + 10 × 1.60.
    '0.000508800', 'service_tier'],
  ['lines of responses', { path: file, body: [ok(response('gpt-4.1', figures(36, 87)).body)] }, '0.000768000', 'service_tier'],
  ['lines of embeddings', { path: file, body: [ok(embeddings('text-embedding-3-small', 8000).body)] }, '0.000160000', 'service_tier'],
  ['lines of completions', { path: file, body: [ok({ object: 'text_completion', model: 'gpt-3.5-turbo-instruct', usage: tokens(100, 10) })] },
    '0.000170000', 'service_tier'],
  ['lines that failed and expired beside one that did not', { path: file, body: [failed, ok(chat('gpt-4o', tokens(100, 10)).body), expired] },
    '0.000350000', 'service_tier'],
  ['two lines at the step: the sum is above it, no request is',
    { path: file, body: [ok(chat('gpt-5.4', tokens(272_000, 0)).body), ok(chat('gpt-5.4', tokens(272_000, 0)).body, 'b')] },
    '1.360000000', 'service_tier'],
  ['a line at the step and one above it',
    { path: file, body: [ok(chat('gpt-5.4', tokens(272_000, 0)).body), ok(chat('gpt-5.4', tokens(272_001, 0)).body, 'b')] },
    '2.040005000', 'service_tier'],
  ['lines of two models', { path: file, body: [ok(chat('gpt-4o', tokens(100, 0)).body), ok(chat('gpt-4o-mini', tokens(100, 0)).body, 'b')] },
    '0.000265000', 'service_tier'],
  ['a line without a price beside one with it',
    { path: file, body: [ok(chat('gpt-4o', tokens(100, 0)).body), ok(chat('nobody-1', tokens(100, 0)).body, 'b')] },
    '0.000250000', 'service_tier', 'other_model'],
  ['a fine-tuned model in a batch, cached', { path: file,
    body: [ok(chat('ft:gpt-4o-2024-08-06:acme::a1', tokens(1000, 200, { prompt_tokens_details: { cached_tokens: 512 } })).body)] },
    '0.006750000', 'service_tier', 'cached'],
  ['a factor of one\'s own for batches', { path: file, overlay: true, body: [ok(chat('gpt-4.1-nano', tokens(1000, 100)).body)] }, '0.000070000'],
  ['a batch with its usage', { path: '/v1/batches/batch_1', body: batch('gpt-4o-mini', figures(1010, 101)) }, '0.000212100', 'service_tier'],
  ['a batch with its usage and cached tokens',
    { path: '/v1/batches/batch_1', body: batch('gpt-4.1-nano', figures(1000, 100, { input_tokens_details: { cached_tokens: 400 } })), overlay: true },
    // Half of 600 × 0.10 + 400 × 0.025 + 100 × 0.40.
    '0.000055000'],
  ['a batch whose sum is at the step', { path: '/v1/batches/batch_1', body: batch('gpt-5.4', figures(272_000, 0)) }, '0.680000000', 'service_tier'],
  ['a batch whose sum is above it', { path: '/v1/batches/batch_1', body: batch('gpt-5.4', figures(272_001, 0)) }, 'waits'],
  ['the same behind a name, of a seller by declaration',
    { path: '/upstreams/mine/v1/batches/batch_1', body: batch('gpt-5.4', figures(272_001, 0)), listedAs: 'openai' }, 'waits'],
  ['lines behind a name, of a seller by declaration',
    { path: '/upstreams/mine/v1/files/file-1/content', body: [ok(chat('gpt-4o-mini', tokens(1000, 100)).body)], listedAs: 'openai' },
    '0.000210000', 'service_tier'],
  ['lines behind a name, of nobody known', { path: '/upstreams/mine/v1/files/file-1/content', body: [ok(chat('gpt-4o-mini', tokens(9, 9)).body)] },
    'unpriced'],
  ['a batch that is under way', { path: '/v1/batches/batch_1', body: batch('gpt-4o-mini', figures(10, 1), 'in_progress') }, 'waits'],
  ['a batch that was cancelled after some requests', { path: '/v1/batches/batch_1', body: batch('gpt-4o-mini', figures(10, 1), 'cancelled') },
    '0.000002100', 'service_tier'],
  ['messages',
    { path: results, body: [succeeded('claude-sonnet-5', figures(25, 150)), done('errored', { error: {} }), done('expired'), done('canceled')] },
    '0.001550000', 'service_tier'],
  ['messages, caches of both lifetimes', { path: results, body: [succeeded('claude-sonnet-5', figures(3, 8, { cache_read_input_tokens: 1800,
    cache_creation_input_tokens: 248, cache_creation: { ephemeral_5m_input_tokens: 148, ephemeral_1h_input_tokens: 100 } }))] },
    // 3 × 2 + 1,800 × 0.20 + 148 × 2.50 + 100 × 4 + 8 × 10.
    '0.001216000', 'service_tier'],
  ['messages that searched',
    { path: results, body: [succeeded('claude-sonnet-5', figures(25, 150, { server_tool_use: { web_search_requests: 2 } }))] },
    '0.021550000', 'service_tier'],
  ['messages at the step, twice', { path: results, body: [1, 2].map(() => succeeded('claude-sonnet-4-5-20250929', figures(200_000, 0))) },
    '1.200000000', 'service_tier'],
  ['messages served in one country', { path: results, body: [succeeded('claude-sonnet-5', figures(25, 150, { inference_geo: 'us' }))] },
    '0.001550000', 'service_tier', 'region'],
  ['a response made in the background', { path: '/v1/responses/resp_1', body: later('completed', figures(5000, 40, { input_tokens_details: {
    cached_tokens: 4480 } })) },
    // 520 × 1.25 + 4,480 × 0.125 + 40 × 10.
    '0.001610000'],
  ['one that is under way', { path: '/v1/responses/resp_1', body: later('in_progress', null) }, 'waits'],
  ['one that was cancelled', { path: '/v1/responses/resp_1', body: later('cancelled', null) }, 'waits'],
  ['one that was cut at its bound', { path: '/v1/responses/resp_1', body: later('incomplete', figures(100, 10)) }, '0.000225000'],
  ['a video', { path: '/v1/videos/video_1', body: video('completed') }, 'unpriced'],
  ['a video at a price by the second', { path: '/v1/videos/video_1', body: video('completed'), overlay: true }, '0.800000000'],
  ['a video that is being made', { path: '/v1/videos/video_1', body: video('in_progress') }, 'waits'],
  ['a chat that was deferred', { path: '/upstreams/mine/v1/chat/deferred-completion/r1', body: chat('grok-4-0709', tokens(32, 9)).body,
    listedAs: 'x-ai' }, '0.000231000'],
  ['one that says its cost', { path: '/upstreams/mine/v1/chat/deferred-completion/r1',
    body: chat('grok-4-0709', tokens(32, 9, { cost_in_usd_ticks: 37_756_000 })).body, listedAs: 'x-ai' }, '0.003775600'],
  ['an asynchronous chat that says its cost', { path: '/upstreams/mine/async/chat/completions/r1', body: { id: 'r1', status: 'COMPLETED',
    response: chat('sonar', tokens(14, 120, { cost: { total_cost: 0.012134 } })).body }, listedAs: 'perplexity' }, '0.012134000'],
  ['one that is under way', { path: '/upstreams/mine/v1/async/sonar/r1', body: { id: 'r1', status: 'IN_PROGRESS', response: null } }, 'waits'],
  ['one that failed', { path: '/upstreams/mine/v1/async/sonar/r1', body: { id: 'r1', status: 'FAILED', response: null } }, 'waits'],
  ['an interaction in the background', { path: '/upstreams/mine/v1beta/interactions/v1_1', body: { id: 'v1_1', status: 'completed',
    model: 'gemini-2.5-flash', usage: { total_input_tokens: 100, total_output_tokens: 20, total_thought_tokens: 50, total_tokens: 170 } },
    listedAs: 'google' }, '0.000205000'],
  ['one that is under way, with figures so far', { path: '/upstreams/mine/v1beta/interactions/v1_1', body: { id: 'v1_1', status: 'in_progress',
    model: 'gemini-2.5-flash', usage: { total_input_tokens: 100, total_output_tokens: 20, total_tokens: 120 } } }, 'waits'],
  ['a job of Mistral\'s, whose lines tell', { path: '/upstreams/mine/v1/batch/jobs/b1', body: { id: 'b1', object: 'batch', status: 'SUCCESS',
    output_file: 'f1' } }, 'waits'],
  ['its lines', { path: '/upstreams/mine/v1/files/f1/content', body: [ok(chat('mistral-large-2512', tokens(100, 10)).body)], listedAs: 'mistral' },
    '0.000065000', 'service_tier'],
  ['a model that was trained', { path: '/v1/fine_tuning/jobs/ftjob-1', body: training }, 'unpriced'],
];

function settled({ path, body, listedAs, overlay = false }: Told) {
  const place = outcomePlaceOf({ method: 'GET', path })!;
  const wire: Wire = path.startsWith('/upstreams') ? 'upstream' : path.startsWith('/v1/messages') ? 'anthropic' : 'openai';
  const tally = new OutcomeTally(place, (reading) => (place.form === 'batch' ? costTogether : costOf)({
    reading, requestedModel: null, region: null, provider: wire === 'upstream' ? null : wire,
    upstreamHost: wire === 'upstream' ? 'https://llm.example.com' : null, listedAs: listedAs ?? null, book: overlay ? withOwn : listed,
    fallback: null, atMs: Date.parse('2026-09-23T12:00:00Z'),
  }));
  const reader = createOutcomeReader({ wire, streamed: false }, tally);
  const bytes = Buffer.from(Array.isArray(body) ? body.map((line) => `${JSON.stringify(line)}\n`).join('') : JSON.stringify(body));
  for (let at = 0; at < bytes.length; at += 61) reader.push(bytes.subarray(at, at + 61));
  reader.finish('whole');
  return tally.figures();
}

describe('bills of work that is billed later', () => {
  for (const [what, told, dollars, ...gaps] of bills) {
    test(what, () => {
      const found = settled(told);
      const said = found === null ? 'waits' : found.cost === null ? found.costSource : formatDollars(found.cost);
      assert.deepEqual([said, ...found?.costGaps ?? []], [dollars, ...gaps]);
    });
  }

  test('a sum beyond money names the gap', () => {
    const most = ok(chat('gpt-4o', tokens(3_000_000_000_000_000, 0)).body);
    assert.deepEqual(settled({ path: file, body: [most, most] })!.costGaps, ['service_tier', 'amount']);
  });
});
