/**
 * Tells a gateway thread what settlements add to what was spent, on the embedded store: there the node's own sums are what it decides by, and a
 * settlement may come from elsewhere. Each is told once, before any answer that holds it.
 */
import type { Settlements } from '../calls/settling/settlements.ts';
import type { FromStore } from './protocol.ts';

export interface SettledNews {
  /** Tells what came since the last look, and returns `told`. Looks take turns. Rejects if the store fails. */
  look(): Promise<number>;
  /** Grows with each time that something was told: what was read meanwhile may hold it or not. */
  readonly told: number;
}

/** Of a shared store, whose nodes ask it again and again what was spent. */
export const noSettledNews: SettledNews = Object.freeze({ look: () => Promise.resolve(0), told: 0 });

/** `from`: the number of the latest settlement that the node needs not be told of. */
export function createSettledNews(settlements: Settlements, post: (message: FromStore) => void, from: number): SettledNews {
  let through = from;
  let told = 0;
  let last: Promise<unknown> = Promise.resolve();
  const look = async (): Promise<number> => {
    for (;;) {
      const found = await settlements.after(through);
      if (found.settled.length === 0) return told;
      ({ through } = found);
      told += 1;
      post({ kind: 'settled', settled: found.settled });
    }
  };
  return {
    look() {
      const next = last.then(look);
      last = next.catch(() => {});
      return next;
    },
    get told() { return told; },
  };
}
