/**
 * Which threads of a node go first where processors are short: those that forward calls. Linux keeps a priority for each thread, and lets a process
 * lower those of its own. Elsewhere a priority is that of the whole process, so nothing is done. Decision 0109.
 */
import { readdirSync, readFileSync, stat } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/** Steps below the main thread of the process. Ten steps are a tenth of the processor time that both want; 19 is the lowest. */
const stepsBehind = { reports: 7, brotli: 10, knownPeople: 7, strangers: 14 } as const;
/** Steps of the platform's process below the one that forwards calls. */
const platformSteps = 5;
/** Steps of the runtime's helpers below the main thread: they compile and collect, and whom they do it for works on meanwhile. */
const helperSteps = 10;
const helperName = 'node-V8Worker';

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

/** What all threads of the process depend on; given in tests. */
interface ThreadsBy extends Omit<PriorityBy, 'beginPool'> {
  /** Each one's number and name. */
  readonly threads: () => readonly (readonly [id: number, name: string])[];
}

const byThisProcess: ThreadsBy = {
  ...byThisThread,
  threads: () => readdirSync('/proc/self/task').map((id) => [Number(id), readFileSync(`/proc/self/task/${id}/comm`, 'utf8').trim()]),
};

/**
 * From now on all threads of this process give way to those of the process that began it, those that the runtime has begun already too. Threads
 * begun later get the priority of who begins them.
 */
export function workProcessBehind(by: ThreadsBy = byThisProcess): void {
  lower(platformSteps, () => true, by);
}

/** From now on the helpers that the runtime has begun give way to the threads that they help. */
export function helpersBehind(by: ThreadsBy = byThisProcess): void {
  lower(helperSteps, (name) => name === helperName, by);
}

function lower(steps: number, which: (name: string) => boolean, { system, getPriority, setPriority, threads }: ThreadsBy): void {
  if (system !== 'linux') return;
  try {
    const priority = Math.min(lowest, getPriority(process.pid) + steps);
    for (const [id, name] of threads()) if (which(name)) setPriority(id, priority);
  } catch {
    // They keep the priority that they have.
  }
}
