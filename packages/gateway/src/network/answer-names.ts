/**
 * What one destination calls its answers, in `x-request-id` or `request-id`. Both named providers give every answer another name, so a
 * name that comes twice in a row on a connection means an answer that came twice. HTTP/1.1 itself knows an answer by its place alone.
 * Decision 0108.
 */

export class AnswerNames {
  #latest: string | null = null;
  /** Not where the first answer of a new connection, which nobody else's answer can be, has the name of another. */
  #areTheirOwn = true;

  /**
   * True if an answer is most likely a repetition of the one before it on its connection. `name`: of this answer, null if it has none; `before`: of
   * the one before it, undefined if there was none.
   */
  isDoubled(name: string | null, before: string | null | undefined): boolean {
    if (name === null) return false;
    if (before === undefined && name === this.#latest) this.#areTheirOwn = false;
    this.#latest = name;
    return this.#areTheirOwn && name === before;
  }
}

/** The value of `x-request-id` or `request-id`, whichever is first; null if there is none. */
export function answerName(pairs: readonly string[]): string | null {
  for (let at = 0; at < pairs.length; at += 2) {
    const { length } = pairs[at]!;
    if (length !== 12 && length !== 10) continue;
    const name = pairs[at]!.toLowerCase();
    if (name === 'x-request-id' || name === 'request-id') return pairs[at + 1]!;
  }
  return null;
}
