/** A process and those that it began, as Linux shows them in `/proc`. */
import { readFileSync } from 'node:fs';

/** The processes that this one's main thread began and that live. @throws the system's error if the process is gone */
export function childrenOf(pid: number): readonly number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter((child) => child !== '').map(Number);
}

/** Resident memory of a process and those that it began, bytes. What several have in common counts once: each has its part of it. */
export function residentBytesOf(pid: number): number {
  const own = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1];
  return Number(own) * 1024 + childrenOf(pid).reduce((sum, child) => sum + residentBytesOf(child), 0);
}
