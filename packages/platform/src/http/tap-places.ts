/**
 * A shared store takes several tap batches at once, each on a connection of the platform's eight. Batches of one key wait for each other there,
 * by the lock on their Baseline, and would hold a connection while they wait: a key that floods, or whose Baseline is locked for long, would
 * leave none for anybody else. So a key has two places at once, and all keys together half of the connections. A batch waits here, without
 * a connection; a place goes to the key with the fewest, and of several to the one whose last was longest ago. Rule 8a.
 */

const placesOfKey = 2;
const placesOfAll = 4;
/** The most batches waiting or under way, of all keys. One key may have as many as remain for others. One more must be sent again. */
const jobsMax = 256;

export interface TapPlaces {
  /** Runs `work` once there is a place for it. Null: too many wait. */
  take<T>(keyHash: string, work: () => Promise<T>): Promise<T> | null;
}

interface Key {
  /** The waiting batches, in order of arrival. Never rejects. */
  readonly waiting: (() => Promise<void>)[];
  underWay: number;
}

export function createTapPlaces(): TapPlaces {
  /** Keys with batches here; the one that got a place last is at the end. */
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

/** Null: nobody who waits may have a place. */
function foremost(keys: ReadonlyMap<string, Key>): readonly [hash: string, key: Key] | null {
  let first: readonly [string, Key] | null = null;
  for (const [hash, key] of keys) {
    if (key.waiting.length === 0 || key.underWay >= placesOfKey) continue;
    if (first === null || key.underWay < first[1].underWay) first = [hash, key];
  }
  return first;
}
