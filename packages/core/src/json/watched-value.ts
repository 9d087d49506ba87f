/**
 * One watched value of a JSON text: its kind, whether it was read to its end, and, for strings and numbers up to a bound, its text. The
 * scanner fills it; nothing else of the text is kept. A longer string or number than the bound is `overflowed`: its kind is known, its text
 * is not.
 */

/** What stands at a watched place. `absent` until the scanner meets it. */
export type ValueKind = 'absent' | 'null' | 'true' | 'false' | 'number' | 'string' | 'object' | 'array';

/** The longest string or number whose text is kept, in bytes as written. */
export const watchedBytesMax = 4096;

const backslash = 0x5c;
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const noFields: readonly (readonly [string, WatchedValue])[] = [];
/** Numbers of plain digits up to this length are kept as a value, not as bytes: they are exact, and most figures are such. */
const plainDigitsMax = 15;

/** Hears of the elements of a watched array, each an object, as they go by. */
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
  overflowed = false;
  /** Watched members of an object: name (ASCII) and place. */
  readonly fields: readonly (readonly [string, WatchedValue])[];
  /** The watched first element of an array. */
  readonly firstElement: WatchedValue | null;
  /** Who hears of every element of an array; such an array has no watched first one. */
  readonly tally: ElementTally | null;
  private bytes: Uint8Array | null = null;
  private length = 0;
  /** What `string` gave last that is written as it reads (ASCII without escapes): models and finish reasons repeat from call to call. */
  private lastText = '';
  /** The value of a number written in plain digits, else −1. */
  private plainDigits = -1;

  constructor(fields: Readonly<Record<string, WatchedValue>> | null, firstElement: WatchedValue | null, tally: ElementTally | null = null) {
    this.fields = fields === null ? noFields : Object.entries(fields);
    this.firstElement = firstElement;
    this.tally = tally;
  }

  /** Forgets what was seen here and inside. A name that comes twice counts as its last (JSON as JavaScript reads it). */
  forget(): void {
    if (this.kind === 'absent') return;
    this.kind = 'absent';
    this.complete = false;
    this.overflowed = false;
    this.length = 0;
    for (const field of this.fields) field[1].forget();
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
    const length = to - from;
    if (kind === 'number') {
      this.plainDigits = plainDigitsOf(source, from, to);
      if (this.plainDigits >= 0) return;
    } else if (kind !== 'string') return;
    if (length > watchedBytesMax) {
      this.overflowed = true;
      return;
    }
    if (this.bytes === null || this.bytes.length < length) this.bytes = new Uint8Array(length < 32 ? 32 : length * 2);
    const bytes = this.bytes;
    for (let i = 0; i < length; i++) bytes[i] = source[from + i]!;
    this.length = length;
  }

  /** The string as JavaScript reads it, or null where this is no whole string within the bound. */
  string(): string | null {
    if (this.kind !== 'string' || !this.complete || this.overflowed || this.bytes === null) return null;
    if (this.isString(this.lastText)) return this.lastText;
    const text = unescaped(this.bytes.subarray(0, this.length));
    if (text.length === this.length) this.lastText = text;
    return text;
  }

  /** The value of a number that is written in at most 15 plain digits, else −1; allocates nothing. */
  plainWholeNumber(): number {
    return this.kind === 'number' && this.complete ? this.plainDigits : -1;
  }

  /** The number as it was written, or null where this is no whole number within the bound. */
  numberText(): string | null {
    if (this.kind !== 'number' || !this.complete) return null;
    if (this.plainDigits >= 0) return String(this.plainDigits);
    if (this.overflowed || this.bytes === null) return null;
    return decoder.decode(this.bytes.subarray(0, this.length));
  }

  /** Whether this is the string `text` (ASCII), written with or without escapes; without, it allocates nothing. */
  isString(text: string): boolean {
    if (this.kind !== 'string' || !this.complete || this.overflowed || this.length < text.length) return false;
    const bytes = this.bytes!;
    let same = 0;
    while (same < text.length && bytes[same] === text.charCodeAt(same)) same++;
    if (same === text.length) return this.length === same;
    return bytes[same] === backslash && unescaped(bytes.subarray(0, this.length)) === text;
  }
}

/** A watched place; give the members of an object, or the first element of an array, to watch inside it. */
export function watched(
  fields: Readonly<Record<string, WatchedValue>> | null = null,
  firstElement: WatchedValue | null = null,
): WatchedValue {
  return new WatchedValue(fields, firstElement);
}

/** A watched array, each of whose elements is told to `tally`. */
export function watchedEach(tally: ElementTally): WatchedValue {
  return new WatchedValue(null, null, tally);
}

/** The text of a JSON string from its raw bytes between the quotes, which must be valid. */
export function unescaped(raw: Uint8Array): string {
  const text = decoder.decode(raw);
  return text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text;
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
