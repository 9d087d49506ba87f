/**
 * Whose password is hashed next. Of those who wait, each place that somebody asks from has a turn before any has its second, so whoever asks much
 * waits for themselves. Decision 0109.
 */

/** Waiting or under way, of all places. Of one place as many as are left for others. */
const jobsMax = 40;

/** Must not throw; what it gives must not reject. */
type Job = () => Promise<void>;

export interface HashingTurns {
  /** Runs `work` when it is its turn, one at a time. Null: too many wait. `from`: the place that asks, such as an address. */
  take<T>(from: string, work: () => Promise<T>): Promise<T> | null;
}

/** `rest`: what is awaited after each job before the next one begins; it must not reject. */
export function createHashingTurns(rest: () => Promise<unknown> = async () => {}): HashingTurns {
  /** Those that wait; the one that had a turn last stands at the end. */
  const places = new Map<string, Job[]>();
  const counts = new Map<string, number>();
  let jobs = 0;
  let isWorking = false;

  async function workOn(): Promise<void> {
    isWorking = true;
    let last = '';
    for (let from = nextPlace(places, last); from !== null; from = nextPlace(places, last)) {
      const waiting = places.get(from)!;
      places.delete(from);
      const job = waiting.shift()!;
      if (waiting.length > 0) places.set(from, waiting);
      last = from;
      await job();
      await rest();
      const left = counts.get(from)! - 1;
      if (left === 0) counts.delete(from);
      else counts.set(from, left);
      jobs -= 1;
    }
    isWorking = false;
  }

  return {
    take<T>(from: string, work: () => Promise<T>): Promise<T> | null {
      const there = counts.get(from) ?? 0;
      if (there >= jobsMax - jobs) return null;
      counts.set(from, there + 1);
      jobs += 1;
      const { promise, resolve } = Promise.withResolvers<T>();
      const job = async (): Promise<void> => {
        const made = work();
        resolve(made);
        await made.catch(() => {});
      };
      const waiting = places.get(from);
      if (waiting === undefined) places.set(from, [job]);
      else waiting.push(job);
      if (!isWorking) void workOn();
      return promise;
    },
  };
}

/** Null: nobody waits. Whoever had the last turn goes to the end: they stand first if they were alone when it began and asked again. */
function nextPlace(places: Map<string, Job[]>, last: string): string | null {
  const [first, second] = places.keys().take(2);
  if (first !== last || second === undefined) return first ?? null;
  const waiting = places.get(first)!;
  places.delete(first);
  places.set(first, waiting);
  return second;
}
