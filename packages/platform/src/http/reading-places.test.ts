/** Long reports never hold all connections of a cell: of a further one's three, reports of all its organizations have two. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { homeCell } from '@metergate/store/operation/cells/directory.ts';
import { ReadingPlaces } from './reading-places.ts';

/** Reads that were asked for and never end; how many of them are under way. */
function reading(asked: readonly (readonly [organization: string, cell: number])[]): string[] {
  const places = new ReadingPlaces();
  const begun: string[] = [];
  for (const [organization, cell] of asked) {
    void places.take({ organization, cell }, () => {
      begun.push(`${organization} in ${cell}`);
      return new Promise(() => {});
    });
  }
  return begun;
}

test('two organizations with long reports leave a further cell a connection, and each other a place', () => {
  const [one, other] = [homeCell + 1, homeCell + 2];
  assert.deepEqual(reading([['a', one], ['a', one], ['b', one], ['c', one], ['b', one]]), [`a in ${one}`, `b in ${one}`]);
  assert.deepEqual(reading([['a', one], ['b', one], ['c', other], ['d', homeCell], ['d', homeCell], ['d', homeCell]]),
    [`a in ${one}`, `b in ${one}`, `c in ${other}`, `d in ${homeCell}`, `d in ${homeCell}`], 'each cell has places of its own');
});

test('in the default cell an organization has two places, and all have five', () => {
  const asked = ['a', 'a', 'a', 'b', 'b', 'c', 'd'].map((name) => [name, homeCell] as const);
  assert.deepEqual(reading(asked).map((text) => text[0]), ['a', 'a', 'b', 'b', 'c']);
});
