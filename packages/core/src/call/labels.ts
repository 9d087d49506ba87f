/**
 * `x-svc-tags` and `x-svc-project` → labels and project. Spec: Common request elements; rule 31.
 * Labels are opaque: split, trimmed, bounded, never interpreted. Nothing here can refuse a call.
 */
import { header } from '../id.ts';
import { allValues, firstValue, type HeaderPairs } from './header-pairs.ts';

/** At most this many labels are kept. */
const labelsMax = 32;
/** In characters (code points). A longer label is dropped whole. */
const labelCharactersMax = 128;
/** In characters. A longer project is dropped whole; the key's own project then stands. */
export const projectCharactersMax = 256;

export interface Labels {
  readonly labels: readonly string[];
  /** How many were over-long or past the 32nd. */
  readonly labelsDropped: number;
}

const noLabels: Labels = Object.freeze({ labels: Object.freeze([]) as readonly string[], labelsDropped: 0 });

/** The labels of a call: several header lines are one list, empty ones are no labels. */
export function labelsOf(pairs: HeaderPairs): Labels {
  const lines = allValues(pairs, header.tags);
  return lines.length === 0 ? noLabels : labelsAmong(lines.map(headerText));
}

/** The labels in a text with commas between them, as a call would have them. */
export function labelsIn(text: string): readonly string[] {
  return labelsAmong([text]).labels;
}

function labelsAmong(lines: readonly string[]): Labels {
  const labels: string[] = [];
  let labelsDropped = 0;
  for (const text of lines) {
    for (let from = 0, to = 0; from <= text.length; from = to + 1) {
      const comma = text.indexOf(',', from);
      to = comma === -1 ? text.length : comma;
      const label = text.slice(from, to).trim();
      if (label === '') continue;
      if (labels.length < labelsMax && charactersIn(label) <= labelCharactersMax) labels.push(label);
      else labelsDropped += 1;
    }
  }
  return { labels, labelsDropped };
}

/** Whether a call can have this label: whole, trimmed, of a length that is kept, and of characters that a header can carry. */
export function isLabel(text: string): boolean {
  return text !== '' && text === text.trim() && charactersIn(text) <= labelCharactersMax && text.isWellFormed()
    && !/[,\u0000-\u0008\n-\u001f\u007f]/.test(text);
}

/** The project a call names in its first `x-svc-project` line, or null. */
export function projectOf(pairs: HeaderPairs): string | null {
  const line = firstValue(pairs, header.project);
  if (line === null) return null;
  const project = headerText(line).trim();
  return project === '' || charactersIn(project) > projectCharactersMax ? null : project;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** A header value arrives one character a byte; where those bytes are UTF-8 they are read so, else as latin1. */
export function headerText(value: string): string {
  if (!/[\x80-\xff]/.test(value)) return value;
  const bytes = Uint8Array.from(value, (character) => character.charCodeAt(0));
  try {
    return utf8.decode(bytes);
  } catch {
    return value;
  }
}

/** How many characters (code points) a text has. A text shorter than any bound is judged by its length. */
export function charactersIn(text: string): number {
  if (text.length <= labelCharactersMax) return text.length;
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
