/**
 * A token figure as the provider wrote it → a whole number, or the verdict that it is not one. Rules: Record: a figure is a whole number from 0 to
 * 2^53 − 1 by its value (`12`, `12.0` and `1.2e1` are one); anything else makes the usage `unknown`. Exact: the decimal text decides, because
 * 0.99999999999999999999 as a double is 1.
 */
import type { WatchedValue } from '../json/watched-value.ts';
import { withoutEnding } from '../json/without-ending.ts';

/** A number, `null` if the place is absent or null, `not_a_figure` for anything else. */
export type TokenFigure = number | null | 'not_a_figure';

/** The figure at a watched place. */
export function tokenFigure(value: WatchedValue): TokenFigure {
  if (value.kind === 'absent' || value.kind === 'null') return null;
  const plain = value.plainWholeNumber();
  if (plain >= 0) return plain;
  const text = value.numberText();
  if (text === null) return 'not_a_figure';
  return wholeNumberIn(text) ?? 'not_a_figure';
}

/** The whole number from 0 to 2^53 − 1 that a JSON number stands for, or null if it stands for another. */
export function wholeNumberIn(jsonNumber: string): number | null {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(jsonNumber);
  if (match === null) return null;
  const fraction = match[3] ?? '';
  const digits = (match[2]! + fraction).replace(/^0+/, '');
  if (digits === '') return 0;
  if (match[1] === '-') return null;
  const significant = withoutEnding(digits, '0');
  const zerosAfter = Number(match[4] ?? '0') - fraction.length + (digits.length - significant.length);
  if (zerosAfter < 0 || significant.length + zerosAfter > 16) return null;
  const value = BigInt(significant) * 10n ** BigInt(zerosAfter);
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : null;
}

/** Of two figures beside each other, of which either may be left out. */
export function tokenSum(one: TokenFigure, other: TokenFigure): TokenFigure {
  if (one === 'not_a_figure' || other === 'not_a_figure') return 'not_a_figure';
  return one === null && other === null ? null : (one ?? 0) + (other ?? 0);
}
