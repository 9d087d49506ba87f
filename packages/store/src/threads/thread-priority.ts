/**
 * Which threads of a node go first where processors are short: those that forward calls. Linux keeps a priority for each thread, and lets each
 * lower its own. Elsewhere a priority is that of the whole process, so nothing is done. Decision 0109.
 */
import { stat } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/** Steps below the priority that the process was started with. Ten steps are a tenth of the processor time that both want; 19 is the lowest. */
const stepsBehind = { platform: 5, reports: 10, brotli: 10, knownPeople: 5, strangers: 15 } as const;

const lowest = 19;

/** What it depends on; given in tests. */
interface PriorityBy {
  readonly system: string;
  readonly getPriority: (id: number) => number;
  readonly setPriority: (id: number, priority: number) => void;
  /** Begins the pool of the process, unless it has been. */
  readonly beginPool: () => void;
}

/** Any work for the pool begins it. */
const byThisThread: PriorityBy = { system: process.platform, getPriority, setPriority, beginPool: () => stat('/', () => {}) };

/**
 * From now on the calling thread gives way to the process's main thread and to those that have its priority. A system that refuses is taken as
 * one that has no such thing.
 */
export function workAs(kind: keyof typeof stepsBehind, by: PriorityBy = byThisThread): void {
  if (by.system !== 'linux') return;
  try {
    // It keeps the priority of the thread that begins it, and works for those that forward calls.
    by.beginPool();
    // 0 is the calling thread, the number of the process its main thread.
    by.setPriority(0, Math.min(lowest, by.getPriority(process.pid) + stepsBehind[kind]));
  } catch {
    // It keeps the priority that it has.
  }
}
