/**
 * Compares an event with the learnt one (`event-pattern.ts`) as WebAssembly: what must be equal 16 bytes at once, what may differ by the tables of
 * the readers of JSON. Its memory: the bytes, the learnt event, the tables.
 */
import { oddBytes } from '../json/odd-bytes.ts';
import { plainBlocks } from '../json/string-code.ts';
import { continuationsAfter, hexDigit, shortEscape } from '../json/string-lexer.ts';
import {
  above, add, and, below, block, constant, equal, exclusiveOr, get, instanceOf, isZero, leave, leaveIf, leaveOneOf, loadByte, loadWord, loop,
  notBelow, or, set, shiftLeft, subtract, trailingZeros, when, wide, type Code, type FunctionCode, type WasmExports,
} from '../json/wasm-code.ts';
import { secondByteBounds } from '../json/utf8-code.ts';
import { wordTables } from '../json/word-lexer.ts';

/** What may differ, and the end of the event. */
export const partKind = { string: 0, word: 1, padding: 2, end: 3 } as const;
/** Bytes that can be compared at once. An event that is not whole in them is not known to be alike. */
export const comparedBytesMax = 65_536;
/** How many are compared if the length of the event is not known: most events are short. */
export const soughtBytesMax = 4_096;

/** The learnt event: for each part two words of four bytes, how many equal bytes stand before it and its kind; then its bytes. */
export const learntPlace = { words: 2, parts: 18, bytesMax: 2_048 } as const;
export const learntBytesAt = learntPlace.parts * learntPlace.words * 4;

/** Behind both is room for a read of 16 bytes that begins in them. */
const sizes = [
  comparedBytesMax + 16, learntBytesAt + learntPlace.bytesMax + 16, 256, 256, 256, 256, 256, wordTables.next.length,
] as const;
const [, learnt, shortEscapes, hexDigits, firstBytes, wordBegins, wordEnds, wordContinues, memoryBytes] =
  [0, ...sizes].map((_, index) => sizes.slice(0, index).reduce<number>((sum, bytes) => sum + bytes, 0)) as
    [number, number, number, number, number, number, number, number, number];

/**
 * Compares the first bytes of `memory`, as many as are given, with the learnt event at `learnt`. Returns where the event that is like it ends, 0 if
 * there is none.
 */
export interface Comparer extends WasmExports {
  readonly learntAt: number;
}

/** Null where this platform cannot run it. */
export function createComparer(): Comparer | null {
  const made = instanceOf(endOfAlike(), memoryBytes);
  if (made === null) return null;
  made.memory.set(shortEscape, shortEscapes);
  made.memory.set(hexDigit, hexDigits);
  made.memory.set(continuationsAfter, firstBytes);
  made.memory.set(wordTables.first, wordBegins);
  made.memory.set(wordTables.ends, wordEnds);
  made.memory.set(wordTables.next, wordContinues);
  return { ...made, learntAt: learnt };
}

const [to, at, part, known, length, found, byte, min, max] = [0, 1, 2, 3, 4, 5, 6, 7, 8];
const [wideBlock, wides] = [9, 10];

const inTable = (table: number, index: Code): Code => loadByte(index, table);
const isByte = (letter: string): Code => equal(get(byte), constant(letter.charCodeAt(0)));
const stepBy = (local: number, bytes: Code): Code => set(local, add(get(local), bytes));
const step = stepBy(at, constant(1));
const digitAt = (behind: number): Code => inTable(hexDigits, loadByte(get(at), behind));
const unlikeAtEnd = leaveIf('unlike', notBelow(get(at), get(to)));

function endOfAlike(): FunctionCode {
  return {
    name: 'endOfAlike', parameters: 1, locals: 8, wideLocals: 5,
    body: [
      set(part, constant(learnt)),
      set(known, constant(learnt + learntBytesAt)),
      block('done',
        block('unlike', loop('part',
          set(length, loadWord(get(part))),
          leaveIf('unlike', above(add(get(at), get(length)), get(to))),
          ...equalBytes,
          set(found, loadWord(get(part), 4)),
          stepBy(part, constant(8)),
          block('padding', block('word', block('string',
            leaveOneOf(['string', 'word', 'padding', 'done'], get(found)),
          ), ...insideString), ...insideWord),
          // padding
          loop('spaces', when(below(get(at), get(to)), set(byte, loadByte(get(at))), when(isByte(' '), step, leave('spaces')))),
          leave('part'),
        )),
        set(at, constant(0)),
      ),
      get(at),
    ],
  };
}

/** The next `length` bytes, as learnt. */
const equalBytes: readonly Code[] = [
  block('equal', loop('sixteen',
    // How many of 16 are equal, from the first one on.
    set(found, trailingZeros(exclusiveOr(wide.bits(wide.equal(wide.load(get(at)), wide.load(get(known)))), constant(0x1_ffff)))),
    when(notBelow(get(found), get(length)),
      stepBy(at, get(length)),
      stepBy(known, get(length)),
      leave('equal')),
    leaveIf('unlike', below(get(found), constant(16))),
    stepBy(at, constant(16)),
    stepBy(known, constant(16)),
    set(length, subtract(get(length), constant(16))),
    leave('sixteen'),
  )),
];

/** The rest of a string, up to its quote. */
const insideString: readonly Code[] = [
  loop('rest',
    block('found', loop('plain',
      unlikeAtEnd,
      set(found, oddBytes(wideBlock, get(at))),
      leaveIf('found', get(found)),
      stepBy(at, constant(16)),
      plainBlocks({ at, to, wides }),
      leave('plain'),
    )),
    stepBy(at, trailingZeros(get(found))),
    unlikeAtEnd,
    set(byte, loadByte(get(at))),
    leaveIf('part', isByte('"')),
    when(isByte('\\'),
      step,
      unlikeAtEnd,
      set(byte, loadByte(get(at))),
      step,
      when(isByte('u'),
        leaveIf('unlike', above(add(get(at), constant(4)), get(to))),
        leaveIf('unlike', isZero(and(and(digitAt(0), digitAt(1)), and(digitAt(2), digitAt(3))))),
        stepBy(at, constant(4)),
        leave('rest')),
      leaveIf('unlike', isZero(inTable(shortEscapes, get(byte)))),
      leave('rest')),
    ...characterOfSeveralBytes(),
    leave('rest'),
  ),
];

/** As `StringLexer` takes them: its first byte decides what the second one may be. */
function characterOfSeveralBytes(): readonly Code[] {
  return [
    set(length, inTable(firstBytes, get(byte))),
    leaveIf('unlike', isZero(get(length))),
    leaveIf('unlike', notBelow(add(get(at), get(length)), get(to))),
    ...secondByteBounds({ byte, min, max }),
    step,
    loop('continued',
      leaveIf('unlike', above(subtract(loadByte(get(at)), get(min)), subtract(get(max), get(min)))),
      step,
      set(min, constant(0x80)),
      set(max, constant(0xbf)),
      set(length, subtract(get(length), constant(1))),
      leaveIf('continued', get(length))),
  ];
}

/** A number or literal, up to the byte behind it. */
const insideWord: readonly Code[] = [
  unlikeAtEnd,
  set(byte, inTable(wordBegins, loadByte(get(at)))),
  leaveIf('unlike', isZero(get(byte))),
  loop('letters',
    step,
    unlikeAtEnd,
    set(found, inTable(wordContinues, or(shiftLeft(get(byte), constant(8)), loadByte(get(at))))),
    when(get(found), set(byte, get(found)), leave('letters'))),
  leaveIf('unlike', isZero(inTable(wordEnds, get(byte)))),
  leave('part'),
];
