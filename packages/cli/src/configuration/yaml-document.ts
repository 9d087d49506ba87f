/**
 * The text of a configuration file → its value with the line of each part, or the problems that make it unreadable. YAML 1.2, and so JSON
 * too. Numbers that are not plain whole ones are kept as text, so that no amount is rounded.
 */
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, type Document, type Node } from 'yaml';

export interface LinedProblem {
  /** From 1; null: the file as a whole. */
  readonly line: number | null;
  readonly sentence: string;
}

export interface ReadDocument {
  readonly value: unknown;
  /** The line of what the path leads to, or of the nearest there is above it. */
  lineOf(path: readonly (string | number)[]): number | null;
}

export function readYaml(text: string): ReadDocument | { readonly problems: readonly LinedProblem[] } {
  const lines = new LineCounter();
  const document = parsed(text, lines);
  if (document === null) return { problems: [{ line: null, sentence: 'It is nested too deeply.' }] };
  const lineOf = (node: unknown): number | null => {
    const at = (node as Node | null | undefined)?.range?.[0];
    return at === undefined ? null : lines.linePos(at).line;
  };
  const faults = [...document.errors, ...document.warnings]
    .map(({ pos, message }) => ({ line: lines.linePos(pos[0]).line, sentence: sentenceOf(message) }));
  if (faults.length > 0) return { problems: faults };
  const aliases: LinedProblem[] = [];
  const value = valueOf(document.contents, (node) => aliases.push({
    line: lineOf(node), sentence: 'References of one part of the file to another (*name) are not taken. Write it out.',
  }));
  return aliases.length > 0 ? { problems: aliases } : { value, lineOf: (path) => lineAt(document, path, lineOf) };
}

function parsed(text: string, lineCounter: LineCounter): Document.Parsed | null {
  try {
    return parseDocument(text, { version: '1.2', schema: 'core', uniqueKeys: true, stringKeys: true, prettyErrors: false, lineCounter });
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** The library may repeat a piece of the file behind a colon. */
function sentenceOf(message: string): string {
  return `${message.split(/[:\n]/, 1)[0]!.trim()}.`;
}

function valueOf(node: unknown, onAlias: (node: unknown) => void): unknown {
  if (isAlias(node)) {
    onAlias(node);
    return null;
  }
  if (isMap(node)) {
    return Object.fromEntries(node.items.map(({ key, value }) => [String((key as { value?: unknown }).value), valueOf(value, onAlias)]));
  }
  if (isSeq(node)) return node.items.map((item) => valueOf(item, onAlias));
  if (!isScalar(node)) return null;
  const { value, source } = node;
  return typeof value === 'number' && !(Number.isSafeInteger(value) && /^(?:0|[1-9]\d*)$/.test(source ?? '')) ? source ?? String(value) : value;
}

function lineAt(document: Document.Parsed, path: readonly (string | number)[], lineOf: (node: unknown) => number | null): number | null {
  for (let length = path.length; length > 0; length -= 1) {
    const place = path.slice(0, length);
    const above = length === 1 ? document.contents : document.getIn(place.slice(0, -1), true);
    // A field is found at its name, which stands before what it says.
    const pair = isMap(above) ? above.items.find(({ key }) => isScalar(key) && key.value === place.at(-1)) : undefined;
    const line = lineOf(pair === undefined ? document.getIn(place, true) : pair.key);
    if (line !== null) return line;
  }
  return null;
}
