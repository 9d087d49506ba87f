/**
 * Which calls of earlier months may not be in the store: those under way, and those that ended since all was shipped. So an ended call whose row
 * still waits in the journal is reported like one that goes on, also after the process has died. Decision 316.
 */
import { earlierCallsTogether, type EarlierCalls } from '@metergate/core/books/month/earlier-calls.ts';

interface Look {
  /** All that it tells was under way at some moment up to this one. */
  readonly atMs: number;
  readonly calls: EarlierCalls;
}

/** While the store is away, older ones are added up. */
const looksMax = 12;

export class UnshippedCalls {
  #looks: Look[] = [];

  /**
   * The calls under way, as they were just before `nowMs`, and what all were at the last look before everything was shipped, `shippedMs`, or later.
   * Both on one clock that never steps back.
   */
  look(calls: EarlierCalls, nowMs: number, shippedMs: number): EarlierCalls {
    this.#looks.push({ atMs: nowMs, calls });
    const needed = this.#looks.findLastIndex(({ atMs }) => atMs <= shippedMs);
    if (needed > 0) this.#looks.splice(0, needed);
    if (this.#looks.length > looksMax) {
      const [first, second, ...rest] = this.#looks as [Look, Look, ...Look[]];
      this.#looks = [{ atMs: first.atMs, calls: earlierCallsTogether([first.calls, second.calls]) }, ...rest];
    }
    return earlierCallsTogether(this.#looks.map((each) => each.calls));
  }
}
