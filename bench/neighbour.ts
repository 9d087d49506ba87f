/**
 * `node bench/neighbour.ts [--minutes 2] [--slice 15] [--past 100000] [--settle 60] [--without ATTACK,…] [--only ATTACK,…] [--no-elsewhere]`: one
 * organization does everything at once that could harm another (slow names, slow readers, pipelined new keys, long texts, stalled and dripping
 * bodies, bombs, a full registry of runs, a flood of the tap, webhooks that nobody answers, invitations, exports, reports), while the other makes
 * calls, begins runs, signs in and reads pages: the other's 99th percentile alone and beside it, in alternating slices of one run.
 *
 * In a third kind of slice the same attacks are aimed at another product on this machine (`elsewhere`). What the other loses then it loses because
 * attackers, their provider and a busy product share its processors; what it loses more beside them is the product's own part.
 *
 * Everything besides the product stands for other machines (`attacks/other-machines.ts`), in each kind of slice alike. The attackers and their
 * provider get the processor time that nobody else wants. The other's requests and the answers of its provider come from this process, which
 * nothing of the product goes before. The product runs as it is started. Printed are also the calls that the attackers got through, and what part
 * of the time each thread of the measured product ran and waited for a processor. A ratio is one of this run and this machine: whatever else runs
 * there takes from both, and more from the side that needs more.
 *
 * Prints both ratios, a verdict on the first for each kind, and the product's memory: before, beside the attacks, and after it was left alone
 * for `--settle` seconds at most. Exit code 1 if one call of the other was refused or failed, if a record is wrong, or if the product still
 * holds something at the end. Ratios and memory are printed only: they depend on the machine.
 */
import { parseArgs } from 'node:util';
import { pass } from './attacks/attacked.ts';
import { kinds, type Kind } from './attacks/good-neighbour.ts';
import { heldAtLast } from './attacks/held.ts';
import { startNeighbours, type Neighbours } from './attacks/neighbours.ts';
import { standFor } from './attacks/other-machines.ts';
import { countThreads, type ThreadTime } from './attacks/thread-times.ts';

const { values } = parseArgs({ options: {
  minutes: { type: 'string', default: '2' }, slice: { type: 'string', default: '15' }, past: { type: 'string', default: '100000' },
  settle: { type: 'string', default: '60' },
  only: { type: 'string' }, without: { type: 'string', default: '' },
  elsewhere: { type: 'boolean', default: true },
}, allowNegative: true });

/** All attacks, in a few processes: one alone would be slower than the product. */
const everything = [
  'stalled,dripping,idle,leavers', 'readers', 'plain,large,bombs,bombs-gzip,bombs-deflate,bombs-zstd', 'runs,tap', 'texts,names,holes,doors',
  'exports,reports',
];
const without = new Set(values.without.split(','));
const processes = (values.only === undefined ? everything : [values.only])
  .map((attacks) => attacks.split(',').filter((attack) => !without.has(attack)).join(',')).filter((attacks) => attacks !== '');
const sliceMs = Number(values.slice) * 1_000;
const rounds = Math.max(1, Math.round((Number(values.minutes) * 60_000) / ((values.elsewhere ? 3 : 2) * sliceMs)));

/** How many times its own a 99th percentile may be. */
const ratioMax = 1.5;
/** How much larger than before a product may stay. */
const stayingBytesMax = 100 * 2 ** 20;

type Durations = Record<Kind, number[]>;
const none = (): Durations => Object.fromEntries(kinds.map((kind) => [kind, [] as number[]])) as Durations;

function p99(tookMs: readonly number[]): number {
  return tookMs.toSorted((a, b) => a - b)[Math.floor(tookMs.length * 0.99)] ?? 0;
}

/** The product's threads in that kind of slice. */
const threads: Record<keyof Slices, Map<string, ThreadTime>> = { alone: new Map(), elsewhere: new Map(), beside: new Map() };
/** Calls that were forwarded for attackers, of either product. */
const hostileCalls: Record<keyof Slices, number> = { alone: 0, elsewhere: 0, beside: 0 };

async function sliceInto(slices: Slices, of: keyof Slices, { neighbour, system }: Neighbours): Promise<void> {
  const addTo = countThreads(system.pid);
  const took = await neighbour.live({ ms: sliceMs });
  addTo(threads[of]);
  for (const kind of kinds) slices[of][kind].push(...took[kind]);
}

/** Calls that it has forwarded so far. */
async function forwarded({ system, neighbour }: Neighbours): Promise<number> {
  const text = await (await fetch(`${system.opsUrl}/metrics`)).text();
  return Number(/^metergate_calls_forwarded_total (\S+)/m.exec(text)?.[1] ?? NaN) - neighbour.calls;
}

/** A slice in which these processes attack that product. `during` runs at its end. */
async function attackedSlice(slices: Slices, of: 'elsewhere' | 'beside', { product, neighbours, during }: {
  readonly product: Neighbours; readonly neighbours: Neighbours; readonly during: () => void;
}): Promise<void> {
  const end = await product.attack(processes);
  const before = await forwarded(product);
  await sliceInto(slices, of, neighbours);
  hostileCalls[of] += await forwarded(product) - before;
  during();
  await end();
  // Its connections are reset; what the product does for it ends with them.
  await pass(2_000);
}

/** `elsewhere`: empty if it was not measured. */
interface Slices { readonly alone: Durations; readonly elsewhere: Durations; readonly beside: Durations }

function report({ alone, elsewhere, beside }: Slices): void {
  const row = (cells: readonly (string | number)[]): string => cells.map((cell) => String(cell).padStart(10)).join('');
  const p50 = (took: readonly number[]): number => took.toSorted((a, b) => a - b)[took.length >> 1] ?? 0;
  console.log(row(['', 'p50 alone', 'elsewhere', 'beside', 'p99 alone', 'elsewhere', 'beside', 'to alone', 'elsewhere']));
  for (const kind of kinds) {
    const took = [alone[kind], elsewhere[kind], beside[kind]];
    const [quiet, away, loud] = took.map(p99) as [number, number, number];
    const ratio = loud / quiet;
    const figures = [...took.map(p50), quiet, away, loud].map((ms) => ms.toFixed(1));
    console.log(row([kind, ...figures, ratio.toFixed(2), away === 0 ? '' : (loud / away).toFixed(2)])
      + (ratio <= ratioMax ? '  holds' : `  over ${ratioMax}`));
  }
}

/** What part of the time each thread ran and waited, percent; only those that did either for a hundredth of it. Two processors are 200. */
function reportThreads(): void {
  const percent = (ms: number): string => ((100 * ms) / (rounds * sliceMs)).toFixed(0);
  for (const [of, sums] of Object.entries(threads)) {
    if (sums.size === 0) continue;
    const busy = [...sums].filter(([, { ranMs, waitedMs }]) => ranMs + waitedMs > rounds * sliceMs / 100);
    const each = busy.map(([name, { ranMs, waitedMs }]) => `${name} ${percent(ranMs)}+${percent(waitedMs)}`).join(', ');
    const hostile = (hostileCalls[of as keyof Slices] * 1_000) / (rounds * sliceMs);
    console.log(`threads ${of}, ran + waited, % of the time: ${each}; calls of attackers: ${hostile.toFixed(0)}/s`);
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
  const options = { pastCalls: Number(values.past), scale: 1 };
  const neighbours = await startNeighbours(options);
  const another = values.elsewhere ? await startNeighbours(options) : null;
  const { system, neighbour } = neighbours;
  // Not before: what a process starts is in its group.
  standFor('measurer');
  try {
    await neighbour.live({ ms: sliceMs / 3 });
    const slices: Slices = { alone: none(), elsewhere: none(), beside: none() };
    const before = system.residentBytes();
    const most: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      await sliceInto(slices, 'alone', neighbours);
      if (another !== null) await attackedSlice(slices, 'elsewhere', { product: another, neighbours, during() {} });
      await attackedSlice(slices, 'beside', { product: neighbours, neighbours, during: () => void most.push(system.residentBytes() ?? 0) });
    }
    const faults = [...neighbour.faults, ...await neighbours.recordFaults(), ...await heldAtLast(system.opsUrl)];
    await neighbour.live({ ms: sliceMs / 3 });
    report(slices);
    reportThreads();
    const atOnce = system.residentBytes();
    const settled = await settledBytes(neighbours, before);
    console.log(`memory: ${mib(before)} before, ${most.map((bytes) => mib(bytes)).join(', ')} at the end of each slice beside it, ${
      mib(atOnce)} after, ${settled}`);
    for (const fault of faults.slice(0, 50)) console.error(`FAILED: ${fault}`);
    if (faults.length > 50) console.error(`FAILED: and ${faults.length - 50} more`);
    return faults.length === 0 ? 0 : 1;
  } finally {
    await neighbours.stop();
    await another?.stop();
  }
}

process.exitCode = await main();
