/**
 * Places at a shared store, each for as long as one piece of work holds a connection of the platform's eight. Whoever asks for much would otherwise
 * hold all of them, and leave none for anybody else. Work waits here, without a connection; a place goes to whoever has the fewest, and of several to
 * the one whose last was longest ago. Rule 8a.
 */

interface SharedPlaceBounds {
  /** Places of one who asks, and of all together. */
  readonly ofOne: number;
  readonly ofAll: number;
  /** The most work waiting or under way, of all. One may have as much as remains for others. One more finds none. */
  readonly jobsMax: number;
}

export interface SharedPlaces {
  /** Runs `work` once there is a place for it. Null: too much waits. */
  take<T>(asker: string, work: () => Promise<T>): Promise<T> | null;
}

interface Asker {
  /** What waits, in order of arrival. Never rejects. */
  readonly waiting: (() => Promise<void>)[];
  underWay: number;
}

export function createSharedPlaces({ ofOne, ofAll, jobsMax }: SharedPlaceBounds): SharedPlaces {
  /** Who has work here; the one that got a place last is at the end. */
  const askers = new Map<string, Asker>();
  let jobs = 0;
  let underWay = 0;

  function next(): void {
    while (underWay < ofAll) {
      const found = foremost(askers, ofOne);
      if (found === null) return;
      void run(...found);
    }
  }

  async function run(name: string, asker: Asker): Promise<void> {
    const work = asker.waiting.shift()!;
    askers.delete(name);
    askers.set(name, asker);
    asker.underWay += 1;
    underWay += 1;
    await work();
    asker.underWay -= 1;
    underWay -= 1;
    jobs -= 1;
    if (asker.underWay === 0 && asker.waiting.length === 0) askers.delete(name);
    next();
  }

  return {
    take<T>(name: string, work: () => Promise<T>): Promise<T> | null {
      const asker = askers.get(name) ?? { waiting: [], underWay: 0 };
      if (asker.waiting.length + asker.underWay >= jobsMax - jobs) return null;
      askers.set(name, asker);
      jobs += 1;
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      asker.waiting.push(async () => {
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
function foremost(askers: ReadonlyMap<string, Asker>, ofOne: number): readonly [name: string, asker: Asker] | null {
  let first: readonly [string, Asker] | null = null;
  for (const [name, asker] of askers) {
    if (asker.waiting.length === 0 || asker.underWay >= ofOne) continue;
    if (first === null || asker.underWay < first[1].underWay) first = [name, asker];
  }
  return first;
}
