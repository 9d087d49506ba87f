/**
 * `node bench/neighbour.ts [--minutes 2] [--slice 15] [--past 100000] [--without ATTACK,…] [--only ATTACK,…]`: one organization does everything at
 * once that could harm another (slow names, slow readers, pipelined new keys, long texts, stalled and dripping bodies, bombs, a full registry of
 * runs, a flood of the tap, webhooks that nobody answers, invitations, exports, reports), while the other makes calls, begins runs, signs in and
 * reads pages: the other's 99th percentile alone and beside it, in alternating slices of one run. Prints a table of ratios, and the product's
 * memory. Exit code 1 if one call of the other was refused or failed, if a record is wrong, or if the product still holds something at the end.
 */
import { parseArgs } from 'node:util';
import { pass } from './attacks/attacked.ts';
import { kinds, type Kind } from './attacks/good-neighbour.ts';
import { heldAtLast } from './attacks/held.ts';
import { startNeighbours, type Neighbours } from './attacks/neighbours.ts';

const { values } = parseArgs({ options: {
  minutes: { type: 'string', default: '2' }, slice: { type: 'string', default: '15' }, past: { type: 'string', default: '100000' },
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
    console.log(row([kind, quiet.length, loud.length, p50(quiet), p50(loud), p99(quiet).toFixed(1), p99(loud).toFixed(1), ratio.toFixed(2)]));
  }
}

const mib = (bytes: number | null): string => (bytes === null ? 'unknown' : `${(bytes / 2 ** 20).toFixed(0)} MiB`);

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
    console.log(`memory: ${mib(before)} before, ${most.map((bytes) => mib(bytes)).join(', ')} at the end of each slice beside it, ${
      mib(system.residentBytes())} after`);
    for (const fault of faults.slice(0, 50)) console.error(`FAILED: ${fault}`);
    if (faults.length > 50) console.error(`FAILED: and ${faults.length - 50} more`);
    return faults.length === 0 ? 0 : 1;
  } finally {
    await neighbours.stop();
  }
}

process.exitCode = await main();
