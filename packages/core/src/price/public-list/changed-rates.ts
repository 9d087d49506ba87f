/** Two shown prices of one model → every part that differs, by name, as `prices import` and the price feed tell it. Pure. */
import type { ShownPrice } from '../show.ts';

/** Null: one of the prices has none. Texts are decimals, or what a price says of its time. */
interface ChangedRate {
  /** `output`, `above 200000 output`, `perThousandCalls webSearch`, `serviceTiers batch`. */
  readonly name: string;
  readonly from: string | null;
  readonly to: string | null;
}

/** What a price is of, and is no part of it. */
const identity = new Set(['provider', 'host', 'model', 'listedAs', 'priceList', 'inForce']);

/** In the order of the prices' members. Empty: they are the same at the moment that they were asked for. */
export function changedRates(from: ShownPrice | null, to: ShownPrice | null): ChangedRate[] {
  const [was, is] = [partsOf(from), partsOf(to)];
  return [...new Set([...was.keys(), ...is.keys()])]
    .map((name) => ({ name, from: was.get(name) ?? null, to: is.get(name) ?? null })).filter((each) => each.from !== each.to);
}

function partsOf(price: ShownPrice | null): Map<string, string> {
  const parts = new Map<string, string>();
  for (const [name, value] of Object.entries(price ?? {})) if (!identity.has(name)) addParts(parts, name, value);
  return parts;
}

function addParts(parts: Map<string, string>, name: string, value: unknown): void {
  if (value === null || value === undefined) return;
  if (typeof value !== 'object') parts.set(name, String(value));
  else if (Array.isArray(value)) {
    for (const { tokens, ...rates } of value as { readonly tokens: number }[]) addParts(parts, `${name} ${tokens}`, rates);
  } else for (const [part, each] of Object.entries(value)) addParts(parts, `${name} ${part}`, each);
}
