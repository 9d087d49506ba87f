/**
 * The embedded store has one writer at a time. So tap batches are stored in turns, each one transaction of about two milliseconds
 * (`store/src/tap/keep-batch.ts`), with rests between them in which others write: the store thread, whom a call may be waiting for, and everybody
 * else on the platform. Rule 8a; decision 0069.
 *
 * A turn has a weight: the milliseconds of rest that are owed after it. A large turn waits until nearly all is paid; a small one may run while
 * the rest after a large one is being paid. Of the waiting keys, the one whose turns weighed the least so far goes next. So a flood
 * waits for the rests that it causes, and an occasional batch waits for one turn at most.
 */

/** The least and the most that a turn owes. The most is longer than any writer waits before it tries the lock again (`engine/sqlite-turns.ts`). */
const turnWeightMin = 1;
export const turnWeightMax = 6;
/** The most that may be owed once a turn is over. */
const owedMax = turnWeightMax + turnWeightMin;
/** The most batches waiting or under way, of all keys. One key may have as many as remain for others. One more must be sent again. */
const jobsMax = 256;

/** What the next turn of a job waits for; must not reject. Others take turns meanwhile. */
interface Yielded {
  readonly until: Promise<void> | null;
}

/** One turn at each step. */
export type TapJob<T> = AsyncGenerator<Yielded, T>;

export interface TapTurns {
  /**
   * Runs `job` to its next yield, or its end, whenever it is its turn. `weight`: that of each of its turns, milliseconds of rest, limited
   * to 1 to 6. Null: too many wait.
   */
  take<T>(keyHash: string, weight: number, job: TapJob<T>): Promise<T> | null;
}

/** The clock and timer of the turns; tests pass their own. */
interface TapTurnsTiming {
  readonly monotonicMs: () => number;
  /** Runs a task once after a time. If that is 0, whatever has already arrived on this thread goes first. */
  readonly after: (delayMs: number, task: () => void) => unknown;
}

export function createTapTurns(by: TapTurnsTiming = byThisThread): TapTurns {
  return new Turns(by);
}

const byThisThread: TapTurnsTiming = {
  monotonicMs: () => performance.now(),
  after: (delayMs, task) => delayMs > 0 ? setTimeout(task, delayMs) : setImmediate(task),
};

interface Job {
  readonly weight: number;
  /** Runs one turn. Never rejects. */
  readonly runTurn: () => Promise<'done' | Yielded>;
}

interface Key {
  /** In order of arrival; the first is worked on until it is done. */
  readonly jobs: Job[];
  /** The weight of its turns, counted from where the others stood when it came. */
  stand: number;
}

class Turns implements TapTurns {
  readonly #by: TapTurnsTiming;
  readonly #keys = new Map<string, Key>();
  /** Keys that may have a turn, in order of arrival. */
  readonly #waiting = new Set<Key>();
  /** The standing of the key that had the last turn. */
  #stand = 0;
  /** What is owed, and since when it is being paid; nothing is paid during a turn. */
  #owed = 0;
  #sinceMs = 0;
  #isWorking = false;
  /** Set after a turn, until what arrived in the meantime has been processed. */
  #isBetween = false;
  /** When the next of those waiting may have its turn; a newcomer may not need to wait. */
  #wakesMs = Number.POSITIVE_INFINITY;
  #jobs = 0;

  constructor(by: TapTurnsTiming) {
    this.#by = by;
  }

  take<T>(keyHash: string, weight: number, job: TapJob<T>): Promise<T> | null {
    const key = this.#keyOf(keyHash);
    if (key.jobs.length >= jobsMax - this.#jobs) return null;
    this.#jobs += 1;
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const runTurn: Job['runTurn'] = async () => {
      try {
        const step = await job.next();
        if (step.done !== true) return step.value;
        resolve(step.value);
      } catch (error) {
        reject(error);
      }
      return 'done';
    };
    key.jobs.push({ weight: Math.min(turnWeightMax, Math.max(turnWeightMin, weight)), runTurn });
    if (key.jobs.length === 1) this.#waiting.add(key);
    this.#next();
    return promise;
  }

  #keyOf(hash: string): Key {
    // Once everything is paid and nobody waits, no key needs to be remembered.
    if (this.#jobs === 0 && this.#stillOwed() === 0) this.#keys.clear();
    let key = this.#keys.get(hash);
    if (key === undefined) this.#keys.set(hash, key = { jobs: [], stand: 0 });
    if (key.jobs.length === 0) key.stand = Math.max(key.stand, this.#stand);
    return key;
  }

  #stillOwed(): number {
    return Math.max(0, this.#owed - (this.#by.monotonicMs() - this.#sinceMs));
  }

  /** Of several with the same standing, the one that came first. */
  #foremost(): Key | null {
    let first: Key | null = null;
    for (const key of this.#waiting) if (first === null || key.stand < first.stand) first = key;
    return first;
  }

  readonly #next = (): void => {
    if (this.#isWorking || this.#isBetween) return;
    const key = this.#foremost();
    if (key === null) return;
    const waitMs = this.#stillOwed() + key.jobs[0]!.weight - owedMax;
    if (waitMs <= 0) void this.#turnOf(key, key.jobs[0]!);
    else this.#wakeIn(waitMs);
  };

  #wakeIn(waitMs: number): void {
    const atMs = this.#by.monotonicMs() + waitMs;
    if (atMs >= this.#wakesMs) return;
    this.#wakesMs = atMs;
    this.#by.after(waitMs, () => {
      if (this.#wakesMs === atMs) this.#wakesMs = Number.POSITIVE_INFINITY;
      this.#next();
    });
  }

  async #turnOf(key: Key, job: Job): Promise<void> {
    this.#owed = this.#stillOwed();
    this.#isWorking = true;
    this.#stand = key.stand;
    this.#waiting.delete(key);
    const left = await job.runTurn();
    this.#isWorking = false;
    this.#owed += job.weight;
    this.#sinceMs = this.#by.monotonicMs();
    key.stand += job.weight;
    if (left === 'done') {
      key.jobs.shift();
      this.#jobs -= 1;
    }
    if (left !== 'done' && left.until !== null) void left.until.then(() => this.#comeBack(key));
    else if (key.jobs.length > 0) this.#waiting.add(key);
    this.#isBetween = true;
    this.#by.after(0, () => {
      this.#isBetween = false;
      this.#next();
    });
  }

  #comeBack(key: Key): void {
    this.#waiting.add(key);
    this.#next();
  }
}
