/**
 * Numbers and the three literals of JSON, cut anywhere, as one table: state and byte give the next state, 0 gives "not
 * part of this word". RFC 8259 sections 3 and 6. A word ends at the first byte that is not part of it.
 */
import type { ValueKind } from './watched-value.ts';

const width = 256;
const state = { minus: 1, zero: 2, integer: 3, point: 4, fraction: 5, exponent: 6, exponentSign: 7, exponentDigits: 8 } as const;
/** States of the literals follow those of numbers, one for each letter read. */
const literals = ['true', 'false', 'null'] as const;
const firstLiteralState = 9;
const stateCount = firstLiteralState + literals.reduce((sum, word) => sum + word.length, 0);

const next = new Uint8Array(stateCount * width);
const first = new Uint8Array(width);
const kindAt: (ValueKind | null)[] = new Array<ValueKind | null>(stateCount).fill(null);
fillNumbers();
fillLiterals();

function on(from: number, bytes: string, to: number): void {
  for (const byte of bytes) next[from * width + byte.charCodeAt(0)] = to;
}

function fillNumbers(): void {
  const digits = '0123456789';
  first['-'.charCodeAt(0)] = state.minus;
  first['0'.charCodeAt(0)] = state.zero;
  for (const digit of '123456789') first[digit.charCodeAt(0)] = state.integer;
  on(state.minus, '0', state.zero);
  on(state.minus, '123456789', state.integer);
  on(state.integer, digits, state.integer);
  for (const whole of [state.zero, state.integer]) on(whole, '.', state.point);
  on(state.point, digits, state.fraction);
  on(state.fraction, digits, state.fraction);
  for (const mantissa of [state.zero, state.integer, state.fraction]) on(mantissa, 'eE', state.exponent);
  on(state.exponent, '+-', state.exponentSign);
  for (const due of [state.exponent, state.exponentSign, state.exponentDigits]) on(due, digits, state.exponentDigits);
  for (const end of [state.zero, state.integer, state.fraction, state.exponentDigits]) kindAt[end] = 'number';
}

function fillLiterals(): void {
  let free = firstLiteralState;
  for (const word of literals) {
    first[word.charCodeAt(0)] = free;
    for (let letter = 1; letter < word.length; letter++, free++) on(free, word[letter]!, free + 1);
    kindAt[free++] = word;
  }
}

/** For a separate reader: the same tables; `ends`: 1 for states in which a word can end. */
export const wordTables = { first, next, ends: Uint8Array.from(kindAt, (kind) => (kind === null ? 0 : 1)) } as const;

/** The state after the first byte of a word, or 0 if no word begins with it. */
export function wordBegins(byte: number): number {
  return first[byte]!;
}

/** The state after one more byte, or 0 if the word ends before it. */
export function wordContinues(from: number, byte: number): number {
  return next[(from << 8) | byte]!;
}

/** What the word is if it ends in this state, or null if it cannot end here. */
export function wordKind(at: number): ValueKind | null {
  return kindAt[at]!;
}
