/** Changes of a text as pieces that can be put back: what stood there, and what stands there now. Pure. Decision 196. */

export interface Splice {
  /** Where it begins in the text before all splices, in UTF-16 units. */
  readonly at: number;
  readonly removed: string;
  readonly inserted: string;
}

/** Splices are given in any order and do not overlap. */
export function spliced(text: string, splices: readonly Splice[]): string {
  let result = '';
  let from = 0;
  for (const { at, removed, inserted } of inOrder(splices)) {
    result += text.slice(from, at) + inserted;
    from = at + removed.length;
  }
  return result + text.slice(from);
}

/** The text before the splices, to the byte, if nothing else changed it. Null: something did. */
export function unspliced(text: string, splices: readonly Splice[]): string | null {
  let result = '';
  let from = 0;
  let shift = 0;
  for (const { at, removed, inserted } of inOrder(splices)) {
    const place = at + shift;
    if (place < from || text.slice(place, place + inserted.length) !== inserted) return null;
    result += text.slice(from, place) + removed;
    from = place + inserted.length;
    shift += inserted.length - removed.length;
  }
  return result + text.slice(from);
}

/**
 * A text that changed since, without what was inserted: each piece is looked for, and what is around it stays as it is now. Null: a piece is not
 * there any more, or more than once, so nobody can tell what to put back.
 */
export function withoutPieces(text: string, splices: readonly Splice[]): string | null {
  let result = text;
  for (const { removed, inserted } of splices) {
    const place = result.indexOf(inserted);
    if (inserted.trim() === '' || place === -1 || result.includes(inserted, place + 1)) return null;
    result = result.slice(0, place) + removed + result.slice(place + inserted.length);
  }
  return result;
}

function inOrder(splices: readonly Splice[]): Splice[] {
  return splices.toSorted((one, other) => one.at - other.at);
}

/** The line end that the text uses; of one without any, the usual one. */
export function lineEndOf(text: string): '\n' | '\r\n' {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

/** A splice that adds whole lines at the end. */
export function appended(text: string, lines: readonly string[]): Splice {
  const end = lineEndOf(text);
  return { at: text.length, removed: '', inserted: (text === '' || text.endsWith('\n') ? '' : end) + lines.map((line) => line + end).join('') };
}
