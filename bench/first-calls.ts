/**
 * `node bench/first-calls.ts [--quick]`: what a run's first call costs beside a call in a run that stands, both on one product, alone on one
 * core, in short rounds there and back. Agents begin many runs a second. A call that fails, or a record that is missing, is a failed run:
 * exit code 1.
 */
import { startLoad } from './load-process.ts';
import { OwnCalls } from './own-calls.ts';
import { processorMs } from './processor-time.ts';
import { canPin, product } from './subjects.ts';

const quick = process.argv.includes('--quick');
const plan = quick ? { sets: 5, roundMs: 700, runs: 1_500 } : { sets: 15, roundMs: 1_000, runs: 3_000 };
const connections = 32;
/** For what is still to be shipped of a round, and for runs to be confirmed. */
const settleMs = 800;
const standing = 'x-svc-run-id: stands\r\nx-svc-run-budget: 1000\r\n';

process.exitCode = await bench();

async function bench(): Promise<number> {
  const load = await startLoad();
  const calls = new OwnCalls(load);
  const subject = await product(load.mock);
  const { url, key } = subject;
  let begun = 0;
  const inARun = () => calls.ask(subject, { order: 'closed', url, key, headers: standing, connections, durationMs: plan.roundMs, events: 0 });
  const beginning = () => {
    begun += plan.runs;
    return calls.ask(subject, { order: 'runs', url, key, headers: '', from: begun - plan.runs, count: plan.runs });
  };
  const cost = async (round: () => Promise<{ readonly calls: number }>): Promise<number> => {
    const before = processorMs(subject.pid ?? 0) ?? 0;
    const { calls: made } = await round();
    await new Promise((resume) => { setTimeout(resume, settleMs); });
    return (((processorMs(subject.pid ?? 0) ?? 0) - before) * 1_000) / made;
  };
  const ratios: number[] = [];
  let faults: string[] = [];
  try {
    await cost(inARun);
    await cost(beginning);
    for (let set = 0; set < plan.sets; set += 1) {
      const stands = [await cost(inARun)];
      const first = [await cost(beginning), await cost(beginning)];
      stands.push(await cost(inARun));
      ratios.push(sum(first) / sum(stands));
      const [us, firstUs] = [stands, first].map((both) => (sum(both) / 2).toFixed(1));
      console.log(`set ${set + 1}   in a run that stands ${us} us a call   the first of a run ${firstUs} us`);
    }
    faults = await calls.faults();
  } finally {
    await subject.stop();
    load.stop();
  }
  const sorted = ratios.sort((left, right) => left - right);
  const at = (share: number): string => (sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN).toFixed(2);
  const spread = `half of the sets: ${at(0.25)} to ${at(0.75)}`;
  console.log(`\nThe first call of a run costs ${at(0.5)} times a call in one that stands (${spread}); target: 1.50.`);
  if (!canPin) console.log('Processes were not pinned to cores on this machine: figures are rough.');
  for (const fault of faults) console.error(`FAILED: ${fault}`);
  return faults.length === 0 ? 0 : 1;
}

function sum(figures: readonly number[]): number {
  return figures.reduce((total, figure) => total + figure, 0);
}
