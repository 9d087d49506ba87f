/** The registry of a node: bounded, and never one organization's alone once another holds runs (design 3, row 14). */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { hasRoomForRun } from './registry-bound.ts';

const cases: [string, [capacity: number, live: number, own: number], boolean][] = [
  ['empty', [4, 0, 0], true],
  ['alone, one place left', [4, 3, 3], true],
  ['alone, full', [4, 4, 4], false],
  ['another holds one: below the half', [4, 2, 1], true],
  ['another holds one: at the half', [4, 3, 2], false],
  ['another holds one: above the half, from the time alone', [4, 4, 3], false],
  ['newcomer where one organization holds all but one place', [4, 3, 0], true],
  ['newcomer in a full registry', [4, 4, 0], false],
  ['odd capacity: the half is rounded down', [5, 3, 2], false],
  ['a registry of one', [1, 0, 0], true],
];
for (const [name, [capacity, live, liveOfOrganization], room] of cases) {
  it(`${name}: ${room ? 'room' : 'full'}`, () => assert.equal(hasRoomForRun({ capacity, live, liveOfOrganization }), room));
}
