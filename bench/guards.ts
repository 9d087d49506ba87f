/**
 * `node bench/guards.ts [--quick]`: what the guards add to a call. Six products, alone on one core in turn: without cap and run;
 * with a cap and a run on every call, among 10,000 live runs; the same with the run's grant on every call; the same with a
 * meaningless header of that length, because receiving some 400 bytes costs something whether or not they are verified; with two labels and no
 * cap; and the same where other people and other labels have caps. Rounds are
 * short and mirrored (A B C C B A), so that disturbances of the machine affect all of them; each such set gives one ratio, and
 * the result is the median of the sets. If a call fails or a record is missing, the benchmark fails: exit code 1.
 */
import { startLoad } from './load-process.ts';
import { OwnCalls } from './own-calls.ts';
import { processorMs } from './processor-time.ts';
import { canPin, product, setCap, type Guarded, type Subject } from './subjects.ts';

const quick = process.argv.includes('--quick');
const plan = quick ? { sets: 5, roundMs: 700, warmUpMs: 3_000, liveRuns: 10_000 } : { sets: 20, roundMs: 1_000, warmUpMs: 5_000, liveRuns: 10_000 };
const connections = 32;
/** Time for a round to be shipped. */
const settleMs = 250;

const run = 'x-svc-run-id: bench\r\nx-svc-run-budget: 1000000\r\n';
const withRun: Guarded = {
  name: 'cap and run',
  async headers(ask) {
    await ask(setCap);
    return run;
  },
};
const withGrant: Guarded = {
  name: 'cap, run, grant',
  async headers(ask) {
    await ask(setCap);
    const { grant } = await ask(['grant', 'mint', '--org', 'default', '--run', 'bench', '--max', '1000000', '--expires', '1h']) as { grant: string };
    return `${run}x-svc-run-grant: ${grant}\r\n`;
  },
};

const withPadding: Guarded = {
  name: 'cap, run, padding',
  headers: async (ask) => `${run}x-padding-grant: ${(await withGrant.headers(ask)).slice(run.length + 'x-svc-run-grant: '.length)}`,
};

const labelled: Guarded = { name: 'labels', headers: async () => 'x-svc-tags: team:search,stage:prod\r\n' };
const besideOthers: Guarded = {
  name: "labels, others' caps",
  async headers(ask) {
    const email = 'other@example.com';
    await ask(['user', 'create', '--org', 'default', '--email', email, '--role', 'member'], 'a password for the bench');
    const limited = ['--window', 'year', '--limit', '1000000'];
    await ask(['cap', 'set', '--org', 'default', '--scope', 'person', '--person', email, ...limited]);
    for (const label of ['team:other', 'stage:test']) await ask(['cap', 'set', '--org', 'default', '--scope', 'label', '--label', label, ...limited]);
    return labelled.headers(ask);
  },
};

const addeds = ['', ', and grant ', ', and padding ', '; with labels ', ", and others' caps "];

process.exitCode = await bench();

async function bench(): Promise<number> {
  const load = await startLoad();
  const calls = new OwnCalls(load);
  const plain = await product(load.mock);
  const guarded = await product(load.mock, withRun);
  const granted = await product(load.mock, withGrant);
  const padded = await product(load.mock, withPadding);
  const [withLabels, beside] = [await product(load.mock, labelled), await product(load.mock, besideOthers)];
  const subjects = [plain, guarded, granted, padded, withLabels, beside];
  const sets: Map<Subject, number>[] = [];
  let faults: string[] = [];
  try {
    for (const subject of [guarded, granted, padded]) {
      await calls.ask(subject, { order: 'runs', url: subject.url, key: subject.key, headers: '', from: 0, count: plan.liveRuns });
    }
    for (const subject of subjects) await round(calls, subject, plan.warmUpMs);
    for (let set = 0; set < plan.sets; set += 1) {
      sets.push(await oneSet(calls, subjects));
      const [base = 0, ...others] = subjects.map((subject) => sets.at(-1)!.get(subject)!);
      console.log(`set ${String(set + 1).padStart(2)}   without ${base.toFixed(1)} us a call   with cap and run `
        + others.map((us, index) => `${addeds[index]}${us.toFixed(1)} us`).join(''));
    }
    faults = await calls.faults();
  } finally {
    for (const subject of subjects) await subject.stop();
    load.stop();
  }
  tell(sets, { plain, guarded, granted, padded, withLabels, beside });
  for (const fault of faults) console.error(`FAILED: ${fault}`);
  return faults.length === 0 ? 0 : 1;
}

/** Microseconds of processor time per call for each subject, over its two rounds. */
async function oneSet(calls: OwnCalls, subjects: readonly Subject[]): Promise<Map<Subject, number>> {
  const sums = new Map(subjects.map((subject) => [subject, { calls: 0, processorMs: 0 }]));
  for (const subject of [...subjects, ...subjects.toReversed()]) {
    const sum = sums.get(subject)!;
    const { calls: made, usedMs } = await round(calls, subject, plan.roundMs);
    sum.calls += made;
    sum.processorMs += usedMs;
  }
  return new Map([...sums].map(([subject, sum]) => [subject, (sum.processorMs * 1_000) / sum.calls]));
}

async function round(calls: OwnCalls, subject: Subject, durationMs: number): Promise<{ calls: number; usedMs: number }> {
  const { url, key, headers } = subject;
  const before = processorMs(subject.pid ?? 0) ?? 0;
  const result = await calls.ask(subject, { order: 'closed', url, key, headers, connections, durationMs, events: 0 });
  await new Promise((resume) => { setTimeout(resume, settleMs); });
  return { calls: result.calls, usedMs: (processorMs(subject.pid ?? 0) ?? 0) - before };
}

type Compared = Readonly<Record<'plain' | 'guarded' | 'granted' | 'padded' | 'withLabels' | 'beside', Subject>>;

function tell(sets: readonly Map<Subject, number>[], { plain, guarded, granted, padded, withLabels, beside }: Compared): void {
  const ratios = (one: Subject, other: Subject): string => {
    const sorted = sets.map((set) => set.get(one)! / set.get(other)!).sort((left, right) => left - right);
    const at = (share: number): string => (sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN).toFixed(2);
    return `${at(0.5)} times (half of the sets: ${at(0.25)} to ${at(0.75)})`;
  };
  console.log(`\nOne cap, one run and 10,000 live runs cost ${ratios(guarded, plain)} the call without them; target: 1.10.`);
  console.log(`A grant on every call costs ${ratios(granted, guarded)} the run without one,`);
  console.log(`and ${ratios(granted, padded)} the run with as many bytes of another header; target: 1.00.`);
  console.log(`Caps of other people and labels cost ${ratios(beside, withLabels)} the call with labels where there are none; target: 1.00.`);
  if (!canPin) console.log('Processes were not pinned to cores on this machine: figures are rough.');
}
