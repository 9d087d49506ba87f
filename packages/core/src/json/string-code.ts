/**
 * The inside of a long JSON string 64 bytes at once, as instructions of WebAssembly: by one bit for each byte it finds the quote that ends the
 * string, over escapes and characters of several bytes. Where the bits do not suffice, it stops at the byte that others must read.
 */
import { shortEscape } from './string-lexer.ts';
import { utf8Faults } from './utf8-code.ts';
import {
  above, add, and, block, constant, get, isZero, leave, leaveIf, loadByte, long, loop, notBelow, or, set, shiftLeft, subtract, when, wide, type Code,
} from './wasm-code.ts';

/** Numbers of locals. */
interface StringLocals {
  /** Where the reader is, and where the bytes end. */
  readonly at: number;
  readonly to: number;
  /** 1 where the next byte stands behind a backslash that escapes it. */
  readonly isEscaped: number;
  /** Set to 1 where a byte stands behind a backslash and both are no short escape: reading goes on with that byte. */
  readonly escapeDue: number;
  /** One for what is needed shortly. */
  readonly scratch: number;
  /** Seven of 64 bits. */
  readonly longs: number;
  /** Four of 16 bytes. */
  readonly wides: number;
}

const blockBytes = 64;
const evenBits = 0x5555_5555_5555_5555n;
const all = 0xffff_ffff_ffff_ffffn;
const [quote, backslash, space] = [0x22, 0x5c, 0x20];

/**
 * Reads on while there are 64 bytes, and leaves `short` where there are fewer. At a byte that ends a run it leaves `found`; at one behind a backslash
 * that is no short escape it repeats `string`. `at` must be at the beginning of a character.
 */
export function sixtyFourBytes(locals: StringLocals): readonly Code[] {
  const { at, to, isEscaped, escapeDue, scratch } = locals;
  const { blocks, odd, quotes, backslashes, escaped, stops, misplaced } = namesOf(locals);
  const endsFit = isZero(above(add(get(at), constant(blockBytes)), get(to)));
  return [
    leaveIf('short', isZero(endsFit)),
    loop('sixtyFour',
      ...blocks.map((each, index) => set(each, wide.load(get(at), index * 16))),
      when(isZero(or(get(isEscaped), wide.isAny(anyOf(blocks.map((each) => isNotPlain(get(each))))))),
        set(at, add(get(at), constant(blockBytes))),
        leaveIf('sixtyFour', endsFit),
        leave('short')),
      set(odd, bitsOf(blocks, isOdd)),
      set(quotes, bitsOf(blocks, isQuote)),
      set(backslashes, bitsOf(blocks, isBackslash)),
      set(escaped, long.constant(0n)),
      set(misplaced, long.constant(0n)),
      set(scratch, constant(0)),
      when(isZero(and(isZero(get(isEscaped)), long.isZero(get(backslashes)))), ...lookAtEscapes(locals)),
      set(isEscaped, get(scratch)),
      set(quotes, long.or(long.and(get(quotes), not(get(escaped))), get(misplaced))),
      set(stops, long.or(get(odd), get(quotes))),
      set(scratch, constant(0)),
      when(isZero(long.isZero(get(odd))), ...lookAtOtherAlphabets(locals)),
      when(long.isZero(get(stops)),
        set(at, subtract(add(get(at), constant(blockBytes)), get(scratch))),
        leaveIf('sixtyFour', endsFit),
        leave('short')),
      set(isEscaped, constant(0)),
      set(stops, long.trailingZeros(get(stops))),
      set(at, add(get(at), long.lower(get(stops)))),
      set(escapeDue, and(long.lower(long.shiftRight(get(escaped), get(stops))), constant(1))),
      leaveIf('string', get(escapeDue)),
      leave('found')),
  ];
}

/** Passes over blocks of 64 bytes that all stand for themselves, up to the first that does not or is not whole. `wides`: four locals of 16 bytes. */
export function plainBlocks({ at, to, wides }: Pick<StringLocals, 'at' | 'to' | 'wides'>): Code {
  const blocks = [wides, wides + 1, wides + 2, wides + 3];
  return block('plainBlocks', loop('plainBlock',
    leaveIf('plainBlocks', above(add(get(at), constant(blockBytes)), get(to))),
    ...blocks.map((each, index) => set(each, wide.load(get(at), index * 16))),
    leaveIf('plainBlocks', wide.isAny(anyOf(blocks.map((each) => isNotPlain(get(each)))))),
    set(at, add(get(at), constant(blockBytes))),
    leave('plainBlock'),
  ));
}

/**
 * Sets `escaped`, `misplaced`, and `scratch` to 1 where the block ends in a backslash that escapes what is behind it. A run of backslashes that
 * begins at an odd place is added to itself, and carries into the byte behind it as those at even ones do not.
 */
function lookAtEscapes(locals: StringLocals): readonly Code[] {
  const { blocks, quotes, backslashes, behind, escaped, stops, misplaced } = namesOf(locals);
  const [wasEscaped, even] = [long.of(get(locals.isEscaped)), long.constant(evenBits)];
  return [
    set(misplaced, not(long.or(long.or(bitsOf(blocks, isEscapeLetter), get(quotes)), get(backslashes)))),
    set(backslashes, long.and(get(backslashes), not(wasEscaped))),
    set(behind, long.or(long.shiftLeft(get(backslashes), long.constant(1n)), wasEscaped)),
    set(stops, long.add(get(backslashes), long.and(get(backslashes), not(long.or(even, get(behind)))))),
    set(locals.scratch, long.below(get(stops), get(backslashes))),
    set(escaped, long.and(long.exclusiveOr(even, long.shiftLeft(get(stops), long.constant(1n))), get(behind))),
    set(misplaced, long.and(get(misplaced), get(escaped))),
  ];
}

/** Takes characters of several bytes out of `stops` if all are UTF-8, and sets `scratch` to how many bytes of one stand at the block's end. */
function lookAtOtherAlphabets(locals: StringLocals): readonly Code[] {
  const { blocks, odd, quotes, stops } = namesOf(locals);
  const faults = blocks.map((each, index) => utf8Faults(index === 0 ? wide.constant(zeros) : get(blocks[index - 1]!), get(each)));
  return [
    when(isZero(wide.isAny(anyOf(faults))),
      set(stops, long.or(long.and(get(odd), not(bitsOf(blocks, (bytes) => bytes))), get(quotes))),
      set(locals.scratch, unendedBytes(get(locals.at)))),
  ];
}

interface NamedLocals {
  readonly blocks: readonly number[];
  /** One bit for each byte: no printable ASCII; then quotes, and so on. */
  readonly odd: number;
  readonly quotes: number;
  readonly backslashes: number;
  readonly behind: number;
  readonly escaped: number;
  readonly stops: number;
  /** Stands behind a backslash, and is no short escape. */
  readonly misplaced: number;
}

function namesOf({ longs, wides }: StringLocals): NamedLocals {
  return {
    blocks: [wides, wides + 1, wides + 2, wides + 3], odd: longs, quotes: longs + 1, backslashes: longs + 2, behind: longs + 3, escaped: longs + 4,
    stops: longs + 5, misplaced: longs + 6,
  };
}

const zeros = new Array<number>(16).fill(0);
const not = (bits: Code): Code => long.exclusiveOr(bits, long.constant(all));
const anyOf = (blocks: readonly Code[]): Code => blocks.reduce((one, other) => wide.or(one, other));
const isQuote = (bytes: Code): Code => wide.equal(bytes, wide.all(quote));
const isBackslash = (bytes: Code): Code => wide.equal(bytes, wide.all(backslash));
/** As signed bytes, those above 0x7f are below the space too. */
const isOdd = (bytes: Code): Code => wide.below(bytes, wide.all(space));
const isNotPlain = (bytes: Code): Code => anyOf([isOdd(bytes), isQuote(bytes), isBackslash(bytes)]);

/** Which bytes may stand behind a backslash as a short escape. */
export const isShortEscape = (bytes: Code): Code => anyOf([isEscapeLetter(bytes), isQuote(bytes), isBackslash(bytes)]);

/** One bit for each of 64 bytes, of which `is` sets the highest bit. */
function bitsOf(blocks: readonly number[], is: (bytes: Code) => Code): Code {
  const [one, two, three, four] = blocks.map((each) => wide.bits(is(get(each)))) as [Code, Code, Code, Code];
  const pair = (lower: Code, upper: Code): Code => long.of(or(lower, shiftLeft(upper, constant(16))));
  return long.or(pair(one, two), long.shiftLeft(pair(three, four), long.constant(32n)));
}

/** How many bytes of a character whose end is behind the block stand at the end of the one at that address, if it is UTF-8 so far. */
function unendedBytes(address: Code): Code {
  const fromEnd = (count: number): Code => loadByte(address, blockBytes - count);
  const isFirst = (count: number, from: number): Code => notBelow(fromEnd(count), constant(from));
  return or(isFirst(1, 0xc0), or(shiftLeft(isFirst(2, 0xe0), constant(1)), shiftThree(isFirst(3, 0xf0))));
}

/** 3 for 1, 0 for 0. */
const shiftThree = (one: Code): Code => subtract(shiftLeft(one, constant(2)), one);

/**
 * Those but the quote and the backslash: a byte that is the one found in a table by its lower half, or one of the few that share a lower half with
 * another.
 */
function isEscapeLetter(bytes: Code): Code {
  const letters = Array.from(shortEscape, (is, byte) => (is === 1 && byte !== quote && byte !== backslash ? byte : -1)).filter((byte) => byte !== -1);
  // A place without a letter has a byte whose lower half is another.
  const byLower = Array.from({ length: 16 }, (_, lower): number => (lower === 0 ? 1 : 0));
  const others: number[] = [];
  for (const letter of letters) {
    if ((byLower[letter & 0x0f]! & 0x0f) === (letter & 0x0f)) others.push(letter);
    else byLower[letter & 0x0f] = letter;
  }
  const found = wide.equal(wide.lookedUp(wide.constant(byLower), wide.and(bytes, wide.all(0x0f))), bytes);
  return anyOf([found, ...others.map((letter) => wide.equal(bytes, wide.all(letter)))]);
}
