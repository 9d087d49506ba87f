/** Token figures as reported → tokens by the price they are charged at. Rule 6. */
import type { Reading, TokenFigures } from '../usage/reading.ts';

/** Tokens by price: each token is counted once. Whole numbers from 0. */
export interface ChargedTokens {
  readonly input: number;
  readonly cached: number;
  readonly cacheWrite: number;
  readonly cacheWriteOneHour: number;
  readonly output: number;
  readonly reasoning: number;
  readonly audioInput: number;
  readonly audioOutput: number;
}

/**
 * `cachedInInput`: cached and written tokens are parts of the input; otherwise they are added to it. Audio is part of the input and the
 * output, reasoning is part of the output. If a part is larger than its whole, the rest is 0, never less. Null: no figure at all.
 * `outputBeside` is added to the output: as reasoning if it equals that figure.
 */
export function chargedTokens(
  figures: TokenFigures, { cachedInInput, outputBeside }: Pick<Reading, 'cachedInInput' | 'outputBeside'>,
): ChargedTokens | null {
  const { input, output, cached, cacheWrite, reasoning } = figures;
  if (input === null && output === null && cached === null && cacheWrite === null) return null;
  const written = cacheWrite ?? 0;
  const oneHour = Math.min(figures.cacheWriteOneHour ?? 0, written);
  const parts = cachedInInput ? (cached ?? 0) + written : 0;
  const plain = Math.max((input ?? 0) - parts, 0);
  const audioInput = Math.min(figures.audioInput ?? 0, plain);
  const made = (output ?? 0) + outputBeside;
  const reasoned = Math.min(reasoning ?? 0, made);
  const audioOutput = Math.min(figures.audioOutput ?? 0, made - reasoned);
  return {
    input: plain - audioInput,
    cached: cached ?? 0,
    cacheWrite: written - oneHour,
    cacheWriteOneHour: oneHour,
    output: made - reasoned - audioOutput,
    reasoning: reasoned,
    audioInput,
    audioOutput,
  };
}
