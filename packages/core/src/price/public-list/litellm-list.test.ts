/** LiteLLM's list → our sellers: exact rates, steps, units and fees; what our list cannot hold exactly is left out and is a gap. Rule 6e. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PublicListFault } from './fault.ts';
import { publicSellers } from './public-list.ts';

const fees = (low: number, high: number) => ({ search_context_size_low: low, search_context_size_high: high });
const list = {
  sample_spec: { input_cost_per_token: 0, litellm_provider: 'one of many' },
  remarks: { chat: {} },
  'gpt-4o': {
    litellm_provider: 'openai', mode: 'chat', input_cost_per_token: 2.5e-6, output_cost_per_token: 1e-5, cache_read_input_token_cost: 1.25e-6,
    input_cost_per_token_batches: 1.25e-6, input_cost_per_token_priority: 4.25e-6, search_context_cost_per_query: fees(0.03, 0.05),
  },
  'claude-sonnet-4-5': {
    litellm_provider: 'anthropic', input_cost_per_token: 3e-6, output_cost_per_token: 1.5e-5, cache_creation_input_token_cost: 3.75e-6,
    cache_creation_input_token_cost_above_1hr: 6e-6, input_cost_per_token_above_200k_tokens: 6e-6, output_cost_per_token_above_200k_tokens: 2.25e-5,
    search_context_cost_per_query: fees(0.01, 0.01),
  },
  'whisper-1': { litellm_provider: 'openai', input_cost_per_second: 0.0001, output_cost_per_second: 0.0001 },
  'groq/Llama-3': { litellm_provider: 'groq', input_cost_per_token: 5.46875e-7, output_cost_per_token: 0 },
  'mistral/ocr': { litellm_provider: 'mistral', ocr_cost_per_page: 0.002 },
  '1024-x-1024/dall-e-2': { litellm_provider: 'openai', input_cost_per_pixel: 1.9e-8 },
  'elsewhere/x': { litellm_provider: 'elsewhere', input_cost_per_token: 1e-6 },
};

test('every price that is read is exact, and each seller is at the address that the shipped list knows', () => {
  const sellers = publicSellers(list);
  const models = sellers.flatMap(({ id, models: own }) => own.map(({ id: model, rule, prices }) => {
    assert.deepEqual(rule, { is: model });
    return [id, model, ...prices];
  }));
  assert.deepEqual(models, [
    ['anthropic', 'claude-sonnet-4-5', {
      input: { base: 3_000_000, above: [{ tokens: 200_000, rate: 6_000_000 }] }, cacheWrite: 3_750_000, cacheWriteOneHour: 6_000_000,
      output: { base: 15_000_000, above: [{ tokens: 200_000, rate: 22_500_000 }] }, webSearch: 10_000_000_000,
    }],
    ['groq', 'llama-3', { input: 546_875, output: 0 }],
    ['mistral', 'ocr', { page: 2_000_000_000 }],
    ['openai', 'gpt-4o', { input: 2_500_000, cached: 1_250_000, output: 10_000_000 }],
    ['openai', 'whisper-1', { hour: 360_000_000_000 }],
  ]);
  assert.equal(sellers.find(({ id }) => id === 'groq')!.host, 'api\\.groq\\.com');
});

test('a price that is not valid is refused with its place', () => {
  const wrong = (more: object): unknown => ({ ...list, 'gpt-4o': { ...list['gpt-4o'], ...more } });
  const places: readonly (readonly [unknown, RegExp])[] = [
    [wrong({ input_cost_per_token: '1' }), /^\["gpt-4o"\]\.input_cost_per_token must be a price/],
    [wrong({ output_cost_per_token_above_128k_tokens: -1 }), /\.output_cost_per_token_above_128k_tokens must be a price/],
    [wrong({ litellm_provider: 7 }), /^\["gpt-4o"\]\.litellm_provider must be text/],
    [{ ...list, x: 7 }, /^\["x"\] must be an object/],
  ];
  for (const [value, sentence] of places) {
    assert.throws(() => publicSellers(value), (error) => error instanceof PublicListFault && sentence.test(error.message));
  }
});
