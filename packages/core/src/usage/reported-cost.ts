/**
 * The cost that a declared upstream reports: `usage.cost`, else `usage.total_cost`, as the JSON number was written, else xAI's
 * `cost_in_usd_ticks`, of which a dollar has ten thousand million. `cost` may be an object with a `total_cost`. A router that forwards with the
 * caller's own key at a provider (`is_byok`) reports its fee as the cost, and beside it what that provider charges: the cost is both. Rule 6: only
 * a finite number from 0 is a cost; anything else is ignored.
 */
import { watched, type WatchedValue } from '../json/watched-value.ts';
import { tokenFigure, type TokenFigure } from './token-figure.ts';

export class CostPlaces {
  readonly #inner = watched();
  readonly #cost = watched({ total_cost: this.#inner });
  readonly #total = watched();
  readonly #ownKey = watched();
  readonly #charged = watched();
  readonly #ticks = watched();
  /** Members of the usage. */
  readonly fields = {
    cost: this.#cost, total_cost: this.#total, is_byok: this.#ownKey, cost_details: watched({ upstream_inference_cost: this.#charged }),
    cost_in_usd_ticks: this.#ticks,
  };

  /** As text; null if none is reported. */
  read(): string | null {
    const cost = numberAt(this.#cost) ?? numberAt(this.#inner) ?? numberAt(this.#total) ?? dollarsOf(tokenFigure(this.#ticks));
    if (cost === null || this.#ownKey.kind !== 'true') return cost;
    const charged = numberAt(this.#charged);
    // What the provider charges is not known: the fee alone is not the cost.
    return charged === null ? null : sumOf(cost, charged);
  }
}

function numberAt(place: WatchedValue): string | null {
  const text = place.numberText();
  if (text === null) return null;
  const value = Number(text);
  if (!Number.isFinite(value) || value < 0) return null;
  return text.startsWith('-') ? '0' : text;
}

const ticksPlaces = 10;

/** Whole ticks in US dollars. */
function dollarsOf(ticks: TokenFigure): string | null {
  if (typeof ticks !== 'number') return null;
  const digits = String(ticks).padStart(ticksPlaces + 1, '0');
  return `${digits.slice(0, -ticksPlaces)}.${digits.slice(-ticksPlaces)}`;
}

/** The exact sum of two JSON numbers from 0, in plain decimals. A figure too small or too large for money counts as the larger of both. */
function sumOf(one: string, other: string): string {
  const [a, b] = [decimalOf(one), decimalOf(other)];
  if (a === null || b === null) return Number(one) > Number(other) ? one : other;
  const places = Math.max(a.places, b.places);
  const sum = a.digits * 10n ** BigInt(places - a.places) + b.digits * 10n ** BigInt(places - b.places);
  const text = sum.toString().padStart(places + 1, '0');
  return places === 0 ? text : `${text.slice(0, -places)}.${text.slice(-places)}`;
}

/** `digits` × 10^−`places`. */
function decimalOf(text: string): { readonly digits: bigint; readonly places: number } | null {
  const match = /^(\d{1,40})(?:\.(\d{1,60}))?(?:[eE]([+-]?\d{1,3}))?$/.exec(text);
  if (match === null) return null;
  const fraction = match[2] ?? '';
  const places = fraction.length - Number(match[3] ?? '0');
  if (places > 100 || places < -40) return null;
  const digits = BigInt(match[1]! + fraction);
  return places >= 0 ? { digits, places } : { digits: digits * 10n ** BigInt(-places), places: 0 };
}
