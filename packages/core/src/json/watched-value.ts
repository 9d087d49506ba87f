/**
 * One watched value of a JSON text: its kind, whether it was read to its end, and, for strings and numbers up to a bound, its text. The
 * scanner fills it; nothing else of the text is kept. A longer string or number than the bound is `overflowed`: its kind is known, its text
 * is not.
 */
import { recentString } from './recent-strings.ts';

/** What stands at a watched place. `absent` until the scanner meets it. */
export type ValueKind = 'absent' | 'null' | 'true' | 'false' | 'number' | 'string' | 'object' | 'array';

/** The longest string or number whose text is kept, in bytes as written. */
export const watchedBytesMax = 4096;

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const noNames: readonly string[] = [];
const noPlaces: readonly WatchedValue[] = [];
/** Numbers of plain digits up to this length are kept as a value, not as bytes: they are exact, and most figures are such. */
const plainDigitsMax = 15;

/** Hears of the elements of a watched array, as they go by: objects, texts, numbers and literals, but no arrays within. */
export interface ElementTally {
  /** Where each element is read, in its turn. */
  readonly element: WatchedValue;
  /** The array begins. A name that comes twice counts as its last. */
  begin(): void;
  /** `element` was read to its end. */
  ended(): void;
}

/** A watched place, and the watched places inside it. */
export class WatchedValue {
  kind: ValueKind = 'absent';
  /** The value was seen to its end. */
  complete = false;
  /** Names (ASCII) of the watched members of an object. Readers of one kind share them. */
  readonly names: readonly string[];
  /** Their places, in the same order. */
  readonly places: readonly WatchedValue[];
  /** The watched first element of an array. */
  readonly firstElement: WatchedValue | null;
  /** Called with every element of an array; such an array has no watched first one. */
  readonly tally: ElementTally | null;
  /** Of a string, or of a number that is not written in plain digits; null if it is longer than the bound. Else without meaning. */
  #text: string | null = null;
  /** The value of a number written in plain digits, or −1. */
  #plainDigits = -1;

  constructor(fields: Readonly<Record<string, WatchedValue>> | null, firstElement: WatchedValue | null, tally: ElementTally | null = null) {
    this.names = fields === null ? noNames : shared(Object.keys(fields));
    this.places = fields === null ? noPlaces : Object.values(fields);
    this.firstElement = firstElement;
    this.tally = tally;
  }

  /** Its string or number was longer than the bound. */
  get overflowed(): boolean {
    return this.complete && this.#text === null && (this.kind === 'string' || (this.kind === 'number' && this.#plainDigits < 0));
  }

  /** Forgets what was seen here and inside. A name that comes twice counts as its last (JSON as JavaScript reads it). */
  forget(): void {
    if (this.kind === 'absent') return;
    this.kind = 'absent';
    this.complete = false;
    for (const place of this.places) place.forget();
    this.firstElement?.forget();
    this.tally?.element.forget();
  }

  /**
   * The scanner's own: the string (without its quotes), number or literal of `kind` that was read to its end, written
   * `source[from..to)`.
   */
  write(kind: ValueKind, source: Uint8Array, from: number, to: number): void {
    this.kind = kind;
    this.complete = true;
    if (kind === 'number') {
      this.#plainDigits = plainDigitsOf(source, from, to);
      if (this.#plainDigits >= 0) return;
    } else if (kind !== 'string') return;
    this.#text = to - from > watchedBytesMax ? null : kind === 'string' ? recentString(source, from, to) : decoder.decode(source.subarray(from, to));
  }

  /** The string as JavaScript reads it, or null if this is not a whole string within the bound. */
  string(): string | null {
    return this.kind === 'string' && this.complete ? this.#text : null;
  }

  /** The value of a number that is written in at most 15 plain digits, or −1; allocates nothing. */
  plainWholeNumber(): number {
    return this.kind === 'number' && this.complete ? this.#plainDigits : -1;
  }

  /** The number as it was written, or null if this is not a whole number within the bound. */
  numberText(): string | null {
    if (this.kind !== 'number' || !this.complete) return null;
    return this.#plainDigits >= 0 ? String(this.#plainDigits) : this.#text;
  }

  /** Whether this is the string `text`, written with or without escapes. */
  isString(text: string): boolean {
    return this.kind === 'string' && this.complete && this.#text === text;
  }
}

/** A watched place; give the members of an object, or the first element of an array, to watch inside it. */
export function watched(
  fields: Readonly<Record<string, WatchedValue>> | null = null,
  firstElement: WatchedValue | null = null,
): WatchedValue {
  return new WatchedValue(fields, firstElement);
}

/** A watched array; `tally` sees each of its elements. */
export function watchedEach(tally: ElementTally): WatchedValue {
  return new WatchedValue(null, null, tally);
}

/** Lists of names that were met, by their text: a reader has a dozen, and there is a reader for every open stream. */
const sharedNames = new Map<string, readonly string[]>();

function shared(names: readonly string[]): readonly string[] {
  const key = names.join();
  const known = sharedNames.get(key);
  if (known === undefined) sharedNames.set(key, names);
  return known ?? names;
}

/** The value of up to 15 plain digits, or −1 where anything else is written. JSON writes no leading zero, so it reads back. */
function plainDigitsOf(source: Uint8Array, from: number, to: number): number {
  if (to - from > plainDigitsMax) return -1;
  let value = 0;
  for (let i = from; i < to; i++) {
    const digit = source[i]! - 0x30;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
}
