/**
 * `node bench/overshoot.ts [--quick] [--runs N] [--callers N] [--trouble NAME]`: by how much a limit is exceeded on three gateway nodes whose
 * PostgreSQL is slow, cut off, stopped, killed or read-only: 30 callers spend the last dollars of a cap and of a run, ten times each; the
 * worst result, in calls, beside the calls in flight. If a limit is exceeded by more than were in flight, a promise is broken: exit code 1.
 */
import { parseArgs } from 'node:util';
import { startNetwork, tryLimit, troubles, type TrialOutcome } from '../test/nodes/overshoot-trial.ts';

const { values } = parseArgs({ options: {
  quick: { type: 'boolean', default: false }, runs: { type: 'string' }, callers: { type: 'string', default: '30' }, trouble: { type: 'string' },
} });
const runs = Number(values.runs ?? (values.quick ? '1' : '10'));
const callers = Number(values.callers);
const limitCalls = 300;
const giveUpMs = 20_000;

const network = await startNetwork();
try {
  for (const trouble of troubles.filter(({ name }) => values.trouble === undefined || name.includes(values.trouble))) {
    for (const limited of ['cap', 'run'] as const) {
      const outcomes: TrialOutcome[] = [];
      for (let run = 0; run < runs; run += 1) {
        const name = `${trouble.name} ${limited} ${run}`;
        outcomes.push(await tryLimit({ network, trouble, limited, name, callersPerNode: callers / 3, limitCalls, giveUpMs }));
      }
      tell(`${trouble.name}, ${limited}`, outcomes);
    }
  }
} finally {
  await network.stop();
}

function tell(what: string, outcomes: readonly TrialOutcome[]): void {
  const worst = Math.max(...outcomes.map(({ passedBy }) => passedBy));
  const sum = (of: (outcome: TrialOutcome) => number): number => outcomes.reduce((total, outcome) => total + of(outcome), 0);
  console.log([
    what.padEnd(30), `worst ${worst} calls past the limit of ${callers} in flight`, `all: ${outcomes.map(({ passedBy }) => passedBy).join(' ')}`,
    `${sum(({ unverifiable }) => unverifiable)} unverifiable`, `${sum(({ others }) => others)} other refusals`,
    `${sum(({ learnedReached }) => learnedReached)} of ${outcomes.length * callers} told that it is reached`,
  ].join('; '));
  if (worst > callers) process.exitCode = 1;
}
