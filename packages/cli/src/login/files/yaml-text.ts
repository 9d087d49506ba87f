/** Edits of a YAML file that leave every other byte as it is. Pure. Decision 196. */
import { isMap, isScalar, isSeq, parseDocument, type Document, type Pair, type YAMLMap } from 'yaml';
import { isUnfit, type Edited, type Unfit } from './edited.ts';
import { appended, lineEndOf, spliced, type Splice } from './splice.ts';

/** A setting of the whole file; a list becomes a block. */
export type YamlSettings = Readonly<Record<string, string | readonly string[]>>;

/** Settings at the top of a file that is a mapping in block form, or empty. A list that is there already is not touched. */
export function editYaml(text: string, settings: YamlSettings): Edited | Unfit {
  const document = read(text);
  if (isUnfit(document)) return document;
  const map = document.contents;
  if (map !== null && !(isMap(map) && map.flow !== true)) return { unfit: 'is not a mapping in block form' };
  const splices: Splice[] = [];
  const lines: string[] = [];
  for (const [name, value] of Object.entries(settings)) {
    const pair = map === null ? undefined : pairNamed(map, name);
    if (typeof value !== 'string') {
      if (pair !== undefined) return { unfit: `has ${name} already` };
      lines.push(`${name}:`, ...value.map((each) => `  - ${JSON.stringify(each)}`));
    } else if (pair === undefined) lines.push(`${name}: ${JSON.stringify(value)}`);
    else {
      const place = scalarPlace(text, pair);
      if (isUnfit(place)) return { unfit: `has ${name} in a form that cannot be replaced` };
      splices.push({ ...place, inserted: JSON.stringify(value) });
    }
  }
  return checked(text, { splices: lines.length === 0 ? splices : [...splices, appended(text, lines)] }, (after) =>
    Object.entries(settings).every(([name, value]) => JSON.stringify((after as Record<string, unknown>)[name]) === JSON.stringify(value)));
}

/** The same settings in each entry of a list that is chosen by `wanted`. None chosen: nothing to do, no splices. */
export function editYamlEntries(
  text: string, list: string, wanted: (entry: Readonly<Record<string, unknown>>) => Readonly<Record<string, string>> | null,
): Edited | Unfit {
  const document = read(text);
  if (isUnfit(document)) return document;
  const map = document.contents;
  const entries = isMap(map) ? map.get(list) : null;
  if (!isSeq(entries)) return { splices: [] };
  const splices: Splice[] = [];
  for (const entry of entries.items) {
    if (!isMap(entry)) continue;
    const settings = wanted(entry.toJSON() as Record<string, unknown>);
    if (settings === null) continue;
    if (entry.flow === true || entry.items.length === 0) return { unfit: `has an entry of ${list} that is not in block form` };
    const added = withSettings(text, entry, settings);
    if (isUnfit(added)) return added;
    splices.push(...added);
  }
  return checked(text, { splices }, () => true);
}

/** In place where they are there, else before the entry's first setting, on separate lines. */
function withSettings(text: string, entry: YAMLMap, settings: Readonly<Record<string, string>>): readonly Splice[] | Unfit {
  const end = lineEndOf(text);
  const first = (entry.items[0]!.key as { readonly range: readonly number[] }).range[0]!;
  const column = first - (text.lastIndexOf('\n', first - 1) + 1);
  const splices: Splice[] = [];
  let inserted = '';
  for (const [name, value] of Object.entries(settings)) {
    const pair = pairNamed(entry, name);
    if (pair === undefined) inserted += `${name}: ${JSON.stringify(value)}${end}${' '.repeat(column)}`;
    else {
      const place = scalarPlace(text, pair);
      if (isUnfit(place)) return place;
      splices.push({ ...place, inserted: JSON.stringify(value) });
    }
  }
  return inserted === '' ? splices : [...splices, { at: first, removed: '', inserted }];
}

function read(text: string): Document | Unfit {
  if (text.includes('\0')) return { unfit: 'is not text' };
  const document = parseDocument(text, { uniqueKeys: true });
  return document.errors.length > 0 ? { unfit: 'is not YAML that can be read' } : document;
}

/** What cannot be read back, or reads otherwise, is not written. */
function checked(text: string, edited: Edited, fits: (after: unknown) => boolean): Edited | Unfit {
  const after = read(spliced(text, edited.splices));
  return isUnfit(after) || !fits(after.toJS({ maxAliasCount: 100 })) ? { unfit: 'has a form that cannot be edited safely' } : edited;
}

function pairNamed(map: YAMLMap, name: string): Pair | undefined {
  return map.items.find(({ key }) => isScalar(key) && key.value === name);
}

function scalarPlace(text: string, { value }: Pair): Pick<Splice, 'at' | 'removed'> | Unfit {
  if (!isScalar(value) || value.range === undefined || value.range === null) return { unfit: 'has no plain value there' };
  const [from, to] = value.range;
  if (from === to || text.slice(from, to).includes('\n')) return { unfit: 'has no plain value there' };
  return { at: from, removed: text.slice(from, to) };
}
