/**
 * The embedded store has one writer at a time. So tap batches are stored in turns, their keys one after the other, each turn one transaction of a
 * few milliseconds (`store/src/tap/keep-batch.ts`), with a pause after each in which others write: the store thread, whom a call may be waiting
 * for, and everybody else on the platform. Design 3, row 8a.
 */

/** Longer than any writer waits before it tries the lock again (`engine/sqlite-turns.ts`). Milliseconds. */
const pauseMs = 8;
/** Batches that wait or are under way at once, of all keys. Of one key as many as are left for others. A further one is told to come again. */
const jobsMax = 256;

export interface TapTurns {
  /** Goes on with `job` to its next yield, or its end, whenever it is its turn. Null: too many wait. */
  take<T>(keyHash: string, job: AsyncGenerator<void, T>): Promise<T> | null;
}

/** Runs one turn; true: the job is done. Never rejects. */
type Turn = () => Promise<boolean>;

interface Key {
  readonly hash: string;
  /** In the order in which they came; the first is worked at until it is done. */
  readonly jobs: Turn[];
}

/** `after` runs a task once after a time. */
export function createTapTurns(after: (delayMs: number, task: () => void) => unknown): TapTurns {
  /** Those whose turn it is not, the next one first. */
  const waiting = new Map<string, Key>();
  let working: Key | null = null;
  let isPausing = false;
  /** Of two keys between two pauses the second has its turn. */
  let isSecond = false;
  let count = 0;

  function next(): void {
    const [key] = waiting.values();
    if (key !== undefined) void turnOf(key);
  }

  async function turnOf(key: Key): Promise<void> {
    waiting.delete(key.hash);
    working = key;
    const isDone = await key.jobs[0]!();
    working = null;
    if (isDone) key.jobs.shift();
    if (isDone) count -= 1;
    // Behind those who came meanwhile.
    if (key.jobs.length > 0) waiting.set(key.hash, key);
    goOn(key);
  }

  /** A batch that came while another key's was written does not wait for the pause as well: two keys have a turn between two pauses. */
  function goOn(done: Key): void {
    const [following] = waiting.values();
    isSecond = !isSecond && following !== undefined && following !== done;
    if (isSecond) return next();
    isPausing = true;
    after(pauseMs, () => {
      isPausing = false;
      next();
    });
  }

  return {
    take<T>(keyHash: string, job: AsyncGenerator<void, T>): Promise<T> | null {
      const key = (working?.hash === keyHash ? working : waiting.get(keyHash)) ?? { hash: keyHash, jobs: [] };
      if (key.jobs.length >= jobsMax - count) return null;
      count += 1;
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      key.jobs.push(() => job.next().then(({ done, value }) => {
        if (done === true) resolve(value);
        return done === true;
      }, (error: unknown) => {
        reject(error);
        return true;
      }));
      if (key !== working) waiting.set(keyHash, key);
      if (working === null && !isPausing) next();
      return promise;
    },
  };
}
