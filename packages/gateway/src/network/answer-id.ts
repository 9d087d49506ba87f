/**
 * The provider's name for an answer. Both named providers give every answer a name of its own, so a name that comes twice on a connection
 * means an answer that came twice. HTTP/1.1 itself knows an answer by its place alone. Decision 0108.
 */

/** The value of `x-request-id` or `request-id`, whichever is first; null if there is none. */
export function answerId(pairs: readonly string[]): string | null {
  for (let at = 0; at < pairs.length; at += 2) {
    const { length } = pairs[at]!;
    if (length !== 12 && length !== 10) continue;
    const name = pairs[at]!.toLowerCase();
    if (name === 'x-request-id' || name === 'request-id') return pairs[at + 1]!;
  }
  return null;
}
