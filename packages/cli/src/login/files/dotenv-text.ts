/** Edits of a file of variables, `NAME=value` a line, that leave every other byte as it is. Pure. Decision 196. */
import type { Edited, Unfit } from './edited.ts';
import { appended, type Splice } from './splice.ts';

interface Line {
  readonly at: number;
  readonly text: string;
  readonly name: string;
  readonly value: string;
}

/** Values need no quotes: they have neither spaces nor quotes nor `#`. */
export function editDotenv(text: string, values: Readonly<Record<string, string>>): Edited | Unfit {
  if (text.includes('\0')) return { unfit: 'is not text' };
  const lines = linesOf(text);
  const splices: Splice[] = [];
  const missing: string[] = [];
  for (const [name, value] of Object.entries(values)) {
    const [line, ...more] = lines.filter((each) => each.name === name);
    if (more.length > 0) return { unfit: `names ${name} twice` };
    if (line === undefined) missing.push(`${name}=${value}`);
    else if (isOpen(line.value)) return { unfit: `has a value of ${name} over several lines` };
    else splices.push({ at: line.at, removed: line.text, inserted: `${name}=${value}` });
  }
  return { splices: missing.length === 0 ? splices : [...splices, appended(text, missing)] };
}

function linesOf(text: string): readonly Line[] {
  const lines: Line[] = [];
  let at = 0;
  for (const whole of text.split('\n')) {
    const line = whole.endsWith('\r') ? whole.slice(0, -1) : whole;
    const sign = line.indexOf('=');
    const words = line.slice(0, Math.max(sign, 0)).trim().split(/\s+/);
    const name = words[0] === 'export' ? words[1] : words[0];
    if (sign !== -1 && name !== undefined) lines.push({ at, text: line, name, value: line.slice(sign + 1).trim() });
    at += whole.length + 1;
  }
  return lines;
}

/** It begins with a quote that does not end on its line. */
function isOpen(value: string): boolean {
  const quote = value[0];
  return quote !== undefined && '"\'`'.includes(quote) && value.indexOf(quote, 1) === -1;
}
