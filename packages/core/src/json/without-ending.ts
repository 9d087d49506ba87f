/**
 * Text without the run of one character at its end. A loop, because `/0+$/` begins again at every character of each run in the text, so that a
 * long one takes quadratic time.
 */

/** `character`: exactly one UTF-16 code unit, such as `0` or `/`. Takes time in proportion to the run. */
export function withoutEnding(text: string, character: string): string {
  const code = character.charCodeAt(0);
  let to = text.length;
  while (to > 0 && text.charCodeAt(to - 1) === code) to -= 1;
  return to === text.length ? text : text.slice(0, to);
}
