/**
 * `node bench/first-calls.ts [--quick]`: what the first call of a run and of a key cost compared with a call in an existing run, all on one
 * product, alone on one core, in short rounds. Agents begin many runs a second, and after a start every key is new to a node. A connection serves
 * one key (decision 108), so the first call of a key dials, as does each call of more keys than idle connections are kept: the second call of the
 * same keys shows what that costs. If a call fails or a record is missing, the benchmark fails: exit code 1.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { startLoad } from './load-process.ts';
import { OwnCalls } from './own-calls.ts';
import { processorMs } from './processor-time.ts';
import { canPin, product } from './subjects.ts';

const quick = process.argv.includes('--quick');
const plan = quick ? { sets: 5, roundMs: 700, first: 2_500 } : { sets: 15, roundMs: 1_000, first: 3_000 };
const connections = 32;
/** Time for a round to be shipped and its runs to be confirmed. */
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
  const ofRuns = () => {
    begun += plan.first;
    return calls.ask(subject, { order: 'runs', url, key, headers: '', from: begun - plan.first, count: plan.first });
  };
  const ofKeys = async () => {
    const keys = await subject.makeKeys!(plan.first);
    // The cost of learning about them is not part of their calls.
    await pause(1_000);
    return () => calls.ask(subject, { order: 'keys', url, headers: '', keys });
  };
  const cost = async (round: () => Promise<{ readonly calls: number }>): Promise<number> => {
    const before = processorMs(subject.pid ?? 0) ?? 0;
    const { calls: made } = await round();
    await pause(settleMs);
    return (((processorMs(subject.pid ?? 0) ?? 0) - before) * 1_000) / made;
  };
  const ratios = { runs: [] as number[], keys: [] as number[], again: [] as number[] };
  let faults: string[] = [];
  try {
    await cost(inARun);
    await cost(ofRuns);
    for (let set = 0; set < plan.sets; set += 1) {
      const keys = await ofKeys();
      const before = await cost(inARun);
      const first = { runs: await cost(ofRuns), keys: await cost(keys), again: await cost(keys) };
      const stands = (before + await cost(inARun)) / 2;
      for (const what of ['runs', 'keys', 'again'] as const) ratios[what].push(first[what] / stands);
      const [us, runs, ofAKey, again] = [stands, first.runs, first.keys, first.again].map((figure) => figure.toFixed(1));
      const firsts = `the first of a run ${runs} us, of a key ${ofAKey} us, its second ${again} us`;
      console.log(`set ${set + 1}   in a run that stands ${us} us a call   ${firsts}`);
    }
    faults = await calls.faults();
  } finally {
    await subject.stop();
    load.stop();
  }
  tell('The first call of a run', ratios.runs, 1.3);
  tell('The first call of a key', ratios.keys, 1.5);
  tell('The second call of a key, which dials too,', ratios.again, null);
  if (!canPin) console.log('Processes were not pinned to cores on this machine: figures are rough.');
  for (const fault of faults) console.error(`FAILED: ${fault}`);
  return faults.length === 0 ? 0 : 1;
}

function tell(what: string, ratios: readonly number[], target: number | null): void {
  const sorted = ratios.toSorted((left, right) => left - right);
  const at = (share: number): string => (sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN).toFixed(2);
  const spread = `half of the sets: ${at(0.25)} to ${at(0.75)}`;
  const wanted = target === null ? '' : `; target: ${target.toFixed(2)}`;
  console.log(`${what} costs ${at(0.5)} times a call in a run that stands (${spread})${wanted}.`);
}
