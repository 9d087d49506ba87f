/**
 * On the embedded store a batch of events is a write of some twenty milliseconds, and there is one writer at a time. So batches are stored one
 * after the other, their keys in turn, with a pause after each in which others write: the store thread, whom a call may be waiting for, and
 * everybody else on the platform. Design 3, row 8a.
 */

/** Longer than any writer waits before it tries the lock again (`engine/node-sqlite.ts`). Milliseconds. */
const pauseMs = 8;
/** Batches that wait at once, of all keys. A further one is told to come again. */
const waitingMax = 256;

export interface TapTurns {
  /** Runs `work` when it is its turn. Null: too many wait. */
  take<T>(keyHash: string, work: () => Promise<T>): Promise<T> | null;
}

/** `after` runs a task once after a time. */
export function createTapTurns(after: (delayMs: number, task: () => void) => unknown): TapTurns {
  /** The next key first. */
  const waiting = new Map<string, (() => Promise<void>)[]>();
  let count = 0;
  let busy = false;

  function next(): void {
    const first = waiting.entries().next().value;
    busy = first !== undefined;
    if (first === undefined) return;
    const [keyHash, works] = first;
    waiting.delete(keyHash);
    const work = works.shift()!;
    if (works.length > 0) waiting.set(keyHash, works);
    count -= 1;
    void work().finally(() => after(pauseMs, next));
  }

  return {
    take<T>(keyHash: string, work: () => Promise<T>): Promise<T> | null {
      if (count >= waitingMax) return null;
      count += 1;
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      const turn = (): Promise<void> => work().then(resolve, reject);
      const own = waiting.get(keyHash);
      if (own === undefined) waiting.set(keyHash, [turn]);
      else own.push(turn);
      if (!busy) next();
      return promise;
    },
  };
}
