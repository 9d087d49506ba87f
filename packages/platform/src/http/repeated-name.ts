/**
 * JSON text → a name that occurs twice in one of its objects. `JSON.parse` silently takes the last of the two, other parsers the first, so a
 * proxy could check another value than the one used here. It walks the text once, in slices: a bill has megabytes.
 */

/** Characters of a slice: some milliseconds. */
const sliceCharacters = 500_000;

/** `text` is valid JSON. Yields after each slice; others may work meanwhile. Null: every name occurs once in its object. */
export function* repeatedName(text: string): Generator<void, string | null, void> {
  /** The names so far of each open object; null: an array. */
  const open: (Set<string> | null)[] = [];
  let nameIsDue = false;
  let sliceEnd = sliceCharacters;
  for (let at = 0; at < text.length; at += 1) {
    if (at >= sliceEnd) {
      yield;
      sliceEnd = at + sliceCharacters;
    }
    const character = text[at];
    if (character === '"') {
      let end = endOfString(text, at + 1, sliceEnd);
      for (; end < 0; end = endOfString(text, ~end, sliceEnd)) {
        yield;
        sliceEnd = ~end + sliceCharacters;
      }
      if (nameIsDue) {
        const name = JSON.parse(text.slice(at, end + 1)) as string;
        const names = open.at(-1)!;
        if (names.has(name)) return name;
        names.add(name);
        nameIsDue = false;
      }
      at = end;
    } else if (character === '{') {
      open.push(new Set());
      nameIsDue = true;
    } else if (character === '[') {
      open.push(null);
    } else if (character === '}' || character === ']') {
      open.pop();
      nameIsDue = false;
    } else if (character === ',') {
      nameIsDue = open.at(-1) !== null;
    }
  }
  return null;
}

const [quote, backslash] = [0x22, 0x5c];

/** The index of the closing quote; if it does not come before `sliceEnd`, the complement of where to go on. `from`: within the string. */
function endOfString(text: string, from: number, sliceEnd: number): number {
  for (let at = from; ; at += text.charCodeAt(at) === backslash ? 2 : 1) {
    if (text.charCodeAt(at) === quote) return at;
    if (at >= sliceEnd) return ~at;
  }
}
