/**
 * The price file of docs/prices.md, and what calls cost by it: tiers, regions, dates, steps, units and fees, each to the nano-dollar, or a named gap.
 * Rules 6b and 6e.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { formatDollars } from '../money.ts';
import { createUsageReader } from '../usage/reader.ts';
import { costOf } from './cost.ts';
import { parseOverlay } from './overlay.ts';
import { createPriceBook, type PriceBook } from './price-book.ts';
import { priceList } from './price-list.ts';
import { at, chat, figures, message, response, tokens, unnamed, type Answer } from './test-support/answers.ts';

const page = readFileSync(new URL('../../../../docs/prices.md', import.meta.url), 'utf8');
const example = /```json\n([^]*?)```/.exec(page)![1]!;
const parsed = parseOverlay(example);
assert.ok('overlay' in parsed, 'refusal' in parsed ? parsed.refusal : '');
const book = createPriceBook({ list: priceList, overlay: { overlay: parsed.overlay, hash: 'ab'.repeat(32) } });

const host = 'llm.example.com';
const november = Date.parse('2026-11-30T23:59:59.999Z');
const december = Date.parse('2026-12-01T00:00:00Z');
const searched = (type: string) => ({ output: [{ type, status: 'completed', action: { type: 'search' } }] });

/** Name, answer, US dollars, gaps. */
const bills: readonly (readonly [string, Answer, string | null, ...string[]])[] = [
  ['the price before its successor begins', { ...chat('gpt-4o', tokens(1000, 100)), atMs: november }, '0.002800000'],
  ['the price from its date on', { ...chat('gpt-4o', tokens(1000, 100)), atMs: december }, '0.002100000'],
  ['years before', { ...chat('gpt-4o', tokens(1000, 100)), atMs: Date.parse('2024-06-01T00:00:00Z') }, '0.002800000'],
  ['cached, from its date on', { ...chat('gpt-4o', tokens(1000, 100, { prompt_tokens_details: { cached_tokens: 400 } })), atMs: december },
    '0.001800000'],
  ['another model keeps the list', { ...chat('gpt-4o-mini', tokens(1000, 100)), atMs: december }, '0.000210000'],
  ['flex', { ...chat('gpt-4o', tokens(1000, 100), { service_tier: 'flex' }), atMs: november }, '0.001400000'],
  ['priority', { ...chat('gpt-4o', tokens(1000, 100), { service_tier: 'priority' }), atMs: november }, '0.004760000'],
  ['priority, cached', { ...chat('gpt-4o', tokens(1000, 100, { prompt_tokens_details: { cached_tokens: 400 } }), { service_tier: 'Priority' }),
    atMs: november }, '0.004080000'],
  ['priority in a region', { ...chat('gpt-4o', tokens(1000, 100), { service_tier: 'priority' }), region: 'eu', atMs: november }, '0.005236000'],
  ['batch', { ...chat('gpt-4o', tokens(1000, 100), { service_tier: 'batch' }), atMs: november }, '0.001400000'],
  ['the ordinary tier', { ...chat('gpt-4o', tokens(1000, 100), { service_tier: 'default' }), atMs: november }, '0.002800000'],
  ['a tier without a factor', { ...chat('gpt-4o', tokens(1000, 100), { service_tier: 'scale' }), atMs: november }, '0.002800000', 'service_tier'],
  ['a tier after the price that has its factor', { ...chat('gpt-4o', tokens(1000, 100), { service_tier: 'flex' }), atMs: december },
    '0.002100000', 'service_tier'],
  ['a region by its address', { ...chat('gpt-4o', tokens(1000, 100)), region: 'eu', atMs: november }, '0.003080000'],
  ['a tier in a region', { ...chat('gpt-4o', tokens(1000, 100), { service_tier: 'flex' }), region: 'eu', atMs: november }, '0.001540000'],
  ['a region without a factor', { ...chat('gpt-4o', tokens(1000, 100)), region: 'us', atMs: november }, '0.002800000', 'region'],
  ['a web search, which no tier changes',
    { ...response('gpt-4o', figures(1000, 100), { ...searched('web_search_call'), service_tier: 'flex' }), atMs: november }, '0.011400000'],
  ['a file search', { ...response('gpt-4o', figures(1000, 100), searched('file_search_call')), atMs: november }, '0.005300000'],
  ['a container', { ...response('gpt-4o', figures(1000, 100), searched('code_interpreter_call')), atMs: november }, '0.032800000'],
  ['a container after the price that has its fee', { ...response('gpt-4o', figures(1000, 100), searched('code_interpreter_call')), atMs: december },
    '0.002100000', 'code_interpreter'],
  ['fine-tuned, at the step', chat('my-finetune:acme', tokens(272_000, 10)), '0.299288000'],
  ['fine-tuned, one above', chat('my-finetune:acme', tokens(272_001, 10)), '0.598534200'],
  ['fine-tuned, reasoning', chat('my-finetune:acme', tokens(10, 100, { completion_tokens_details: { reasoning_tokens: 60 } })), '0.000627000'],
  ['fine-tuned, reasoning above the step',
    chat('my-finetune:acme', tokens(300_000, 100, { completion_tokens_details: { reasoning_tokens: 60 } })), '0.660924000'],
  ['Anthropic, in the US', message('claude-sonnet-4-5-20250929', { input_tokens: 100, output_tokens: 10, inference_geo: 'us' }),
    '0.000495000'],
  ['Anthropic, a batch', message('claude-sonnet-4-5-20250929', { input_tokens: 100, output_tokens: 10, service_tier: 'batch' }), '0.000225000'],
  ['Anthropic, a batch in the US',
    message('claude-sonnet-4-5-20250929', { input_tokens: 100, output_tokens: 10, service_tier: 'batch', inference_geo: 'us' }), '0.000247500'],
  ['Anthropic, writes of both lifetimes', message('claude-sonnet-4-5-20250929', { input_tokens: 100, output_tokens: 10,
    cache_read_input_tokens: 1000, cache_creation_input_tokens: 300,
    cache_creation: { ephemeral_5m_input_tokens: 200, ephemeral_1h_input_tokens: 100 } }),
    '0.002100000'],
  ['seconds by the second', at(host, { ...unnamed('speech', { seconds: 12.5 }) }), '0.001250000'],
  ['a part of a second that is no whole number of milliseconds', at(host, { ...unnamed('speech', { seconds: 0.333333333333 }) }), '0.000033333'],
  ['seconds that round to even', at(host, { ...unnamed('speech', { seconds: 0.000025 }) }), '0.000000002'],
  ['seconds that cost less than can be charged', at(host, { ...unnamed('speech', { seconds: 1e-9 }) }), '0.000000000'],
  ['pages', at(host, { ...unnamed('reader', {}), body: { model: 'reader', usage_info: { pages_processed: 29 } } }), '0.058000000'],
  ['images', at(host, unnamed('painter', { images: 3 })), '0.120000000'],
  ['characters', at(host, unnamed('voice', { characters: 1234 })), '0.018510000'],
  ['the call itself', at(host, chat('asked', tokens(5, 5))), '0.012000000'],
  ['seconds where only pages have a price', at(host, unnamed('reader', { seconds: 12 })), null],
  ['tokens where only images have a price', at(host, chat('painter', tokens(5, 5))), null],
];

const freeUnits = [['second', { seconds: 12.5 }], ['hour', { seconds: 1 }], ['image', { images: 3 }], ['characters', { characters: 9 }]] as const;

function billed(answer: Answer, by: PriceBook): { dollars: string | null; gaps: readonly string[]; source: string } {
  const { wire, endpoint, body, host: upstreamHost = null, requestedModel = null, region = null, atMs = november } = answer;
  const reader = createUsageReader({ wire, endpoint, streamed: false });
  reader.push(Buffer.from(JSON.stringify(body)));
  const { cost, costGaps, costSource } = costOf({
    reading: reader.finish('whole'), requestedModel, region, provider: wire === 'upstream' ? null : wire, upstreamHost,
    book: by, fallback: null, atMs,
  });
  return { dollars: cost === null ? null : formatDollars(cost), gaps: costGaps, source: costSource };
}

describe('bills by the operator\'s own prices', () => {
  for (const [unit, usage] of freeUnits) {
    test(`a model whose ${unit} is free`, () => {
      const free = parseOverlay(JSON.stringify({ prices: [{ host, model: 'own', [unit]: '0' }] }));
      assert.ok('overlay' in free);
      const by = createPriceBook({ list: priceList, overlay: { overlay: free.overlay, hash: 'cd'.repeat(32) } });
      assert.deepEqual(billed(at(host, unnamed('own', usage)), by), { dollars: '0.000000000', gaps: [], source: 'priced' });
    });
  }

  for (const [what, answer, dollars, ...gaps] of bills) {
    test(what, () => {
      const bill = billed(answer, book);
      assert.equal(bill.dollars, dollars, bill.source);
      assert.deepEqual(bill.gaps, gaps);
    });
  }
});
