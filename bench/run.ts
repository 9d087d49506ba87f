/**
 * `npm run bench`: what one forwarded call costs, as ratios to plain proxies doing the same exchange in the same run.
 * Interleaved rounds, processor time of the subject's process tree, latency added at a fixed rate from when each call was due, and the
 * cost of a stream's event. The tail is measured where people run a gateway: at 400 calls a second, and at half of what the subject can do.
 * If one call fails, or the records differ from the mock's log, the benchmark fails: exit code 1. `--quick` takes under two
 * minutes; `--before DIR` measures another checkout of the product, installed, beside this one. Raw figures go to bench/results/.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, release } from 'node:os';
import { parseArgs } from 'node:util';
import { startLoad } from './load-process.ts';
import type { LoadOrder, LoadResult, Target } from './load.ts';
import { OwnCalls } from './own-calls.ts';
import { processorMs } from './processor-time.ts';
import { canPin, startSubjects, type Subject } from './subjects.ts';

const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false }, before: { type: 'string' } } });
const { quick } = values;
const plan = quick
  ? { rounds: 3, roundMs: 1_200, warmUpMs: 3_000, openMs: 1_500, perSecond: 400, streamMs: 1_500, events: 64 }
  : { rounds: 7, roundMs: 5_000, warmUpMs: 5_000, openMs: 5_000, perSecond: 400, streamMs: 4_000, events: 64 };
const connections = 32;

interface Round {
  readonly subject: string;
  readonly measure: 'call' | 'stream' | 'open' | 'half';
  readonly result: LoadResult;
  /** Processor time of the subject, microseconds a call (or an event); null if unknown. */
  readonly processorUs: number | null;
}

process.exitCode = await bench();

async function bench(): Promise<number> {
  const load = await startLoad();
  const subjects = await startSubjects(load.mock, values.before);
  const calls = new OwnCalls(load);
  const faults: string[] = [];
  const rounds: Round[] = [];
  const measured = async (subject: Subject, order: LoadOrder, measure: Round['measure']): Promise<void> => {
    rounds.push(await measureRound(calls, subject, order, measure));
  };
  try {
    for (const subject of subjects) await measured(subject, closed(subject, plan.warmUpMs, 0), 'call');
    rounds.length = 0;
    for (let round = 0; round < plan.rounds; round += 1) {
      for (const subject of shuffled(subjects)) await measured(subject, closed(subject, plan.roundMs, 0), 'call');
    }
    for (const subject of shuffled(subjects)) {
      await measured(subject, { order: 'open', ...targetOf(subject), perSecond: plan.perSecond, durationMs: plan.openMs }, 'open');
      const half = Math.round(perSecondOf(rounds, subject.name) / 2);
      await measured(subject, { order: 'open', ...targetOf(subject), perSecond: half, durationMs: plan.openMs }, 'half');
      await measured(subject, closed(subject, plan.streamMs, plan.events), 'stream');
    }
    faults.push(...await calls.faults());
  } finally {
    for (const subject of subjects) await subject.stop();
    load.stop();
  }
  report(rounds, subjects.map(({ name }) => name), faults);
  return faults.length === 0 ? 0 : 1;
}

/** Calls a second that the subject handled at full load. */
function perSecondOf(rounds: readonly Round[], name: string): number {
  return medianOf(rounds, name, 'call', ({ result }) => (result.calls * 1_000) / result.elapsedMs) ?? 0;
}

function closed(subject: Subject, durationMs: number, events: number): LoadOrder {
  return { order: 'closed', ...targetOf(subject), connections, durationMs, events };
}

function targetOf({ url, key, headers }: Subject): Target {
  return { url, key, headers };
}

async function measureRound(calls: OwnCalls, subject: Subject, order: LoadOrder, measure: Round['measure']): Promise<Round> {
  const before = subject.pid === null ? null : processorMs(subject.pid);
  const result = await calls.ask(subject, order);
  const after = subject.pid === null ? null : processorMs(subject.pid);
  const units = measure === 'stream' ? result.calls * plan.events : result.calls;
  const processorUs = before === null || after === null ? null : ((after - before) * 1000) / units;
  console.log(`${measure.padEnd(6)} ${subject.name.padEnd(17)} ${(result.calls / (result.elapsedMs / 1000)).toFixed(0).padStart(7)} calls/s`
    + `${processorUs === null ? '' : `  ${processorUs.toFixed(1)} us`}`);
  return { subject: subject.name, measure, result, processorUs };
}

function report(rounds: readonly Round[], names: readonly string[], faults: readonly string[]): void {
  const cost = (name: string, measure: Round['measure']): number | null => medianOf(rounds, name, measure, ({ processorUs }) => processorUs);
  const p = (name: string, pick: (result: LoadResult) => number, at: 'open' | 'half' = 'open'): number | null =>
    medianOf(rounds, name, at, ({ result }) => pick(result));
  const base = { p50: p('direct', ({ p50 }) => p50) ?? 0, p99: p('direct', ({ p99 }) => p99) ?? 0 };
  const product = cost('metergate', 'call');
  const rows = names.map((name) => ({
    subject: name, usPerCall: cost(name, 'call'), usPerEvent: cost(name, 'stream'),
    addedP50Us: minus(p(name, ({ p50 }) => p50), base.p50), addedP99Us: minus(p(name, ({ p99 }) => p99), base.p99),
    halfP99Us: p(name, ({ p99 }) => p99, 'half'),
    metergateToIt: ratio(product, cost(name, 'call')), metergateToItPerEvent: ratio(cost('metergate', 'stream'), cost(name, 'stream')),
  }));
  console.log('');
  const titles = ['us/call', 'us/event', 'p50 +us', 'p99 +us', 'half p99', 'x call', 'x event'];
  console.log(`${'subject'.padEnd(18)}${titles.map((title) => title.padStart(10)).join('')}`);
  for (const { subject, ...figures } of rows) {
    console.log(subject.padEnd(18) + Object.values(figures).map((figure) => (figure === null ? '-' : figure.toFixed(2)).padStart(10)).join(''));
  }
  console.log('x call, x event: processor time of metergate over that subject; targets: 3 over haproxy, 1.25 over the bare relay.');
  if (!canPin) console.log('Processes were not pinned to cores on this machine: figures are rough.');
  for (const fault of faults) console.error(`FAILED: ${fault}`);
  const machine = { cpu: cpus()[0]?.model ?? '', cores: availableParallelism(), kernel: release(), node: process.version, pinned: canPin };
  const folder = new URL('results/', import.meta.url);
  mkdirSync(folder, { recursive: true });
  const file = new URL(`${new Date().toISOString().replaceAll(':', '-')}.json`, folder);
  writeFileSync(file, `${JSON.stringify({ machine, plan, connections, rows, rounds, faults }, null, 2)}\n`);
}

function medianOf(rounds: readonly Round[], name: string, measure: Round['measure'], pick: (round: Round) => number | null): number | null {
  const figures = rounds.filter((round) => round.subject === name && round.measure === measure).map(pick)
    .filter((figure) => figure !== null).sort((left, right) => left - right);
  return figures[Math.floor(figures.length / 2)] ?? null;
}

function ratio(figure: number | null, to: number | null): number | null {
  return figure === null || to === null || to === 0 ? null : figure / to;
}

function minus(figure: number | null, base: number): number | null {
  return figure === null ? null : figure - base;
}

function shuffled<Value>(values: readonly Value[]): Value[] {
  return values.map((value) => ({ value, order: Math.random() })).sort((left, right) => left.order - right.order).map(({ value }) => value);
}
