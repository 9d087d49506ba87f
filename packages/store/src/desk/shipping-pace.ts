/**
 * How soon after something was closed the journal is shipped. A batch costs a millisecond or more before its first row, and a row costs less the
 * more of them change the same sums. So where rows come fast, a look comes later and finds more. On PostgreSQL a batch costs the server as much as
 * some forty of its rows, and each cell gets batches of its own: a node is busy by the rows of all its cells. Decisions 205 and 345.
 */
import type { Engine } from '../engine/engine.ts';

/** How long something that was closed waits where few rows come. */
const soonMs = { sqlite: 50, postgres: 20 };
/** As long as its last batch took a shared store is left alone there, but no longer than this. */
const restMsMax = 200;
/** Where many come. On PostgreSQL it is listed within a second, a batch under way included. */
const busyMs = { sqlite: 200, postgres: 400 };
/** From this pace on, of all cells together, many rows come. */
const manyRowsASecond = 50;
/** On a shared store a pace is the mean over about this time: two calls that end together are no busy node. */
const meanMs = { sqlite: 0, postgres: 500 };

/** The pace of one cell. */
export interface ShippingPace {
  /** A pass found so many rows, and took so long to ship them. */
  found(rows: number, tookMs: number): void;
  /** Until the next look, if something was closed. */
  readonly pauseMs: number;
}

/** Of one node: makes the paces of its cells. `nowMs`: milliseconds, never steps back. */
export function shippingPaces(engine: Engine['kind'], nowMs: () => number): () => ShippingPace {
  const speeds: number[] = [];
  return () => {
    const place = speeds.push(0) - 1;
    let [lookedMs, lastMs] = [nowMs(), 0];
    return {
      found(rows, tookMs) {
        const atMs = nowMs();
        const elapsedMs = Math.max(1, atMs - lookedMs);
        const kept = Math.exp(-elapsedMs / meanMs[engine]);
        speeds[place] = speeds[place]! * kept + rows / elapsedMs * 1_000 * (1 - kept);
        [lookedMs, lastMs] = [atMs, tookMs];
      },
      get pauseMs() {
        const isBusy = speeds.reduce((sum, each) => sum + each, 0) >= manyRowsASecond;
        if (isBusy) return busyMs[engine];
        // A shared server that takes long, because it is busy or because other nodes ship to it, is left alone for as long.
        return engine === 'sqlite' ? soonMs.sqlite : Math.min(restMsMax, Math.max(soonMs.postgres, lastMs));
      },
    };
  };
}
