/**
 * The guards of a node against a model that recomputes everything from lists of past events (promise 4): no difference in any decision,
 * header, sum or row, under random orders of events. `METERGATE_GUARD_STEPS` sets the number of steps, `METERGATE_GUARD_SEED` the first seed.
 */
import { env } from 'node:process';
import { test } from 'node:test';
import { Chance } from './test-support/chance.ts';
import { GuardsTrial } from './test-support/guards-trial.ts';

const steps = Number(env['METERGATE_GUARD_STEPS'] ?? 50_000);
const stepsOfTrial = 150;
const firstSeed = Number(env['METERGATE_GUARD_SEED'] ?? 1);

test(`${steps} random steps: guards and model never differ`, async () => {
  for (let seed = firstSeed, left = steps; left > 0; seed += 1, left -= stepsOfTrial) {
    const trial = new GuardsTrial(new Chance(seed));
    let step = 0;
    try {
      for (; step < stepsOfTrial; step += 1) await trial.step();
      await trial.finish();
    } catch (cause) {
      throw new Error(`seed ${seed}, step ${step}: ${(cause as Error).message}`, { cause });
    }
  }
});
