/**
 * The value of `Content-Encoding` → the codings to decode, in the order of decoding. Null if one is unknown or there are more than any server
 * has reason to stack. The copy then cannot be read; the caller's bytes are not affected.
 */

export type Coding = 'gzip' | 'deflate' | 'br' | 'zstd';

/** More than two codings on top of each other are a bomb, not a saving. */
const codingsMax = 2;

const codingsByName: ReadonlyMap<string, Coding> = new Map([
  ['gzip', 'gzip'], ['x-gzip', 'gzip'], ['deflate', 'deflate'], ['br', 'br'], ['zstd', 'zstd'],
]);

/** `value`: all lines of the field, joined with commas; null if it is absent. Empty list: nothing to decode. */
export function codingsToUndo(value: string | null): readonly Coding[] | null {
  const codings: Coding[] = [];
  for (const item of (value ?? '').split(',')) {
    const name = item.trim().toLowerCase();
    if (name === '' || name === 'identity') continue;
    const coding = codingsByName.get(name);
    if (coding === undefined || codings.length === codingsMax) return null;
    codings.unshift(coding);
  }
  return codings;
}
