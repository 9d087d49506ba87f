/**
 * A thread that has nothing to do gives back the memory that it grew by. V8 collects when a thread allocates, so one that was busy and is
 * idle now would keep all its room, mostly that for young objects, for as long as it stays idle.
 */
import { performance } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import { collect } from './collector.ts';
import { findGiveBack } from './freed-memory.ts';

/** What one look at a thread shows. */
export interface ThreadLook {
  /** Part of a processor that the thread used since the last look: 0 to 1. */
  readonly utilization: number;
  /** Room that the thread's heap has taken, bytes. */
  readonly heapBytes: number;
}

/** How often a thread is looked at. */
const lookMs = 2_000;
/** Below this a thread has nothing to do but its regular looks. */
const idleUtilization = 0.02;
const quietLooks = 2;
/** A collection takes 10 to 40 ms of a thread: less than this is not worth it. */
const worthBytes = 8 * 1024 * 1024;

/**
 * Whether to collect now, look by look: after two quiet looks, if the heap took 8 MiB more than it did after the last collection. The first
 * collection is that after the start.
 */
export function createIdleRule(): { collects(look: ThreadLook): boolean; collected(heapBytes: number): void } {
  let [quiet, restBytes] = [0, 0];
  return {
    collects({ utilization, heapBytes }) {
      quiet = utilization < idleUtilization ? quiet + 1 : 0;
      return quiet >= quietLooks && heapBytes - restBytes >= worthBytes;
    },
    collected(heapBytes) {
      restBytes = heapBytes;
    },
  };
}

/** After a collection, which is due after two, and the freeing that a helper does behind it. Once more when other threads have done the same. */
const givingLooks = [3, 15] as const;

/** Whether to give back now, look by look: twice for each time that the thread had work, three and fifteen quiet looks after it. */
export function createGiveBackRule(): (utilization: number) => boolean {
  let quiet = 0;
  let hadWork = false;
  return (utilization) => {
    quiet = utilization < idleUtilization ? quiet + 1 : 0;
    if (quiet === 0) hadWork = true;
    return hadWork && (quiet === givingLooks[0] || quiet === givingLooks[1]);
  };
}

/** Looks after the memory of the calling thread until the thread ends; with `freed`, after what all threads have freed, too. */
export function giveBackWhenIdle({ freed = false }: { readonly freed?: boolean } = {}): void {
  const [rule, givesBack] = [createIdleRule(), createGiveBackRule()];
  let giveBack: ReturnType<typeof findGiveBack> | undefined;
  let before = workedUntilNow();
  setInterval(() => {
    const now = workedUntilNow();
    const utilization = (now.workedMs - before.workedMs) / (now.atMs - before.atMs);
    before = now;
    if (freed && givesBack(utilization)) {
      if (giveBack === undefined) giveBack = findGiveBack();
      giveBack?.();
    }
    if (!rule.collects({ utilization, heapBytes: getHeapStatistics().total_heap_size })) return;
    if (collect('all')) rule.collected(getHeapStatistics().total_heap_size);
  }, lookMs).unref();
}

/** Processor time of the calling thread. An event loop's own figure counts waiting for a processor as work, so on a busy machine nobody is idle. */
function workedUntilNow(): { readonly workedMs: number; readonly atMs: number } {
  const { user, system } = process.threadCpuUsage();
  return { workedMs: (user + system) / 1_000, atMs: performance.now() };
}
