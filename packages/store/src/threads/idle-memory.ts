/**
 * A thread that has nothing or little to do gives back the memory that it grew by. V8 collects when a thread allocates, so one that was busy and is
 * idle now would keep all its room, mostly that for young objects, for as long as it stays idle.
 */
import { performance } from 'node:perf_hooks';
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';
import { getHeapStatistics } from 'node:v8';
import { collect } from './collector.ts';
import { findGiveBack } from './freed-memory.ts';

/** What one look at a thread shows. */
interface ThreadLook {
  /** Part of a processor that the thread used since the last look: 0 to 1. */
  readonly utilization: number;
  /** Room that the thread's heap has taken, and memory outside of it that its objects hold, bytes. */
  readonly heldBytes: number;
}

/** How often a thread is looked at. */
const lookMs = 2_000;
const mib = 1024 * 1024;

/** A thread with as much to do is busy. */
const busyUtilization = 0.3;

/** How little a thread has to do, over how many looks. */
interface Rest {
  readonly utilization: number;
  readonly looks: number;
  /** A collection takes 10 to 40 ms of a thread: how many bytes make that worth while. */
  readonly worthBytes: number;
}

/** Nothing but its regular looks. */
const idle: Rest = { utilization: 0.02, looks: 2, worthBytes: 8 * mib };
/** Few calls or pages, behind a storm: somebody may wait for the collection, so it must be worth more. */
const calm: Rest = { utilization: 0.1, looks: 15, worthBytes: 32 * mib };
/** No call waits for a thread that works in the background, and its regular work may be a tenth of a processor (decision 207). */
const calmInBackground: Rest = { ...calm, utilization: 0.2 };

/**
 * How many looks in a row a thread was idle, and whether it was calm in the mean of its last looks: what little it has comes in bursts. Those before
 * it was last busy do not count.
 */
function watchRest(
  { looks, utilization: calmUtilization }: Rest = calm,
): (utilization: number) => { readonly idleLooks: number; readonly isCalm: boolean } {
  let idleLooks = 0;
  const latest: number[] = [];
  return (utilization) => {
    idleLooks = utilization < idle.utilization ? idleLooks + 1 : 0;
    if (utilization >= busyUtilization) latest.length = 0;
    else if (latest.push(utilization) > looks) latest.shift();
    const mean = latest.reduce((sum, each) => sum + each, 0) / looks;
    return { idleLooks, isCalm: latest.length === looks && mean < calmUtilization };
  };
}

/** What a storm leaves behind goes by and by, some of it after the first collection: it is looked at once more. */
const secondLook = 15;

interface ThreadWork {
  /** It also works in the background, and no call waits for it. */
  readonly background?: boolean;
}

/**
 * Whether to collect now, look by look: after two idle looks if the thread holds 8 MiB more than after the last collection; after fifteen of them if
 * it holds that much more than after any; after fifteen that were calm in the mean if it holds 32 MiB more than after the last. The first collection
 * is that after the start.
 */
export function createIdleRule(
  { background = false }: ThreadWork = {},
): { collects(look: ThreadLook): boolean; collected(heldBytes: number): void } {
  const rest = watchRest(background ? calmInBackground : calm);
  let [lastBytes, leastBytes] = [0, Infinity];
  return {
    collects({ utilization, heldBytes }) {
      const { idleLooks, isCalm } = rest(utilization);
      const grownBytes = heldBytes - lastBytes;
      return (idleLooks >= idle.looks && grownBytes >= idle.worthBytes) || (isCalm && grownBytes >= calm.worthBytes)
        || (idleLooks === secondLook && heldBytes - leastBytes >= idle.worthBytes);
    },
    collected(heldBytes) {
      lastBytes = heldBytes;
      leastBytes = Math.min(leastBytes, heldBytes);
    },
  };
}

/** After a collection, which is due after two, and the freeing that a helper does behind it. Once more when other threads have done the same. */
const givingLooks = [3, 15] as const;

/**
 * Whether to give back now, look by look: twice for each time that the thread had work, three and fifteen idle looks after it, and once when it is
 * calm after it was busier. Also once it is idle or calm behind a collection of another thread, which may still work off what a storm left:
 * `othersCollected` since the last look.
 */
export function createGiveBackRule({ background = false }: ThreadWork = {}): (utilization: number, othersCollected: boolean) => boolean {
  const rest = watchRest(background ? calmInBackground : calm);
  let [hadWork, wasBusy, isOwed] = [false, false, false];
  return (utilization, othersCollected) => {
    const { idleLooks, isCalm } = rest(utilization);
    if (idleLooks === 0) hadWork = true;
    if (utilization >= busyUtilization) wasBusy = true;
    // At the look behind it: the collected is freed by a helper, after the collection.
    const isDue = isOwed && (idleLooks >= givingLooks[0] || isCalm);
    const gives = isDue || (isCalm && wasBusy) || (hadWork && (idleLooks === givingLooks[0] || idleLooks === givingLooks[1]));
    if (isCalm) wasBusy = false;
    if (gives) isOwed = false;
    if (othersCollected) isOwed = true;
    return gives;
  };
}

/** Looks after the memory of the calling thread until the thread ends; with `freed`, after what all threads of the process have freed, too. */
export function giveBackWhenIdle({ freed = false, background = false }: ThreadWork & { readonly freed?: boolean } = {}): void {
  const [rule, givesBack] = [createIdleRule({ background }), createGiveBackRule({ background })];
  const threads = collectingThreads();
  let giveBack: ReturnType<typeof findGiveBack> | undefined;
  let before = workedUntilNow();
  setInterval(() => {
    const now = workedUntilNow();
    const utilization = (now.workedMs - before.workedMs) / (now.atMs - before.atMs);
    before = now;
    if (freed && givesBack(utilization, threads.othersCollected())) {
      if (giveBack === undefined) giveBack = findGiveBack();
      giveBack?.();
    }
    if (!rule.collects({ utilization, heldBytes: heldNow() })) return;
    if (!collect()) return;
    rule.collected(heldNow());
    threads.collected();
  }, lookMs).unref();
}

const countName = 'metergate: collections';

/**
 * Call this in the main thread before it starts another: all threads then count their collections in one place. Node loads its whole `fetch` for the
 * first message of a `BroadcastChannel`, which takes each thread 20 ms and several megabytes.
 */
export function countCollectionsTogether(): void {
  setEnvironmentData(countName, new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)));
}

/** Threads see that others collected. Without a common count each is alone. */
function collectingThreads(): { collected(): void; othersCollected(): boolean } {
  const count = getEnvironmentData(countName) as Int32Array | undefined ?? new Int32Array(1);
  let own = 0;
  let othersBefore = Atomics.load(count, 0);
  return {
    collected() {
      own += 1;
      Atomics.add(count, 0, 1);
    },
    /** Since this was asked last. */
    othersCollected() {
      const others = Atomics.load(count, 0) - own;
      const haveCollected = others !== othersBefore;
      othersBefore = others;
      return haveCollected;
    },
  };
}

function heldNow(): number {
  const { total_heap_size: heapBytes, external_memory: outsideBytes } = getHeapStatistics();
  return heapBytes + outsideBytes;
}

/** Processor time of the calling thread. An event loop's own figure counts waiting for a processor as work, so on a busy machine nobody is idle. */
function workedUntilNow(): { readonly workedMs: number; readonly atMs: number } {
  const { user, system } = process.threadCpuUsage();
  return { workedMs: (user + system) / 1_000, atMs: performance.now() };
}
