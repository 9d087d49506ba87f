/**
 * Faults of the public list, mended: `packages/core/price-list/amendments.json` → the list as it is frozen. Each amendment names its reason, its
 * source and the day it was entered. One that changes nothing stops the generation: the fault is then gone, and the amendment has to go too.
 */
import { readFileSync } from 'node:fs';
import type { ListedModel, ListedPrice, ListedProvider, ListedRate, ListedRates } from '@metergate/core/price/price-list.ts';

export interface Amendment {
  readonly provider: string;
  /** Null or absent: all models of the provider. */
  readonly model?: string;
  /** Replaces or adds rates, in every price of the model. */
  readonly rates?: ListedRates;
  /** Further prices, which go before those that the list has. */
  readonly prices?: readonly ListedPrice[];
  /** Moves the steps of all rates: from tokens, to tokens. */
  readonly steps?: Readonly<Record<string, number>>;
  /** A model that is looked for before this one. */
  readonly before?: ListedModel;
  readonly why: string;
  readonly source: string;
  /** The day it was entered, `YYYY-MM-DD`. */
  readonly date: string;
}

const file = new URL('../packages/core/price-list/amendments.json', import.meta.url);

/** The amendments, in their order. */
export function readAmendments(): readonly Amendment[] {
  return JSON.parse(readFileSync(file, 'utf8')) as Amendment[];
}

/** The providers with all amendments. @throws Error for one that changes nothing. */
export function amended(providers: readonly ListedProvider[], amendments: readonly Amendment[]): ListedProvider[] {
  let all = [...providers];
  for (const amendment of amendments) {
    const next = all.map((provider) => (provider.id === amendment.provider ? withAmendment(provider, amendment) : provider));
    if (JSON.stringify(next) === JSON.stringify(all)) {
      throw new Error(`The amendment of ${amendment.provider} ${amendment.model ?? ''} changes nothing: ${amendment.why}.`);
    }
    all = next;
  }
  return all;
}

function withAmendment(provider: ListedProvider, amendment: Amendment): ListedProvider {
  const { model: id, rates = {}, prices = [], steps = {}, before } = amendment;
  const models = provider.models.flatMap((model) => {
    if (id !== undefined && model.id !== id) return [model];
    const mended = { ...model, prices: [...model.prices.map((price) => moved({ ...price, ...rates }, steps)), ...prices] };
    return before === undefined ? [mended] : [before, mended];
  });
  return { ...provider, models };
}

function moved(price: ListedPrice, steps: Readonly<Record<string, number>>): ListedPrice {
  const rate = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null || !('above' in value)) return value;
    const { base, above } = value as Exclude<ListedRate, number>;
    return { base, above: above.map(({ tokens, rate: each }) => ({ tokens: steps[String(tokens)] ?? tokens, rate: each })) };
  };
  return Object.fromEntries(Object.entries(price).map(([name, value]) => [name, rate(value)])) as ListedPrice;
}
