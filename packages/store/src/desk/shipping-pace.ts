/**
 * How soon after something was closed the journal is shipped. A batch costs a millisecond or more before its first row, and a row costs less the
 * more of them change the same sums. So where rows come fast, a look comes later and finds more.
 */
import type { Engine } from '../engine/engine.ts';

/** How long something that was closed waits at most. */
export const journalPauseMs = 200;
/** How long it waits where few rows come. */
const nudgePauseMs = { sqlite: 50, postgres: 20 };
/** From this pace on a look waits as long as it may. */
const manyRowsASecond = 50;

export class ShippingPace {
  readonly #engine: Engine['kind'];
  readonly #nowMs: () => number;
  #lookedMs: number;
  #aSecond = 0;
  /** What the last pass took. */
  #tookMs = 0;

  /** `nowMs`: milliseconds, never steps back. */
  constructor(engine: Engine['kind'], nowMs: () => number) {
    this.#engine = engine;
    this.#nowMs = nowMs;
    this.#lookedMs = nowMs();
  }

  /** A pass found so many rows, and took so long to ship them. */
  found(rows: number, tookMs: number): void {
    const atMs = this.#nowMs();
    this.#aSecond = rows / Math.max(1, atMs - this.#lookedMs) * 1_000;
    this.#lookedMs = atMs;
    this.#tookMs = tookMs;
  }

  /**
   * Until the next look, if something was closed. A shared server that takes long, because it is busy or because other nodes ship to it, is left
   * alone for as long, but no longer than between two looks: what waits meanwhile costs it less.
   */
  get pauseMs(): number {
    if (this.#aSecond >= manyRowsASecond) return journalPauseMs;
    return this.#engine === 'sqlite' ? nudgePauseMs.sqlite : Math.min(journalPauseMs, Math.max(nudgePauseMs.postgres, this.#tookMs));
  }
}
