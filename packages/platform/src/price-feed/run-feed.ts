/** Runs the price feed in a platform: looks every minute whether it is time to ask, and never two times at once. */
import { showListInForce } from '../use-cases/price-import.ts';
import { createPriceFeed, type PriceFeed, type PriceFeedOptions } from './feed-work.ts';

const lookMs = 60_000;

/** For `/metrics`. */
export interface PriceFigures {
  /** Age of the list in force, by its date. */
  readonly listAgeMs: number;
  /** For how long the feed has given no usable list; 0: it does. */
  readonly feedFailingMs: number;
}

export interface RunningPriceFeed extends Pick<PriceFeed, 'end'> {
  figures(): Promise<PriceFigures>;
}

/** `failed`: asking failed by itself, such as a store that is away; the next look tries again. */
export function runPriceFeed(options: PriceFeedOptions, failed: (fault: unknown) => void): RunningPriceFeed {
  const feed = createPriceFeed(options);
  const look = (): void => void feed.pass().catch(failed);
  const looking = setInterval(look, lookMs);
  look();
  return {
    async figures() {
      const { date } = await showListInForce({ store: options.store });
      const nowMs = options.clock();
      return { listAgeMs: Math.max(0, nowMs - Date.parse(date)), feedFailingMs: Math.max(0, nowMs - (feed.failingSinceMs() ?? nowMs)) };
    },
    end() {
      clearInterval(looking);
      return feed.end();
    },
  };
}
