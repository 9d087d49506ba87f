/**
 * The usage that a dialect has found so far, and how one wire's figures are turned into it. One bad figure makes the whole usage bad,
 * since the others may be wrong as well.
 */
import type { TokenFigure } from './token-figure.ts';
import type { TokenFigures } from './reading.ts';
import type { ReadUnits } from './unit-places.ts';
import type { Units } from './units.ts';

/** Figures as reported, or the verdict that one of them is not a figure. */
export type FoundUsage =
  | {
    readonly kind: 'figures'; readonly tokens: TokenFigures; readonly cost: string | null; readonly outputBeside: number;
    /** The input is reported, or the whole cost is. */
    readonly hasInput: boolean;
    /** The output is reported: directly, by a total beside the input, or by the whole cost. */
    readonly hasOutput: boolean;
    readonly units: Units | null;
    readonly cachedSplit: boolean;
    /** Tokens were cached, and the wire's own figure for them is missing. */
    readonly cachedBeside: boolean;
  }
  | { readonly kind: 'not_a_figure' };

/** A single bad figure makes the usage bad. */
export const badUsage: FoundUsage = Object.freeze({ kind: 'not_a_figure' });

const noUnits: ReadUnits = Object.freeze({ units: null, cachedSplit: false });
/** Units that an answer may be paid by, without any tokens. */
const measures = ['seconds', 'characters', 'pages', 'images'] as const;

/** One figure for each name of the record's token figures. */
export type RawFigures = { readonly [Name in keyof TokenFigures]: TokenFigure };

/**
 * The usage that these figures make. Null if there is neither a figure for input or output nor a cost. `total`: of input and output, as
 * reported; what it counts beyond them stands beside them, but where seconds are reported: there it is the sound (Mistral). Units alone are a usage
 * too. A long-lived part above all cache writes tells nothing apart.
 */
export function foundUsage(
  figures: RawFigures, cost: string | null, total: TokenFigure = null, read: ReadUnits = noUnits,
): FoundUsage | null {
  const { units, cachedSplit, cachedBeside = false } = read;
  const { input, output, cached, cacheWrite, cacheWriteOneHour, reasoning, audioInput, audioOutput } = figures;
  if (input === 'not_a_figure' || output === 'not_a_figure' || cached === 'not_a_figure') return badUsage;
  if (cacheWrite === 'not_a_figure' || cacheWriteOneHour === 'not_a_figure' || reasoning === 'not_a_figure') return badUsage;
  if (audioInput === 'not_a_figure' || audioOutput === 'not_a_figure' || units === 'not_a_figure') return badUsage;
  const byUnits = input === null && output === null && units !== null && measures.some((name) => units[name] !== undefined);
  if (input === null && output === null && cost === null && !byUnits) return null;
  const outputBeside = typeof total !== 'number' || input === null || units?.seconds !== undefined ? 0 : Math.max(total - input - (output ?? 0), 0);
  const longLived = cacheWriteOneHour !== null && cacheWriteOneHour <= (cacheWrite ?? -1) ? cacheWriteOneHour : null;
  return {
    kind: 'figures', cost, outputBeside, units, cachedSplit, cachedBeside: cachedBeside && cached === null,
    hasInput: input !== null || cost !== null || byUnits,
    hasOutput: output !== null || cost !== null || byUnits || (typeof total === 'number' && input !== null),
    tokens: { input, output, cached, cacheWrite, cacheWriteOneHour: longLived, reasoning, audioInput, audioOutput },
  };
}

/** A name the provider gave (a model, a finish reason): never empty, fit for every store: no NUL, no half character. */
export function providerName(text: string | null): string | null {
  if (text === null || text === '') return null;
  return text.toWellFormed().replaceAll('\u0000', '\uFFFD');
}
