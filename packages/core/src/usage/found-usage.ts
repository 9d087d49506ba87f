/**
 * What a dialect has found out about usage so far, and how figures of one wire become a found usage.
 * A usage with one bad figure is bad as a whole: the others may be as wrong.
 */
import type { TokenFigure } from './token-figure.ts';
import { noTokens, type TokenFigures } from './reading.ts';

/** Figures as reported, or the verdict that one of them is no figure. */
export type FoundUsage =
  | { readonly kind: 'figures'; readonly tokens: TokenFigures; readonly cost: string | null }
  | { readonly kind: 'not_a_figure' };

/** One bad figure spoils all. */
export const badUsage: FoundUsage = Object.freeze({ kind: 'not_a_figure' });

/** Figures by name; what is left out is null. Null where there is neither a figure for input or output nor a cost. */
export function foundUsage(figures: { readonly [Name in keyof TokenFigures]?: TokenFigure }, cost: string | null): FoundUsage | null {
  const tokens: { -readonly [Name in keyof TokenFigures]: number | null } = { ...noTokens };
  for (const [name, figure] of Object.entries(figures) as [keyof TokenFigures, TokenFigure][]) {
    if (figure === 'not_a_figure') return badUsage;
    tokens[name] = figure;
  }
  if (tokens.input === null && tokens.output === null && cost === null) return null;
  return { kind: 'figures', tokens, cost };
}

/** A name the provider gave (a model, a finish reason): never empty, fit for every store: no NUL, no half character. */
export function providerName(text: string | null): string | null {
  if (text === null || text === '') return null;
  return text.toWellFormed().replaceAll('\u0000', '\uFFFD');
}
