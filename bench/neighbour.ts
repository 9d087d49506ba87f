/**
 * `node bench/neighbour.ts [--minutes 2] [--slice 15] [--past 100000] [--settle 60] [--without ATTACK,…] [--only ATTACK,…]`: one organization
 * does everything at once that could harm another (slow names, slow readers, pipelined new keys, long texts, stalled and dripping bodies, bombs,
 * a full registry of runs, a flood of the tap, webhooks that nobody answers, invitations, exports, reports), while the other makes calls, begins
 * runs, signs in and reads pages: the other's 99th percentile alone and beside it, in alternating slices of one run.
 *
 * The attackers and their provider stand for other machines: they are sessions of their own with a low priority, and get the processor time
 * that nobody else wants. The product runs as it is started. The other's requests come from this process, at usual priority, and so do the answers
 * of its provider. A ratio is one of this run and this machine: whatever else runs there takes from both, and more from the side that needs more.
 *
 * Prints the ratios, a verdict for each kind, and the product's memory: before, beside the attacks, and after it was left alone for `--settle`
 * seconds at most. Exit code 1 if one call of the other was refused or failed, if a record is wrong, or if the product still holds something at
 * the end. Ratios and memory are printed only: they depend on the machine.
 */
import { parseArgs } from 'node:util';
import { pass } from './attacks/attacked.ts';
import { kinds, type Kind } from './attacks/good-neighbour.ts';
import { heldAtLast } from './attacks/held.ts';
import { startNeighbours, type Neighbours } from './attacks/neighbours.ts';

const { values } = parseArgs({ options: {
  minutes: { type: 'string', default: '2' }, slice: { type: 'string', default: '15' }, past: { type: 'string', default: '100000' },
  settle: { type: 'string', default: '60' },
  only: { type: 'string' }, without: { type: 'string', default: '' },
} });

/** All attacks, in a few processes: one alone would be slower than the product. */
const everything = [
  'stalled,dripping,idle,leavers', 'readers', 'plain,large,bombs,bombs-gzip,bombs-deflate,bombs-zstd', 'runs,tap', 'texts,names,holes,doors',
  'exports,reports',
];
const without = new Set(values.without.split(','));
const processes = (values.only === undefined ? everything : [values.only])
  .map((attacks) => attacks.split(',').filter((attack) => !without.has(attack)).join(',')).filter((attacks) => attacks !== '');
const sliceMs = Number(values.slice) * 1_000;
const rounds = Math.max(1, Math.round((Number(values.minutes) * 60_000) / (2 * sliceMs)));

/** How many times its own a 99th percentile may be. */
const ratioMax = 1.5;
/** How much larger than before a product may stay. */
const stayingBytesMax = 100 * 2 ** 20;

type Durations = Record<Kind, number[]>;
const none = (): Durations => Object.fromEntries(kinds.map((kind) => [kind, [] as number[]])) as Durations;

function p99(tookMs: readonly number[]): number {
  return tookMs.toSorted((a, b) => a - b)[Math.floor(tookMs.length * 0.99)] ?? 0;
}

async function sliceInto(durations: Durations, { neighbour }: Neighbours): Promise<void> {
  const took = await neighbour.live({ ms: sliceMs });
  for (const kind of kinds) durations[kind].push(...took[kind]);
}

function report(alone: Durations, beside: Durations): void {
  const row = (cells: readonly (string | number)[]): string => cells.map((cell) => String(cell).padStart(10)).join('');
  console.log(row(['', 'alone', 'beside', 'p50 ms', 'p50 ms', 'p99 ms', 'p99 ms', 'p99 ratio']));
  for (const kind of kinds) {
    const [quiet, loud] = [alone[kind], beside[kind]];
    const p50 = (took: readonly number[]): string => (took.toSorted((a, b) => a - b)[took.length >> 1] ?? 0).toFixed(1);
    const ratio = p99(loud) / p99(quiet);
    const verdict = ratio <= ratioMax ? '  holds' : `  over ${ratioMax}`;
    const figures = [quiet.length, loud.length, p50(quiet), p50(loud), p99(quiet).toFixed(1), p99(loud).toFixed(1), ratio.toFixed(2)];
    console.log(row([kind, ...figures]) + verdict);
  }
}

const mib = (bytes: number | null): string => (bytes === null ? 'unknown' : `${(bytes / 2 ** 20).toFixed(0)} MiB`);

/** Waits until the product is back where it was, and says when that was, or what is left. */
async function settledBytes({ system }: Neighbours, before: number | null): Promise<string> {
  const beganMs = performance.now();
  for (;;) {
    const [now, seconds] = [system.residentBytes(), (performance.now() - beganMs) / 1_000];
    if (now === null || before === null) return 'unknown later';
    if (now <= before + stayingBytesMax) return `${mib(now)} ${seconds.toFixed(0)} s later: holds`;
    if (seconds >= Number(values.settle)) return `${mib(now)} ${seconds.toFixed(0)} s later: over ${mib(before + stayingBytesMax)}`;
    await pass(1_000);
  }
}

async function main(): Promise<number> {
  const neighbours = await startNeighbours({ pastCalls: Number(values.past), scale: 1 });
  const { system, neighbour } = neighbours;
  try {
    await neighbour.live({ ms: sliceMs / 3 });
    const [alone, beside] = [none(), none()];
    const before = system.residentBytes();
    const most: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      await sliceInto(alone, neighbours);
      const end = await neighbours.attack(processes);
      await sliceInto(beside, neighbours);
      most.push(system.residentBytes() ?? 0);
      await end();
      // Its connections are reset; what the product does for it ends with them.
      await pass(2_000);
    }
    const faults = [...neighbour.faults, ...await neighbours.recordFaults(), ...await heldAtLast(system.opsUrl)];
    await neighbour.live({ ms: sliceMs / 3 });
    report(alone, beside);
    const atOnce = system.residentBytes();
    const settled = await settledBytes(neighbours, before);
    console.log(`memory: ${mib(before)} before, ${most.map((bytes) => mib(bytes)).join(', ')} at the end of each slice beside it, ${
      mib(atOnce)} after, ${settled}`);
    for (const fault of faults.slice(0, 50)) console.error(`FAILED: ${fault}`);
    if (faults.length > 50) console.error(`FAILED: and ${faults.length - 50} more`);
    return faults.length === 0 ? 0 : 1;
  } finally {
    await neighbours.stop();
  }
}

process.exitCode = await main();
