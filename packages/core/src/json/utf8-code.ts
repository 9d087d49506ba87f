/**
 * Whether bytes are UTF-8, 16 at once, as instructions of WebAssembly, by three small tables (J. Keiser and D. Lemire, "Validating UTF-8 in less
 * than one instruction per byte", 2021). Each table says which faults a byte can be part of, by half of it or of the one before it.
 */
import { constant, equal, get, set, wide, when, type Code } from './wasm-code.ts';

/**
 * What may be wrong with two bytes. `tooLarge1000` and `overlong4` can share a bit: they need different lower halves of the first byte, so that half
 * says which of them it is.
 */
const fault = {
  /** A first byte without the ones that go with it. */
  tooShort: 1,
  /** A continuation behind ASCII. */
  tooLong: 2,
  overlong3: 4,
  tooLarge: 8,
  surrogate: 16,
  overlong2: 32,
  tooLarge1000: 64,
  overlong4: 64,
  /** Two continuations: right only behind the first byte of three or four. */
  twoContinuations: 128,
} as const;
const { tooShort, tooLong, overlong3, tooLarge, surrogate, overlong2, tooLarge1000, overlong4, twoContinuations } = fault;
const anyLower = tooShort | tooLong | twoContinuations;

const times = (count: number, value: number): number[] => new Array<number>(count).fill(value);

const byUpperOfFirst = wide.constant([
  ...times(8, tooLong), ...times(4, twoContinuations),
  tooShort | overlong2, tooShort, tooShort | overlong3 | surrogate, tooShort | tooLarge | tooLarge1000 | overlong4,
]);
const byLowerOfFirst = wide.constant([
  anyLower | overlong3 | overlong2 | overlong4, anyLower | overlong2, anyLower, anyLower, anyLower | tooLarge,
  ...times(8, anyLower | tooLarge | tooLarge1000), anyLower | tooLarge | tooLarge1000 | surrogate, ...times(2, anyLower | tooLarge | tooLarge1000),
]);
const continued = tooLong | overlong2 | twoContinuations;
const byUpperOfSecond = wide.constant([
  ...times(8, tooShort), continued | overlong3 | tooLarge1000 | overlong4, continued | overlong3 | tooLarge,
  ...times(2, continued | surrogate | tooLarge), ...times(4, tooShort),
]);

/**
 * Any bit set: the 16 `bytes` behind the 16 of `before` are not UTF-8. A character whose end is not there yet is no fault; whoever goes on behind
 * `bytes` must look for one.
 */
export function utf8Faults(before: Code, bytes: Code): Code {
  const first = wide.behind(1, before, bytes);
  const upper = (of: Code): Code => wide.shiftRight(of, constant(4));
  const found = wide.and(
    wide.and(wide.lookedUp(byUpperOfFirst, upper(first)), wide.lookedUp(byLowerOfFirst, wide.and(first, wide.all(0x0f)))),
    wide.lookedUp(byUpperOfSecond, upper(bytes)),
  );
  // The highest bit: the third byte of three or four, or the fourth. There two continuations are due, and only there.
  const due = wide.or(
    wide.subtract(wide.behind(2, before, bytes), wide.all(0xe0 - 0x80)), wide.subtract(wide.behind(3, before, bytes), wide.all(0xf0 - 0x80)),
  );
  return wide.exclusiveOr(wide.and(due, wide.all(0x80)), found);
}

/** What the second byte of a character of several bytes may be, by its first one: these three are locals. The further ones are 0x80 to 0xbf. */
export function secondByteBounds({ byte, min, max }: { readonly byte: number; readonly min: number; readonly max: number }): readonly Code[] {
  return [
    set(min, constant(0x80)),
    set(max, constant(0xbf)),
    when(equal(get(byte), constant(0xe0)), set(min, constant(0xa0))),
    when(equal(get(byte), constant(0xed)), set(max, constant(0x9f))),
    when(equal(get(byte), constant(0xf0)), set(min, constant(0x90))),
    when(equal(get(byte), constant(0xf4)), set(max, constant(0x8f))),
  ];
}
