/**
 * The reader of values that nobody watches, as WebAssembly: RFC 8259, strictly, as `json-scanner.ts`, `string-lexer.ts` and `word-lexer.ts` read
 * them, of which it uses the tables. Strings are read 16 bytes at once or 64 (`string-code.ts`), all else byte by byte. Its memory: the bytes, its
 * state, the tables.
 */
import { continuationsAfter, hexDigit, shortEscape } from './string-lexer.ts';
import { oddBytes } from './odd-bytes.ts';
import { isShortEscape, sixtyFourBytes } from './string-code.ts';
import {
  above, add, and, below, block, constant, equal, exclusiveOr, get, instanceOf, isZero, leave, leaveIf, leaveOneOf, loadByte, loadPair, loadWord,
  loop, notBelow, or, set, shiftLeft, shiftRight, storeByte, storeWord, subtract, trailingZeros, when, wide, type Code, type FunctionCode,
  type WasmExports,
} from './wasm-code.ts';
import { secondByteBounds } from './utf8-code.ts';
import { wordTables } from './word-lexer.ts';

/** What the next byte may be. */
export const expects = { value: 0, elementOrEnd: 1, keyOrEnd: 2, key: 3, colon: 4, commaOrEnd: 5, inString: 6, inWord: 7 } as const;
/** Why it stopped: the bytes are used up, the value has ended, it is no JSON, or a container opens that lies too deep. */
export const stopped = { more: 0, ended: 1, invalid: 2, deep: 3 } as const;

/** Bytes that are read at once. */
export const windowBytes = 65_536;
/** Containers that may be open within the value. */
export const levelsMax = 1_024;

/** Where things are in the memory. Behind the window is room for a read of 16 bytes that begins in it. */
export const place = layout({
  window: windowBytes + 16, state: 32, levels: levelsMax, shortEscape: 256, hexDigit: 256, firstBytes: 256, wordBegins: 256,
  wordEnds: 256, wordContinues: wordTables.next.length,
});

/** The state, in words of four bytes. */
export const word = {
  expecting: 0, depth: 1, isKey: 2, escapeDue: 3, continuationsDue: 4, continuationMin: 5, continuationMax: 6, wordState: 7,
} as const;

function layout<Name extends string>(sizes: Readonly<Record<Name, number>>): Readonly<Record<Name | 'end', number>> {
  let at = 0;
  const places: Record<string, number> = {};
  for (const [name, bytes] of Object.entries<number>(sizes)) {
    places[name] = at;
    at += bytes;
  }
  return { ...places, end: at } as Record<Name | 'end', number>;
}

/** Null where this platform cannot run it. */
export function createValueReader(): WasmExports | null {
  const reader = instanceOf(readValue(), place.end);
  if (reader === null) return null;
  reader.memory.set(shortEscape, place.shortEscape);
  reader.memory.set(hexDigit, place.hexDigit);
  reader.memory.set(continuationsAfter, place.firstBytes);
  reader.memory.set(wordTables.first, place.wordBegins);
  reader.memory.set(wordTables.ends, place.wordEnds);
  reader.memory.set(wordTables.next, place.wordContinues);
  return reader;
}

const quote = constant(0x22);
const [at, to, expecting, depth, isKey, escapeDue, due, min, max, wordState, inObject, byte, odd] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
const [quotes, backslashes, isEscaped, behind, carried, escaped, isLong] = [13, 14, 15, 16, 17, 18, 19];
const [longs, wideBlock, wides] = [20, 27, 28];
const kept: readonly (readonly [local: number, index: number])[] = [
  [expecting, word.expecting], [depth, word.depth], [isKey, word.isKey], [escapeDue, word.escapeDue], [due, word.continuationsDue],
  [min, word.continuationMin], [max, word.continuationMax], [wordState, word.wordState],
];

const isByte = (letter: string): Code => equal(get(byte), constant(letter.charCodeAt(0)));
const step = set(at, add(get(at), constant(1)));
/** As `loadPair` reads two letters. */
const pair = (letters: string): Code => constant(letters.charCodeAt(0) + letters.charCodeAt(1) * 256);
const expect = (what: number): Code => set(expecting, constant(what));
const inTable = (table: number, index: Code): Code => loadByte(index, table);
const stopIfUsedUp = leaveIf('more', notBelow(get(at), get(to)));
/** By the container that is innermost now. */
const lookAtInnermost: readonly Code[] = [
  when(get(depth), set(inObject, loadByte(subtract(get(depth), constant(1)), place.levels))),
];

/**
 * `readValue(from, to)`: reads `memory[from..to)` on from the state, leaves its state there and gives where it stopped, times four, and why.
 * A value that ends outside of every container ends the reading.
 */
function readValue(): FunctionCode {
  const end = (why: number): readonly Code[] => [set(odd, constant(why)), leave('stop')];
  return {
    name: 'readValue', parameters: 2, locals: 18, longLocals: 7, wideLocals: 5,
    body: [
      ...kept.map(([local, index]) => set(local, loadWord(constant(place.state), index * 4))),
      ...lookAtInnermost,
      block('stop',
        block('deep', block('invalid', block('ended', block('more',
          loop('next',
            when(equal(get(expecting), constant(expects.inString)), ...insideString),
            when(equal(get(expecting), constant(expects.inWord)), ...insideWord),
            ...structure,
          ),
        ), ...end(stopped.more)), ...end(stopped.ended)), ...end(stopped.invalid)), ...end(stopped.deep),
      ),
      ...kept.map(([local, index]) => storeWord(constant(place.state), index * 4, get(local))),
      add(shiftLeft(get(at), constant(2)), get(odd)),
    ],
  };
}

const evenBits = constant(0x5555);

/** What is left of the string may be long. */
const sixteenPassed: readonly Code[] = [set(at, add(get(at), constant(16))), set(isLong, constant(1)), leave('wide')];

/**
 * 16 bytes of a string at once, by one bit for each. If all stand for themselves or are part of a short escape, the string may be long: from then on
 * it is read 64 bytes at once, and 16 only where fewer than 64 are there. Which bytes are escaped: a run of backslashes that begins at an odd place
 * is added to itself, and carries into the byte behind it as those at even ones do not.
 */
const sixteenBytes: readonly Code[] = [
  when(get(isLong), block('short', ...sixtyFourBytes({ at, to, isEscaped, escapeDue, scratch: odd, longs, wides }))),
  leaveIf('nearTheEnd', above(add(get(at), constant(16)), get(to))),
  set(wideBlock, wide.load(get(at))),
  when(isZero(get(isEscaped)),
    set(odd, oddBytes(wideBlock, get(at))),
    when(isZero(get(odd)), ...sixteenPassed),
    when(equal(loadByte(add(get(at), trailingZeros(get(odd)))), quote), set(at, add(get(at), trailingZeros(get(odd)))), leave('found'))),
  // As signed bytes, those above 0x7f are below the space too.
  set(odd, wide.bits(wide.below(get(wideBlock), wide.all(0x20)))),
  set(quotes, wide.bits(wide.equal(get(wideBlock), wide.all(0x22)))),
  set(backslashes, wide.bits(wide.equal(get(wideBlock), wide.all(0x5c)))),
  when(isZero(or(get(backslashes), get(isEscaped))),
    set(at, add(get(at), trailingZeros(or(get(odd), get(quotes))))),
    leave('found')),
  set(backslashes, and(get(backslashes), exclusiveOr(get(isEscaped), constant(0xffff)))),
  set(behind, or(shiftLeft(get(backslashes), constant(1)), get(isEscaped))),
  set(carried, add(get(backslashes), and(get(backslashes), exclusiveOr(or(evenBits, get(behind)), constant(0xffff))))),
  set(escaped, and(and(exclusiveOr(evenBits, shiftLeft(get(carried), constant(1))), get(behind)), constant(0xffff))),
  set(odd, or(
    or(get(odd), and(get(quotes), exclusiveOr(get(escaped), constant(0xffff)))),
    and(get(escaped), exclusiveOr(wide.bits(isShortEscape(get(wideBlock))), constant(0xffff))),
  )),
  when(isZero(get(odd)),
    set(isEscaped, and(shiftRight(get(carried), constant(16)), constant(1))),
    ...sixteenPassed),
  set(isEscaped, constant(0)),
  set(odd, trailingZeros(get(odd))),
  set(at, add(get(at), get(odd))),
  // A longer escape, or none.
  set(escapeDue, and(shiftRight(get(escaped), get(odd)), constant(1))),
  leaveIf('string', get(escapeDue)),
  leave('found'),
];

/** Reads a string to its end, from wherever it stopped, and strings that follow it with nothing but a colon or comma between. */
const insideString: readonly Code[] = [
  loop('oneString', block('closed', loop('string',
    stopIfUsedUp,
    when(or(get(escapeDue), get(due)), set(byte, loadByte(get(at))), ...pending(), step, leave('string')),
    block('found',
      block('nearTheEnd', loop('wide', ...sixteenBytes)),
      // Fewer than 16: those behind the end are not looked at.
      when(get(isEscaped), set(isEscaped, constant(0)), set(escapeDue, constant(1)), leave('string')),
      set(odd, oddBytes(wideBlock, get(at))),
      set(at, add(get(at), trailingZeros(or(get(odd), constant(0x1_0000))))),
      when(notBelow(get(at), get(to)), set(at, get(to)), leave('more')),
    ),
    set(byte, loadByte(get(at))),
    step,
    leaveIf('closed', equal(get(byte), quote)),
    when(isByte('\\'),
      when(below(get(at), get(to)),
        when(inTable(place.shortEscape, loadByte(get(at))), step, leave('string'))),
      set(escapeDue, constant(1)),
      leave('string')),
    set(due, inTable(place.firstBytes, get(byte))),
    leaveIf('invalid', isZero(get(due))),
    ...secondByteBounds({ byte, min, max }),
    // What is left of the string may be long, in an alphabet of which each character is several bytes.
    set(isLong, constant(1)),
    leave('string'),
  )),
  set(isLong, constant(0)),
  leaveIf('ended', isZero(or(get(isKey), get(depth)))),
  when(below(add(get(at), constant(1)), get(to)),
    set(odd, loadPair(get(at))),
    when(or(and(get(isKey), equal(get(odd), pair(':"'))), and(isZero(get(isKey)), equal(get(odd), pair(',"')))),
      set(at, add(get(at), constant(2))),
      set(isKey, and(get(inObject), isZero(get(isKey)))),
      leave('oneString')))),
  when(get(isKey), expect(expects.colon), leave('next')),
  expect(expects.commaOrEnd),
];

/** A byte of an escape, or of a character of several bytes. `escapeDue`: 1 behind a backslash, then one more than the digits that are due. */
function pending(): readonly Code[] {
  return [
    block('passed',
      when(equal(get(escapeDue), constant(1)),
        set(escapeDue, constant(0)),
        // A block of 64 bytes would be looked at anew behind each of them, and where there is one there are often more.
        when(isByte('u'), set(escapeDue, constant(5)), set(isLong, constant(0)), leave('passed')),
        leaveIf('passed', inTable(place.shortEscape, get(byte))),
        leave('invalid')),
      when(get(escapeDue),
        leaveIf('invalid', isZero(inTable(place.hexDigit, get(byte)))),
        set(escapeDue, subtract(get(escapeDue), constant(1))),
        when(equal(get(escapeDue), constant(1)), set(escapeDue, constant(0))),
        leave('passed')),
      leaveIf('invalid', above(subtract(get(byte), get(min)), subtract(get(max), get(min)))),
      set(min, constant(0x80)),
      set(max, constant(0xbf)),
      set(due, subtract(get(due), constant(1))),
    ),
  ];
}

/** Reads a number or literal up to the byte behind it. There is always a container around it. */
const insideWord: readonly Code[] = [
  block('behind', loop('word',
    stopIfUsedUp,
    set(odd, inTable(place.wordContinues, or(shiftLeft(get(wordState), constant(8)), loadByte(get(at))))),
    leaveIf('behind', isZero(get(odd))),
    set(wordState, get(odd)),
    step,
    leave('word'),
  )),
  leaveIf('invalid', isZero(inTable(place.wordEnds, get(wordState)))),
  expect(expects.commaOrEnd),
];

const openString = (key: number): readonly Code[] => [set(isKey, constant(key)), expect(expects.inString), leave('next')];

/** One byte of punctuation or white space, or the first one of a string or word. */
const structure: readonly Code[] = [
  stopIfUsedUp,
  set(byte, loadByte(get(at))),
  when(or(or(isByte(' '), isByte('\n')), or(isByte('\r'), isByte('\t'))), step, leave('next')),
  block('close', block('commaOrEnd', block('colon', block('key', block('keyOrEnd', block('elementOrEnd', block('value',
    leaveOneOf(['value', 'elementOrEnd', 'keyOrEnd', 'key', 'colon', 'commaOrEnd'], get(expecting)),
  ), ...value()),
  // elementOrEnd
  leaveIf('close', isByte(']')), ...value()),
  // keyOrEnd
  leaveIf('close', isByte('}')), leaveIf('invalid', isZero(equal(get(byte), quote))), step, ...openString(1)),
  // key
  leaveIf('invalid', isZero(equal(get(byte), quote))), step, ...openString(1)),
  // colon
  leaveIf('invalid', isZero(isByte(':'))), step, expect(expects.value), leave('next')),
  // commaOrEnd
  when(isByte(','),
    step,
    expect(expects.value),
    when(get(inObject), expect(expects.key)),
    leave('next')),
  leave('close')),
  // close: `]` is 0x5d and `}` 0x7d
  leaveIf('invalid', isZero(equal(get(byte), add(constant(0x5d), shiftLeft(get(inObject), constant(5)))))),
  step,
  set(depth, subtract(get(depth), constant(1))),
  expect(expects.commaOrEnd),
  leaveIf('ended', isZero(get(depth))),
  ...lookAtInnermost,
  leave('next'),
];

function value(): readonly Code[] {
  return [
    when(equal(get(byte), quote), step, ...openString(0)),
    // `[` is 0x5b and `{` 0x7b
    set(odd, isByte('{')),
    when(or(get(odd), isByte('[')),
      leaveIf('deep', notBelow(get(depth), constant(levelsMax))),
      step,
      storeByte(get(depth), place.levels, get(odd)),
      set(depth, add(get(depth), constant(1))),
      set(inObject, get(odd)),
      expect(expects.elementOrEnd),
      when(get(inObject), expect(expects.keyOrEnd)),
      leave('next')),
    set(wordState, inTable(place.wordBegins, get(byte))),
    leaveIf('invalid', isZero(get(wordState))),
    step,
    expect(expects.inWord),
    leave('next'),
  ];
}
