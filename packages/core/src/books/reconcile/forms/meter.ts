/**
 * Meters of cloud bills → the model and the kind of tokens that they count. Clouds name both in one text, each in its own abbreviations:
 * `gpt 4o 1120 cached Inp glbl Tokens`, `USE1-Claude4.6Opus-cache-read-input-token-count-cross-region-global`,
 * `Generate content output token count gemini 2.5 flash short input text`.
 */
import { countsOf, type Counts } from '../bill.ts';
import { itemOf, type BillItem } from '../bill-items.ts';
import { isListedFamily, modelNameOf } from '../model-names.ts';
import { wordsOfMeter, type MeterWord } from './meter-words.ts';

interface Meter {
  readonly name: string;
  readonly item: BillItem | null;
  readonly kind: MeterKind | null;
}

const kinds = ['cacheWrite', 'cached', 'audioOutput', 'audioInput', 'imageOutput', 'imageInput', 'output', 'input'] as const;
type MeterKind = (typeof kinds)[number];

/** Where a meter was counted, as AWS begins its names: `USE1-`, `USE1-MP:USE1_`, `USE1_`. */
const region = /^(?:(?!GPT)[A-Z]{3}\d{1,2}[-_]|EU-)?(?:MP:[A-Z0-9]{2,8}_)?/;

/** Families of models whose meters may leave them out, beside the words of the product that name them. */
const families: readonly (readonly [product: RegExp, family: string])[] = [
  [/openai|gpt/i, 'gpt'], [/deepseek/i, 'deepseek'], [/grok/i, 'grok'], [/\bphi\b/i, 'phi'], [/llama/i, 'llama'], [/mistral/i, 'mistral'],
  [/kimi|moonshot/i, 'kimi'], [/qwen/i, 'qwen'], [/cohere/i, 'cohere'], [/claude/i, 'claude'], [/gemini/i, 'gemini'],
];

/** Names that leave out a part that each model of this kind has had. */
const whole: Readonly<Record<string, string>> = {
  'embedding ada': 'text embedding ada 002', 'embedding 3 large': 'text embedding 3 large', 'embedding 3 small': 'text embedding 3 small',
  'text embedding ada': 'text embedding ada 002', 'gemini embedding': 'gemini embedding 001',
};

/** `hint`: the product's name, where the meter itself does not say which family a number is of. */
export function meterOf(text: string, hint = ''): Meter | null {
  // What a price is for stands before the length of its input: `output token count … short input text`.
  const words = wordsOfMeter(text.slice(0, 512).replace(region, '').replace(/\b(short|long) input text\b/i, '$1 input'));
  const plain = words.map((word) => word.text).join(' ');
  if (kindOf(plain, null) === null) {
    const item = itemOf(text);
    return item === null ? null : { name: text, item, kind: null };
  }
  const { name: said, modality } = nameOf(words, hint);
  const name = said === '' ? hint : said;
  return { name: name === '' ? text : name, item: null, kind: kindOf(plain, modality) };
}

/**
 * What names the model, and the modality that is charged for. A modality behind the name may be either (`gemini 2.5 flash image text` is text of an
 * image model): of the readings the first that the price list knows, else the one without them.
 */
function nameOf(words: readonly MeterWord[], hint: string): { readonly name: string; readonly modality: string | null } {
  const first = words.findIndex(({ sort }) => sort !== 'aside');
  // `image output token count for …`
  const leads = words[first]?.sort === 'modality' && /^(?:in|out)p/i.test(words[first + 1]?.text ?? '');
  const rest = leads ? words.filter((_, index) => index !== first) : words;
  const said = rest.filter(({ sort }) => sort !== 'aside');
  let behind = 0;
  for (const word of said.toReversed()) {
    if (word.sort === 'name' && !/^[01]\d[0-3]\d$/.test(word.text)) break;
    if (word.sort === 'modality') behind += 1;
  }
  const last = said.findLast(({ sort }) => sort === 'modality')?.text.toLowerCase() ?? null;
  const without = (count: number): string => {
    const cut = new Set(count === 0 ? [] : said.filter(({ sort }) => sort === 'modality').slice(-count));
    return wholeName(said.filter((word) => !cut.has(word)).map((word) => word.text).join(' '), hint);
  };
  const out = words.some(({ text }) => /^(?:out|opt)/i.test(text));
  const embeds = said.some(({ text }) => /embed/i.test(text));
  const belongs = leads || embeds || last === 'thinking' || (out && last !== 'text' && last !== 'txt');
  const counts = belongs ? [0, 1, behind] : [1, behind, 0];
  const possible = counts.filter((count) => count <= behind);
  const known = possible.find((count) => isListedFamily(modelNameOf(without(count)).family));
  return { name: without(known ?? (embeds ? 0 : behind)), modality: leads ? words[first]!.text : last };
}

function wholeName(said: string, hint: string): string {
  const family = /^(?:\d|[vr]\d)/i.test(said) ? families.find(([product]) => product.test(hint))?.[1] : undefined;
  const name = family === undefined || (family === 'gpt' && !/^\d/.test(said)) ? said : `${family} ${said}`;
  // `56 sol` of GPT 5.6.
  const pointed = name.replace(/^gpt (\d)(\d)(?=\D|$)/, 'gpt $1.$2');
  if (pointed !== name && !isListedFamily(modelNameOf(name).family)) return pointed;
  return whole[name.toLowerCase()] ?? name;
}

/** `modality`: what goes in or comes out; null: text, if the meter says nothing else. */
function kindOf(text: string, modality: string | null): MeterKind | null {
  const head = text.toLowerCase().replaceAll(/(?:short|long) input/g, ' ');
  const has = (pattern: RegExp): boolean => pattern.test(head);
  const output = has(/output|\boutp?t?\b|\bopt\b/);
  const input = has(/input|\binpt?u?\b/);
  if (!output && !input && !has(/token/)) return null;
  if (has(/cache ?writ|\b(?:cd|cchd|cached?) wr\b/)) return 'cacheWrite';
  if (has(/cach|\bcc?h?d\b/)) return 'cached';
  if (/^aud/i.test(modality ?? '')) return output ? 'audioOutput' : 'audioInput';
  if (/^im/i.test(modality ?? '')) return output ? 'imageOutput' : 'imageInput';
  return output ? 'output' : 'input';
}

/** What a meter's quantity adds: cached and written tokens, sound and images are parts of what goes in or comes out. */
export function countsOfMeter(kind: MeterKind, quantity: number | null): Counts {
  if (quantity === null) return {};
  const tokens = Math.round(quantity);
  switch (kind) {
    case 'cacheWrite': return countsOf({ inputTokens: tokens, cacheWriteTokens: tokens });
    case 'cached': return countsOf({ inputTokens: tokens, cachedTokens: tokens });
    case 'audioInput': return countsOf({ inputTokens: tokens, audioInputTokens: tokens });
    case 'audioOutput': return countsOf({ outputTokens: tokens, audioOutputTokens: tokens });
    case 'imageInput': return countsOf({ inputTokens: tokens, imageInputTokens: tokens });
    case 'imageOutput': return countsOf({ outputTokens: tokens, imageOutputTokens: tokens });
    case 'output': return countsOf({ outputTokens: tokens });
    case 'input': return countsOf({ inputTokens: tokens });
  }
}

/** How many tokens one unit is: `1K Tokens` is a thousand. Null: the unit does not say, as `Units` of marketplaces, which are millions at times. */
export function tokensPerUnit(unit: unknown): number | null {
  const text = typeof unit === 'string' ? unit.toLowerCase() : '';
  if (/\b1 ?m\b|million|1,?000,?000/.test(text)) return 1_000_000;
  if (/\b1 ?k\b|thousand|\b1,?000\b/.test(text)) return 1_000;
  return /token|count|^1$/.test(text) ? 1 : null;
}
