/**
 * On which processors the platform's process works: not on the last of those that the product may use, so that whoever forwards calls finds one on
 * which none of its threads stands. A lower priority alone is not enough: the system shares each processor out by itself, and looks at another one
 * only where that one has nothing to do at all. Decision 0398.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** What it depends on; given in tests. */
interface ProcessorsBy {
  readonly system: string;
  /** What the system says of this process, `/proc/self/status`. */
  readonly status: () => string;
  readonly taskset: (args: readonly string[]) => void;
}

const byThisProcess: ProcessorsBy = {
  system: process.platform,
  status: () => readFileSync('/proc/self/status', 'utf8'),
  taskset: (args) => void execFileSync('taskset', args, { stdio: 'ignore', timeout: 5_000 }),
};

/**
 * All threads of this process, and those that they begin, leave the last processor to others. Where only one may be used, on another system than
 * Linux, and without the `taskset` that each distribution has, nothing is done.
 */
export function leaveLastProcessor({ system, status, taskset }: ProcessorsBy = byThisProcess): void {
  if (system !== 'linux') return;
  try {
    const allowed = /^Cpus_allowed:\s*([0-9a-f,]+)$/m.exec(status())?.[1];
    const mask = allowed === undefined ? null : withoutLast(allowed);
    if (mask !== null) taskset(['-a', '-p', mask, String(process.pid)]);
  } catch {
    // It works wherever it may.
  }
}

/** The mask of processors without its highest, both hexadecimal as the system writes them; null: there is only one. */
function withoutLast(allowed: string): string | null {
  const mask = BigInt(`0x${allowed.replaceAll(',', '')}`);
  const left = mask & ~(1n << BigInt(mask.toString(2).length - 1));
  return left === 0n ? null : left.toString(16);
}
