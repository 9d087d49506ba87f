/** The registry of a node: bounded, and never more than half of it one organization's (rule 14). */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { hasRoomForRun } from './registry-bound.ts';

const cases: [string, [capacity: number, live: number, own: number], boolean][] = [
  ['empty', [4, 0, 0], true],
  ['alone, below the half', [4, 1, 1], true],
  ['alone, at the half', [4, 2, 2], false],
  ['another holds one: below the half', [4, 2, 1], true],
  ['another holds one: at the half', [4, 3, 2], false],
  ['newcomer where one organization holds its half', [4, 2, 0], true],
  ['newcomer in a full registry', [4, 4, 0], false],
  ['odd capacity: the half is rounded down', [5, 3, 2], false],
  ['a registry of one', [1, 0, 0], true],
  ['a registry of one, taken', [1, 1, 0], false],
];
for (const [name, [capacity, live, liveOfOrganization], room] of cases) {
  it(`${name}: ${room ? 'room' : 'full'}`, () => assert.equal(hasRoomForRun({ capacity, live, liveOfOrganization }), room));
}
