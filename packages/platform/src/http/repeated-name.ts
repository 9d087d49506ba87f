/**
 * JSON text → a name that occurs twice in one of its objects. `JSON.parse` silently takes the last of the two, other parsers the first, so a
 * proxy could check another value than the one used here. It walks the text once.
 */

/** `text` is valid JSON. Null: every name occurs once in its object. */
export function repeatedName(text: string): string | null {
  /** The names so far of each open object; null: an array. */
  const open: (Set<string> | null)[] = [];
  let nameIsDue = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') {
      const end = endOfString(text, at);
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

/** The index of the closing quote of the string that opens at `start`. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}
