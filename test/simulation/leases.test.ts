/**
 * Several nodes on one store, simulated with the product's own rules: nothing lost, nothing counted twice, no limit passed by
 * more than its promise says (design 1, promises 2, 4 and 5). A violation names the seed that shows it again:
 * `node packages/testkit/src/simulation/simulate.ts --seed N --steps N --worlds 1`. A fixed budget of steps; millions by hand.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { simulate } from '@metergate/testkit/simulation/simulate.ts';
import { alone, World } from '@metergate/testkit/simulation/world.ts';

test('the invariants hold after every step, in calm worlds and in rough ones', () => {
  const outcomes = simulate({ seed: 100, steps: 15_000, worlds: 12 });
  assert.ok(outcomes.every(({ calls, records, grants }) => calls > 500 && records === calls && grants > 100), 'something must have happened');
  assert.ok(outcomes.some(({ passedBy }) => passedBy > 0n), 'limits must have been reached');
});

test('the same seed is the same world, to the last event', () => {
  const [first, second, other] = [77, 77, 79].map((seed) => simulate({ seed, steps: 5_000, worlds: 1 })[0]!);
  assert.deepEqual(first, second);
  assert.notEqual(first!.trace, other!.trace);
});

test('a node that has the shared store for itself can always confirm', () => {
  assert.equal(new World(5, alone).run(20_000).unconfirmed, 0);
});
