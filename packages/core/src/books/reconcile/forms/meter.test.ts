/** Meters as clouds name them in their price lists and reports → our model and what they count. One line each. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OurNames } from '../our-names.ts';
import { meterOf, tokensPerUnit } from './meter.ts';

type Sample = readonly [meter: string, model: string, kind: string, product?: string];

const azure: readonly Sample[] = [
  ['text-embedding-3-large-glbl Tokens', 'text-embedding-3-large', 'input'],
  ['text embedding 3 large DZ Tokens', 'text-embedding-3-large', 'input', 'Azure OpenAI Embedding'],
  ['embedding-ada-glbl Tokens', 'text-embedding-ada-002', 'input'],
  ['gpt-4o-transcribe-aud-inp-glbl Tokens', 'gpt-4o-transcribe', 'audioInput'],
  ['gpt-4o-transcribe-txt-out-glbl Tokens', 'gpt-4o-transcribe', 'output'],
  ['gpt rt aud 0828 cchd Inp glbl Tokens', 'gpt-realtime-2025-08-28', 'cached'],
  ['gpt-realtime-2.1 Text inp Gl 1M Tokens', 'gpt-realtime-2.1', 'input'],
  ['gpt-realtime-2.1 Audio opt Gl 1M Tokens', 'gpt-realtime-2.1', 'audioOutput'],
  ['5.6 sol ShortCo Inp Std Gl 1M Tokens', 'gpt-5.6-sol', 'input', 'Azure OpenAI GPT5'],
  ['5.6 sol ShortCo Cd Wr Std Gl 1M Tokens', 'gpt-5.6-sol', 'cacheWrite', 'Azure OpenAI GPT5'],
  ['5.6 sol LongCo Cd Wr PP DZ 1M Tokens', 'gpt-5.6-sol', 'cacheWrite', 'Azure OpenAI GPT5'],
  ['56sol ShCo Cd Wr Fl Gl 1M Tokens', 'gpt-5.6-sol', 'cacheWrite', 'Azure OpenAI GPT5'],
  ['56sol ShCo Inp Fl Gl 1M Tokens', 'gpt-5.6-sol', 'input', 'Azure OpenAI GPT5'],
  ['5.4 nano Batch cd Inp Gl 1M Tokens', 'gpt-5.4-nano-2026-03-17', 'cached', 'Azure OpenAI GPT5'],
  ['GPT 5 Mini cchd Inpt Glbl 1M Tokens', 'gpt-5-mini-2025-08-07', 'cached', 'Azure OpenAI GPT5'],
  ['gpt 4o mini0718 BatchOutp DataZone Tokens', 'gpt-4o-mini-2024-07-18', 'output'],
  ['gpt-4o-mini-0718-Inp-glbl Tokens', 'gpt-4o-mini-2024-07-18', 'input'],
  ['gpt 4.1 mini cached Inp glbl Tokens', 'gpt-4.1-mini-2025-04-14', 'cached'],
  ['o3 0416 Inp glbl Tokens', 'o3-2025-04-16', 'input'],
  ['o4-mini 0416 cached Inp glbl Tokens', 'o4-mini-2025-04-16', 'cached'],
  ['4.6 Inp DZ Tokens', 'grok-4.6', 'input', 'Azure Grok Models'],
  ['Phi-4-Input Tokens', 'Phi-4', 'input', 'Azure Phi Models'],
  ['V3 Inp Gl Tokens', 'DeepSeek-V3', 'input', 'Azure Deepseek Models'],
  ['gpt image 1 img Inp glbl Tokens', 'gpt-image-1', 'imageInput'],
  ['gpt-image-1-img-outp-glbl Tokens', 'gpt-image-1', 'imageOutput'],
  ['gpt4o realtimePrvwAudInp DataZone Tokens', 'gpt-4o-realtime-preview', 'audioInput'],
  ['gpt-4o-audio-Aud-Inp-glbl Tokens', 'gpt-4o-audio-preview', 'audioInput'],
];
const google: readonly Sample[] = [
  ['Generate_content image output token count for Gemini 3 Pro Image', 'gemini-3-pro-image', 'imageOutput'],
  ['Generate content output token count gemini 2.5 flash image', 'gemini-2.5-flash-image', 'imageOutput'],
  ['Generate content output token count gemini 3 flash text flex', 'gemini-3-flash-preview', 'output'],
  ['Generate content input token count gemini 3.1 flash lite preview text', 'gemini-3.1-flash-lite-preview', 'input'],
  ['Generate content input token count gemini 3.7 flash image flex caching', 'gemini-3.7-flash', 'cached'],
  ['Gemini Embedding input token count', 'gemini-embedding-001', 'input'],
  ['Generate content output token count gemini 2.5 flash preview tts audio', 'gemini-2.5-flash-preview-tts', 'audioOutput'],
  ['Generate content input token count gemini 2.5 pro long input text', 'gemini-2.5-pro', 'input'],
  ['Generate content input token count gemini 2.5 flash image text', 'gemini-2.5-flash-image', 'input'],
  ['Generate content input token count gemini 2.5 flash image', 'gemini-2.5-flash', 'imageInput'],
];
const aws: readonly Sample[] = [
  ['USE1-NovaPro-input-token-count', 'amazon.nova-pro-v1:0', 'input'],
  ['USW2-NovaPro-cache-write-input-token-count-cross-region-geo', 'us.amazon.nova-pro-v1:0', 'cacheWrite'],
  ['USE1-Nova2.0Lite-input-tokens', 'amazon.nova-2-lite-v1:0', 'input'],
  ['USE1-Llama3-3-70B-input-tokens', 'meta.llama3-3-70b-instruct-v1:0', 'input'],
  ['USE1-Claude4.5Haiku-cache-read-input-token-count-cross-region-global', 'global.anthropic.claude-haiku-4-5-20251001-v1:0', 'cached'],
  ['USE1-anthropic.claude-opus-5-mantle-cache-write-tokens-global-standard', 'global.anthropic.claude-opus-5', 'cacheWrite'],
  ['USE1-anthropic.claude-opus-5-mantle-cache-read-tokens-global-standard', 'global.anthropic.claude-opus-5', 'cached'],
  ['USE1-Claude3.5Sonnet-input-tokens', 'anthropic.claude-3-5-sonnet-20241022-v2:0', 'input'],
  ['USE1-Claude3Haiku-input-tokens-batch', 'anthropic.claude-3-haiku-20240307-v1:0', 'input'],
  ['USE1-TitanEmbeddingV2-Text-input-tokens', 'amazon.titan-embed-text-v2:0', 'input'],
  ['USE1-MistralLarge2407-input-tokens', 'mistral.mistral-large-2407-v1:0', 'input'],
  ['USE1-DeepSeek-R1-output-tokens', 'us.deepseek.r1-v1:0', 'output'],
  ['USE1-openai.gpt-oss-120b-1-mantle-output-tokens-standard', 'openai.gpt-oss-120b-1:0', 'output'],
  ['USE1-MP:USE1_InputTokenCount_Global-Units', 'global.anthropic.claude-sonnet-4-6', 'input', 'Claude Sonnet 4.6'],
  ['USE1-MP:USE1_InputTokenCount_Global_Batch-Units', 'global.anthropic.claude-sonnet-4-6', 'input', 'Claude Sonnet 4.6'],
  ['USE1-MP:USE1_CacheReadInputTokenCount-Units', 'global.anthropic.claude-sonnet-4-6', 'cached', 'Claude Sonnet 4.6'],
  ['USE1-MP:USE1_CacheWriteInputTokenCount-Units', 'global.anthropic.claude-sonnet-4-6', 'cacheWrite', 'Claude Sonnet 4.6'],
  ['USE1-MP:USE1_CacheWrite1hInputTokenCount_Global-Units', 'global.anthropic.claude-sonnet-4-6', 'cacheWrite', 'Claude Sonnet 4.6'],
  ['USE1-MP:USE1_cache_write_tokens_1h_global_standard-Units', 'global.anthropic.claude-sonnet-4-6', 'cacheWrite', 'Claude Sonnet 4.6'],
  ['USE1-MP:USE1_input_tokens_standard-Units', 'global.anthropic.claude-sonnet-4-6', 'input', 'Claude Sonnet 4.6'],
  ['USE1_input_tokens_global_standard-Units', 'global.anthropic.claude-sonnet-4-6', 'input', 'Claude Sonnet 4.6'],
  ['USE1-MP:USE1_InputTokenCount_LCtx_Global-Units', 'global.anthropic.claude-sonnet-4-6', 'input', 'Claude Sonnet 4.6'],
  ['USE1-MP:USE1_input_tokens_longctx_global_standard-Units', 'global.anthropic.claude-sonnet-4-6', 'input', 'Claude Sonnet 4.6'],
];

for (const [seller, samples, product] of [['Azure', azure, 'Azure OpenAI'], ['Google', google, ''], ['AWS', aws, 'Amazon Bedrock']] as const) {
  test(`meters of ${seller} are of the models that were called`, () => {
    for (const [text, model, kind, hint = product] of samples) {
      const meter = meterOf(text, hint);
      assert.ok(meter !== null, text);
      const names = new OurNames([{ day: '', name: meter.name, item: meter.item, requestId: null, counts: {}, cost: null }], new Set([model]));
      assert.deepEqual([names.meantBy(meter.name).model, meter.kind], [model, kind], `${text}: ${meter.name}`);
    }
  });
}

test('a meter of one model is not taken for another that was called too', () => {
  const called = new Set([
    'gpt-4o-2024-11-20', 'gpt-4o-audio-preview-2024-12-17', 'gpt-4o-mini-2024-07-18', 'gemini-2.5-flash', 'gemini-2.5-flash-image',
  ]);
  for (const [text, model] of [
    ['gpt 4o 1120 Inp glbl Tokens', 'gpt-4o-2024-11-20'], ['gpt-4o-audio-Aud-Inp-glbl Tokens', 'gpt-4o-audio-preview-2024-12-17'],
    ['gpt-4o-audio-Txt-Outp-glbl Tokens', 'gpt-4o-audio-preview-2024-12-17'], ['gpt 4o mini0718 BatchOutp DataZone Tokens', 'gpt-4o-mini-2024-07-18'],
    ['Generate content output token count gemini 2.5 flash text', 'gemini-2.5-flash'],
    ['Generate content output token count gemini 2.5 flash image', 'gemini-2.5-flash-image'],
  ] as const) {
    const { name, item } = meterOf(text, '')!;
    assert.equal(new OurNames([{ day: '', name, item, requestId: null, counts: {}, cost: null }], called).meantBy(name).model, model, text);
  }
});

test('a unit that does not say how many tokens it is counts none', () => {
  const units = ['1K tokens', '1M', '1,000,000 Tokens', 'Tokens', 'count', 'Units', 'Requests', undefined];
  assert.deepEqual(units.map(tokensPerUnit), [1_000, 1_000_000, 1_000_000, 1, 1, null, null, null]);
});
