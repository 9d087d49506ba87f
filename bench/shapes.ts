/**
 * `npm run bench -- --only shapes`: what a call costs in the shapes in which agents send it: bodies of 2 KB to 2 MB, plain and agent-like, by three
 * APIs, at once, in chunks and in slow pieces; answers of 1 and 100 KB, and streams. Processor time of the subject's process tree at full load, as
 * ratios to plain proxies of the same round, and p99 there. A stream's time is that of an event. One failed call, or records that differ from the
 * mock's log, fail the benchmark. `--shape TEXT`: those whose name has that text (several: comma). `--before DIR`: another checkout beside this one.
 * `--capped`: the product's calls are under a cap.
 */
import { parseArgs } from 'node:util';
import { startLoad } from './load-process.ts';
import type { CallShape, LoadResult } from './load.ts';
import { OwnCalls } from './own-calls.ts';
import { processorMs } from './processor-time.ts';
import { setCap, startSubjects, type Guarded, type Subject } from './subjects.ts';

const { values } = parseArgs({ options: {
  quick: { type: 'boolean', default: false }, before: { type: 'string' }, shape: { type: 'string' }, rounds: { type: 'string' },
  connections: { type: 'string', default: '32' }, capped: { type: 'boolean', default: false },
} });
const plan = values.quick ? { rounds: 2, roundMs: 700, warmUpMs: 1_000 } : { rounds: 5, roundMs: 2_000, warmUpMs: 3_000 };
const rounds = Number(values.rounds ?? plan.rounds);
const connections = Number(values.connections);

const sizes = { '2 KB': 2_000, '20 KB': 20_000, '200 KB': 200_000, '2 MB': 2_000_000 };
const usual = { api: 'chat', style: 'agent', bytes: 2_000, comes: 'at once', answer: {} } as const satisfies CallShape;

function allShapes(): Map<string, CallShape> {
  const shapes = new Map<string, CallShape>();
  for (const api of ['chat', 'messages', 'responses'] as const) {
    for (const style of ['plain', 'agent'] as const) {
      for (const [size, bytes] of Object.entries(sizes)) shapes.set(`${api} ${style} ${size}`, { ...usual, api, style, bytes });
    }
  }
  for (const [size, bytes] of Object.entries(sizes).slice(1)) {
    shapes.set(`chat agent ${size} in chunks`, { ...usual, bytes, comes: 'in chunks' });
    shapes.set(`chat agent ${size} slow`, { ...usual, bytes, comes: 'slow' });
  }
  for (const api of ['chat', 'messages', 'responses'] as const) {
    shapes.set(`${api} answer 100 KB`, { ...usual, api, answer: { bytes: 100_000 } });
    shapes.set(`${api} stream 200`, { ...usual, api, answer: { events: 200 } });
    shapes.set(`${api} stream 3000`, { ...usual, api, answer: { events: 3_000 } });
    shapes.set(`${api} stream 10000 by 8`, { ...usual, api, answer: { events: 10_000, each: 8 } });
  }
  return shapes;
}

const capped: Guarded = {
  name: 'metergate',
  async headers(ask) {
    await ask(setCap);
    return '';
  },
};

interface Figure {
  readonly us: number | null;
  readonly result: LoadResult;
}

process.exitCode = await bench();

async function bench(): Promise<number> {
  const wanted = values.shape?.split(',') ?? [''];
  const shapes = [...allShapes()].filter(([name]) => wanted.some((part) => name.includes(part)));
  const load = await startLoad();
  const subjects = await startSubjects(load.mock, values.before ?? null, values.capped ? capped : undefined);
  const calls = new OwnCalls(load);
  const figures = new Map<string, Figure[]>();
  let faults: string[] = [];
  try {
    for (const subject of subjects) await measure(calls, subject, usual, plan.warmUpMs);
    for (const [name, shape] of shapes) {
      // The first round is not counted: V8 compiles what a shape needs with its first calls, and a product has more to compile than a relay.
      for (let round = 0; round <= rounds; round += 1) {
        // What a subject takes depends on its place in a round.
        for (const subject of round % 2 === 0 ? subjects : subjects.toReversed()) {
          const figure = await measure(calls, subject, shape, plan.roundMs);
          if (round === 0) continue;
          const key = `${name}\n${subject.name}`;
          figures.set(key, [...figures.get(key) ?? [], figure]);
        }
      }
      tell(name, subjects, figures);
    }
    faults = await calls.faults();
  } finally {
    for (const subject of subjects) await subject.stop();
    load.stop();
  }
  for (const fault of faults) console.error(`FAILED: ${fault}`);
  return faults.length === 0 ? 0 : 1;
}

async function measure(calls: OwnCalls, subject: Subject, shape: CallShape, durationMs: number): Promise<Figure> {
  const { url, key, headers, pid } = subject;
  const before = pid === null ? null : processorMs(pid);
  const result = await calls.ask(subject, { order: 'shaped', url, key, headers, connections, durationMs, shape });
  const after = pid === null ? null : processorMs(pid);
  const units = result.calls * Math.max(1, shape.answer.events ?? 1);
  return { us: before === null || after === null ? null : ((after - before) * 1000) / units, result };
}

/** The least of the rounds: what others do on the machine only adds. */
function tell(name: string, subjects: readonly Subject[], figures: ReadonlyMap<string, readonly Figure[]>): void {
  const least = (subject: string, pick: (figure: Figure) => number | null): number | null => {
    const found = (figures.get(`${name}\n${subject}`) ?? []).map(pick).filter((figure) => figure !== null);
    return found.length === 0 ? null : Math.min(...found);
  };
  const relay = least('bare node relay', ({ us }) => us);
  const cells = subjects.map(({ name: subject }) => {
    const us = least(subject, (figure) => figure.us);
    const p99 = least(subject, ({ result }) => result.p99 / 1000);
    const ratio = us === null || relay === null ? '' : ` (${(us / relay).toFixed(2)})`;
    return `${subject} ${us === null ? '-' : us.toFixed(us < 30 ? 2 : 0)}${ratio} p99 ${p99?.toFixed(1)} ms`;
  });
  console.log(`${name.padEnd(26)} ${cells.join('; ')}`);
}
