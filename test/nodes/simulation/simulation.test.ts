/**
 * Several nodes on one store, simulated on the product's own guards, runs, leases and lease answer: nothing lost, nothing counted twice, no
 * limit passed by more than its promise says (promises 2, 4 and 5). A violation names the seed that shows it again:
 * `node test/nodes/simulation/simulate.ts --seed N --steps N --worlds 1`. A fixed budget of steps; millions by hand.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alone, kinds } from './roughness.ts';
import { simulate } from './simulate.ts';
import { World } from './world.ts';

test('the invariants hold after every step, in calm worlds and in rough ones', async () => {
  const seed = 100;
  const outcomes = await simulate({ seed, steps: 12_000, worlds: 24 });
  for (const [at, { calls, records, grants }] of outcomes.entries()) {
    // Where there are only runs, less is asked for.
    const [callsLeast, grantsLeast] = kinds[(seed + at) % kinds.length]!.capped ? [500, 100] : [400, 20];
    assert.ok(calls > callsLeast && records === calls && grants > grantsLeast, `something must have happened in world ${at}: ${calls}, ${grants}`);
  }
  assert.ok(outcomes.some(({ passedBy }) => passedBy > 0n), 'limits must have been reached');
});

test('the same seed is the same world, to the last event', async () => {
  const [first, second, other] = [await simulate({ seed: 78, steps: 5_000, worlds: 1 }), await simulate({ seed: 78, steps: 5_000, worlds: 1 }),
    await simulate({ seed: 79, steps: 5_000, worlds: 1 })].map(([outcome]) => outcome!);
  assert.deepEqual(first, second);
  assert.notEqual(first!.trace, other!.trace);
});

test('a node that has the shared store for itself can always confirm', async () => {
  assert.equal((await new World(5, alone).run(20_000)).unconfirmed, 0);
});
