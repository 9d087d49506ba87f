/**
 * On which processors the platform's process works: not on the last of those that the product may use, so that whoever forwards calls finds one on
 * which none of its threads stands. A lower priority alone is not enough: the system shares each processor out by itself, and looks at another one
 * only where that one has nothing to do at all. Decision 0398.
 */
import { execFileSync } from 'node:child_process';

/** What it depends on; given in tests. */
interface ProcessorsBy {
  readonly system: string;
  /** Runs that program; what it printed. */
  readonly taskset: (args: readonly string[]) => string;
}

const byThisProcess: ProcessorsBy = {
  system: process.platform,
  taskset: (args) => execFileSync('taskset', args, { stdio: ['ignore', 'pipe', 'ignore'], encoding: 'utf8', timeout: 5_000 }),
};

/**
 * All threads of this process, and those that they begin, leave the last processor to others. Where only one may be used, on another system than
 * Linux, and without the `taskset` that each distribution has, nothing is done.
 */
export function leaveLastProcessor({ system, taskset }: ProcessorsBy = byThisProcess): void {
  if (system !== 'linux') return;
  try {
    const pid = String(process.pid);
    // Unlike /proc, which may list processors that could be plugged in, it says which there are.
    const allowed = /:\s*([0-9a-f,]+)\s*$/.exec(taskset(['-p', pid]))?.[1];
    const mask = allowed === undefined ? null : withoutLast(allowed);
    if (mask !== null) taskset(['-a', '-p', mask, pid]);
  } catch {
    // It works wherever it may.
  }
}

/** The mask of processors without its highest, both hexadecimal; null: there is only one. */
function withoutLast(allowed: string): string | null {
  const mask = BigInt(`0x${allowed.replaceAll(',', '')}`);
  const left = mask & ~(1n << BigInt(mask.toString(2).length - 1));
  return left === 0n ? null : left.toString(16);
}
