/**
 * Edits of a TOML file that leave every other byte as it is: a pair before the first table, and a table at the end. The file is read as statements,
 * so that a name inside a text or a list is not taken for one. Pure. Decision 196.
 */
import type { Edited, Unfit } from './edited.ts';
import { appended, lineEndOf, type Splice } from './splice.ts';

interface TomlEdit {
  /** A pair of the whole file; one that is there already is replaced. */
  readonly pair: { readonly name: string; readonly value: string };
  /** A table that must not be there yet. */
  readonly table: { readonly name: readonly string[]; readonly pairs: Readonly<Record<string, string>> };
}

interface Statement {
  readonly kind: 'table' | 'pair';
  /** Its dotted name, or what stands in the brackets. */
  readonly name: readonly string[];
  readonly from: number;
  readonly to: number;
}

export function editToml(text: string, { pair, table }: TomlEdit): Edited | Unfit {
  const statements = statementsOf(text);
  if (statements === null) return { unfit: 'is not TOML that can be read' };
  const firstTable = statements.findIndex(({ kind }) => kind === 'table');
  const top = firstTable === -1 ? statements : statements.slice(0, firstTable);
  if (isThere(statements, top, table.name)) return { unfit: `has settings at ${table.name.join('.')} already` };
  const same = top.filter(({ name }) => name[0] === pair.name);
  if (same.length > 1 || same.some(({ name }) => name.length > 1)) return { unfit: `names ${pair.name} in a way that cannot be replaced` };
  const end = lineEndOf(text);
  const line = `${pair.name} = ${tomlString(pair.value)}`;
  const from = text.startsWith('\uFEFF') ? 1 : 0;
  const first: Splice = same.length === 0 ? { at: from, removed: '', inserted: line + end }
    : { at: same[0]!.from, removed: text.slice(same[0]!.from, same[0]!.to), inserted: line };
  const pairs = Object.entries(table.pairs).map(([name, value]) => `${name} = ${tomlString(value)}`);
  const last = appended(text, [...(text.trim() === '' ? [] : ['']), `[${table.name.join('.')}]`, ...pairs]);
  // In an empty file both would stand at the same place.
  if (last.at === first.at && last.removed === '' && first.removed === '') {
    return { splices: [{ at: first.at, removed: '', inserted: first.inserted + end + last.inserted }] };
  }
  return { splices: [first, last] };
}

/** As a table, as pairs under the name, or as an inline table of its parent. */
function isThere(statements: readonly Statement[], top: readonly Statement[], wanted: readonly string[]): boolean {
  const begins = (name: readonly string[]) => wanted.every((part, place) => name[place] === part);
  let table: readonly string[] = [];
  for (const { kind, name } of statements) {
    if (kind === 'table') table = name;
    if (begins(kind === 'table' ? name : [...table, ...name])) return true;
  }
  return top.some(({ name }) => name.length < wanted.length && name.every((part, place) => part === wanted[place]));
}

function tomlString(text: string): string {
  return JSON.stringify(text);
}

const blank = /(?:[\t ]|\r?\n|#[^\n]*)*/y;
const bare = /[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/y;
const lineRest = /[\t ]*(?:#[^\n]*)?(?:\r?\n|$)/y;
/** Longest first. */
const scalars = [
  /"""(?:[^\\"]|\\[^]|"{1,2}(?!"))*"{3,5}/y, /'''(?:[^']|'{1,2}(?!'))*'{3,5}/y, /"(?:[^"\\\n]|\\.)*"/y, /'[^'\n]*'/y,
  /(?:true|false|[+-]?(?:inf|nan)|0[xob][0-9a-fA-F_]+)(?![\w.])/y,
  /(?:\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)?)?|\d\d:\d\d:\d\d(?:\.\d+)?)(?![\w.])/y,
  /[+-]?\d[\d_]*(?:\.[\d_]+)?(?:[eE][+-]?\d+)?(?![\w.])/y,
] as const;

/** Null: it cannot be read to its end. */
function statementsOf(text: string): readonly Statement[] | null {
  const reader = new Reader(text);
  const statements: Statement[] = [];
  try {
    for (reader.skip(blank); reader.at < text.length; reader.skip(blank)) {
      const from = reader.at;
      const brackets = reader.take(/\[\[?/y);
      const name = reader.name();
      if (brackets !== null) {
        reader.must(brackets === '[[' ? /[\t ]*\]\]/y : /[\t ]*\]/y);
        statements.push({ kind: 'table', name, from, to: reader.at });
      } else {
        reader.must(/[\t ]*=[\t ]*/y);
        reader.value(0);
        statements.push({ kind: 'pair', name, from, to: reader.at });
      }
      reader.must(lineRest);
    }
    return statements;
  } catch (fault) {
    if (fault instanceof NoToml) return null;
    throw fault;
  }
}

class NoToml extends Error {}

class Reader {
  at: number;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
    this.at = text.startsWith('\uFEFF') ? 1 : 0;
  }

  take(pattern: RegExp): string | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.#text);
    if (found === null) return null;
    this.at = pattern.lastIndex;
    return found[0];
  }

  skip(pattern: RegExp): void {
    this.take(pattern);
  }

  must(pattern: RegExp): string {
    const found = this.take(pattern);
    if (found === null) throw new NoToml();
    return found;
  }

  name(): string[] {
    const parts: string[] = [];
    do {
      this.skip(/[\t ]*/y);
      const part = this.must(bare);
      parts.push(/^["']/.test(part) ? part.slice(1, -1) : part);
    } while (this.take(/[\t ]*\./y) !== null);
    return parts;
  }

  value(depth: number): void {
    if (depth > 100) throw new NoToml();
    if (this.take(/\[/y) !== null) return this.#list(depth, blank, /\]/y, () => this.value(depth + 1));
    if (this.take(/\{/y) !== null) {
      return this.#list(depth, blank, /\}/y, () => {
        this.name();
        this.must(/[\t ]*=[\t ]*/y);
        this.value(depth + 1);
      });
    }
    for (const pattern of scalars) if (this.take(pattern) !== null) return;
    throw new NoToml();
  }

  #list(_depth: number, space: RegExp, end: RegExp, entry: () => void): void {
    for (;;) {
      this.skip(space);
      if (this.take(end) !== null) return;
      entry();
      this.skip(space);
      if (this.take(/,/y) !== null) continue;
      this.must(end);
      return;
    }
  }
}
