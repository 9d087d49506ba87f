/**
 * Sends a gateway thread what is added to what was spent beside its calls, on the embedded store: there the node's own sums are what it decides by,
 * and settlements and corrections may come from elsewhere. Each is sent once, before any answer that holds it.
 */
import type { SpentBesideNews } from '../spend/spent-beside.ts';
import type { FromStore } from './protocol.ts';

export interface SpentNews {
  /** Sends what came since the last look, and returns `told`. Looks take turns. Rejects if the store fails. */
  look(): Promise<number>;
  /** Grows with each time that something was sent: what was read meanwhile may hold it or not. */
  readonly told: number;
}

/** For a shared store, which nodes ask again and again what was spent. */
export const noSpentNews: SpentNews = Object.freeze({ look: () => Promise.resolve(0), told: 0 });

/** What is in the store by now needs not be sent. */
export async function createSpentNews(sources: readonly SpentBesideNews[], post: (message: FromStore) => void): Promise<SpentNews> {
  const read = await Promise.all(sources.map(async (news) => ({ news, through: await news.latest() })));
  let told = 0;
  let last: Promise<unknown> = Promise.resolve();
  const look = async (): Promise<number> => {
    for (const each of read) {
      for (;;) {
        const { spent, through } = await each.news.after(each.through);
        if (spent.length === 0) break;
        each.through = through;
        told += 1;
        post({ kind: 'spent_beside', spent });
      }
    }
    return told;
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
