/**
 * The text of the string or number being read, kept only if it is watched. A token within one chunk is read in place. One that is cut is put
 * together in a buffer that grows to a bound; past it, only its length is counted.
 */
import { unescaped } from './recent-strings.ts';
import { watchedBytesMax, type ValueKind, type WatchedValue } from './watched-value.ts';

/** Keeps the current token's text across chunks. While `active`, each chunk's end calls `carry`, the next one's start calls `resume`. */
export class KeptText {
  active = false;
  #from = 0;
  #carried: Uint8Array | null = null;
  #carriedLength = 0;

  /** The token's text begins at `index` of the current chunk. */
  begin(index: number): void {
    this.active = true;
    this.#from = index;
    this.#carriedLength = 0;
  }

  /** The chunk ends at `to`, before the token does: copies what belongs to it. */
  carry(chunk: Uint8Array, to: number): void {
    const total = this.#carriedLength + to - this.#from;
    // One byte above the bound is enough to know that the text is too long.
    const kept = total > watchedBytesMax ? watchedBytesMax + 1 : total;
    if (this.#carried === null || this.#carried.length < kept) this.#grow(kept);
    const buffer = this.#carried!;
    for (let at = this.#carriedLength, i = this.#from; at < kept; at++, i++) buffer[at] = chunk[i]!;
    this.#carriedLength = kept;
  }

  /** A new chunk, whose bytes begin at `from`. */
  resume(from: number): void {
    this.#from = from;
  }

  /** The token, a value of `kind`, ends before `to`: puts it into `value`. */
  write(value: WatchedValue, kind: ValueKind, chunk: Uint8Array, to: number): void {
    this.active = false;
    if (this.#carriedLength === 0) {
      value.write(kind, chunk, this.#from, to);
      return;
    }
    this.carry(chunk, to);
    value.write(kind, this.#carried!, 0, this.#carriedLength);
  }

  /** The token was a key and ends before `to`: the field of `value` that it names, or null. */
  field(value: WatchedValue, end: { chunk: Uint8Array; to: number; escaped: boolean }): WatchedValue | null {
    this.active = false;
    let { chunk, to } = end;
    let from = this.#from;
    if (this.#carriedLength > 0) {
      this.carry(chunk, to);
      chunk = this.#carried!;
      from = 0;
      to = this.#carriedLength;
    }
    if (!end.escaped) return fieldNamed(value, chunk, from, to);
    if (to - from > watchedBytesMax) return null;
    const name = unescaped(chunk.subarray(from, to));
    return value.places[value.names.indexOf(name)] ?? null;
  }

  #grow(length: number): void {
    const grown = new Uint8Array(Math.max(64, length * 2));
    if (this.#carried !== null) grown.set(this.#carried.subarray(0, this.#carriedLength));
    this.#carried = grown;
  }
}

/** The field whose name is exactly the bytes `chunk[from..to)`. */
function fieldNamed(value: WatchedValue, chunk: Uint8Array, from: number, to: number): WatchedValue | null {
  const length = to - from;
  const { names } = value;
  for (let at = 0; at < names.length; at++) {
    const name = names[at]!;
    if (name.length !== length) continue;
    let same = 0;
    while (same < length && name.charCodeAt(same) === chunk[from + same]) same++;
    if (same === length) return value.places[at]!;
  }
  return null;
}
