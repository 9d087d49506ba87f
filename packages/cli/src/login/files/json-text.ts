/**
 * Edits of JSON settings that leave every other byte as it is. Comments and commas behind the last member are read over, as tools that have such
 * files do. Pure. Decision 196.
 */
import { isUnfit, type Edited, type Unfit } from './edited.ts';
import { lineEndOf, spliced, type Splice } from './splice.ts';

/** A member to set; `undefined` takes it out. */
export interface JsonEdit {
  readonly path: readonly string[];
  readonly value: unknown;
}

interface Node {
  readonly kind: 'object' | 'array' | 'scalar';
  readonly from: number;
  readonly to: number;
  /** Of an object. */
  readonly members: readonly Member[];
}

interface Member {
  readonly name: string;
  readonly from: number;
  readonly value: Node;
}

const depthMax = 200;

/** The text with the edits, or why there is none: it is no JSON object, a name in it comes twice, or a value stands where an object must. */
export function editJson(text: string, edits: readonly JsonEdit[]): Edited | Unfit {
  if (text.trim() === '') {
    const whole = `${JSON.stringify(nested(edits), null, 2)}\n`;
    return { splices: [{ at: 0, removed: text, inserted: whole }] };
  }
  const splices: Splice[] = [];
  const root = parsed(text);
  if (root === null || root.kind !== 'object') return { unfit: 'is not a JSON object' };
  for (const group of byParent(text, root, edits)) {
    if (isUnfit(group)) return group;
    splices.push(...group);
  }
  const after = spliced(text, splices);
  // A look at the result: what cannot be read back is not written.
  const read = parsed(after);
  const fits = read !== null && edits.every(({ path, value }) => sameAt(after, read, path, value));
  return fits ? { splices } : { unfit: 'has a form that cannot be edited safely' };
}

/** The value at a path; undefined if there is none. Null: the text is no JSON object. */
export function jsonAt(text: string, path: readonly string[]): { readonly value: unknown } | null {
  if (text.trim() === '') return { value: undefined };
  const root = parsed(text);
  if (root === null || root.kind !== 'object') return null;
  const node = nodeAt(root, path);
  return { value: node === null ? undefined : valueOf(text, node) };
}

function sameAt(text: string, root: Node, path: readonly string[], value: unknown): boolean {
  const node = nodeAt(root, path);
  return node === null ? value === undefined : value !== undefined && JSON.stringify(valueOf(text, node)) === JSON.stringify(value);
}

function nested(edits: readonly JsonEdit[]): Record<string, unknown> {
  const root: Record<string, unknown> = {};
  for (const { path, value } of edits) {
    if (value === undefined) continue;
    let at = root;
    for (const name of path.slice(0, -1)) at = (at[name] ??= {}) as Record<string, unknown>;
    at[path.at(-1)!] = value;
  }
  return root;
}

/** Edits below an object that is not there yet are one insertion; so are all new members of one that is. */
function* byParent(text: string, root: Node, edits: readonly JsonEdit[]): Iterable<readonly Splice[] | Unfit> {
  const added = new Map<Node, Record<string, unknown>>();
  for (const { path, value } of edits) {
    let at = root;
    let depth = 0;
    for (; depth < path.length; depth += 1) {
      if (at.kind !== 'object') return yield { unfit: `has no object at ${path.slice(0, depth).join('.')}` };
      const same = at.members.filter(({ name }) => name === path[depth]);
      if (same.length > 1) return yield { unfit: `names ${path.slice(0, depth + 1).join('.')} twice` };
      if (same.length === 0) break;
      if (depth === path.length - 1) {
        yield [value === undefined ? without(text, at, same[0]!) : inPlace(text, same[0]!.value, value)];
        depth = Infinity;
        break;
      }
      at = same[0]!.value;
    }
    if (depth === Infinity || value === undefined) continue;
    const there = added.get(at) ?? {};
    let into = there;
    for (const name of path.slice(depth, -1)) into = (into[name] ??= {}) as Record<string, unknown>;
    into[path.at(-1)!] = value;
    added.set(at, there);
  }
  for (const [object, members] of added) yield [withMembers(text, object, members)];
}

function inPlace(text: string, { from, to }: Node, value: unknown): Splice {
  return { at: from, removed: text.slice(from, to), inserted: JSON.stringify(value) };
}

/** Behind the last member, or alone in an empty object, with the indentation that is there. */
function withMembers(text: string, { from, to, members }: Node, added: Readonly<Record<string, unknown>>): Splice {
  const end = lineEndOf(text);
  const last = members.at(-1);
  const own = indentAt(text, last?.from ?? from);
  const outer = indentAt(text, from);
  const breaks = last === undefined || /\n/.test(text.slice(from, last.from));
  const indent = last === undefined || !breaks ? `${outer}  ` : own;
  const written = Object.entries(added).map(([name, value]) =>
    `${JSON.stringify(name)}: ${breaks ? JSON.stringify(value, null, 2).replaceAll('\n', `${end}${indent}`) : JSON.stringify(value)}`);
  if (last === undefined) {
    return { at: from, removed: text.slice(from, to), inserted: `{${end}${indent}${written.join(`,${end}${indent}`)}${end}${outer}}` };
  }
  const between = breaks ? `,${end}${indent}` : ', ';
  return { at: last.value.to, removed: '', inserted: between + written.join(between) };
}

/** The blanks that the line of this place begins with. */
function indentAt(text: string, at: number): string {
  const begin = text.lastIndexOf('\n', at - 1) + 1;
  return /^[\t ]*/.exec(text.slice(begin, at))![0];
}

/** With the comma behind it, or, of the last, the one before it. */
function without(text: string, object: Node, member: Member): Splice {
  const place = object.members.indexOf(member);
  const next = object.members[place + 1];
  const before = object.members[place - 1];
  const from = next !== undefined || before === undefined ? member.from : before.value.to;
  const to = next?.from ?? member.value.to;
  return { at: from, removed: text.slice(from, to), inserted: '' };
}

function nodeAt(root: Node, path: readonly string[]): Node | null {
  let at: Node | undefined = root;
  for (const name of path) at = at?.members.find((member) => member.name === name)?.value;
  return at ?? null;
}

/** Comments in it are left out. */
function valueOf(text: string, { kind, from, to, members }: Node): unknown {
  if (kind === 'object') return Object.fromEntries(members.map(({ name, value }) => [name, valueOf(text, value)]));
  try {
    return JSON.parse(text.slice(from, to)) as unknown;
  } catch {
    return text.slice(from, to);
  }
}

function parsed(text: string): Node | null {
  try {
    return new JsonReader(text).whole();
  } catch (fault) {
    if (fault instanceof NoJson) return null;
    throw fault;
  }
}

class NoJson extends Error {}

class JsonReader {
  #at = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
    if (text.startsWith('\uFEFF')) this.#at = 1;
  }

  whole(): Node {
    const node = this.#value(0);
    this.#space();
    if (this.#at < this.#text.length) throw new NoJson();
    return node;
  }

  #value(depth: number): Node {
    if (depth > depthMax) throw new NoJson();
    this.#space();
    const from = this.#at;
    const first = this.#text[from];
    if (first === '{') return this.#object(from, depth);
    if (first === '[') {
      this.#list(']', () => { this.#value(depth + 1); });
      return { kind: 'array', from, to: this.#at, members: [] };
    }
    if (first === '"') this.#string();
    else this.#match(/(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.])/y);
    return { kind: 'scalar', from, to: this.#at, members: [] };
  }

  #object(from: number, depth: number): Node {
    const members: Member[] = [];
    this.#list('}', () => {
      const at = this.#at;
      const name = this.#string();
      this.#space();
      this.#match(/:/y);
      members.push({ name, from: at, value: this.#value(depth + 1) });
    });
    return { kind: 'object', from, to: this.#at, members };
  }

  #list(end: string, entry: () => void): void {
    this.#at += 1;
    this.#space();
    while (this.#text[this.#at] !== end) {
      entry();
      this.#space();
      if (this.#text[this.#at] !== ',') break;
      this.#at += 1;
      this.#space();
    }
    if (this.#text[this.#at] !== end) throw new NoJson();
    this.#at += 1;
  }

  #string(): string {
    const raw = this.#match(/"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y);
    return JSON.parse(raw) as string;
  }

  #space(): void {
    this.#match(/(?:[\t\n\r ]|\/\/[^\n]*|\/\*(?:[^*]|\*(?!\/))*\*\/)*/y);
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found === null) throw new NoJson();
    this.#at = pattern.lastIndex;
    return found[0];
  }
}
