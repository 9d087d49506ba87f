/**
 * A shared store takes several tap batches at once, each on a connection of the platform's eight. Batches of one key wait for each other there,
 * by the lock on their Baseline, and would hold a connection while they wait: a key that floods, or whose Baseline is locked for long, would
 * leave none to anybody. So a key has two places at once, and all keys together half of the connections. Who waits does so here, without one;
 * a place goes to the key with the fewest, and of several to the one that had its last longest ago. Rule 8a.
 */

const placesOfKey = 2;
const placesOfAll = 4;
/** Batches that wait or are under way at once, of all keys. Of one key as many as are left for others. A further one must be sent again. */
const jobsMax = 256;

export interface TapPlaces {
  /** Runs `work` once there is a place for it. Null: too many wait. */
  take<T>(keyHash: string, work: () => Promise<T>): Promise<T> | null;
}

interface Key {
  /** What waits, in the order in which it came. Never rejects. */
  readonly waiting: (() => Promise<void>)[];
  underWay: number;
}

export function createTapPlaces(): TapPlaces {
  /** Those that have something here, the one that had a place last at the end. */
  const keys = new Map<string, Key>();
  let jobs = 0;
  let underWay = 0;

  function next(): void {
    while (underWay < placesOfAll) {
      const found = foremost(keys);
      if (found === null) return;
      void run(...found);
    }
  }

  async function run(hash: string, key: Key): Promise<void> {
    const work = key.waiting.shift()!;
    keys.delete(hash);
    keys.set(hash, key);
    key.underWay += 1;
    underWay += 1;
    await work();
    key.underWay -= 1;
    underWay -= 1;
    jobs -= 1;
    if (key.underWay === 0 && key.waiting.length === 0) keys.delete(hash);
    next();
  }

  return {
    take<T>(keyHash: string, work: () => Promise<T>): Promise<T> | null {
      const key = keys.get(keyHash) ?? { waiting: [], underWay: 0 };
      if (key.waiting.length + key.underWay >= jobsMax - jobs) return null;
      keys.set(keyHash, key);
      jobs += 1;
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      key.waiting.push(async () => {
        try {
          resolve(await work());
        } catch (error) {
          reject(error);
        }
      });
      next();
      return promise;
    },
  };
}

/** Null: nobody waits who may have a place. */
function foremost(keys: ReadonlyMap<string, Key>): readonly [hash: string, key: Key] | null {
  let first: readonly [string, Key] | null = null;
  for (const [hash, key] of keys) {
    if (key.waiting.length === 0 || key.underWay >= placesOfKey) continue;
    if (first === null || key.underWay < first[1].underWay) first = [hash, key];
  }
  return first;
}
