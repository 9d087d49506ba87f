/**
 * For tests: any character but half surrogate pairs, as fast-check's unit `binary`. That one lists all 1.1 million of them before it draws the
 * first, which takes a second of processor.
 */
import { fc } from '@metergate/testkit/drawn.ts';

const surrogatesFrom = 0xd800;
const surrogates = 0x800;

export const anyCharacter: fc.Arbitrary<string> = fc.nat(0x10_ffff - surrogates).map(
  (place) => String.fromCodePoint(place < surrogatesFrom ? place : place + surrogates),
  (character) => {
    const point = typeof character === 'string' && character.length <= 2 ? character.codePointAt(0) : undefined;
    if (point === undefined || String.fromCodePoint(point) !== character) throw new Error('That is no single character.');
    return point < surrogatesFrom ? point : point - surrogates;
  },
);
