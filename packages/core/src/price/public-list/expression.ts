/**
 * Which regular expressions of a price list that came from outside are used. Names of models come from callers and providers, so an expression
 * must be fast on any text: no repeated group, no repetition of what may be repeated already, and at most two parts of free length. Rule 6.
 */

const longest = 300;
const freePartsMax = 2;
const optionalPartsMax = 6;
const countMax = 64;

/** Whether an expression is simple enough to be tried on any text of a few hundred characters. */
export function isSimpleExpression(source: string): boolean {
  if (source.length > longest || !compiles(source)) return false;
  const token = /\\[dDwWsSbB]|\\[^a-zA-Z0-9]|\[\^?(?:\\.|[^\]\\])+\]|\((?:\?[:!=])?|[)|^$.]|[^\\[\](){}|^$.?*+]/y;
  const quantifier = /[?*+]|\{(\d{1,3})(?:,(\d{0,3}))?\}/y;
  let free = 0;
  let optional = 0;
  for (let at = 0; at < source.length;) {
    token.lastIndex = at;
    const part = token.exec(source)?.[0];
    if (part === undefined) return false;
    at += part.length;
    quantifier.lastIndex = at;
    const repeated = quantifier.exec(source);
    if (repeated === null) continue;
    if (part.startsWith('(')) return false;
    const [text, least, most] = repeated;
    at += text.length;
    if (source[at] === '?' || Number(least ?? 0) > countMax || Number(most ?? 0) > countMax) return false;
    if (text === '?') optional += 1;
    else if (part === ')') return false;
    else if (least === undefined || (most !== undefined && most !== least)) free += 1;
  }
  return free <= freePartsMax && optional <= optionalPartsMax;
}

function compiles(source: string): boolean {
  try {
    // oxlint-disable-next-line linear/expressions -- compiled only to see whether it is one; it is not run before the rest is checked
    return new RegExp(source) instanceof RegExp;
  } catch {
    return false;
  }
}
