/**
 * The text of a configuration file → its value with the line of each part, or the problems that make it unreadable. YAML 1.2, and so JSON
 * too. Numbers that are not plain whole ones are kept as text, so that no amount is rounded.
 */
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, type Document, type Node, type YAMLMap } from 'yaml';

export interface LinedProblem {
  /** From 1; null: the file as a whole. */
  readonly line: number | null;
  readonly sentence: string;
}

export interface ReadDocument {
  readonly value: unknown;
  /** The line of what the path leads to, or of its nearest parent that exists. */
  lineOf(path: readonly (string | number)[]): number | null;
}

export function readYaml(text: string): ReadDocument | { readonly problems: readonly LinedProblem[] } {
  const counter = new LineCounter();
  const document = parsed(text, counter);
  if (document === null) return { problems: [{ line: null, sentence: 'It is nested too deeply.' }] };
  const lineOf = (node: unknown): number | null => {
    const at = (node as Node | null | undefined)?.range?.[0];
    return at === undefined ? null : counter.linePos(at).line;
  };
  const faults = [...document.errors, ...document.warnings]
    .map(({ pos, message }) => ({ line: counter.linePos(pos[0]).line, sentence: sentenceOf(message) }));
  if (faults.length > 0) return { problems: faults };
  const problems: LinedProblem[] = [];
  const value = valueOf(document.contents, (node, sentence) => problems.push({ line: lineOf(node), sentence }));
  const lines: Lines = { document, names: new Names(), lineOf };
  return problems.length > 0 ? { problems } : { value, lineOf: (path) => lineAt(lines, path) };
}

function parsed(text: string, lineCounter: LineCounter): Document.Parsed | null {
  try {
    return parseDocument(text, { version: '1.2', schema: 'core', uniqueKeys: false, stringKeys: true, prettyErrors: false, lineCounter });
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** The library may repeat a piece of the file after a colon. */
function sentenceOf(message: string): string {
  return `${message.split(/[:\n]/, 1)[0]!.trim()}.`;
}

type OnProblem = (node: unknown, sentence: string) => void;

function valueOf(node: unknown, onProblem: OnProblem): unknown {
  if (isAlias(node)) {
    onProblem(node, 'References of one part of the file to another (*name) are not taken. Write it out.');
    return null;
  }
  if (isMap(node)) return Object.fromEntries(fieldsOf(node, onProblem));
  if (isSeq(node)) return node.items.map((item) => valueOf(item, onProblem));
  if (!isScalar(node)) return null;
  const { value, source } = node;
  return typeof value === 'number' && !(Number.isSafeInteger(value) && /^(?:0|[1-9]\d*)$/.test(source ?? '')) ? source ?? String(value) : value;
}

/** Each name once. The library would compare every name with every other. */
function fieldsOf({ items }: YAMLMap, onProblem: OnProblem): Map<string, unknown> {
  const fields = new Map<string, unknown>();
  for (const { key, value } of items) {
    const name = String((key as { value?: unknown }).value);
    if (fields.has(name)) onProblem(key, 'Map keys must be unique.');
    fields.set(name, valueOf(value, onProblem));
  }
  return fields;
}

/** Where the names of each map are: searched for once, because a file may have as many problems as a map has names. */
class Names {
  readonly #ofMaps = new Map<YAMLMap, Map<unknown, unknown>>();

  /** The node of the name, if the map has it. */
  find(map: YAMLMap, name: unknown): unknown {
    let names = this.#ofMaps.get(map);
    if (names === undefined) this.#ofMaps.set(map, names = new Map(map.items.map(({ key }) => [isScalar(key) ? key.value : key, key])));
    return names.get(name);
  }
}

interface Lines {
  readonly document: Document.Parsed;
  readonly names: Names;
  readonly lineOf: (node: unknown) => number | null;
}

function lineAt({ document, names, lineOf }: Lines, path: readonly (string | number)[]): number | null {
  for (let length = path.length; length > 0; length -= 1) {
    const place = path.slice(0, length);
    const above = length === 1 ? document.contents : document.getIn(place.slice(0, -1), true);
    // A field is located at its name, which comes before its value.
    const name = isMap(above) ? names.find(above, place.at(-1)) : undefined;
    const line = lineOf(name ?? (isMap(above) ? undefined : document.getIn(place, true)));
    if (line !== null) return line;
  }
  return null;
}
