/**
 * Each fault of the list by itself, put back on purpose: the simulation finds it. The search begins with the world that is known to show it.
 * If that world no longer does, further worlds are tried, which takes longer; the list should then name another world.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultList } from './fault-list.ts';
import { Violation } from './simulated-store.ts';
import { World } from './world.ts';

const steps = 15_000;
const worldsMost = 100;

for (const { of, name, shown: [kind, first], faults } of faultList) {
  test(`put back on purpose, it is found ${of}: ${name}`, async (t) => {
    let seed = first - 1;
    await assert.rejects(async () => {
      while (seed < first + worldsMost) await new World(seed += 1, kind, faults).run(steps);
    }, (error) => {
      t.diagnostic(`seed ${seed}: ${(error as Error).message}`);
      return error instanceof Violation;
    });
  });
}
