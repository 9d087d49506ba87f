/**
 * Prices of `@pydantic/genai-prices`, with our amendments (`amend-price-list.ts`) → `packages/core/price-list/price-list.json`, the frozen list that
 * calls are priced by.
 * The same package gives the same bytes. Run by hand after raising the package's version; the release date below goes with it.
 * If the data holds something that this script does not know, it stops: a price is never silently dropped or changed.
 */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { waitForUpdate } from '@pydantic/genai-prices';
import { amended, readAmendments } from './amend-price-list.ts';
import type { ListedProvider, PriceList } from '@metergate/core/price/price-list.ts';
import type { Mend } from '@metergate/core/price/public-list/mends.ts';
import { publicSellers } from '@metergate/core/price/public-list/public-list.ts';

const packageName = '@pydantic/genai-prices';
/** The version whose data is frozen, and the day it was published. Change both together. */
const release = { version: '0.1.8', date: '2026-09-23' };
const listFile = new URL('../packages/core/price-list/price-list.json', import.meta.url);
const mendsFile = new URL('../packages/core/price-list/mends.json', import.meta.url);
const packageFile = new URL(`../node_modules/${packageName}/package.json`, import.meta.url);

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
    providers: amended(publicSellers(providers), amendments),
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

/** The models that differ between a list and the same list amended. */
function mendsBetween(plain: readonly ListedProvider[], amended: readonly ListedProvider[]): Mend[] {
  return plain.flatMap(({ id, models }, index) => {
    const others = amended[index]!.models;
    let at = 0;
    return models.flatMap((was): Mend[] => {
      const from = at;
      while (others[at]!.id !== was.id) at += 1;
      at += 1;
      const is = others.slice(from, at);
      return is.length === 1 && JSON.stringify(is[0]) === JSON.stringify(was) ? [] : [{ provider: id, was, is }];
    });
  });
}

/** What the amendments change, for lists that are imported: one model a line. */
export async function mendsText(): Promise<string> {
  const mends: readonly Mend[] = mendsBetween((await buildPriceList([])).providers, (await buildPriceList()).providers);
  return `[\n${mends.map((mend) => JSON.stringify(mend)).join(',\n')}\n]\n`;
}

if (import.meta.main) {
  const list = await buildPriceList();
  writeFileSync(listFile, priceListText(list));
  writeFileSync(mendsFile, await mendsText());
  const models = list.providers.reduce((count, provider) => count + provider.models.length, 0);
  process.stdout.write(`${list.date} ${list.hash}: ${list.providers.length} providers, ${models} models\n`);
}
