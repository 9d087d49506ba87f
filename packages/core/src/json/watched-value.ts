/**
 * One watched value of a JSON text: its kind, whether it was read to its end, and, for strings and numbers up to a bound, its text. The
 * scanner fills it; nothing else of the text is kept. Of a string or number longer than the bound only the kind is known.
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

/** The watched members of an object, by their names (ASCII). */
export type WatchedMembers = Readonly<Record<string, WatchedValue>>;

/** A watched place, and the watched places inside it. */
export class WatchedValue {
  kind: ValueKind = 'absent';
  /** The value was seen to its end. */
  complete = false;
  #names: readonly string[] = noNames;
  #places: readonly WatchedValue[] = noPlaces;
  /** Makes the members when an object is met here; null: they are made. */
  #later: (() => WatchedMembers) | null = null;
  /** The watched first element of an array. */
  readonly firstElement: WatchedValue | null;
  /** Called with every element of an array; such an array has no watched first one. */
  readonly tally: ElementTally | null;
  /** The text of a string, or of a number that is not written in plain digits; null if it is longer than the bound. Otherwise without meaning. */
  #text: string | null = null;
  /** The value of a number written in plain digits, or −1. */
  #plainDigits = -1;

  constructor(
    fields: WatchedMembers | (() => WatchedMembers) | null, firstElement: WatchedValue | null, tally: ElementTally | null = null,
  ) {
    this.firstElement = firstElement;
    this.tally = tally;
    if (typeof fields === 'function') this.#later = fields;
    else if (fields !== null) this.#watch(fields);
  }

  /** Names (ASCII) of the watched members of an object. Readers of one kind share them. */
  get names(): readonly string[] {
    return this.#names;
  }

  /** Their places, in the same order. */
  get places(): readonly WatchedValue[] {
    return this.#places;
  }

  /** The scanner's own: an object begins here. */
  beginObject(): void {
    this.kind = 'object';
    if (this.#later === null) return;
    this.#watch(this.#later());
    this.#later = null;
  }

  /** Forgets what was seen here and inside. A name that comes twice counts as its last (JSON as JavaScript reads it). */
  forget(): void {
    if (this.kind === 'absent') return;
    this.kind = 'absent';
    this.complete = false;
    for (const place of this.#places) place.forget();
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

  #watch(fields: WatchedMembers): void {
    this.#names = shared(Object.keys(fields));
    this.#places = Object.values(fields);
  }
}

/** A watched place; give the members of an object, or the first element of an array, to watch inside it. */
export function watched(fields: WatchedMembers | null = null, firstElement: WatchedValue | null = null): WatchedValue {
  return new WatchedValue(fields, firstElement);
}

/** A watched place whose members are made once an object is met there: most texts have none. */
export function watchedWhenMet(fields: () => WatchedMembers): WatchedValue {
  return new WatchedValue(fields, null);
}

/** A watched array; `tally` sees each of its elements. */
export function watchedEach(tally: ElementTally): WatchedValue {
  return new WatchedValue(null, null, tally);
}

/** Lists of names that were met, by their first: a reader has a dozen, and there is a reader for every open stream. */
const sharedNames = new Map<string, (readonly string[])[]>();

/** The list itself, or one like it that was met before. Compares names one by one: a text of all of them would be made for each reader. */
function shared(names: readonly string[]): readonly string[] {
  const first = names[0] ?? '';
  const alike = sharedNames.get(first);
  if (alike === undefined) {
    sharedNames.set(first, [names]);
    return names;
  }
  const known = alike.find((others) => others.length === names.length && others.every((name, at) => name === names[at]));
  if (known === undefined) alike.push(names);
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
