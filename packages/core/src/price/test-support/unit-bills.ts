/** The same for images, sound, pages and other sellers: exchanges whose figures are of several kinds, or of none that are tokens. */
import { at, chat, embeddings, figures, inDialect, message, response, tokens, unnamed, type Usage } from './answers.ts';
import type { BilledExchange } from './bills.ts';

const sound = (audio: number, more: object = {}): Usage => ({ prompt_tokens_details: { audio_tokens: audio, ...more } });
const made = (image: number, out: number): Usage => ({ output_tokens_details: { image_tokens: image, text_tokens: out - image } });
const pictured = (image: number, text: number): Usage => ({ input_tokens_details: { image_tokens: image, text_tokens: text } });
const images = { event: 'image_generation.completed', more: { created: 1 } };
const transcript = { event: 'transcript.text.done', more: { text: 'a' } };
const speech = { event: 'speech.audio.done' };
const heard = (audio: number, text: number): Usage => ({ input_token_details: { audio_tokens: audio, text_tokens: text } });
const deepseek = 'api.deepseek.com';
const router = 'openrouter.ai';

const imageBills: readonly BilledExchange[] = [
  ['image made', unnamed('gpt-image-1', figures(50, 1056, pictured(0, 50)), images), [[50, 5], [1056, 40]]],
  ['image made, its tokens named', unnamed('gpt-image-1', figures(50, 1056, { ...pictured(0, 50), ...made(1056, 1056) }), images),
    [[50, 5], [1056, 40]]],
  ['image changed', unnamed('gpt-image-1', figures(500, 4160, pictured(323, 177)), { ...images, event: 'image_edit.completed' }),
    [[177, 5], [323, 10], [4160, 40]]],
  ['image changed, all of it image', unnamed('gpt-image-1', figures(323, 272, pictured(323, 0)), images), [[323, 10], [272, 40]]],
  ['small image model', unnamed('gpt-image-1-mini', figures(100, 408, pictured(60, 40)), images), [[40, 2], [60, 2.5], [408, 8]]],
  ['newer image model', unnamed('gpt-image-1.5', figures(100, 500, { ...pictured(60, 40), ...made(420, 500) }), images),
    [[40, 5], [60, 8], [80, 10], [420, 32]]],
  ['newer image model that does not say what its output was', unnamed('gpt-image-1.5', figures(100, 500, pictured(60, 40)), images),
    [[40, 5], [60, 8], [500, 10]], 'image'],
  ['cached, of kinds that are named', unnamed('gpt-image-1', figures(500, 272, { input_tokens_details: { image_tokens: 323, text_tokens: 177,
    cached_tokens: 300, cached_tokens_details: { image_tokens: 200, text_tokens: 100 } } }), images),
      [[77, 5], [123, 10], [100, 1.25], [200, 2.5], [272, 40]]],
  ['cached, of kinds that are not named', unnamed('gpt-image-1', figures(500, 272, { input_tokens_details: { image_tokens: 323, text_tokens: 177,
    cached_tokens: 100 } }), images), [[77, 5], [323, 10], [100, 1.25], [272, 40]], 'cached'],
  ['an image model without a price', unnamed('dall-e-3', figures(50, 100), images), null],
  ['no model was asked for', { ...unnamed('', figures(50, 100)), requestedModel: undefined as never }, null],
  ['the answer names another model than was asked for', unnamed('gpt-image-1', figures(50, 100, made(100, 100)),
    { more: { model: 'gpt-image-1.5' } }), [[50, 5], [100, 32]]],
];

const soundBills: readonly BilledExchange[] = [
  ['sound in and out', chat('gpt-audio', tokens(120, 90, { ...sound(100), completion_tokens_details: { audio_tokens: 70, text_tokens: 20 } })),
    [[20, 2.5], [100, 32], [20, 10], [70, 64]]],
  ['small sound model', chat('gpt-audio-mini-2025-10-06', tokens(120, 90, { ...sound(100), completion_tokens_details: { audio_tokens: 70 } })),
    [[20, 0.6], [100, 10], [20, 2.4], [70, 20]]],
  ['a sound model without listed rates for sound', chat('gpt-4o-audio-preview', tokens(120, 90, sound(100))), [[120, 2.5], [90, 10]], 'audio'],
  ['a sound model without sound', chat('gpt-4o-audio-preview', tokens(120, 90, sound(0))), [[120, 2.5], [90, 10]]],
  ['transcribed', unnamed('gpt-4o-transcribe', figures(114, 31, { type: 'tokens', ...heard(100, 14) }), transcript), [[14, 2.5], [100, 6], [31, 10]]],
  ['transcribed, small', unnamed('gpt-4o-mini-transcribe', figures(14, 45, { type: 'tokens', ...heard(14, 0) }), transcript), [[14, 3], [45, 5]]],
  ['transcribed, speakers told apart',
    unnamed('gpt-4o-transcribe-diarize', figures(14, 45, { type: 'tokens', ...heard(14, 0) }), transcript), [[14, 6], [45, 10]]],
  ['transcribed by seconds', unnamed('whisper-1', { type: 'duration', seconds: 12 }, transcript), [[12, 0.0001, 'each']]],
  ['transcribed by seconds, an hour', unnamed('whisper-1', { type: 'duration', seconds: 3600 }), [[1, 0.36, 'each']]],
  ['translated by seconds, a part of one', unnamed('whisper-1', { type: 'duration', seconds: 0.5 }), [[0.5, 0.0001, 'each']]],
  ['seconds without a rate', unnamed('whisper-9', { type: 'duration', seconds: 12 }), null],
  ['seconds of a model that is paid by tokens', unnamed('gpt-4o', { type: 'duration', seconds: 12 }), null],
  ['seconds elsewhere', at('api.groq.com', unnamed('whisper-large-v3', { seconds: 36 })), [[36, 0.111 / 3600, 'each']]],
  ['seconds beside tokens', at('api.mistral.ai', chat('voxtral-small-latest', tokens(100, 10, { prompt_audio_seconds: 9 }))),
    [[100, 0.1], [10, 0.4]], 'seconds'],
  ['seconds beside tokens, and tokens of the sound in the total alone', at('api.mistral.ai', chat('voxtral-small-latest',
    tokens(4, 635, { prompt_audio_seconds: 203, total_tokens: 3264 }))), [[4, 0.1], [635, 0.4]], 'seconds'],
  ['seconds beside tokens, and tokens of the sound beside those of the input', at('api.mistral.ai', chat('voxtral-small-latest',
    tokens(3, 41, { prompt_audio_seconds: 12, total_tokens: 419, ...sound(375, { cached_tokens: 0 }) }))), [[3, 0.1], [41, 0.4]], 'audio', 'seconds'],
  ['seconds of a model that is sold by the hour, and tokens beside them', at('api.mistral.ai', unnamed('voxtral-mini-latest',
    tokens(3, 41, { prompt_audio_seconds: 12, total_tokens: 419, ...sound(375, { cached_tokens: 0 }), service_tier: 'standard' }))),
    [[12, 0.18 / 3600, 'each']]],
  ['seconds of a model that is sold by the hour, and no tokens but cached ones', at('api.mistral.ai', unnamed('voxtral-mini-2602',
    tokens(5, 0, { prompt_audio_seconds: 5, total_tokens: 404, prompt_tokens_details: { cached_tokens: 368 } }))), [[5, 0.18 / 3600, 'each']]],
  ['tokens of a model that is sold by the hour', at('api.mistral.ai', unnamed('voxtral-mini-2602', tokens(5, 2))), null],
  ['no seconds beside tokens', at('api.mistral.ai', chat('mistral-large-2512', tokens(100, 10, { prompt_audio_seconds: null }))),
    [[100, 0.5], [10, 1.5]]],
  ['speech', unnamed('gpt-4o-mini-tts', figures(14, 101), speech), [[14, 0.6], [101, 12]]],
  ['spoken with, sound and text', response('gpt-realtime', figures(132, 121, {
    input_token_details: undefined, input_tokens_details: { audio_tokens: 13, cached_tokens: 64, cached_tokens_details: { text_tokens: 64,
      audio_tokens: 0 } },
    output_tokens_details: { audio_tokens: 91 } })), [[55, 4], [13, 32], [64, 0.4], [30, 16], [91, 64]]],
  ['spoken with, sound cached', response('gpt-realtime-mini', figures(200, 10, {
    input_tokens_details: { audio_tokens: 100, cached_tokens: 80, cached_tokens_details: { text_tokens: 20, audio_tokens: 60 } } })),
    [[80, 0.6], [40, 10], [20, 0.06], [60, 0.3], [10, 2.4]]],
  ['spoken with, an image shown', response('gpt-realtime', figures(300, 10, { input_tokens_details: { audio_tokens: 0, image_tokens: 250 } })),
    [[50, 4], [250, 5], [10, 16]]],
  ['spoken with, an image cached', response('gpt-realtime', figures(300, 10, { input_tokens_details: { image_tokens: 250, cached_tokens: 200,
    cached_tokens_details: { image_tokens: 200 } } })), [[50, 4], [50, 5], [200, 0.5], [10, 16]]],
];

const pageBills: readonly BilledExchange[] = [
  ['pages', at('api.mistral.ai', { ...unnamed('x', {}), requestedModel: 'mistral-ocr-2512', body: { model: 'mistral-ocr-2512', pages: [],
    usage_info: { pages_processed: 29, doc_size_bytes: 9 } } }), [[29, 0.002, 'each']]],
  ['pages without a rate', at('api.mistral.ai', { ...unnamed('x', {}), body: { model: 'ocr-9', usage_info: { pages_processed: 29 } } }), null],
  ['images counted', at('api.groq.com', chat('llama-3.3-70b-versatile', tokens(10, 1, { images: 2 }))), [[10, 0.59], [1, 0.79]], 'images'],
  ['characters counted', at('api.groq.com', chat('llama-3.3-70b-versatile', tokens(10, 1, { characters: 40 }))), [[10, 0.59], [1, 0.79]],
    'characters'],
];

const sellerBills: readonly BilledExchange[] = [
  ['Groq', at('api.groq.com', chat('llama-3.3-70b-versatile', tokens(18, 556))), [[18, 0.59], [556, 0.79]]],
  ['Groq, cached', at('api.groq.com', chat('openai/gpt-oss-120b', tokens(1000, 10, { prompt_tokens_details: { cached_tokens: 600 } }))),
    [[400, 0.15], [600, 0.075], [10, 0.6]]],
  ['Mistral', at('api.mistral.ai', chat('mistral-large-latest', tokens(100, 10))), [[100, 2], [10, 6]]],
  ['Mistral, cached beside the details', at('api.mistral.ai', chat('mistral-large-2512', tokens(100, 10, { num_cached_tokens: 64 }))),
    [[100, 0.5], [10, 1.5]], 'cached'],
  ['Mistral, nothing cached', at('api.mistral.ai', chat('mistral-large-2512', tokens(100, 10, { num_cached_tokens: 0 }))), [[100, 0.5], [10, 1.5]]],
  ['Cerebras', at('api.cerebras.ai', chat('llama3.1-8b', tokens(100, 10))), [[100, 0.1], [10, 0.1]]],
  ['Cerebras, cached has no listed rate',
    at('api.cerebras.ai', chat('gpt-oss-120b', tokens(100, 10, { prompt_tokens_details: { cached_tokens: 64 } }))),
    [[100, 0.35], [10, 0.75]], 'cached'],
  ['Fireworks',
    at('api.fireworks.ai', chat('accounts/fireworks/models/gpt-oss-120b', tokens(100, 10, { prompt_tokens_details: { cached_tokens: 64 } }))),
    [[36, 0.15], [64, 0.014], [10, 0.6]]],
  ['Google', at('generativelanguage.googleapis.com', chat('gemini-2.5-flash', tokens(100, 10))), [[100, 0.3], [10, 2.5]]],
  ['Google, reasoning in the total alone', at('generativelanguage.googleapis.com', chat('gemini-2.5-flash', tokens(100, 10, { total_tokens: 160 }))),
    [[100, 0.3], [60, 2.5]], 'other_model'],
  ['Cohere', at('api.cohere.ai', chat('command-r-08-2024', tokens(100, 10))), [[100, 0.15], [10, 0.6]]],
  ['Moonshot', at('api.moonshot.ai', chat('kimi-k2-0905-preview', tokens(100, 10, { prompt_tokens_details: { cached_tokens: 64 } }))),
    [[36, 0.6], [64, 0.15], [10, 2.5]]],
  ['Moonshot, cached beside the details', at('api.moonshot.ai', chat('kimi-k2-0905-preview', tokens(100, 10, { cached_tokens: 64 }))),
    [[100, 0.6], [10, 2.5]], 'cached'],
  ['xAI', at('api.x.ai', chat('grok-4-0709', tokens(32, 9, { prompt_tokens_details: { text_tokens: 32, audio_tokens: 0, image_tokens: 0,
    cached_tokens: 8 } }))),
    [[24, 3], [8, 0.75], [9, 15]]],
  ['xAI, sources read', at('api.x.ai', chat('grok-4-0709', tokens(32, 9, { num_sources_used: 4 }))), [[32, 3], [9, 15]], 'tool_calls'],
  ['xAI, no sources', at('api.x.ai', chat('grok-4-0709', tokens(32, 9, { num_sources_used: 0 }))), [[32, 3], [9, 15]]],
  ['xAI, searches', at('api.x.ai', chat('grok-4-0709', tokens(32, 9, { server_side_tool_usage_details: { web_search_calls: 2 } }))),
    [[32, 3], [9, 15]], 'web_search'],
  ['xAI, an image shown', at('api.x.ai', chat('grok-4-0709', tokens(332, 9, { prompt_tokens_details: { image_tokens: 300 } }))),
    [[332, 3], [9, 15]], 'image'],
  ['DeepSeek, its own names',
    { ...at(deepseek, chat('deepseek-chat', tokens(100, 10, { prompt_cache_hit_tokens: 64, prompt_cache_miss_tokens: 36 }))),
    atMs: Date.parse('2025-12-01T12:00:00Z') }, [[36, 0.28], [64, 0.028], [10, 0.42]]],
  ['DeepSeek, both names', at(deepseek, chat('deepseek-reasoner', tokens(100, 10, { prompt_tokens_details: { cached_tokens: 64 },
    prompt_cache_hit_tokens: 64 }))),
    [[36, 0.28], [64, 0.028], [10, 0.42]]],
  ['DeepSeek in mid-September 2025', { ...at(deepseek, chat('deepseek-chat', tokens(100, 10))), atMs: Date.parse('2025-09-15T20:00:00Z') },
    [[100, 0.56], [10, 1.68]]],
  ['DeepSeek before, by day', { ...at(deepseek, chat('deepseek-chat', tokens(100, 10))), atMs: Date.parse('2025-06-01T12:00:00Z') },
    [[100, 0.27], [10, 1.1]]],
  ['DeepSeek before, by night', { ...at(deepseek, chat('deepseek-chat', tokens(100, 10))), atMs: Date.parse('2025-06-01T20:00:00Z') },
    [[100, 0.135], [10, 0.55]]],
  ['Perplexity says its cost', at('api.perplexity.ai', chat('sonar', tokens(14, 120, { cost: { input_tokens_cost: 0, output_tokens_cost: 0,
    request_cost: 0.012,
    total_cost: 0.012134 } }))), [[1, 0.012134, 'each']]],
  ['Perplexity without it', at('api.perplexity.ai', chat('sonar', tokens(14, 120))), [[14, 1], [120, 1], [1, 0.012, 'each']]],
  ['a router says its cost', at(router, chat('openai/gpt-4o-mini', tokens(194, 2, { cost: 0.00014 }))), [[1, 0.00014, 'each']]],
  ['a router, with the caller\'s key', at(router, chat('openai/gpt-4o-mini', tokens(194, 2, { cost: 0.00001, is_byok: true,
    cost_details: { upstream_inference_cost: 0.0002 } }))), [[1, 0.00021, 'each']]],
  ['a router, not with the caller\'s key', at(router, chat('openai/gpt-4o-mini', tokens(194, 2, { cost: 0.00021, is_byok: false,
    cost_details: { upstream_inference_cost: 0.00019 } }))), [[1, 0.00021, 'each']]],
  ['a cost of nothing', at(router, chat('a/b:free', tokens(194, 2, { cost: 0 }))), []],
  ['a total cost', at('llm.example.com', chat('own', tokens(194, 2, { total_cost: 1.5e-7 }))), [[1, 0.00000015, 'each']]],
  ['nobody knows this host', at('llm.example.com', chat('gpt-4o', tokens(194, 2))), null],
];

const google = 'generativelanguage.googleapis.com';
const aws = 'bedrock-runtime.us-east-1.amazonaws.com';
const gemini = (model: string, usage: object, candidate: object = {}) => at(google, inDialect('gemini', {
  candidates: [{ content: { parts: [{ text: 'a' }] }, finishReason: 'STOP', ...candidate }], modelVersion: model,
  usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 20, totalTokenCount: 120, ...usage },
}));
const searchedFor = (...webSearchQueries: string[]): object =>
  ({ groundingMetadata: { webSearchQueries, groundingChunks: [{ web: { uri: 'a' } }] } });
const sonnet = 'anthropic.claude-sonnet-4-5-20250929-v1:0';
const converse = (model: string, usage: object, more: object = {}) => at(aws, inDialect('bedrock-converse', {
  output: { message: {} }, stopReason: 'end_turn', usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15, ...usage }, ...more,
}, model));
const invoked = (requestedModel: string) =>
  at(aws, { ...message('claude-sonnet-4-5-20250929', figures(10, 5)), dialect: 'bedrock-anthropic', requestedModel });
const written = (ttl: string) => ({ cacheReadInputTokens: 100, cacheWriteInputTokens: 300, cacheDetails: [{ ttl, inputTokens: 300 }] });
/** Google's Interactions API; its stream carries running figures, and the whole interaction at its end. */
const interaction = (model: string | null, usage: object, more: object = {}) => {
  const body = {
    id: 'v1_1', status: 'completed', ...(model === null ? {} : { model }), ...more,
    usage: { total_input_tokens: 100, total_output_tokens: 20, total_tokens: 120, ...usage },
  };
  const events = [
    { event_type: 'interaction.created', interaction: { id: 'v1_1', status: 'in_progress', model } },
    { event_type: 'interaction.status_update', interaction_id: 'v1_1', status: 'in_progress' },
    { event_type: 'step.start', index: 0, step: { type: 'model_output' } },
    { event_type: 'step.delta', index: 0, delta: { type: 'text', text: 'a' },
      metadata: { total_usage: { total_input_tokens: 100, total_output_tokens: 1 } } },
    { event_type: 'step.stop', index: 0, usage: { total_input_tokens: 100, total_output_tokens: 9 } },
    { event_type: 'interaction.completed', interaction: body },
  ];
  return at(google, { wire: 'upstream', endpoint: 'other', dialect: 'gemini-interactions', body, events });
};
const kinds = (...counts: readonly (readonly [modality: string, tokens: number])[]) => counts.map(([modality, tokens]) => ({ modality, tokens }));
const ran = (...types: string[]) => {
  const model = 'openai/gpt-oss-120b';
  const message = { executed_tools: types.map((type, index) => ({ index, type, output: 'a' })) };
  const answer = chat(model, tokens(1000, 100), { choices: [{ index: 0, finish_reason: 'stop', message }] });
  const events = [{ model, choices: [{ index: 0, delta: message }] }, { model, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    { model, choices: [], usage: tokens(1000, 100) }];
  return at('api.groq.com', { ...answer, events });
};
const embedded = (billed_units: object) => at('api.cohere.com', inDialect('cohere', { embeddings: {}, meta: { billed_units } }, 'embed-v4.0'));

/** What sellers charge beside their tokens, in their own words. */
const besideBills: readonly BilledExchange[] = [
  ['xAI says its cost', at('api.x.ai', chat('grok-4-0709', tokens(32, 9, { cost_in_usd_ticks: 37_756_000 }))), [[1, 0.0037756, 'each']]],
  ['xAI says a cost with a part of a nano-dollar', at('api.x.ai', chat('grok-4-0709', tokens(32, 9, { cost_in_usd_ticks: 12_345_678_915 }))),
    [[1, 1.234567892, 'each']]],
  ['xAI says its cost beside what it searched', at('api.x.ai', response('grok-4-0709', figures(9212, 3417, { cost_in_usd_ticks: 318_319_000,
    num_server_side_tools_used: 3, server_side_tool_usage_details: { x_search_calls: 3 } }))), [[1, 0.0318319, 'each']]],
  ['xAI says the cost of an image', at('api.x.ai', unnamed('grok-2-image', { cost_in_usd_ticks: 200_000_000 })), [[1, 0.02, 'each']]],
  ['xAI says a cost that is none', at('api.x.ai', chat('grok-4-0709', tokens(32, 9, { cost_in_usd_ticks: -1 }))), [[32, 3], [9, 15]]],
  ['a router says the cost of a message', at(router, message('anthropic/claude-sonnet-4.5', figures(10, 5, { cost: 0.00044 }))),
    [[1, 0.00044, 'each']]],
  ['Gemini', gemini('gemini-2.5-flash', { thoughtsTokenCount: 50, totalTokenCount: 170 }), [[100, 0.3], [70, 2.5]]],
  ['Gemini, searched', gemini('gemini-2.5-flash', {}, searchedFor('a', 'b')), [[100, 0.3], [20, 2.5]], 'web_search'],
  ['Gemini, asked to search and did not', gemini('gemini-2.5-flash', {}, searchedFor()), [[100, 0.3], [20, 2.5]]],
  ['Gemini, maps', gemini('gemini-2.5-flash', {}, { groundingMetadata: { groundingChunks: [{ maps: { placeId: 'a' } }] } }),
    [[100, 0.3], [20, 2.5]], 'tool_calls'],
  ['Gemini, documents searched', gemini('gemini-2.5-flash', {}, { groundingMetadata: { groundingChunks: [{ retrievedContext: { uri: 'a' } }] } }),
    [[100, 0.3], [20, 2.5]], 'file_search'],
  ['Gemini, pages read are input', gemini('gemini-2.5-flash', { toolUsePromptTokenCount: 1000, totalTokenCount: 1120 }), [[1100, 0.3], [20, 2.5]]],
  ['Gemini, ordinary traffic', gemini('gemini-2.5-flash', { trafficType: 'ON_DEMAND' }), [[100, 0.3], [20, 2.5]]],
  ['Gemini, urgent traffic', gemini('gemini-2.5-flash', { trafficType: 'ON_DEMAND_PRIORITY' }), [[100, 0.3], [20, 2.5]], 'service_tier'],
  ['Gemini, reserved', gemini('gemini-2.5-flash', { trafficType: 'PROVISIONED_THROUGHPUT' }), [[100, 0.3], [20, 2.5]], 'service_tier'],
  ['Gemini, flex', gemini('gemini-2.5-flash', { serviceTier: 'flex' }), [[100, 0.3], [20, 2.5]], 'service_tier'],
  ['Gemini, sound cached', gemini('gemini-2.5-flash', { promptTokenCount: 1000, cachedContentTokenCount: 800, totalTokenCount: 1020,
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: 100 }, { modality: 'AUDIO', tokenCount: 900 }],
    cacheTokensDetails: [{ modality: 'AUDIO', tokenCount: 800 }] }), [[100, 0.3], [100, 1], [800, 0.1], [20, 2.5]]],
  ['Gemini, text cached beside sound', gemini('gemini-2.5-flash', { promptTokenCount: 1000, cachedContentTokenCount: 80, totalTokenCount: 1020,
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: 100 }, { modality: 'AUDIO', tokenCount: 900 }],
    cacheTokensDetails: [{ modality: 'TEXT', tokenCount: 80 }] }), [[20, 0.3], [900, 1], [80, 0.03], [20, 2.5]]],
  ['Gemini, an image made', gemini('gemini-2.5-flash-image', { candidatesTokenCount: 1300, totalTokenCount: 1400,
    candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 1290 }] }), [[100, 0.3], [10, 2.5], [1290, 30]]],
  ['an interaction', interaction('gemini-2.5-flash', { total_thought_tokens: 50, total_tokens: 170 }), [[100, 0.3], [70, 2.5]]],
  ['an interaction, cached', interaction('gemini-2.5-flash', { total_cached_tokens: 80 }), [[20, 0.3], [80, 0.03], [20, 2.5]]],
  ['an interaction that read pages', interaction('gemini-2.5-flash', { total_tool_use_tokens: 1000, total_tokens: 1120 }), [[1100, 0.3], [20, 2.5]]],
  ['an interaction that searched', interaction('gemini-2.5-flash', { grounding_tool_count: [{ type: 'google_search', count: 2 }] }),
    [[100, 0.3], [20, 2.5]], 'web_search'],
  ['an interaction that searched, told by its steps', interaction('gemini-2.5-flash', {}, { steps: [{ type: 'google_search_call' }] }),
    [[100, 0.3], [20, 2.5]], 'web_search'],
  ['an interaction that asked maps', interaction('gemini-2.5-flash', { grounding_tool_count: [{ type: 'google_maps', count: 1 }] }),
    [[100, 0.3], [20, 2.5]], 'tool_calls'],
  ['an interaction, sound heard', interaction('gemini-2.5-flash', { total_input_tokens: 1000, total_tokens: 1020,
    input_tokens_by_modality: kinds(['text', 100], ['audio', 900]) }), [[100, 0.3], [900, 1], [20, 2.5]]],
  ['an interaction, an image made', interaction('gemini-2.5-flash-image', { total_output_tokens: 1300, total_tokens: 1400,
    output_tokens_by_modality: kinds(['image', 1290]) }), [[100, 0.3], [10, 2.5], [1290, 30]]],
  ['an interaction, flex', interaction('gemini-2.5-flash', {}, { service_tier: 'flex' }), [[100, 0.3], [20, 2.5]], 'service_tier'],
  ['an interaction of an agent', interaction(null, {}, { agent: 'deep-research-pro-preview-12-2025' }), null],
  ['Converse', converse(`global.${sonnet}`, written('5m')), [[10, 3], [100, 0.3], [300, 3.75], [5, 15]]],
  ['Converse, written for an hour has no listed rate', converse(`global.${sonnet}`, written('1h')),
    [[10, 3], [100, 0.3], [300, 3.75], [5, 15]], 'cache_write'],
  ['Converse, in a region', converse(`us.${sonnet}`, {}), [[10, 3.3], [5, 16.5]]],
  ['Converse, a shorter latency', converse('amazon.nova-pro-v1:0', {}, { performanceConfig: { latency: 'optimized' } }),
    [[10, 0.8], [5, 3.2]], 'service_tier'],
  ['Converse, an ordinary latency', converse('amazon.nova-pro-v1:0', {}, { performanceConfig: { latency: 'standard' },
    serviceTier: { type: 'default' } }), [[10, 0.8], [5, 3.2]]],
  ['invoked anywhere', invoked(`global.${sonnet}`), [[10, 3], [5, 15]]],
  ['invoked in a region', invoked(`us.${sonnet}`), [[10, 3.3], [5, 16.5]]],
  ['Mistral ran connectors',
    at('api.mistral.ai', unnamed('mistral-medium-2505', tokens(188, 55, { connectors: { web_search: 1, code_interpreter: 2 } }))),
    [[188, 0.4], [55, 2]], 'web_search', 'code_interpreter'],
  ['Groq ran tools', ran('browser_search', 'python'), [[1000, 0.15], [100, 0.6]], 'web_search', 'code_interpreter'],
  ['Groq ran none', ran(), [[1000, 0.15], [100, 0.6]]],
  ['Perplexity searched and read',
    at('api.perplexity.ai', chat('sonar-deep-research', tokens(10, 100, { num_search_queries: 5, citation_tokens: 2000 }))),
    [[10, 2], [100, 8], [5, 0.005, 'each']], 'other_model'],
  ['Voyage counts its input in the total alone', at('api.voyageai.com', { ...embeddings('voyage-3.5', 0),
    body: { object: 'list', model: 'voyage-3.5', data: [], usage: { total_tokens: 1000 } } }), [[1000, 0.06]]],
  ['Cohere embeds images beside text', embedded({ input_tokens: 12, images: 1 }), [[12, 0.12]], 'images'],
  ['Cohere embeds images alone', embedded({ images: 1 }), null],
  ['Cohere embeds tokens of images', embedded({ input_tokens: 12, image_tokens: 300 }), [[312, 0.12]], 'image'],
];

export const unitBills: readonly BilledExchange[] = [...imageBills, ...soundBills, ...pageBills, ...sellerBills, ...besideBills];
