/**
 * `node test/nodes/simulation/simulate.ts [--steps N] [--seed N] [--worlds N]`: the simulation by hand, for as many
 * steps as wanted. Each world has its own seed, from the one given on; a violation names the seed and the step budget that show it again.
 */
import { parseArgs } from 'node:util';
import { kinds } from './roughness.ts';
import { World, type Outcome } from './world.ts';

export interface SimulationOptions {
  readonly seed: number;
  /** Of each world. */
  readonly steps: number;
  readonly worlds: number;
}

/** @throws Error that names the seed. */
export async function simulate(
  { seed, steps, worlds }: SimulationOptions, onOutcome: (seed: number, outcome: Outcome) => void = () => {},
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (let own = seed; own < seed + worlds; own += 1) {
    try {
      const outcome = await new World(own, kinds[own % kinds.length]!).run(steps);
      onOutcome(own, outcome);
      outcomes.push(outcome);
    } catch (cause) {
      throw new Error(`seed ${own}, ${steps} steps: ${(cause as Error).message}`, { cause });
    }
  }
  return outcomes;
}

if (import.meta.main) {
  const { values } = parseArgs({ options: {
    steps: { type: 'string', default: '100000' }, seed: { type: 'string', default: '1' }, worlds: { type: 'string', default: '10' },
  } });
  const startedAt = performance.now();
  await simulate({ seed: Number(values.seed), steps: Number(values.steps), worlds: Number(values.worlds) }, (seed, outcome) => {
    process.stdout.write(`seed ${seed}: ${Object.entries(outcome).map(([name, value]) => `${name} ${String(value)}`).join(', ')}\n`);
  });
  process.stdout.write(`${((performance.now() - startedAt) / 1_000).toFixed(1)} s\n`);
}
