/**
 * Which models may be asked for: the lists of an organization and of a key, both of which must allow a call. Rule 6g. A pattern is a model's
 * name in which each `*` stands for any characters, none included. Names are compared as they are written, letter for letter.
 */

/** At most so many patterns in a list. */
const modelPatternsMax = 64;
/** The longest pattern, in UTF-16 units. */
const patternLengthMax = 256;

export const modelPatternsForm = `Models must be 1 to ${modelPatternsMax} names or patterns such as gpt-5*, each once, without spaces and commas`;

/** Whether a list can be kept. */
export function areModelPatterns(patterns: readonly string[]): boolean {
  return patterns.length > 0 && patterns.length <= modelPatternsMax && new Set(patterns).size === patterns.length
    && patterns.every((pattern) => pattern.length <= patternLengthMax && /^[^\s,\0-\x1f\x7f]+$/.test(pattern) && pattern.isWellFormed());
}

/** Null: everything may be asked for. */
export type ModelPatterns = readonly string[] | null;

/** Whose list refused a call, and for what. `model`: null if it could not be read. */
export interface ModelRefusal {
  readonly of: 'organization' | 'key';
  readonly model: string | null;
}

/** What a body asks for: `none`: there is no body. `unread`: it could not be read to its end, or has more than one reading. */
export type BodyModels = 'none' | 'unread' | readonly string[];

interface ModelLists {
  readonly organization: ModelPatterns;
  readonly key: ModelPatterns;
}

/** The first model that a list does not allow; null: they allow all of them. */
export function refusedModel({ organization, key }: ModelLists, models: readonly string[]): ModelRefusal | null {
  for (const model of models) {
    if (organization !== null && !isAllowed(organization, model)) return { of: 'organization', model };
    if (key !== null && !isAllowed(key, model)) return { of: 'key', model };
  }
  return null;
}

/** The same for a whole call. Something must name its model, its path or its body, if it has a body at all. */
export function refusedModelOf(lists: ModelLists, byPath: readonly string[], byBody: BodyModels): ModelRefusal | null {
  if (lists.organization === null && lists.key === null) return null;
  const refused = refusedModel(lists, byBody === 'none' || byBody === 'unread' ? byPath : [...byPath, ...byBody]);
  if (refused !== null || byBody === 'none') return refused;
  if (byBody !== 'unread' && byPath.length + byBody.length > 0) return null;
  return { of: lists.organization === null ? 'key' : 'organization', model: null };
}

function isAllowed(patterns: readonly string[], model: string): boolean {
  // Google's clients write `models/` before the name in a body, and the name alone in a path.
  const name = model.startsWith('models/') ? model.slice('models/'.length) : model;
  return patterns.some((pattern) => fits(pattern, model) || fits(pattern, name));
}

/** Whether a list allows nothing that the other does not: each of its patterns, read as a name, fits one of the other's. */
export function areWithin(patterns: readonly string[], bound: ModelPatterns): boolean {
  return bound === null || patterns.every((pattern) => bound.some((each) => fits(each, pattern)));
}

/** Whether the whole text fits the pattern. Goes back only to the last `*`, so its time is at most the product of both lengths. */
function fits(pattern: string, text: string): boolean {
  let at = 0;
  let star = -1;
  let afterStar = 0;
  for (let place = 0; place < text.length;) {
    if (pattern[at] === '*') {
      star = at;
      afterStar = place;
      at += 1;
    } else if (at < pattern.length && pattern[at] === text[place]) {
      at += 1;
      place += 1;
    } else if (star === -1) return false;
    else {
      afterStar += 1;
      at = star + 1;
      place = afterStar;
    }
  }
  while (pattern[at] === '*') at += 1;
  return at === pattern.length;
}
