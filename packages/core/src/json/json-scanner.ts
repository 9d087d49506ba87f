/**
 * A JSON text in chunks cut anywhere → whether it is valid JSON, and the values at the watched places (RFC 8259, strict). Memory does not
 * grow with the text: nothing is kept but the watched values, and one bit for each open container. It never throws. At the first invalid byte
 * it stops reading and says `invalid`.
 */
import { KeptText } from './kept-text.ts';
import { Nesting, nestingMax } from './nesting.ts';
import { StringLexer } from './string-lexer.ts';
import { canPass, forgetCopy, passedBytesMin, passedLevelsMax, ValueSkip } from './value-skip.ts';
import type { ValueKind, WatchedValue } from './watched-value.ts';
import { wordBegins, wordContinues, wordKind } from './word-lexer.ts';

/**
 * `valid`: one JSON value and nothing after it. `empty`: nothing but white space so far. `incomplete`: so far the beginning
 * of a JSON text. `invalid`: it is not JSON. `gave_up`: nested deeper than is followed.
 */
type JsonVerdict = 'valid' | 'empty' | 'incomplete' | 'invalid' | 'gave_up';

// What the next byte may be. From `invalid` on nothing is read any more.
const expectValue = 0;
const expectElementOrEnd = 1;
const expectKeyOrEnd = 2;
const expectKey = 3;
const expectColon = 4;
const expectCommaOrEnd = 5;
const expectNothing = 6;
const inString = 7;
const inWord = 8;
const inPassed = 9;
const invalid = 10;
const gaveUp = 11;

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const braceOpen = 0x7b;
const braceClose = 0x7d;
const bracketOpen = 0x5b;
const bracketClose = 0x5d;

/** Hears where the strings, numbers and literals stand that are not watched, members' names apart. */
export interface UnwatchedScalars {
  /** One was read to its end, and ends before `to` of this chunk. `from` counts in the chunk in which it began. A string: without its quotes. */
  passed(kind: 'string' | 'word', from: number, to: number): void;
}

export class JsonScanner {
  readonly #root: WatchedValue;
  readonly #unwatched: UnwatchedScalars | null;
  #expecting: number = expectValue;
  readonly #nesting = new Nesting();
  readonly #string = new StringLexer();
  readonly #text = new KeptText();
  #word = 0;
  /** Watched containers that are open, outermost first. They are the outermost open ones, without a gap. */
  readonly #watching: WatchedValue[] = [];
  /** How many of them there are; what stands behind is of before. An array that shrinks would be allocated again with every text. */
  #watched = 0;
  /** The string being read is a member's name. */
  #readingKey = false;
  /** The place that the value to come belongs to: after a key, or for the first element of an array. */
  #place: WatchedValue | null;
  /** The watched string or number being read. */
  #scalar: WatchedValue | null = null;
  /** Where the string or word being read begins, in the chunk in which it does. */
  #scalarFrom = 0;
  /** Skips values in which nothing is watched; null: there was none yet. */
  #skip: ValueSkip | null = null;

  /** @param root the whole text's place; the places inside it are filled as the text is scanned. */
  constructor(root: WatchedValue, unwatched: UnwatchedScalars | null = null) {
    this.#root = root;
    this.#unwatched = unwatched;
    this.#place = root;
  }

  /** Begins a new text. */
  clear(): void {
    this.#root.forget();
    this.#expecting = expectValue;
    this.#nesting.clear();
    this.#text.active = false;
    this.#watched = 0;
    this.#readingKey = false;
    this.#place = this.#root;
    this.#scalar = null;
  }

  /** Whether a whole value has been read and only white space may follow; never true at the end of a bare number. */
  get complete(): boolean {
    return this.#expecting === expectNothing;
  }

  /** What the text is, if it ends here. */
  verdict(): JsonVerdict {
    switch (this.#expecting) {
      case expectNothing: return 'valid';
      case invalid: return 'invalid';
      case gaveUp: return 'gave_up';
      case expectValue: return this.#nesting.depth === 0 ? 'empty' : 'incomplete';
      case inWord: return this.#nesting.depth === 0 && wordKind(this.#word) !== null ? 'valid' : 'incomplete';
      default: return 'incomplete';
    }
  }

  /** The next bytes, `chunk[from..to)`. No reference to `chunk` is kept. */
  push(chunk: Uint8Array, from = 0, to = chunk.length): void {
    if (this.#text.active) this.#text.resume(from);
    let i = from;
    while (i < to) {
      const expecting = this.#expecting;
      if (expecting === inString) i = this.#readString(chunk, i, to);
      else if (expecting === inWord) i = this.#readWord(chunk, i, to);
      else if (expecting === inPassed) i = this.#passOn(chunk, i, to);
      else if (expecting >= invalid) break;
      else i = this.#readStructure(chunk, i, to);
    }
    if (this.#skip !== null) forgetCopy();
    if (this.#text.active) this.#text.carry(chunk, to);
  }

  /** Punctuation and white space, up to the inside of a string or a word; the index to read on from. */
  #readStructure(chunk: Uint8Array, from: number, to: number): number {
    for (let i = from; i < to; i++) {
      const byte = chunk[i]!;
      if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) continue;
      switch (this.#expecting) {
        case expectCommaOrEnd:
          if (byte === comma) this.#passComma();
          else this.#closeBy(byte);
          break;
        case expectColon:
          this.#expecting = byte === colon ? expectValue : invalid;
          break;
        case expectKeyOrEnd:
        case expectKey:
          if (byte === quote) return this.#openKey(i + 1);
          if (this.#expecting === expectKeyOrEnd) this.#closeBy(byte);
          else this.#expecting = invalid;
          break;
        case expectElementOrEnd:
        case expectValue:
          if (byte === bracketClose && this.#expecting === expectElementOrEnd) this.#closeBy(byte);
          else if (this.#passes(byte, to - i)) return this.#pass(chunk, i, to);
          else if (byte === braceOpen || byte === bracketOpen) this.#openContainer(byte === braceOpen);
          else return this.#openScalar(byte, i, to);
          break;
        default:
          this.#expecting = invalid;
      }
      if (this.#expecting >= invalid) return to;
    }
    return to;
  }

  /** Whether this byte begins a value that nobody watches, and enough bytes are here to pass over it by other means than one by one. */
  #passes(byte: number, bytes: number): boolean {
    return bytes >= passedBytesMin && this.#place === null && this.#unwatched === null
      && (byte === quote || byte === braceOpen || byte === bracketOpen)
      && this.#nesting.depth > 0 && this.#nesting.depth < nestingMax - passedLevelsMax && canPass();
  }

  #pass(chunk: Uint8Array, from: number, to: number): number {
    this.#skip ??= new ValueSkip();
    this.#skip.begin();
    return this.#passOn(chunk, from, to);
  }

  /** The index to read on from. */
  #passOn(chunk: Uint8Array, from: number, to: number): number {
    const skip = this.#skip!;
    const passed = skip.pass(chunk, from, to);
    if (passed === 'ended') this.#endValue();
    else if (passed === 'more') this.#expecting = inPassed;
    else if (passed === 'invalid') this.#expecting = invalid;
    else {
      for (const container of skip.openContainers) this.#nesting.open(container === 'object');
      this.#expecting = skip.isFirstElement ? expectElementOrEnd : expectValue;
    }
    return skip.at;
  }

  #passComma(): void {
    if (this.#nesting.inObject) {
      this.#expecting = expectKey;
      return;
    }
    this.#expecting = expectValue;
    if (this.#watched === this.#nesting.depth && this.#watched > 0) this.#place = this.#watching[this.#watched - 1]!.tally?.element ?? null;
  }

  #closeBy(byte: number): void {
    const nesting = this.#nesting;
    if (byte !== (nesting.inObject ? braceClose : bracketClose)) {
      this.#expecting = invalid;
      return;
    }
    if (this.#watched === nesting.depth) this.#closeWatched();
    this.#place = null;
    nesting.close();
    this.#endValue();
  }

  #closeWatched(): void {
    const closed = this.#watching[--this.#watched]!;
    closed.complete = true;
    const tally = this.#watched === 0 ? null : this.#watching[this.#watched - 1]!.tally;
    if (tally !== null && tally.element === closed) tally.ended();
  }

  #endValue(): void {
    this.#expecting = this.#nesting.depth === 0 ? expectNothing : expectCommaOrEnd;
  }

  #openKey(textFrom: number): number {
    this.#readingKey = true;
    this.#string.open();
    this.#expecting = inString;
    const depth = this.#nesting.depth;
    if (this.#watched === depth && this.#watching[depth - 1]!.names.length > 0) this.#text.begin(textFrom);
    return textFrom;
  }

  #openContainer(object: boolean): void {
    if (!this.#nesting.open(object)) {
      this.#expecting = gaveUp;
      return;
    }
    this.#expecting = object ? expectKeyOrEnd : expectElementOrEnd;
    const place = this.#place;
    if (place === null) return;
    place.forget();
    if (object) place.beginObject();
    else place.kind = 'array';
    this.#watching[this.#watched++] = place;
    this.#place = object ? null : place.firstElement;
    if (place.tally !== null && !object) {
      place.tally.begin();
      this.#place = place.tally.element;
    }
  }

  /** A string, number or literal begins with `byte` at `index`; the index to read on from. */
  #openScalar(byte: number, index: number, to: number): number {
    const isString = byte === quote;
    const place = this.#place;
    if (isString) {
      this.#readingKey = false;
      this.#string.open();
      this.#expecting = inString;
    } else {
      this.#word = wordBegins(byte);
      if (this.#word === 0) {
        this.#expecting = invalid;
        return to;
      }
      this.#expecting = inWord;
    }
    this.#scalarFrom = isString ? index + 1 : index;
    if (place !== null) {
      this.#place = null;
      this.#scalar = place;
      place.forget();
      this.#text.begin(this.#scalarFrom);
    }
    return index + 1;
  }

  #readString(chunk: Uint8Array, from: number, to: number): number {
    const progress = this.#string.scan(chunk, from, to);
    if (progress === 'more') return to;
    if (progress === 'invalid') {
      this.#expecting = invalid;
      return to;
    }
    const after = this.#string.at;
    if (this.#readingKey) {
      this.#expecting = expectColon;
      if (this.#text.active) {
        this.#place = this.#text.field(this.#watching[this.#watched - 1]!, { chunk, to: after - 1, escaped: this.#string.escaped });
      }
      return after;
    }
    if (this.#scalar !== null) this.#keepScalar('string', chunk, after - 1);
    else if (this.#unwatched !== null) this.#unwatched.passed('string', this.#scalarFrom, after - 1);
    this.#endValue();
    return after;
  }

  #readWord(chunk: Uint8Array, from: number, to: number): number {
    let word = this.#word;
    let i = from;
    while (i < to) {
      const next = wordContinues(word, chunk[i]!);
      if (next === 0) break;
      word = next;
      i++;
    }
    this.#word = word;
    if (i === to) return to;
    const kind = wordKind(word);
    if (kind === null) {
      this.#expecting = invalid;
      return to;
    }
    if (this.#scalar !== null) this.#keepScalar(kind, chunk, i);
    else if (this.#unwatched !== null) this.#unwatched.passed('word', this.#scalarFrom, i);
    this.#endValue();
    return i;
  }

  #keepScalar(kind: ValueKind, chunk: Uint8Array, textTo: number): void {
    const scalar = this.#scalar!;
    this.#scalar = null;
    this.#text.write(scalar, kind, chunk, textTo);
    if (this.#watched === 0) return;
    const { tally } = this.#watching[this.#watched - 1]!;
    if (tally !== null && tally.element === scalar) tally.ended();
  }
}
