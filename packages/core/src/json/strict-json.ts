/**
 * A whole JSON text → its value, with what `JSON.parse` loses: names in the order written, every repetition of a name, and
 * numbers as they were written (RFC 8259, strict; RFC 3629 for the bytes). For texts that fit in memory and need an exact reason when
 * refused; streams are read by `JsonScanner`. It never throws: the result says if the text is not JSON or nested too deeply.
 */
import { withoutEnding } from './without-ending.ts';

/** A number as it was written. */
export class JsonNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** An object's members in the order written; a name may come more than once. `names[i]` belongs to `values[i]`. */
export class JsonObject {
  readonly names: string[] = [];
  readonly values: StrictJson[] = [];
}

export type StrictJson = null | boolean | string | JsonNumber | JsonObject | StrictJson[];

/** Containers within containers that are followed. */
const strictDepthMax = 64;

type StrictJsonVerdict = { readonly value: StrictJson } | { readonly refused: 'not_json' | 'too_deep' };

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const notJson: StrictJsonVerdict = Object.freeze({ refused: 'not_json' });
const tooDeep: StrictJsonVerdict = Object.freeze({ refused: 'too_deep' });

/** Reads a whole text. A byte order mark is not JSON. */
export function parseStrictJson(bytes: Uint8Array): StrictJsonVerdict {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    return notJson;
  }
  return new Reading(text).whole();
}

/**
 * The value of a JSON number that is a whole number, however it is written: `1.0`, `1e3`, `-0` (which is 0). Null if it is
 * none. Exact: `1.00000000000000000001` is not a whole number. Beyond 2^53 the nearest number, an infinite one included.
 */
export function wholeNumberOf({ text }: JsonNumber): number | null {
  const value = Number(text);
  if (text.length <= 15 && /^\d+$/.test(text)) return value;
  const [mantissa = '', exponent = '0'] = text.split(/[eE]/);
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const digits = whole + fraction;
  const significant = withoutEnding(digits, '0');
  if (significant.replace(/^0+/, '') === '') return 0;
  const zeros = digits.length - significant.length;
  return Number(exponent) - fraction.length + zeros >= 0 ? value : null;
}

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const bracketOpen = 0x5b;
const backslash = 0x5c;
const bracketClose = 0x5d;
const braceOpen = 0x7b;
const braceClose = 0x7d;
const number = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const literals = [['true', true], ['false', false], ['null', null]] as const;

/** Ends a reading; never leaves this module. */
class Ended {
  readonly verdict: StrictJsonVerdict;

  constructor(verdict: StrictJsonVerdict) {
    this.verdict = verdict;
  }
}
const endedNotJson = new Ended(notJson);
const endedTooDeep = new Ended(tooDeep);

class Reading {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  whole(): StrictJsonVerdict {
    try {
      const value = this.#value();
      this.#passSpace();
      return this.#at === this.#text.length ? { value } : notJson;
    } catch (error) {
      if (error instanceof Ended) return error.verdict;
      throw error;
    }
  }

  #value(): StrictJson {
    this.#passSpace();
    const code = this.#text.charCodeAt(this.#at);
    if (code === quote) return this.#string();
    if (code === braceOpen) return this.#nested(() => this.#object());
    if (code === bracketOpen) return this.#nested(() => this.#array());
    for (const [word, value] of literals) {
      if (this.#text.startsWith(word, this.#at)) {
        this.#at += word.length;
        return value;
      }
    }
    number.lastIndex = this.#at;
    const found = number.exec(this.#text);
    if (found === null) throw endedNotJson;
    this.#at = number.lastIndex;
    return new JsonNumber(found[0]);
  }

  #nested<Value>(read: () => Value): Value {
    if (++this.#depth > strictDepthMax) throw endedTooDeep;
    this.#at++;
    const value = read();
    this.#depth--;
    return value;
  }

  #object(): JsonObject {
    const object = new JsonObject();
    if (this.#passes(braceClose)) return object;
    do {
      this.#passSpace();
      if (this.#text.charCodeAt(this.#at) !== quote) throw endedNotJson;
      object.names.push(this.#string());
      this.#pass(colon);
      object.values.push(this.#value());
    } while (this.#passes(comma));
    this.#pass(braceClose);
    return object;
  }

  #array(): StrictJson[] {
    const array: StrictJson[] = [];
    if (this.#passes(bracketClose)) return array;
    do array.push(this.#value()); while (this.#passes(comma));
    this.#pass(bracketClose);
    return array;
  }

  #string(): string {
    const from = ++this.#at;
    let escaped = false;
    for (;; this.#at++) {
      const code = this.#text.charCodeAt(this.#at);
      if (code === quote) break;
      if (code === backslash) {
        escaped = true;
        this.#at++;
      } else if (!(code >= 0x20)) throw endedNotJson; // the end of the text is NaN
    }
    const to = this.#at++;
    const raw = this.#text.slice(from, to);
    return escaped ? unescaped(raw) : raw;
  }

  #passSpace(): void {
    for (;; this.#at++) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
    }
  }

  #passes(code: number): boolean {
    this.#passSpace();
    if (this.#text.charCodeAt(this.#at) !== code) return false;
    this.#at++;
    return true;
  }

  #pass(code: number): void {
    if (!this.#passes(code)) throw endedNotJson;
  }
}

/** The text of a string with escapes; the engine's own reader knows which there are. */
function unescaped(raw: string): string {
  try {
    return JSON.parse(`"${raw}"`) as string;
  } catch {
    throw endedNotJson;
  }
}
