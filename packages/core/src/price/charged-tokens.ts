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
  readonly imageInput: number;
  readonly imageOutput: number;
  readonly cachedAudio: number;
  readonly cachedImage: number;
}

/** For an answer that counts only other units. */
export const noChargedTokens: ChargedTokens = Object.freeze({
  input: 0, cached: 0, cacheWrite: 0, cacheWriteOneHour: 0, output: 0, reasoning: 0, audioInput: 0, audioOutput: 0,
  imageInput: 0, imageOutput: 0, cachedAudio: 0, cachedImage: 0,
});

/**
 * `cachedInInput`: cached and written tokens are parts of the input; otherwise they are added to it. Audio is part of the input and the
 * output, reasoning is part of the output. Images are parts as sound is; cached sound and
 * images are parts of the cached tokens too. If a part is larger than its whole, the rest is 0, never less. Null: no figure at all.
 * `outputBeside` is added to the output: as reasoning if it equals that figure.
 */
export function chargedTokens(
  figures: TokenFigures, { cachedInInput, outputBeside, units }: Pick<Reading, 'cachedInInput' | 'outputBeside' | 'units'>,
): ChargedTokens | null {
  const { input, output, cached, cacheWrite, reasoning } = figures;
  if (input === null && output === null && cached === null && cacheWrite === null) return null;
  const written = cacheWrite ?? 0;
  const oneHour = Math.min(figures.cacheWriteOneHour ?? 0, written);
  const parts = cachedInInput ? (cached ?? 0) + written : 0;
  const plain = Math.max((input ?? 0) - parts, 0);
  const cachedAudio = Math.min(units?.cachedAudioTokens ?? 0, cached ?? 0);
  const cachedImage = Math.min(units?.cachedImageTokens ?? 0, (cached ?? 0) - cachedAudio);
  const audioInput = Math.min(Math.max((figures.audioInput ?? 0) - cachedAudio, 0), plain);
  const imageInput = Math.min(Math.max((units?.imageInputTokens ?? 0) - cachedImage, 0), plain - audioInput);
  const made = (output ?? 0) + outputBeside;
  const reasoned = Math.min(reasoning ?? 0, made);
  const audioOutput = Math.min(figures.audioOutput ?? 0, made - reasoned);
  const imageOutput = Math.min(units?.imageOutputTokens ?? 0, made - reasoned - audioOutput);
  return {
    input: plain - audioInput - imageInput,
    cached: (cached ?? 0) - cachedAudio - cachedImage,
    cacheWrite: written - oneHour,
    cacheWriteOneHour: oneHour,
    output: made - reasoned - audioOutput - imageOutput,
    reasoning: reasoned,
    audioInput,
    audioOutput,
    imageInput,
    imageOutput,
    cachedAudio,
    cachedImage,
  };
}
