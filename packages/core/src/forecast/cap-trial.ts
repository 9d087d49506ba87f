/**
 * What a cap would have refused, had it been armed: calls in the order of their starts, each spending at once, a refused one spending
 * nothing. Design 5, `cap try`. A run-ahead of calls in flight is not modelled: an armed cap lets those end.
 */
import { nanoDollars, type NanoDollars } from '../money.ts';
import { windowAt, type CalendarWindow } from '../spend/window.ts';

/** What of a call counts. Calls come in the order of their starts. */
export interface TriedCall {
  readonly startedAtMs: number;
  /** Null: nobody knows it; it spends nothing. */
  readonly cost: NanoDollars | null;
}

/** One window in which something would have been refused. */
export interface TriedWindow {
  readonly startMs: number;
  /** Start of the call that brought spend to the limit; of the first refused one, where the limit is 0. */
  readonly reachedAtMs: number;
  readonly refusedCalls: number;
  readonly refusedCost: NanoDollars;
}

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
    if (Number.isNaN(this.#startMs) || (this.#endMs !== null && startedAtMs >= this.#endMs)) this.#enter(startedAtMs);
    if (this.#spent >= this.#limit) {
      this.#refuse(startedAtMs, cost ?? nanoDollars(0n));
      return;
    }
    if (cost === null) return;
    this.#spent = nanoDollars(this.#spent + cost);
    if (this.#spent >= this.#limit) this.#reachedAtMs = startedAtMs;
  }

  /** Windows with refusals, oldest first. */
  windows(): readonly TriedWindow[] {
    return this.#windows;
  }

  #enter(startedAtMs: number): void {
    ({ startMs: this.#startMs, endMs: this.#endMs } = windowAt(this.#window, startedAtMs));
    this.#spent = nanoDollars(0n);
    this.#reachedAtMs = null;
    this.#listed = false;
  }

  #refuse(startedAtMs: number, cost: NanoDollars): void {
    if (!this.#listed) {
      this.#windows.push({
        startMs: this.#startMs, reachedAtMs: this.#reachedAtMs ?? startedAtMs, refusedCalls: 0, refusedCost: nanoDollars(0n),
      });
      this.#listed = true;
    }
    const window = this.#windows.at(-1)!;
    window.refusedCalls += 1;
    window.refusedCost = nanoDollars(window.refusedCost + cost);
  }
}
