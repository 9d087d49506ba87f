/**
 * Meters of cloud bills → the model and the kind of tokens that they count. Clouds name both in one text, each in its own abbreviations:
 * `gpt 4o 1120 cached Inp glbl Tokens`, `USE1-Claude4.6Opus-cache-read-input-token-count-cross-region-global`,
 * `Generate content output token count gemini 2.5 flash short input text`.
 */
import { countsOf, type Counts } from '../bill.ts';
import { itemOf, type BillItem } from '../bill-items.ts';

export interface Meter {
  readonly name: string;
  readonly item: BillItem | null;
  readonly kind: MeterKind | null;
}

const kinds = ['cacheWrite', 'cached', 'audioOutput', 'audioInput', 'imageOutput', 'imageInput', 'output', 'input'] as const;
type MeterKind = (typeof kinds)[number];

/** Words of where, how and in what unit a model ran. */
const asides = new Set((
  'tokens token count counts input inputs inp inpt inpu output outputs outp outpt opt out cached cache cchd cd caching read write '
  + 'glbl gl global regnl regional rgnl dzone dz datazone data zone cross region geo mantle standard std batch flex priority pp '
  + 'provisioned long context shortco longco ctx short text audio aud image img video thinking reasoning for generate content '
  + 'predictions prediction online models model units 1k 1m mp on demand ondemand txt in ga inputtokencount outputtokencount '
  + 'cachereadinputtokencount cachewriteinputtokencount'
).split(' '));

/** `hint`: the product's name, where the meter itself does not say which family a number is of. */
export function meterOf(text: string, hint = ''): Meter | null {
  const plain = text.slice(0, 512).replace(/^[A-Z]{2,4}\d{0,2}-/, '').replace(/^MP:[A-Z0-9]{2,8}_/, '');
  const words = plain.split(/[\s_,/()–-]+/).filter((word) => word !== '');
  const kind = kindOf(plain);
  if (kind === null) {
    const item = itemOf(text);
    return item === null ? null : { name: text, item, kind };
  }
  const said = words.filter((word) => !asides.has(word.toLowerCase()));
  const name = said.join(' ').trim();
  const whole = /^\d/.test(name) && /openai|gpt/i.test(hint) ? `gpt ${name}` : name === '' ? hint : name;
  return { name: whole === '' ? text : whole, item: null, kind };
}

function kindOf(text: string): MeterKind | null {
  // What a price is for stands before the length of its input: `output token count … short input text`.
  const head = text.toLowerCase().replaceAll(/(?:short|long) input/g, ' ');
  const has = (pattern: RegExp): boolean => pattern.test(head);
  const output = has(/output|\boutp?t?\b|\bopt\b/);
  const input = has(/input|\binpt?u?\b/);
  if (!output && !input && !has(/token/)) return null;
  if (has(/cache[-_ ]?writ/)) return 'cacheWrite';
  if (has(/cache|\bcc?h?d\b/)) return 'cached';
  if (has(/audio|\baud\b/)) return output ? 'audioOutput' : 'audioInput';
  if (has(/image|\bimg\b/)) return output ? 'imageOutput' : 'imageInput';
  return output ? 'output' : 'input';
}

/** What a meter's quantity adds: cached and written tokens, sound and images are parts of what goes in or comes out. */
export function countsOfMeter(kind: MeterKind, quantity: number | null): Counts {
  if (quantity === null) return {};
  const tokens = Math.round(quantity);
  switch (kind) {
    case 'cacheWrite': return countsOf({ inputTokens: tokens, cacheWriteTokens: tokens });
    case 'cached': return countsOf({ inputTokens: tokens, cachedTokens: tokens });
    case 'audioInput': return countsOf({ inputTokens: tokens, audioInputTokens: tokens });
    case 'audioOutput': return countsOf({ outputTokens: tokens, audioOutputTokens: tokens });
    case 'imageInput': return countsOf({ inputTokens: tokens, imageInputTokens: tokens });
    case 'imageOutput': return countsOf({ outputTokens: tokens, imageOutputTokens: tokens });
    case 'output': return countsOf({ outputTokens: tokens });
    case 'input': return countsOf({ inputTokens: tokens });
  }
}

/** How many tokens one unit is: `1K Tokens` is a thousand. */
export function tokensPerUnit(unit: unknown): number {
  const text = typeof unit === 'string' ? unit.toLowerCase() : '';
  if (/\b1 ?m\b|million|1,?000,?000/.test(text)) return 1_000_000;
  return /\b1 ?k\b|thousand|\b1,?000\b/.test(text) ? 1_000 : 1;
}
