/** One model's prices in the public list's form → our rates. What no rate of ours stands for (video, citations) is left out: calls report none. */
import type { ListedPrice, ListedRate, ListedRates } from '../price-list.ts';
import { arrayIn, objectIn, PublicListFault, textIn } from './fault.ts';

/** Which price of the public list is which of our rates. Video is missing: no call's usage is read for it. */
const tokenRates = {
  input: 'input_mtok',
  cached: 'cache_read_mtok',
  cacheWrite: 'cache_write_mtok',
  cacheWriteOneHour: 'cache_write_1h_mtok',
  output: 'output_mtok',
  reasoning: 'output_reasoning_mtok',
  audioInput: 'input_audio_mtok',
  audioOutput: 'output_audio_mtok',
  cachedAudio: 'cache_audio_read_mtok',
  cachedImage: 'cache_image_read_mtok',
  imageInput: 'input_image_mtok',
  imageOutput: 'output_image_mtok',
} as const satisfies { readonly [Name in keyof ListedRates]?: string };

/**
 * Prices without steps: per thousand of the call itself and of calls of the provider's own tools, for an hour of sound that comes in, for a
 * thousand pages. The number: the places that make it pico-dollars for one.
 */
const plainRates = {
  call: ['requests_kcount', 9], webSearch: ['web_searches_kcount', 9], fileSearch: ['storage_searches_kcount', 9],
  hour: ['input_audio_hours', 12], page: ['input_document_kpages', 9],
} as const satisfies { readonly [Name in keyof ListedRates]?: readonly [string, number] };

const pricesMax = 100;
const stepsMax = 20;

/** The prices of a model, in the list's order. @throws PublicListFault */
export function publicPrices(value: unknown, where: string): readonly ListedPrice[] {
  if (!Array.isArray(value)) return [publicRates(value, where)];
  return arrayIn(value, where, pricesMax).map((each, index) => publicPrice(each, `${where}[${index}]`));
}

function publicPrice(value: unknown, where: string): ListedPrice {
  const { constraint, prices } = objectIn(value, where);
  const rates = publicRates(prices, `${where}.prices`);
  if (constraint === undefined || constraint === null) return rates;
  const place = `${where}.constraint`;
  const { type, start_date: from, start_time: begins, end_time: ends, ...unknown } = objectIn(constraint, place);
  const isDate = (type ?? 'start_date') === 'start_date' && from !== undefined;
  const isTime = (type ?? 'time_of_date') === 'time_of_date' && begins !== undefined && ends !== undefined;
  if (isDate === isTime || Object.keys(unknown).length > 0) {
    throw new PublicListFault(`${place}: when this price holds is not understood: ${JSON.stringify(constraint).slice(0, 100)}.`);
  }
  if (isTime) {
    return { daily: { fromSecond: secondOfDay(begins, `${place}.start_time`), toSecond: secondOfDay(ends, `${place}.end_time`) }, ...rates };
  }
  const day = textIn(from, `${place}.start_date`);
  const ms = /^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : NaN;
  if (!Number.isFinite(ms) || new Date(ms).toISOString().slice(0, 10) !== day) {
    throw new PublicListFault(`${place}.start_date must be a date such as 2026-11-01.`);
  }
  return { from: day, ...rates };
}

function secondOfDay(value: unknown, where: string): number {
  const match = typeof value === 'string' ? /^([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:Z|\+00:00)$/.exec(value) : null;
  if (match === null) throw new PublicListFault(`${where} must be a time of day in UTC such as 16:30:00Z.`);
  return Number(match[1]) * 3600 + Number(match[2]) * 60 + Number(match[3]);
}

function publicRates(value: unknown, where: string): ListedRates {
  const prices = objectIn(value, where);
  const rates: Record<string, ListedRate> = {};
  for (const [name, key] of Object.entries(tokenRates)) {
    const price = prices[key];
    if (price !== undefined && price !== null) rates[name] = tokenRate(price, `${where}.${key}`);
  }
  // A newer form of the list names writes for five minutes by their time.
  const fiveMinutes = prices['cache_write_5m_mtok'];
  if (rates['cacheWrite'] === undefined && fiveMinutes !== undefined) rates['cacheWrite'] = tokenRate(fiveMinutes, `${where}.cache_write_5m_mtok`);
  for (const [name, [key, places]] of Object.entries(plainRates)) {
    const price = prices[key];
    if (price !== undefined && price !== null) rates[name] = scaled(price, places, `${where}.${key}`);
  }
  return rates;
}

function tokenRate(value: unknown, where: string): ListedRate {
  if (typeof value === 'number') return scaled(value, 6, where);
  const { base, tiers } = objectIn(value, where);
  const above = arrayIn(tiers, `${where}.tiers`, stepsMax).map((tier, index) => {
    const place = `${where}.tiers[${index}]`;
    const { start, price } = objectIn(tier, place);
    if (typeof start !== 'number' || !Number.isSafeInteger(start) || start < 1) {
      throw new PublicListFault(`${place}.start must be a whole number of tokens from 1.`);
    }
    return { tokens: start, rate: scaled(price, 6, `${place}.price`) };
  }).toSorted((a, b) => a.tokens - b.tokens);
  return { base: scaled(base, 6, `${where}.base`), above };
}

/** `price` × 10^`places` from its decimal text, rounded to a whole number; only prices such as thirds of a cent are not exact. */
export function scaled(price: unknown, places: number, where: string): number {
  const match = typeof price === 'number' ? /^(\d+)(?:\.(\d+))?(?:e-(\d+))?$/.exec(String(price)) : null;
  if (match === null) throw new PublicListFault(`${where} must be a price in US dollars, a number from 0.`);
  const fraction = match[2] ?? '';
  const shift = places - fraction.length - Number(match[3] ?? '0');
  const digits = BigInt(match[1]! + fraction);
  const rate = Number(shift >= 0 ? digits * 10n ** BigInt(shift) : (digits + 10n ** BigInt(-shift) / 2n) / 10n ** BigInt(-shift));
  if (!Number.isSafeInteger(rate)) throw new PublicListFault(`${where} is too large for a price.`);
  return rate;
}
