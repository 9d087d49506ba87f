/** Tables line up, show what is absent as a dash, and let no text from outside act on a terminal. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { secondsText, shortDecimal, table } from './table.ts';

test('columns line up, numbers to the right, absent values as a dash', () => {
  assert.equal(table(['NAME', 'TOKENS'], [['a', 5], ['longer', 1200], [null, null]]), [
    'NAME    TOKENS',
    'a            5',
    'longer    1200',
    '-            -',
  ].join('\n'));
});

test('control characters from outside become question marks', () => {
  assert.equal(table(['PROJECT'], [['\u001b[2Jx\n\u202ey']]), 'PROJECT\n?[2Jx??y');
});

test('amounts lose the zeros at their end and nothing else', () => {
  assert.deepEqual(['2.500000000', '10.000000000', '0.000000000', '100', '0.000000001'].map(shortDecimal), ['2.5', '10', '0', '100', '0.000000001']);
});

test('a table that would be too wide closes its columns up, then shortens the one that may shrink, down to 12', () => {
  const width = (text: string): number => Math.max(...text.split('\n').map((line) => line.length));
  const row = ['a'.repeat(20), 'm'.repeat(30), 7];
  const fitTo = (widthMax: number): string => table(['ID', 'MODEL', 'N'], [row], { widthMax, shrinks: 'MODEL' });
  assert.deepEqual([100, 55, 54, 53, 50, 10].map((widthMax) => width(fitTo(widthMax))), [55, 55, 53, 53, 50, 35]);
  assert.match(fitTo(50), / m{26}… 7$/);
  assert.ok(fitTo(53).includes('m'.repeat(30)));
});

test('a mark in place of a figure does not align its column to the left', () => {
  assert.equal(table(['OUT'], [['?'], ['12+'], [1234]]), ' OUT\n   ?\n 12+\n1234');
});

test('an instant is shown to the second, whatever its year', () => {
  assert.equal(secondsText('2026-11-21T19:19:52.713Z'), '2026-11-21 19:19:52Z');
  assert.equal(secondsText('+275760-09-13T00:00:00.000Z'), '+275760-09-13 00:00:00Z');
  assert.equal(secondsText(null), null);
});
