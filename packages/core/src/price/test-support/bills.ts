/**
 * Exchanges in the shapes that providers document, each with its bill: what is charged, as count × US dollars per million (or per one, of fees), and
 * what is named as a gap. The rates are those that the providers published, written here by hand and not read from the list.
 */
import { at, chat, embeddings, figures, message, response, tokens, unnamed, type Answer, type Usage } from './answers.ts';

/** A charge: tokens at US dollars per million, or pieces at US dollars for one. */
export type Charge = readonly [count: number, dollars: number] | readonly [count: number, dollars: number, per: 'each'];
/** Null: no price is known, and the call is counted as unpriced. */
export type BilledExchange = readonly [what: string, answer: Answer, charges: readonly Charge[] | null, ...gaps: string[]];

const day = (date: string): number => Date.parse(`${date}T12:00:00Z`);
const cachedIn = (cached: number): Usage => ({ prompt_tokens_details: { cached_tokens: cached } });
const inputCached = (cached_tokens: number): Usage => ({ input_tokens_details: { cached_tokens } });
const search = { type: 'web_search_call', action: { type: 'search' } };
const searchTool = { type: 'web_search' };
const previewTool = { type: 'web_search_preview' };

const chatBills: readonly BilledExchange[] = [
  ['chat', chat('gpt-4o-2024-08-06', tokens(1000, 200)), [[1000, 2.5], [200, 10]]],
  ['chat, nothing out', chat('gpt-4o', tokens(1000, 0)), [[1000, 2.5]]],
  ['chat of one token', chat('gpt-4o-mini', tokens(1, 1)), [[1, 0.15], [1, 0.6]]],
  ['chat, cached', chat('gpt-4o-mini', tokens(2006, 300, cachedIn(1920))), [[86, 0.15], [1920, 0.075], [300, 0.6]]],
  ['chat, all cached', chat('gpt-4.1', tokens(1024, 10, cachedIn(1024))), [[1024, 0.5], [10, 8]]],
  ['chat, reasoning is output', chat('o4-mini', tokens(75, 1186, { completion_tokens_details: { reasoning_tokens: 1024 } })),
    [[75, 1.1], [1186, 4.4]]],
  ['chat, reasoning and cached', chat('gpt-5', tokens(5000, 900, { ...cachedIn(4096), completion_tokens_details: { reasoning_tokens: 640 } })),
    [[904, 1.25], [4096, 0.125], [900, 10]]],
  ['chat, predictions are output', chat('gpt-4o', tokens(20, 30, { completion_tokens_details: { accepted_prediction_tokens: 5,
    rejected_prediction_tokens: 9 } })),
    [[20, 2.5], [30, 10]]],
  ['chat, default tier', chat('gpt-5-mini', tokens(100, 100), { service_tier: 'default' }), [[100, 0.25], [100, 2]]],
  ['chat, flex', chat('gpt-5-mini', tokens(100, 100), { service_tier: 'flex' }), [[100, 0.25], [100, 2]], 'service_tier'],
  ['chat, priority', chat('gpt-4.1', tokens(100, 100), { service_tier: 'priority' }), [[100, 2], [100, 8]], 'service_tier'],
  ['chat, batch', chat('gpt-4.1', tokens(100, 100), { service_tier: 'batch' }), [[100, 2], [100, 8]], 'service_tier'],
  ['chat, older model', chat('gpt-3.5-turbo-0125', tokens(300, 50)), [[300, 0.5], [50, 1.5]]],
  ['chat, o1', chat('o1-2024-12-17', tokens(300, 50, cachedIn(128))), [[172, 15], [128, 7.5], [50, 60]]],
  ['chat, o3 before its price fell', { ...chat('o3', tokens(100, 100)), atMs: day('2025-06-09') }, [[100, 10], [100, 40]]],
  ['chat, o3 after', { ...chat('o3', tokens(100, 100)), atMs: day('2025-06-11') }, [[100, 2], [100, 8]]],
  ['chat, no price', chat('nobody-1', tokens(100, 100)), null],
  ['chat, fine-tuned', chat('ft:gpt-4o-2024-08-06:acme::a1', tokens(1000, 200)), [[1000, 3.75], [200, 15]]],
  ['chat, fine-tuned, cached has no listed rate', chat('ft:gpt-4o-2024-08-06:acme::a1', tokens(1000, 200, cachedIn(512))),
    [[1000, 3.75], [200, 15]], 'cached'],
  ['chat, fine-tuned and small', chat('ft:gpt-4o-mini-2024-07-18:acme::a1', tokens(10, 2, cachedIn(4))), [[10, 0.3], [2, 1.2]], 'cached'],
  ['chat that searches each time', chat('gpt-4o-search-preview-2025-03-11', tokens(100, 10)), [[100, 2.5], [10, 10]], 'web_search'],
  ['chat, small, that searches each time', chat('gpt-4o-mini-search-preview', tokens(100, 10)), [[100, 0.15], [10, 0.6]], 'web_search'],
  ['the same, dated', chat('gpt-4o-mini-search-preview-2025-03-11', tokens(100, 10, cachedIn(64))), [[100, 0.15], [10, 0.6]], 'web_search', 'cached'],
  ['chat at a regional address', { ...chat('gpt-4o', tokens(100, 10)), region: 'eu' }, [[100, 2.5], [10, 10]], 'region'],
  ['figures beyond money', chat('gpt-4o', tokens(9_007_199_254_740_991, 0, { total_tokens: undefined })),
    [[9_300_000_000, 1, 'each']], 'amount'],
];

const stepBills: readonly BilledExchange[] = [
  ['one below the step', chat('gpt-5.4', tokens(271_999, 100)), [[271_999, 2.5], [100, 15]]],
  ['at the step', chat('gpt-5.4', tokens(272_000, 100)), [[272_000, 2.5], [100, 15]]],
  ['one above', chat('gpt-5.4', tokens(272_001, 100)), [[272_001, 5], [100, 22.5]]],
  ['at the step, some cached', chat('gpt-5.4', tokens(272_000, 1, cachedIn(100_000))), [[172_000, 2.5], [100_000, 0.25], [1, 15]]],
  ['one above, some cached', chat('gpt-5.4', tokens(272_001, 1, cachedIn(100_000))), [[172_001, 5], [100_000, 0.5], [1, 22.5]]],
  ['responses at the step', response('gpt-5.6-sol', figures(272_000, 0)), [[272_000, 4]]],
  ['responses one above', response('gpt-5.6-sol', figures(272_001, 0)), [[272_001, 8]]],
  ['responses, cache written, one above', response('gpt-5.6-sol', figures(272_001, 0, { input_tokens_details: { cache_write_tokens: 2001 } })),
    [[270_000, 8], [2001, 10]]],
  ['Sonnet 4 at the step', message('claude-sonnet-4-20250514', figures(200_000, 100)), [[200_000, 3], [100, 15]]],
  ['Sonnet 4 one above', message('claude-sonnet-4-20250514', figures(200_001, 100)), [[200_001, 6], [100, 22.5]]],
  ['Sonnet 4 above by what was read from the cache', message('claude-sonnet-4-0', figures(1, 1, { cache_read_input_tokens: 200_000 })),
    [[1, 6], [200_000, 0.6], [1, 22.5]]],
  ['Sonnet 4 above by what was written', message('claude-sonnet-4-0', figures(1, 1, { cache_creation_input_tokens: 200_000 })),
    [[1, 6], [200_000, 7.5], [1, 22.5]]],
  ['Sonnet 4.5 at the step', message('claude-sonnet-4-5-20250929', figures(200_000, 1)), [[200_000, 3], [1, 15]]],
  ['Sonnet 4.5 one above', message('claude-sonnet-4-5-20250929', figures(200_001, 1)), [[200_001, 6], [1, 22.5]]],
  ['Gemini 2.5 Pro at the step', at('generativelanguage.googleapis.com', chat('gemini-2.5-pro', tokens(200_000, 1))), [[200_000, 1.25], [1, 10]]],
  ['Gemini 2.5 Pro one above', at('generativelanguage.googleapis.com', chat('gemini-2.5-pro', tokens(200_001, 1))), [[200_001, 2.5], [1, 15]]],
];

const responseBills: readonly BilledExchange[] = [
  ['responses', response('gpt-4.1', figures(36, 87)), [[36, 2], [87, 8]]],
  ['responses, cached', response('gpt-5', figures(5000, 40, inputCached(4480))), [[520, 1.25], [4480, 0.125], [40, 10]]],
  ['responses, reasoning is output', response('o3', figures(81, 1035, { output_tokens_details: { reasoning_tokens: 832 } })), [[81, 2], [1035, 8]]],
  ['a search', response('gpt-5', figures(100, 10), { output: [search], tools: [searchTool] }), [[100, 1.25], [10, 10], [1, 0.01, 'each']]],
  ['three searches, a page opened', response('gpt-4.1', figures(100, 10), { tools: [searchTool],
    output: [search, search, { type: 'web_search_call', action: { type: 'open_page' } }, search] }), [[100, 2], [10, 8], [3, 0.01, 'each']]],
  ['the preview of the search, a model that reasons', response('o4-mini', figures(100, 10), { output: [search], tools: [previewTool] }),
    [[100, 1.1], [10, 4.4], [1, 0.01, 'each']]],
  ['the preview, a model that does not', response('gpt-4o', figures(100, 10), { output: [search], tools: [previewTool] }),
    [[100, 2.5], [10, 10]], 'web_search'],
  ['the preview offered and not used', response('gpt-4o', figures(100, 10), { tools: [previewTool] }), [[100, 2.5], [10, 10]]],
  ['a dated preview', response('gpt-4.1-mini', figures(100, 10), { output: [search], tools: [{ type: 'web_search_preview_2025_03_11' }] }),
    [[100, 0.4], [10, 1.6]], 'web_search'],
  ['a search that is charged with a fixed block of tokens', response('gpt-4.1-mini', figures(100, 10), { output: [search], tools: [searchTool] }),
    [[100, 0.4], [10, 1.6], [1, 0.01, 'each']], 'web_search'],
  ['the same, another model and dated', response('gpt-4o-mini-2024-07-18', figures(100, 10), { output: [search], tools: [searchTool] }),
    [[100, 0.15], [10, 0.6], [1, 0.01, 'each']], 'web_search'],
  ['the same model without a search', response('gpt-4.1-mini', figures(100, 10), { tools: [searchTool] }), [[100, 0.4], [10, 1.6]]],
  ['files searched', response('gpt-4.1', figures(100, 10), { output: [{ type: 'file_search_call' }, { type: 'file_search_call' }] }),
    [[100, 2], [10, 8], [2, 0.0025, 'each']]],
  ['code run', response('gpt-4.1', figures(100, 10), { output: [{ type: 'code_interpreter_call' }] }), [[100, 2], [10, 8]], 'code_interpreter'],
  ['an image made by a tool', response('gpt-5', figures(100, 10), { output: [{ type: 'image_generation_call' }] }), [[100, 1.25], [10, 10]],
    'other_model'],
  ['responses, flex', response('gpt-5', figures(100, 10), { service_tier: 'flex' }), [[100, 1.25], [10, 10]], 'service_tier'],
  ['responses in a region', { ...response('gpt-5', figures(100, 10)), region: 'eu' }, [[100, 1.25], [10, 10]], 'region'],
  ['cut at its bound', response('gpt-5-mini', figures(100, 10), { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }),
    [[100, 0.25], [10, 2]]],
];

const claude = 'claude-sonnet-5';
const messageBills: readonly BilledExchange[] = [
  ['message', message(claude, figures(25, 150)), [[25, 2], [150, 10]]],
  ['message, Haiku', message('claude-haiku-4-5-20251001', figures(25, 150)), [[25, 1], [150, 5]]],
  ['message, Opus', message('claude-opus-4-8', figures(25, 150)), [[25, 5], [150, 25]]],
  ['message, older Opus', message('claude-opus-4-1-20250805', figures(25, 150)), [[25, 15], [150, 75]]],
  ['cache written for five minutes', message(claude, figures(3, 8, { cache_creation_input_tokens: 12_304 })), [[3, 2], [12_304, 2.5], [8, 10]]],
  ['cache read', message(claude, figures(3, 8, { cache_read_input_tokens: 12_304 })), [[3, 2], [12_304, 0.2], [8, 10]]],
  ['cache written for an hour', message(claude, figures(3, 8, { cache_creation_input_tokens: 456,
    cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 456 } })), [[3, 2], [456, 4], [8, 10]]],
  ['both lifetimes, and read', message(claude, figures(3, 8, { cache_read_input_tokens: 1800, cache_creation_input_tokens: 248,
    cache_creation: { ephemeral_5m_input_tokens: 148, ephemeral_1h_input_tokens: 100 } })), [[3, 2], [1800, 0.2], [148, 2.5], [100, 4], [8, 10]]],
  ['two web searches', message(claude, figures(105, 6039, { server_tool_use: { web_search_requests: 2 } })),
    [[105, 2], [6039, 10], [2, 0.01, 'each']]],
  ['pages fetched are free', message(claude, figures(105, 60, { server_tool_use: { web_search_requests: 0, web_fetch_requests: 3 } })),
    [[105, 2], [60, 10]]],
  ['searched and fetched', message(claude, figures(105, 60, { server_tool_use: { web_search_requests: 1, web_fetch_requests: 3 } })),
    [[105, 2], [60, 10], [1, 0.01, 'each']]],
  ['code executed', message(claude, figures(105, 60), { container: { id: 'container_1', expires_at: '2026-11-23T00:00:00Z' } }),
    [[105, 2], [60, 10]], 'code_interpreter'],
  ['a skill used', message(claude, figures(105, 60), { container: { id: 'container_1', expires_at: '2026-11-23T00:00:00Z',
    skills: [{ skill_id: 'pptx' }] } }),
    [[105, 2], [60, 10]], 'code_interpreter'],
  ['code executed and searched', message(claude, figures(105, 60, { server_tool_use: { web_search_requests: 1 } }), { container: { id: 'c' } }),
    [[105, 2], [60, 10], [1, 0.01, 'each']], 'code_interpreter'],
  ['no container', message(claude, figures(105, 60), { container: null }), [[105, 2], [60, 10]]],
  ['standard tier', message(claude, figures(105, 60, { service_tier: 'standard' })), [[105, 2], [60, 10]]],
  ['priority tier', message(claude, figures(105, 60, { service_tier: 'priority' })), [[105, 2], [60, 10]], 'service_tier'],
  ['batch tier', message(claude, figures(105, 60, { service_tier: 'batch' })), [[105, 2], [60, 10]], 'service_tier'],
  ['a faster mode', message('claude-opus-4-8', figures(105, 60, { speed: 'fast' })), [[105, 5], [60, 25]], 'service_tier'],
  ['served in one country', message(claude, figures(105, 60, { inference_geo: 'us' })), [[105, 2], [60, 10]], 'region'],
  ['served anywhere', message(claude, figures(105, 60, { inference_geo: 'global' })), [[105, 2], [60, 10]]],
  ['a regional address', { ...message(claude, figures(105, 60)), region: 'eu' }, [[105, 2], [60, 10]], 'region'],
  ['no price', message('claude-nobody', figures(1, 1)), null],
];

export const textBills: readonly BilledExchange[] = [
  ...chatBills, ...stepBills, ...responseBills, ...messageBills,
  ['embeddings', embeddings('text-embedding-3-small', 8), [[8, 0.02]]],
  ['embeddings, large', embeddings('text-embedding-3-large', 8191), [[8191, 0.13]]],
  ['embeddings, old', embeddings('text-embedding-ada-002-v2', 1), [[1, 0.1]]],
  ['embeddings elsewhere', at('api.mistral.ai', embeddings('mistral-embed', 15)), [[15, 0.1]]],
  ['a completion of the oldest kind', unnamed('gpt-3.5-turbo-instruct', tokens(300, 50), { more: { object: 'text_completion',
    model: 'gpt-3.5-turbo-instruct:20230824-v2', choices: [{ text: 'a', finish_reason: 'stop' }] } }), [[300, 1.5], [50, 2]]],
  ['a completion of a base model', unnamed('davinci-002', tokens(300, 50), { more: { object: 'text_completion', model: 'davinci-002' } }), null],
  ['a completion whose model is asked for alone', unnamed('gpt-3.5-turbo-instruct', tokens(300, 50)), [[300, 1.5], [50, 2]]],
  ['compaction names its model', unnamed('gpt-5', figures(10, 5), { more: { model: 'gpt-5-mini' } }), [[10, 0.25], [5, 2]]],
];
