/**
 * An operator's price file → prices that take precedence over the frozen list. Rule 6; rules: `prices load`. Strict: an unknown field, a
 * price that cannot be kept exactly, or a second price for the same model refuses the whole file with a sentence that names the place. A
 * half-understood file would silently price calls wrongly.
 *
 *   { "prices": [
 *     { "provider": "openai", "model": "my-finetune*", "input": "1.10", "cached": "0.11", "output": "8.80",
 *       "above": [{ "tokens": 272000, "input": "2.20", "output": "13.20" }] },
 *     { "host": "llm.example.com", "model": "*", "from": "2026-12-01", "input": 0.2, "output": 0.6 } ] }
 *
 * Prices are US dollars per million tokens, decimal text or numbers, with up to six decimals. `provider` is a seller of the
 * frozen list, `host` a declared upstream's host name. `model` is a whole name, or a beginning before `*`; any letter case.
 * `cached`, `cacheWrite` and `cacheWriteOneHour` may be left out and are then charged as input (one-hour writes as other writes).
 * `audioInput` and `audioOutput`: audio; without them it is charged as text, and the record's cost has a gap.
 * `cachedAudio`, `cachedImage`, `imageInput`, `imageOutput`: likewise. `reasoning` is charged as output if it is left out. `hour`, `second`, `page`,
 * `image`: US dollars for one; `characters`: for a million. A price may have these alone, without `input` and `output`. `webSearch`, `webFetch`,
 * `fileSearch`, `codeInterpreter`, `otherTool`: US dollars per thousand calls of the provider's own tool; `call`: per thousand calls of the model.
 * `serviceTiers` and `regions`: by the provider's word, a factor of all prices but those of tools and calls, such as { "flex": "0.5" }, with up to
 * three decimals, or an object of the token prices that hold there, with an `above`; others stay. `from`: a date (00:00 UTC) or an
 * instant; the price is for calls that start then or later, until a later one of the same model begins. Docs: docs/prices.md.
 * `above`: a call whose whole input is more than `tokens` pays these prices, for all of its tokens; others stay as they were.
 */
import { parseTime } from '../time/time-word.ts';
import { comparable } from './model-name.ts';
import { priceList, type PriceList } from './price-list.ts';
import { noRatesOf, wholeFactor, type Rates, type TokenRate } from './rates.ts';

/** Whose models a price is for. */
export type OverlaySeller =
  | { readonly kind: 'provider'; readonly provider: string }
  | { readonly kind: 'host'; readonly host: string };

/** One of the operator's prices. `model` is in lower case; with `*` at its end it is a prefix. */
export interface OverlayPrice {
  readonly seller: OverlaySeller;
  readonly model: string;
  /** The first instant at which it holds, milliseconds since the epoch; null: always. */
  readonly fromMs: number | null;
  readonly rates: Rates;
}

/** A parsed price file. */
export interface Overlay {
  readonly prices: readonly OverlayPrice[];
}

const textMax = 4 * 1024 * 1024;
const pricesMax = 10_000;
const stepsMax = 8;
const modelMax = 256;
const rateNames = [
  'input', 'cached', 'cacheWrite', 'cacheWriteOneHour', 'output', 'reasoning', 'audioInput', 'audioOutput', 'cachedAudio', 'cachedImage',
  'imageInput', 'imageOutput',
] as const;
const unitNames = ['hour', 'second', 'page', 'image', 'characters'] as const;
const feeNames = ['webSearch', 'webFetch', 'fileSearch', 'codeInterpreter', 'otherTool', 'call'] as const;
const factorsMax = 50;
type RateName = (typeof rateNames)[number];
const priceFields = ['provider', 'host', 'model', 'from', ...rateNames, ...unitNames, ...feeNames, 'serviceTiers', 'regions', 'above'];
type JsonObject = Readonly<Record<string, unknown>>;

/** Ends the reading of a file; never leaves this module. */
class Refused extends Error {}

/** A list's sellers: those that a price may be for. */
type KnownSellers = { readonly providers: readonly Pick<PriceList['providers'][number], 'id'>[] };

/**
 * The file's prices, or the sentence that says what is wrong and where. `list`: null for a file that was accepted before, perhaps with another
 * list; a price for a seller that is gone applies to nothing.
 */
export function parseOverlay(
  text: string, list: KnownSellers | null = priceList,
): { readonly overlay: Overlay } | { readonly refusal: string } {
  try {
    return { overlay: overlayOf(text, list) };
  } catch (error) {
    if (error instanceof Refused) return { refusal: error.message };
    throw error;
  }
}

function overlayOf(text: string, list: KnownSellers | null): Overlay {
  if (text.length > textMax) throw new Refused(`The price file is larger than ${textMax} characters; split off what is not needed.`);
  const file = objectAt(jsonOf(text), 'The file', ['prices']);
  const entries = listAt(file['prices'], 'prices', pricesMax);
  const prices = entries.map((entry, index) => priceAt(entry, `prices[${index}]`, list));
  const seen = new Map<string, number>();
  for (const [index, price] of prices.entries()) {
    const key = JSON.stringify([price.seller, price.model, price.fromMs]);
    const earlier = seen.get(key);
    if (earlier !== undefined) {
      throw new Refused(`prices[${index}] is for the same model as prices[${earlier}]; keep one of them, or give one a date from which it holds.`);
    }
    seen.set(key, index);
  }
  return { prices };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refused('The price file is not valid JSON.');
  }
}

function priceAt(value: unknown, path: string, list: KnownSellers | null): OverlayPrice {
  const entry = objectAt(value, path, priceFields);
  const byUnit = [...unitNames, 'call'].some((name) => Object.hasOwn(entry, name)) && !rateNames.some((name) => Object.hasOwn(entry, name));
  for (const name of byUnit ? [] : ['input', 'output']) {
    if (!Object.hasOwn(entry, name)) throw new Refused(`${path}.${name} is missing; give its price per million tokens, 0 if it is free.`);
  }
  return {
    seller: sellerAt(entry, path, list), model: modelAt(entry['model'], `${path}.model`), fromMs: fromAt(entry['from'], `${path}.from`),
    rates: ratesAt(entry, path),
  };
}

/** A date or an instant; words that depend on the present are not allowed. */
function fromAt(value: unknown, path: string): number | null {
  if (value === undefined) return null;
  const time = typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value) ? parseTime(value) : null;
  if (time?.kind !== 'at') throw new Refused(`${path} must be a date (2026-12-01, from 00:00 UTC) or an instant with its offset.`);
  return time.ms;
}

function sellerAt(entry: JsonObject, path: string, list: KnownSellers | null): OverlaySeller {
  const { provider, host } = entry;
  if ((provider === undefined) === (host === undefined)) throw new Refused(`${path} needs either provider or host, and not both.`);
  if (provider !== undefined) {
    if (typeof provider !== 'string' || (list !== null && !list.providers.some(({ id }) => id === provider))) {
      throw new Refused(`${path}.provider is not a provider of the price list (for instance openai or anthropic); use host for others.`);
    }
    return { kind: 'provider', provider };
  }
  if (typeof host !== 'string' || host.length > 253 || !/^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])$/i.test(host)) {
    throw new Refused(`${path}.host must be a host name without scheme, port and path, such as llm.example.com.`);
  }
  return { kind: 'host', host: host.toLowerCase() };
}

function modelAt(value: unknown, path: string): string {
  const plain = typeof value === 'string' ? comparable(value) : '';
  if (plain === '' || plain.length > modelMax || plain.slice(0, -1).includes('*')) {
    throw new Refused(`${path} must be a model's name of at most ${modelMax} characters; * may stand only at its end.`);
  }
  return plain;
}

type NamedRates = { readonly [Name in RateName]: TokenRate | null };

/** Prices of tokens, with their steps. */
function tokenRatesAt(entry: JsonObject, path: string): NamedRates {
  const steps = entry['above'] === undefined ? [] : listAt(entry['above'], `${path}.above`, stepsMax).map((step, index) => {
    const at = `${path}.above[${index}]`;
    const fields = objectAt(step, at, ['tokens', ...rateNames]);
    return { at, fields, tokens: tokensAt(fields['tokens'], `${at}.tokens`) };
  });
  for (const [index, step] of steps.entries()) {
    if (index > 0 && step.tokens <= steps[index - 1]!.tokens) throw new Refused(`${step.at}.tokens must be more than in the step before.`);
  }
  const rate = (name: RateName): TokenRate | null => {
    const base = entry[name];
    const above = steps.filter(({ fields }) => fields[name] !== undefined)
      .map(({ at, fields, tokens }) => ({ tokens, rate: picoAt(fields[name], `${at}.${name}`) }));
    if (base !== undefined) return { base: picoAt(base, `${path}.${name}`), above };
    if (above.length > 0) throw new Refused(`${path}.${name} is missing, though a step has a price for it.`);
    return null;
  };
  return {
    input: rate('input'), cached: rate('cached'), cacheWrite: rate('cacheWrite'), cacheWriteOneHour: rate('cacheWriteOneHour'),
    output: rate('output'), reasoning: rate('reasoning'), audioInput: rate('audioInput'), audioOutput: rate('audioOutput'),
    cachedAudio: rate('cachedAudio'), cachedImage: rate('cachedImage'), imageInput: rate('imageInput'), imageOutput: rate('imageOutput'),
  };
}

function ratesAt(entry: JsonObject, path: string): Rates {
  const [tiers, regions] = [placesAt(entry['serviceTiers'], `${path}.serviceTiers`), placesAt(entry['regions'], `${path}.regions`)];
  const plain = {
    ...tokenRatesAt(entry, path), ...unitsAt(entry, path), ...feesAt(entry, path), serviceTiers: tiers.factors, regions: regions.factors,
    ofTiers: noRatesOf, ofRegions: noRatesOf,
  };
  const own = (rates: Places['rates'], as: 'serviceTiers' | 'regions'): ReadonlyMap<string, Rates> =>
    new Map([...rates].map(([word, changed]) => [word, { ...plain, ...changed, [as]: new Map([[word, wholeFactor]]) }]));
  return { ...plain, ofTiers: own(tiers.rates, 'serviceTiers'), ofRegions: own(regions.rates, 'regions') };
}

/** US dollars per thousand calls → pico-dollars per call. */
function feesAt(entry: JsonObject, path: string): Pick<Rates, 'tools' | 'otherTool' | 'call'> {
  const fee = (name: (typeof feeNames)[number]): bigint | null =>
    entry[name] === undefined ? null : amountAt(entry[name], `${path}.${name}`, 'US dollars per thousand calls') * 1_000n;
  return {
    tools: { webSearch: fee('webSearch'), webFetch: fee('webFetch'), fileSearch: fee('fileSearch'), codeInterpreter: fee('codeInterpreter') },
    otherTool: fee('otherTool'), call: fee('call') ?? 0n,
  };
}

function unitsAt(entry: JsonObject, path: string): Pick<Rates, 'hour' | 'page' | 'image' | 'character'> {
  const one = (name: (typeof unitNames)[number]): bigint | null => unitAt(entry[name], `${path}.${name}`);
  const [hour, second] = [one('hour'), one('second')];
  if (hour !== null && second !== null) throw new Refused(`${path} has a price for an hour and one for a second; keep one of them.`);
  return {
    hour: second === null ? hour : second * 3_600n, page: one('page'), image: one('image'),
    character: entry['characters'] === undefined ? null : amountAt(entry['characters'], `${path}.characters`, 'US dollars per million characters'),
  };
}

/** US dollars for one → pico-dollars. */
function unitAt(value: unknown, path: string): bigint | null {
  return value === undefined ? null : amountAt(value, path, 'US dollars for one') * 1_000_000n;
}

/** By words in lower case: factors in millionths, or the prices that are other ones. */
interface Places {
  readonly factors: ReadonlyMap<string, bigint>;
  readonly rates: ReadonlyMap<string, Partial<NamedRates>>;
}

function placesAt(value: unknown, path: string): Places {
  const [factors, rates] = [new Map<string, bigint>(), new Map<string, Partial<NamedRates>>()];
  if (value === undefined) return { factors, rates };
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Refused(`${path} must be an object.`);
  const entries = Object.entries(value as JsonObject);
  if (entries.length > factorsMax) throw new Refused(`${path} has more than ${factorsMax} entries.`);
  for (const [word, said] of entries) {
    const name = word.toLowerCase();
    if (factors.has(name) || rates.has(name)) throw new Refused(`${path} has ${JSON.stringify(name.slice(0, 40))} twice, in other letter case.`);
    if (typeof said === 'object') rates.set(name, changedAt(said, `${path}.${word.slice(0, 40)}`));
    else factors.set(name, factorAt(said, path));
  }
  return { factors, rates };
}

/** The prices of tokens that are given. */
function changedAt(value: unknown, path: string): Partial<NamedRates> {
  const given = tokenRatesAt(objectAt(value, path, [...rateNames, 'above']), path);
  const changed = Object.fromEntries(Object.entries(given).filter(([, rate]) => rate !== null)) as Partial<NamedRates>;
  if (Object.keys(changed).length === 0) throw new Refused(`${path} has no price; give one of ${rateNames.join(', ')}, or a factor.`);
  return changed;
}

function factorAt(factor: unknown, path: string): bigint {
  const text = typeof factor === 'number' ? plainDecimal(factor) : factor;
  const match = typeof text === 'string' ? /^(\d{1,3})(?:\.(\d{1,3}))?$/.exec(text) : null;
  if (match === null) {
    throw new Refused(`${path} must hold factors from 0, below 1000, with at most three decimals, such as "0.5", or objects of prices.`);
  }
  return BigInt(match[1]! + (match[2] ?? '').padEnd(6, '0'));
}

function tokensAt(value: unknown, path: string): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 1) {
    throw new Refused(`${path} must be a whole number of tokens from 1.`);
  }
  return value;
}

/** US dollars per million tokens → pico-dollars per token, exact. */
function picoAt(value: unknown, path: string): bigint {
  return amountAt(value, path, 'US dollars per million tokens');
}

/** Millionths of what `unit` names. Numbers are read by their shortest decimal text. */
function amountAt(value: unknown, path: string, unit: string): bigint {
  const text = typeof value === 'number' ? plainDecimal(value) : value;
  const match = typeof text === 'string' ? /^(\d{1,9})(?:\.(\d{1,6}))?$/.exec(text) : null;
  if (match === null) {
    throw new Refused(`${path} must be ${unit} from 0, below 1000000000, with at most six decimals, such as "2.50".`);
  }
  return BigInt(match[1]! + (match[2] ?? '').padEnd(6, '0'));
}

/** A JSON number's shortest text. A number that prints with an exponent is too small or too large for a price, and is refused. */
function plainDecimal(value: number): string {
  return Object.is(value, -0) ? '0' : String(value);
}

function objectAt(value: unknown, path: string, fields: readonly string[]): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Refused(`${path} must be an object.`);
  const unknown = Object.keys(value).find((name) => !fields.includes(name));
  if (unknown !== undefined) {
    throw new Refused(`${path} has the unknown field ${JSON.stringify(unknown.slice(0, 40))}; known are ${fields.join(', ')}.`);
  }
  return value as JsonObject;
}

function listAt(value: unknown, path: string, max: number): readonly unknown[] {
  if (!Array.isArray(value)) throw new Refused(`${path} must be an array.`);
  if (value.length > max) throw new Refused(`${path} has more than ${max} entries.`);
  return value;
}
