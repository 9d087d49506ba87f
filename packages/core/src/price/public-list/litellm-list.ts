/**
 * LiteLLM's list (`model_prices_and_context_window.json`) → the sellers of our list: those that the shipped list knows, at its addresses. Its names
 * are whole names. It gives prices of tiers and of batches as separate rates, which our list has no place for: such calls have a gap, as with the
 * shipped list. Strict about every price that is read. Rule 6e.
 */
import { priceList, type ListedModel, type ListedProvider, type ListedRate, type ListedRates } from '../price-list.ts';
import { objectIn, PublicListFault, textIn } from './fault.ts';
import { scaled } from './prices.ts';

const entriesMax = 30_000;

/** Its names of sellers → ours. Others are left out: their calls go to hosts that the list does not tell. */
const sellerIds: ReadonlyMap<string, string> = new Map([
  ['openai', 'openai'], ['text-completion-openai', 'openai'], ['anthropic', 'anthropic'], ['azure', 'azure'], ['bedrock', 'aws'],
  ['bedrock_converse', 'aws'], ['gemini', 'google'], ['deepseek', 'deepseek'], ['groq', 'groq'], ['mistral', 'mistral'], ['xai', 'x-ai'],
  ['openrouter', 'openrouter'], ['together_ai', 'together'], ['perplexity', 'perplexity'], ['fireworks_ai', 'fireworks'], ['cohere', 'cohere'],
  ['cohere_chat', 'cohere'], ['cerebras', 'cerebras'], ['moonshot', 'moonshotai'], ['minimax', 'minimax'], ['voyage', 'voyageai'],
  ['novita', 'novita'], ['zai', 'zai'],
]);

/** Per token, in US dollars; each may have a step, `…_above_200k_tokens`. */
const tokenRates = {
  input: 'input_cost_per_token', cached: 'cache_read_input_token_cost', cacheWrite: 'cache_creation_input_token_cost',
  cacheWriteOneHour: 'cache_creation_input_token_cost_above_1hr', output: 'output_cost_per_token', reasoning: 'output_cost_per_reasoning_token',
  audioInput: 'input_cost_per_audio_token', audioOutput: 'output_cost_per_audio_token', imageInput: 'input_cost_per_image_token',
  imageOutput: 'output_cost_per_image_token',
} as const satisfies { readonly [Name in keyof ListedRates]?: string };

/** For one; the number: the places that make it pico-dollars, and how many are one of ours. */
const plainRates = {
  hour: ['input_cost_per_second', 12, 3_600], page: ['ocr_cost_per_page', 12, 1], image: ['output_cost_per_image', 12, 1],
  character: ['input_cost_per_character', 12, 1], fileSearch: ['file_search_cost_per_1k_calls', 9, 1],
  codeInterpreter: ['code_interpreter_cost_per_session', 12, 1],
} as const satisfies { readonly [Name in keyof ListedRates]?: readonly [string, number, number] };

/** Whether a file has this form. */
export function isLitellmList(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    && Object.values(value).some((entry) => typeof entry === 'object' && entry !== null && 'litellm_provider' in entry);
}

/** In the order of the shipped list; without those of which the file has no model. @throws PublicListFault */
export function litellmSellers(value: unknown): readonly ListedProvider[] {
  const entries = Object.entries(objectIn(value, 'The list'));
  if (entries.length > entriesMax) throw new PublicListFault(`The list has more than ${entriesMax} entries.`);
  const bySeller = new Map<string, Map<string, ListedModel>>();
  for (const [key, given] of entries) {
    const where = `[${JSON.stringify(key.slice(0, 100))}]`;
    const entry = objectIn(given, where);
    // An example and general remarks stand among the models.
    if (key === 'sample_spec' || !Object.hasOwn(entry, 'litellm_provider')) continue;
    const provider = textIn(entry['litellm_provider'], `${where}.litellm_provider`);
    const seller = sellerIds.get(provider);
    if (seller === undefined) continue;
    const name = (key.startsWith(`${provider}/`) ? key.slice(provider.length + 1) : key).toLowerCase();
    const rates = ratesIn(entry, where);
    if (Object.keys(rates).length === 0) continue;
    let models = bySeller.get(seller);
    if (models === undefined) bySeller.set(seller, models = new Map());
    // The same model under two of its names for a seller: the first counts.
    if (!models.has(name)) models.set(name, { id: name, rule: { is: name }, prices: [rates] });
  }
  return priceList.providers.flatMap((shipped) => {
    const models = bySeller.get(shipped.id);
    return models === undefined ? [] : [{ ...shipped, models: [...models.values()] }];
  });
}

function ratesIn(entry: Readonly<Record<string, unknown>>, where: string): ListedRates {
  const rates: Record<string, ListedRate> = {};
  for (const [name, key] of Object.entries(tokenRates)) {
    const price = entry[key];
    if (price === undefined || price === null) continue;
    const base = scaled(price, 12, `${where}.${key}`);
    const above = stepsIn(entry, key, where);
    rates[name] = above.length === 0 ? base : { base, above };
  }
  for (const [name, [key, places, count]] of Object.entries(plainRates)) {
    const price = entry[key];
    if (price !== undefined && price !== null) rates[name] = scaled(price, places, `${where}.${key}`) * count;
  }
  const search = searchFee(entry['search_context_cost_per_query'], `${where}.search_context_cost_per_query`);
  if (search !== null) rates['webSearch'] = search;
  return rates;
}

/** `input_cost_per_token_above_200k_tokens`, in rising order. */
function stepsIn(entry: Readonly<Record<string, unknown>>, key: string, where: string): { tokens: number; rate: number }[] {
  return Object.entries(entry).flatMap(([name, price]) => {
    const thousands = name.startsWith(`${key}_above_`) ? /^(\d{1,6})k_tokens$/.exec(name.slice(key.length + '_above_'.length))?.[1] : undefined;
    if (thousands === undefined || price === null) return [];
    return [{ tokens: Number(thousands) * 1_000, rate: scaled(price, 12, `${where}.${name}`) }];
  }).toSorted((a, b) => a.tokens - b.tokens);
}

/** Null: none, or it depends on the size of what was searched, which no answer tells. */
function searchFee(value: unknown, where: string): number | null {
  if (value === undefined || value === null) return null;
  const fees = new Set(Object.entries(objectIn(value, where)).map(([size, fee]) => scaled(fee, 12, `${where}.${size}`)));
  return fees.size === 1 ? [...fees][0]! : null;
}
