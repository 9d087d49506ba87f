/**
 * Which calls a cap would have refused: replays calls in the order of their starts. Each spends its cost at once; a refused one spends
 * nothing. Rules: `cap try`. Overlapping calls are not modelled, though a real cap would let those in flight finish.
 */
import { nanoDollars, type NanoDollars } from '../money.ts';
import { windowAt, type CalendarWindow } from './window.ts';

/** What of a call counts. Calls come in the order of their starts. */
interface TriedCall {
  readonly startedAtMs: number;
  /** Null: unknown; the call spends nothing. */
  readonly cost: NanoDollars | null;
}

/** Calls of one day that come next, together. */
export interface TriedCalls {
  /** Any instant of their day, which is not before it begins to count. */
  readonly atMs: number;
  readonly calls: number;
  /** The cost of those calls whose cost is known. */
  readonly cost: NanoDollars;
}

/** One window in which something would have been refused. */
interface TriedWindow {
  readonly startMs: number;
  /** Start of the call that brought spend to the limit; of the first refused one, where the limit is 0. */
  readonly reachedAtMs: number;
  readonly refusedCalls: number;
  readonly refusedCost: NanoDollars;
}

/** Is given calls in the order of their starts, and counts what the cap would have refused. */
export class CapTrial {
  readonly #window: CalendarWindow;
  readonly #limit: NanoDollars;
  readonly #windows: { startMs: number; reachedAtMs: number; refusedCalls: number; refusedCost: NanoDollars }[] = [];
  #startMs = Number.NaN;
  #endMs: number | null = null;
  #spent = nanoDollars(0n);
  #reachedAtMs: number | null = null;
  #listed = false;

  constructor(window: CalendarWindow, limit: NanoDollars) {
    this.#window = window;
    this.#limit = limit;
  }

  take({ startedAtMs, cost }: TriedCall): void {
    this.#enter(startedAtMs);
    if (this.#spent >= this.#limit) {
      this.#refuse({ atMs: startedAtMs, calls: 1, cost: cost ?? nanoDollars(0n) });
      return;
    }
    if (cost === null) return;
    this.#spent = nanoDollars(this.#spent + cost);
    if (this.#spent >= this.#limit) this.#reachedAtMs = startedAtMs;
  }

  /**
   * The same for many at once, where all of them fit or all are refused. False: the limit is reached among them, so nothing was taken;
   * they are to be taken one by one until `reached`, and the rest together.
   */
  takeTogether(these: TriedCalls): boolean {
    if (these.calls <= 0) return true;
    this.#enter(these.atMs);
    if (this.reached) this.#refuse(these);
    else if (this.#spent + these.cost >= this.#limit) return false;
    else this.#spent = nanoDollars(this.#spent + these.cost);
    return true;
  }

  /** Whether the limit is reached in the window of what was taken last, and it is known when: all that comes in it is refused. */
  get reached(): boolean {
    return this.#spent >= this.#limit && (this.#listed || this.#reachedAtMs !== null);
  }

  /** Windows with refusals, oldest first. */
  windows(): readonly TriedWindow[] {
    return this.#windows;
  }

  #enter(atMs: number): void {
    if (!Number.isNaN(this.#startMs) && (this.#endMs === null || atMs < this.#endMs)) return;
    ({ startMs: this.#startMs, endMs: this.#endMs } = windowAt(this.#window, atMs));
    this.#spent = nanoDollars(0n);
    this.#reachedAtMs = null;
    this.#listed = false;
  }

  #refuse({ atMs, calls, cost }: TriedCalls): void {
    if (!this.#listed) {
      this.#windows.push({
        startMs: this.#startMs, reachedAtMs: this.#reachedAtMs ?? atMs, refusedCalls: 0, refusedCost: nanoDollars(0n),
      });
      this.#listed = true;
    }
    const window = this.#windows.at(-1)!;
    window.refusedCalls += calls;
    window.refusedCost = nanoDollars(window.refusedCost + cost);
  }
}
