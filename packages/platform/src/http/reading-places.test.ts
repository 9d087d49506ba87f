/** Long reports never hold all connections of a cell: of a further one's three, reports of all its organizations have two. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { homeCell } from '@metergate/store/operation/cells/directory.ts';
import { UnwantedWork } from '@metergate/store/threads/others-first.ts';
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

test('what nobody waits for when its place is free does not begin, and the place goes to the next', async () => {
  const places = new ReadingPlaces();
  const reader = { organization: 'a', cell: homeCell };
  const held = Promise.withResolvers<void>();
  const first = Array.from({ length: 2 }, () => places.take(reader, () => held.promise));
  const leaving = new AbortController();
  const left = Array.from({ length: 20 }, () => places.take(reader, () => assert.fail('it began'), leaving.signal).catch((fault: unknown) => fault));
  const next = places.take(reader, async () => 'the next one', new AbortController().signal);
  leaving.abort();
  held.resolve();
  assert.equal(await next, 'the next one');
  assert.ok((await Promise.all(left)).every((fault) => fault instanceof UnwantedWork));
  await Promise.all(first);
});
