/**
 * A product's threads, by name → the processor time that they had and waited for; those of the processes that it began are among them. Linux only
 * (`/proc`); elsewhere there are none.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { childrenOf } from '@metergate/testkit/process-tree.ts';

/** Milliseconds; of all threads with one name together. */
export interface ThreadTime { readonly ranMs: number; readonly waitedMs: number }
export type ThreadTimes = ReadonlyMap<string, ThreadTime>;

/** Of each thread that lives, since it began. By its number and name. */
function timesOf(pid: number): ThreadTimes {
  const times = new Map<string, ThreadTime>();
  if (process.platform === 'linux') addTimes(times, pid);
  return times;
}

function addTimes(times: Map<string, ThreadTime>, pid: number): void {
  const folder = `/proc/${pid}/task`;
  for (const thread of readdirSync(folder)) {
    try {
      const name = readFileSync(`${folder}/${thread}/comm`, 'utf8').trim();
      const [ran, waited] = readFileSync(`${folder}/${thread}/schedstat`, 'utf8').split(' ').map((ns) => Number(ns) / 1e6);
      times.set(`${thread} ${name}`, { ranMs: ran!, waitedMs: waited! });
    } catch {
      // It has ended meanwhile.
    }
  }
  for (const child of childrenOf(pid)) addTimes(times, child);
}

/** Begins to count; what is returned adds what each had since then to `sums`, by name. Threads that end meanwhile are left out. */
export function countThreads(pid: number): (sums: Map<string, ThreadTime>) => void {
  const before = timesOf(pid);
  return (sums) => {
    for (const [thread, { ranMs, waitedMs }] of timesOf(pid)) {
      const name = thread.slice(thread.indexOf(' ') + 1);
      const [was, sum] = [before.get(thread), sums.get(name)];
      sums.set(name, {
        ranMs: (sum?.ranMs ?? 0) + ranMs - (was?.ranMs ?? 0), waitedMs: (sum?.waitedMs ?? 0) + waitedMs - (was?.waitedMs ?? 0),
      });
    }
  };
}
