/**
 * What else a call is charged for: tiers, regions, sound, cache writes, tools, further models. Each cost is calculated by hand, from
 * the rates as providers publish them; anything without a rate is named. Rule 6b. Recorded exchanges, if they are on this machine,
 * are priced by a separate program in this test.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { calcPrice } from '@pydantic/genai-prices';
import { corpus } from '@metergate/testkit/corpus.ts';
import type { Exchange } from '@metergate/testkit/exchange.ts';
import { formatDollars } from '../money.ts';
import { createUsageReader } from '../usage/reader.ts';
import type { Endpoint, Wire } from '../wire/wire.ts';
import { costOf, type Cost } from './cost.ts';
import { parseOverlay } from './overlay.ts';
import { createPriceBook, type PriceBook } from './price-book.ts';
import { priceList } from './price-list.ts';

const atMs = Date.parse('2026-09-23T12:00:00Z');
const frozen = createPriceBook({ list: priceList, overlay: null });

function costOfBody(wire: Wire, endpoint: Endpoint, body: string | Uint8Array, { book = frozen, streamed = false, upstreamHost = null }: {
  readonly book?: PriceBook; readonly streamed?: boolean; readonly upstreamHost?: string | null;
} = {}): Cost {
  const reader = createUsageReader({ wire, endpoint, streamed });
  reader.push(typeof body === 'string' ? new TextEncoder().encode(body) : body);
  const provider = wire === 'upstream' ? null : wire;
  return costOf({ reading: reader.finish('whole'), provider, upstreamHost, book, fallback: null, atMs });
}

const shown = ({ cost, costGaps }: Cost) => [cost === null ? null : formatDollars(cost), ...costGaps];

function withOverlay(...prices: object[]): PriceBook {
  const parsed = parseOverlay(JSON.stringify({ prices }));
  assert.ok('overlay' in parsed, 'refusal' in parsed ? parsed.refusal : '');
  return createPriceBook({ list: priceList, overlay: { overlay: parsed.overlay, hash: 'ab'.repeat(32) } });
}

describe('first wire', () => {
  const response = (usage: object, more: object = {}): string => JSON.stringify({ model: 'gpt-5', status: 'completed', usage, ...more });
  const plain = { input_tokens: 1_000, output_tokens: 100 };

  test('flex and priority have no factor in the list: full price, and the gap; an overlay\'s factor makes it whole', () => {
    // 1,000 × 1.25 + 100 × 10 dollars a million.
    assert.deepEqual(shown(costOfBody('openai', 'responses', response(plain, { service_tier: 'default' }))), ['0.002250000']);
    assert.deepEqual(shown(costOfBody('openai', 'responses', response(plain, { service_tier: 'flex' }))), ['0.002250000', 'service_tier']);
    assert.deepEqual(shown(costOfBody('openai', 'responses', response(plain, { service_tier: 'PRIORITY' }))), ['0.002250000', 'service_tier']);
    const book = withOverlay({ provider: 'openai', model: 'gpt-5', input: '1.25', cached: '0.125', output: '10', webSearch: '10',
      serviceTiers: { flex: '0.5', Priority: 2 } });
    assert.deepEqual(shown(costOfBody('openai', 'responses', response(plain, { service_tier: 'flex' }), { book })), ['0.001125000']);
    assert.deepEqual(shown(costOfBody('openai', 'responses', response(plain, { service_tier: 'priority' }), { book })), ['0.004500000']);
    // A fee is no token price: 0.001125 + 2 × 0.010.
    const searched = response(plain, { service_tier: 'flex', output: [{ type: 'web_search_call', action: { type: 'search' } }, { type: 'reasoning' },
      { type: 'web_search_call', action: { type: 'open_page' } }, { type: 'web_search_call', action: { type: 'search' } }] });
    assert.deepEqual(shown(costOfBody('openai', 'responses', searched, { book })), ['0.021125000']);
  });

  test('sound has its own rates; without one it is priced as text, and is a gap', () => {
    const usage = {
      prompt_tokens: 20, completion_tokens: 20, prompt_tokens_details: { audio_tokens: 10 }, completion_tokens_details: { audio_tokens: 15 },
    };
    // 10 × 2.5 + 10 × 32 + 5 × 10 + 15 × 64 dollars a million.
    const body = (model: string): string => JSON.stringify({ model, usage });
    assert.deepEqual(shown(costOfBody('openai', 'chat.completions', body('gpt-audio'))), ['0.001355000']);
    // Without a rate for sound it is paid as text: 20 × 2.5 + 20 × 10.
    assert.deepEqual(shown(costOfBody('openai', 'chat.completions', body('gpt-4o-audio-preview'))), ['0.000250000', 'audio']);
  });

  test('cache writes at 1.25 times the input; without a rate they are paid as input, and are a gap', () => {
    const usage = { input_tokens: 3_000, input_tokens_details: { cached_tokens: 1_000, cache_write_tokens: 1_500 }, output_tokens: 10 };
    // gpt-6-sol: 500 × 2 + 1,000 × 0.2 + 1,500 × 2.5 + 10 × 10.
    assert.deepEqual(shown(costOfBody('openai', 'responses', JSON.stringify({ model: 'gpt-6-sol', usage }))), ['0.005050000']);
    // gpt-5: 500 × 1.25 + 1,000 × 0.125 + 1,500 × 1.25 + 10 × 10.
    assert.deepEqual(shown(costOfBody('openai', 'responses', response(usage))), ['0.002725000', 'cache_write']);
  });

  test('as many web searches are paid as the answer says are billed', () => {
    const output = [{ type: 'web_search_call', action: { type: 'search' } }, { type: 'web_search_call', action: { type: 'search' } }];
    const told = (requests: unknown) => shown(costOfBody('openai', 'responses', response(plain, { output, tool_usage: { web_search: requests } })));
    // 0.00225 and 0.010 a search.
    assert.deepEqual(told({ num_requests: 1 }), ['0.012250000']);
    assert.deepEqual(told({ num_requests: 0 }), ['0.002250000']);
    for (const untold of [null, {}, { num_requests: -1 }]) assert.deepEqual(told(untold), ['0.022250000']);
  });

  test('cache writes that live twelve hours have no rate in the list, and are a gap', () => {
    const details = { cached_tokens: 0, cache_write_tokens: 1_500, cache_write_tokens_details: { ttl_12h_tokens: 500, ttl_30m_tokens: 1_000 } };
    const usage = { input_tokens: 2_000, input_tokens_details: details, output_tokens: 10 };
    // gpt-6-sol: 500 × 2 + 1,500 × 2.5 + 10 × 10.
    assert.deepEqual(shown(costOfBody('openai', 'responses', JSON.stringify({ model: 'gpt-6-sol', usage }))), ['0.004850000', 'cache_write']);
    const short = JSON.stringify({ model: 'gpt-6-sol', usage }).replace('500,"ttl_30m', '0,"ttl_30m');
    assert.deepEqual(shown(costOfBody('openai', 'responses', short)), ['0.004850000']);
  });

  test('file searches have a listed fee, the code interpreter has none', () => {
    const output = [{ type: 'file_search_call', queries: ['a'] }, { type: 'code_interpreter_call' }, { type: 'message', content: [{ type: 'x' }] }];
    // 0.00225 + 0.0025.
    assert.deepEqual(shown(costOfBody('openai', 'responses', response(plain, { output }))), ['0.004750000', 'code_interpreter']);
    const stream = `data: ${JSON.stringify({ type: 'response.completed', response: JSON.parse(response(plain, { output })) })}\n\n`;
    assert.deepEqual(shown(costOfBody('openai', 'responses', stream, { streamed: true })), ['0.004750000', 'code_interpreter']);
  });
});

describe('output that is not in the output', () => {
  const grok = (usage: object): string => JSON.stringify({ model: 'grok-4', usage: { prompt_tokens: 1_000, completion_tokens: 10, ...usage } });
  const costs = (body: string) => shown(costOfBody('upstream', 'chat.completions', body, { upstreamHost: 'api.x.ai' }));
  const reasoned = { completion_tokens_details: { reasoning_tokens: 90 } };

  test('reasoning that comes on top of the output, by the total, is paid too', () => {
    // grok-4: 1,000 × 3 + (10 + 90) × 15 dollars a million.
    assert.deepEqual(costs(grok({ ...reasoned, total_tokens: 1_100 })), ['0.004500000']);
    assert.deepEqual(costs(grok({ ...reasoned, completion_tokens: 100, total_tokens: 1_100 })), ['0.004500000'], 'within the output');
  });

  test('more than that is priced as output, and is a gap: nobody reports what it is', () => {
    assert.deepEqual(costs(grok({ total_tokens: 1_100 })), ['0.004500000', 'other_model']);
    assert.deepEqual(costs(grok({ ...reasoned, total_tokens: 1_200 })), ['0.006000000', 'other_model']);
  });

  test('an image that a tool made is a gap', () => {
    const answer = JSON.stringify({ model: 'gpt-5', status: 'completed', usage: { input_tokens: 1_000, output_tokens: 100, total_tokens: 1_100 },
      output: [{ type: 'image_generation_call', status: 'completed' }, { type: 'message' }] });
    assert.deepEqual(shown(costOfBody('openai', 'responses', answer)), ['0.002250000', 'other_model']);
  });
});

describe('second wire', () => {
  const message = (usage: object): string => JSON.stringify({
    type: 'message', model: 'claude-sonnet-5', stop_reason: 'end_turn', usage: { input_tokens: 1_000, output_tokens: 100, ...usage },
  });
  // claude-sonnet-5: 1,000 × 2 + 100 × 10 dollars a million.
  const base = '0.003000000';

  test('tier, faster mode and region are gaps unless they are the ordinary ones', () => {
    const costs = (usage: object) => shown(costOfBody('anthropic', 'messages', message(usage)));
    assert.deepEqual(costs({ service_tier: 'standard', inference_geo: 'global', speed: 'standard' }), [base]);
    assert.deepEqual(costs({ inference_geo: 'not_available' }), [base]);
    assert.deepEqual(costs({ service_tier: 'priority' }), [base, 'service_tier']);
    assert.deepEqual(costs({ service_tier: 'standard', speed: 'fast' }), [base, 'service_tier']);
    assert.deepEqual(costs({ service_tier: 'batch', inference_geo: 'us' }), [base, 'service_tier', 'region']);
    const factors = { regions: { us: '1.1' }, serviceTiers: { batch: 0.5 } };
    const book = withOverlay({ provider: 'anthropic', model: 'claude-sonnet-5', input: 2, output: 10, ...factors });
    const both = message({ service_tier: 'batch', inference_geo: 'us' });
    assert.deepEqual(shown(costOfBody('anthropic', 'messages', both, { book })), ['0.001650000']);
  });

  test('a fallback model\'s iteration is in the message\'s own figures; the cost of the declined turn is not reported', () => {
    const served = { type: 'fallback_message', model: 'claude-sonnet-5', input_tokens: 1_000, output_tokens: 100 };
    const declined = { type: 'message', model: 'claude-opus-4-8', input_tokens: 1_000, output_tokens: 0 };
    assert.deepEqual(shown(costOfBody('anthropic', 'messages', message({ iterations: [declined, served] }))), [base, 'other_model']);
  });

  test('a retry that is billed at other rates, for a credit, is a gap', () => {
    const credit = (status: object | null) => shown(costOfBody('anthropic', 'messages', message({ fallback_credit: { status } })));
    assert.deepEqual(credit({ type: 'redeemed' }), [base, 'other_model']);
    assert.deepEqual(credit({ type: 'not_applied', reason: 'expired' }), [base]);
    assert.deepEqual(credit(null), [base]);
  });

  test('web searches have a listed fee, fetches are free', () => {
    const usage = { server_tool_use: { web_search_requests: 3, web_fetch_requests: 2 } };
    assert.deepEqual(shown(costOfBody('anthropic', 'messages', message(usage))), ['0.033000000']);
    assert.equal(costOfBody('anthropic', 'messages', message({ server_tool_use: { web_search_requests: 1.5 } })).costSource, 'none');
  });

  test('another model\'s iterations are paid at its price, a compaction at the message\'s own; an unknown model is a gap', () => {
    const own = { type: 'message', input_tokens: 1_000, output_tokens: 100 };
    const advisor = { type: 'advisor_message', model: 'claude-opus-4-8', input_tokens: 2_529, output_tokens: 38, cache_read_input_tokens: 100 };
    // 0.003 + 2,529 × 5 + 100 × 0.5 + 38 × 25 dollars a million.
    assert.deepEqual(shown(costOfBody('anthropic', 'messages', message({ iterations: [own, advisor] }))), ['0.016645000']);
    const compaction = { type: 'compaction', input_tokens: 10_000, output_tokens: 500 };
    // 0.003 + 10,000 × 2 + 500 × 10.
    assert.deepEqual(shown(costOfBody('anthropic', 'messages', message({ iterations: [compaction, own] }))), ['0.028000000']);
    const stranger = { ...advisor, model: 'nobody-1' };
    assert.deepEqual(shown(costOfBody('anthropic', 'messages', message({ iterations: [own, stranger] }))), [base, 'other_model']);
    assert.deepEqual(shown(costOfBody('anthropic', 'messages', message({ iterations: [{ ...advisor, output_tokens: -1 }] }))), [base, 'other_model']);
    const many = Array.from({ length: 80 }, () => compaction);
    assert.ok(shown(costOfBody('anthropic', 'messages', message({ iterations: many }))).includes('other_model'), 'more than are kept');
  });
});

/** What a recorded answer reports, taken from its parsed JSON only by this test's code. */
interface Bill { readonly dollars: number; readonly gaps: readonly string[] }
type Json = Record<string, unknown>;

function billByHand({ response, wire }: Exchange): Bill | null {
  const text = response.body.toString('utf8');
  const lines = text.trimStart().startsWith('{') ? [text]
    : text.split('\n').filter((line) => line.startsWith('data: {')).map((line) => line.slice(6));
  const documents = lines.map((line) => JSON.parse(line) as Json);
  const usage: Json = {};
  const said: Json = {};
  for (const document of documents) {
    const answer = (document['response'] ?? document['message'] ?? document) as Json;
    const container = answer['container'] ?? (document['delta'] as Json | undefined)?.['container'];
    if (container !== undefined && container !== null) said['container'] = container;
    for (const name of ['model', 'service_tier', 'output']) if (answer[name] !== undefined && answer[name] !== null) said[name] = answer[name];
    Object.assign(usage, answer['usage'] ?? document['usage'] ?? {});
  }
  const figure = (path: string): number => Number(path.split('.').reduce<unknown>((at, name) => (at as Json | undefined)?.[name], usage) ?? 0);
  if (figure('input_tokens') + figure('prompt_tokens') + figure('output_tokens') === 0 || typeof said['model'] !== 'string') return null;
  const anthropic = wire.startsWith('anthropic');
  const words = anthropic ? ['input', 'output'] : 'prompt_tokens' in usage ? ['prompt', 'completion'] : ['input', 'output'];
  const [cached, written] = anthropic ? [figure('cache_read_input_tokens'), figure('cache_creation_input_tokens')]
    : [figure(`${words[0]}_tokens_details.cached_tokens`), figure(`${words[0]}_tokens_details.cache_write_tokens`)];
  const oneHour = figure('cache_creation.ephemeral_1h_input_tokens');
  const items = ((said['output'] ?? []) as Json[])
    .map(({ type, action }) => `${type as string} ${((action ?? {}) as Json)['type'] as string ?? ''}`.trim());
  const count = (...names: string[]): number => items.filter((item) => names.includes(item)).length;
  const priceOf = (model: string, tokens: Record<string, number>): { total_price: number; model_price?: Json } | null =>
    calcPrice(tokens, model, { providerApiUrl: `https://api.${anthropic ? 'anthropic' : 'openai'}.com/v1`, timestamp: new Date(atMs) }) as never;
  const searches = figure('server_tool_use.web_search_requests') + count('web_search_call', 'web_search_call search');
  const main = priceOf(said['model'], {
    input_tokens: figure(`${words[0]}_tokens`) + (anthropic ? cached! + written! : 0), output_tokens: figure(`${words[1]}_tokens`),
    cache_read_tokens: cached!, cache_write_tokens: written!, ...(oneHour > 0 ? { cache_write_1h_tokens: oneHour } : {}),
    input_audio_tokens: figure(`${words[0]}_tokens_details.audio_tokens`), output_audio_tokens: figure(`${words[1]}_tokens_details.audio_tokens`),
  });
  if (main === null) return null;
  let dollars = main.total_price + searches * 0.01 + count('file_search_call') * 0.0025;
  for (const each of (usage['iterations'] ?? []) as Json[]) {
    if (each['type'] === 'message') continue;
    dollars += priceOf((each['model'] ?? said['model']) as string, {
      input_tokens: Number(each['input_tokens']), output_tokens: Number(each['output_tokens']),
    })!.total_price;
  }
  const ordinary = ['default', 'standard', 'auto', undefined];
  return {
    dollars,
    gaps: [
      ...(ordinary.includes((usage['service_tier'] ?? said['service_tier']) as string | undefined) ? [] : ['service_tier']),
      ...(count('code_interpreter_call') > 0 || 'container' in said ? ['code_interpreter'] : []),
    ],
  };
}

const recorded = [
  ['openai-chat-completions', 'openai', 'chat.completions'], ['openai-responses', 'openai', 'responses'],
  ['anthropic-messages', 'anthropic', 'messages'],
] as const;
for (const [folder, wire, endpoint] of recorded) {
  const exchanges = corpus(folder).filter(({ response }) => Math.floor(response.status / 100) === 2);
  test(`${folder}: ${exchanges.length} recorded answers cost what this test calculates by itself, or name the gap`, () => {
    const seen = new Set<string>();
    let compared = 0;
    for (const exchange of exchanges) {
      const bill = billByHand(exchange);
      const cost = costOfBody(wire, endpoint, exchange.response.body, { streamed: exchange.streamed });
      if (bill === null || cost.cost === null) continue;
      const known = cost.costGaps.filter((gap) => !['audio', 'cache_write', 'cached'].includes(gap));
      assert.deepEqual(known, bill.gaps, exchange.name);
      assert.ok(Math.abs(Number(cost.cost) - bill.dollars * 1e9) < 2, `${exchange.name}: ${cost.cost} ${bill.dollars}`);
      for (const gap of cost.costGaps) seen.add(gap);
      compared += 1;
    }
    assert.ok(exchanges.length === 0 || compared > 50, `${compared} were compared`);
    if (folder === 'openai-responses' && exchanges.length > 0) assert.ok(seen.has('service_tier'), 'flex is among them');
  });
}
