/**
 * What providers count beside the token figures of a record, and kinds of tokens that those figures contain. Rules 6b and 6d; rules: Record.
 * A unit that was not reported, or reported as 0, is left out: nearly all calls have none, and then there is no object.
 */

/** In the order in which they are hashed and shown. Tokens, characters, pages, images and calls are whole; seconds may have a fraction. */
export const unitNames = [
  'imageInputTokens', //    part of the input
  'imageOutputTokens', //   part of the output
  'cachedAudioTokens', //   part of the cached tokens, and of the sound in the input
  'cachedImageTokens', //   part of the cached tokens, and of the images in the input
  'seconds', //             of sound or video
  'characters', //          of text
  'pages', //               of documents
  'images', //              made
  'trainedTokens', //       that a model was trained with
  'otherToolCalls', //      calls of a provider's own tools beside those of `toolCalls`
] as const;
export type UnitName = (typeof unitNames)[number];

/** Numbers above 0, by their unit. */
export type Units = { readonly [Name in UnitName]?: number };

/** Only what is above 0, in the order of `unitNames`; null: nothing. */
export function unitsOf(found: { readonly [Name in UnitName]?: number | null }): Units | null {
  let units: { [Name in UnitName]?: number } | null = null;
  for (const name of unitNames) {
    const count = found[name];
    if (typeof count === 'number' && count > 0) (units ??= {})[name] = count;
  }
  return units;
}

/** `seconds=12,pages=3`: the text that receipts hash. Null: no units. */
export function unitsText(units: Units | null): string | null {
  if (units === null) return null;
  return unitNames.filter((name) => units[name] !== undefined).map((name) => `${name}=${units[name]}`).join(',');
}
