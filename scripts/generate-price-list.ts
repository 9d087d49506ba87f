/**
 * Prices of `@pydantic/genai-prices`, with our amendments (`amend-price-list.ts`) → `packages/core/price-list/price-list.json`, the frozen list that
 * calls are priced by.
 * The same package gives the same bytes. Run by hand after raising the package's version; the release date below goes with it.
 * If the data holds something that this script does not know, it stops: a price is never silently dropped or changed.
 */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import {
  waitForUpdate, type ConditionalPrice, type MatchLogic, type ModelInfo, type ModelPrice, type Provider,
} from '@pydantic/genai-prices';
import { amended, readAmendments } from './amend-price-list.ts';
import type {
  ListedModel, ListedPrice, ListedProvider, ListedRate, ListedRates, NameRule, PriceList,
} from '@metergate/core/price/price-list.ts';

const packageName = '@pydantic/genai-prices';
/** The version whose data is frozen, and the day it was published. Change both together. */
const release = { version: '0.1.8', date: '2026-09-23' };
const listFile = new URL('../packages/core/price-list/price-list.json', import.meta.url);
const packageFile = new URL(`../node_modules/${packageName}/package.json`, import.meta.url);

/** Which price of the package is which of our rates. Video is missing: no call's usage is read for it. */
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
} as const;

/** Prices per thousand: of the call itself, and of calls of the provider's own tools. */
const pricesPerThousand = { call: 'requests_kcount', webSearch: 'web_searches_kcount', fileSearch: 'storage_searches_kcount' } as const;

/** An hour of sound that comes in, and a thousand pages, with the places that make a price one of picodollars for one. */
const pricesByUnit = { hour: ['input_audio_hours', 12], page: ['input_document_kpages', 9] } as const;

/** Hosts whose pattern in the package is not `https://host` with an optional path, or does not say where the host ends. */
const hostsByHand: Record<string, string> = {
  azure: '(?:[^.]+\\.)*(?:openai\\.azure\\.com|azure-api\\.net|cognitiveservices\\.azure\\.com|services\\.ai\\.azure\\.com)',
  moonshotai: 'api\\.moonshot\\.(?:ai|cn)',
};

/**
 * The whole list, with its hash. `amendments`: those of the repository, unless others are given. @throws Error if the installed package is another
 * version, or its data is not understood.
 */
export async function buildPriceList(amendments = readAmendments()): Promise<PriceList> {
  const installed = (JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string }).version;
  if (installed !== release.version) {
    throw new Error(`${packageName} ${installed} is installed; write its version and release day into this script first.`);
  }
  const providers = await waitForUpdate();
  if (providers === null) throw new Error(`${packageName} holds no prices.`);
  const content = {
    source: { package: packageName, version: release.version },
    date: release.date,
    providers: amended(providers.map(listedProvider), amendments),
  };
  const { source, date, providers: listed } = content;
  return { source, date, hash: priceListHash(content), providers: listed };
}

/** SHA-256 of the list's content as compact JSON, without the hash itself. */
export function priceListHash(list: Omit<PriceList, 'hash'>): string {
  const { source, date, providers } = list;
  return createHash('sha256').update(JSON.stringify({ source, date, providers })).digest('hex');
}

/** The file's text: one model a line, so that a changed price is one changed line. */
export function priceListText(list: PriceList): string {
  const providers = list.providers.map((provider) => {
    const { models, ...rest } = provider;
    const head = JSON.stringify(rest).slice(0, -1);
    return `${head},"models":[\n${models.map((model) => JSON.stringify(model)).join(',\n')}\n]}`;
  });
  const { source, date, hash } = list;
  return `${JSON.stringify({ source, date, hash }).slice(0, -1)},"providers":[\n${providers.join(',\n')}\n]}\n`;
}

function listedProvider(provider: Provider): ListedProvider {
  const borrows = provider.fallback_model_providers;
  return {
    id: provider.id,
    name: provider.name,
    ...hostAndPath(provider),
    ...(borrows === undefined || borrows.length === 0 ? {} : { borrows }),
    models: provider.models.map((model) => listedModel(provider, model)),
  };
}

/** Splits a pattern of API addresses at the slash that ends its host. */
function hostAndPath(provider: Provider): { host: string; path?: string } {
  const byHand = hostsByHand[provider.id];
  if (byHand !== undefined) return { host: byHand };
  const match = /^https:\/\/((?:[^/()[\]]|\([^/()]*\)|\[[^\]]*\])+?)(?:\(?(?:\?:)?\/\|\$\))?(\/.*)?$/.exec(provider.api_pattern);
  if (match === null) throw new Error(`The address pattern of ${provider.id} is not understood: ${provider.api_pattern}`);
  const path = match[2]?.replace(/\(\?:\/\|\$\)$/, '');
  return { host: match[1]!, ...(path === undefined ? {} : { path }) };
}

function listedModel(provider: Provider, model: ModelInfo): ListedModel {
  const prices: readonly ConditionalPrice[] = Array.isArray(model.prices) ? model.prices : [{ prices: model.prices }];
  const where = `${provider.id} ${model.id}`;
  return { id: model.id, rule: nameRule(model.match), prices: prices.map((price) => listedPrice(where, price)) };
}

function nameRule(match: MatchLogic): NameRule {
  if ('or' in match) return { any: match.or.map(nameRule) };
  if ('and' in match) return { all: match.and.map(nameRule) };
  if ('equals' in match) return { is: match.equals.toLowerCase() };
  if ('starts_with' in match) return { starts: match.starts_with.toLowerCase() };
  if ('ends_with' in match) return { ends: match.ends_with.toLowerCase() };
  if ('contains' in match) return { contains: match.contains.toLowerCase() };
  if ('regex' in match) return { regex: new RegExp(match.regex).source };
  throw new Error(`A rule for model names is not understood: ${JSON.stringify(match)}`);
}

function listedPrice(where: string, { constraint, prices }: ConditionalPrice): ListedPrice {
  const rates = listedRates(where, prices);
  if (constraint === undefined) return rates;
  if (constraint.type === 'start_date') return { from: constraint.start_date, ...rates };
  if (constraint.type === 'time_of_date') {
    return { daily: { fromSecond: secondOfDay(constraint.start_time), toSecond: secondOfDay(constraint.end_time) }, ...rates };
  }
  throw new Error(`${where}: when this price holds is not understood: ${JSON.stringify(constraint)}`);
}

function secondOfDay(time: string): number {
  const match = /^(\d\d):(\d\d):(\d\d)Z$/.exec(time);
  if (match === null) throw new Error(`A time of day is not understood: ${time}`);
  return Number(match[1]) * 3600 + Number(match[2]) * 60 + Number(match[3]);
}

function listedRates(where: string, prices: ModelPrice): ListedRates {
  const rates: Record<string, ListedRate> = {};
  for (const [name, key] of Object.entries(tokenRates)) {
    const price = prices[key];
    if (price !== undefined) rates[name] = listedRate(`${where} ${key}`, price);
  }
  for (const [name, key] of Object.entries(pricesPerThousand)) {
    const price = prices[key];
    if (price === undefined) continue;
    if (typeof price !== 'number') throw new Error(`${where}: the price ${key} has steps.`);
    rates[name] = scaled(`${where} ${key}`, price, 9);
  }
  for (const [name, [key, places]] of Object.entries(pricesByUnit)) {
    const price = prices[key];
    if (price === undefined) continue;
    if (typeof price !== 'number') throw new Error(`${where}: the price ${key} has steps.`);
    rates[name] = scaled(`${where} ${key}`, price, places);
  }
  return rates;
}

function listedRate(where: string, price: Exclude<ModelPrice[string], undefined>): ListedRate {
  if (typeof price === 'number') return scaled(where, price, 6);
  const above = price.tiers.toSorted((a, b) => a.start - b.start)
    .map((tier) => ({ tokens: tier.start, rate: scaled(where, tier.price, 6) }));
  return { base: scaled(where, price.base, 6), above };
}

/** `price` × 10^`places` from its decimal text, rounded to a whole number; only prices such as thirds of a cent are not exact. */
function scaled(where: string, price: number, places: number): number {
  const match = /^(\d+)(?:\.(\d+))?(?:e-(\d+))?$/.exec(String(price));
  if (match === null) throw new Error(`${where}: ${price} is no price.`);
  const fraction = match[2] ?? '';
  const shift = places - fraction.length - Number(match[3] ?? '0');
  const digits = BigInt(match[1]! + fraction);
  const rate = Number(shift >= 0 ? digits * 10n ** BigInt(shift) : (digits + 10n ** BigInt(-shift) / 2n) / 10n ** BigInt(-shift));
  if (!Number.isSafeInteger(rate)) throw new Error(`${where}: ${price} is too large.`);
  return rate;
}

if (import.meta.main) {
  const list = await buildPriceList();
  writeFileSync(listFile, priceListText(list));
  const models = list.providers.reduce((count, provider) => count + provider.models.length, 0);
  process.stdout.write(`${list.date} ${list.hash}: ${list.providers.length} providers, ${models} models\n`);
}
