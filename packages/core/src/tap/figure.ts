/**
 * Figures made from tap events, each in a type that carries its label (spec: Figure labels). There is no way to build a
 * `measured` one here: nobody measured these calls but the client that reported them.
 */
import { formatDollars, type NanoDollars } from '../money.ts';

/** Counted or summed from what the client reported of the provider's own figures. Null: nothing was reported for it. */
export interface Reported<Value extends number | null = number> {
  readonly value: Value;
  readonly label: 'reported';
}

/** US dollars, decimal text with 9 places: a frozen price list applied to reported tokens. Null: no listed price, never 0. */
export interface Modeled {
  readonly value: string | null;
  readonly label: 'modeled';
}

/** US dollars, decimal text with 9 places, as the user typed them. */
export interface Declared {
  readonly value: string;
  readonly label: 'declared';
}

/** A figure that the provider reported. */
export function reported<Value extends number | null>(value: Value): Reported<Value> {
  return { value, label: 'reported' };
}

/** A figure computed from reported tokens and listed prices: US dollars with nine places, null if there is no price. */
export function modeled(cost: NanoDollars | null): Modeled {
  return { value: cost === null ? null : formatDollars(cost), label: 'modeled' };
}

/** A figure that a person declared: US dollars with nine places. */
export function declared(amount: NanoDollars): Declared {
  return { value: formatDollars(amount), label: 'declared' };
}
