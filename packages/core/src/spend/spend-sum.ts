/**
 * Calls that ended → the running sums of one subject, an organization or a key, in the five windows (rules: Spend across nodes; rule 5a).
 * A call belongs to the windows that hold its start. A sum moves on to a later window with the first call in it that costs something, and
 * never moves back, so a clock that steps back loses nothing. A call of a window that is over adds nothing to it; its record still has the
 * cost. Sums are changed in place, so that settling a call allocates nothing but its figures. They saturate, and never wrap.
 */
import { nanoDollars, type NanoDollars } from '../money.ts';
import { calendarWindows, windowAt, type CalendarWindow, type WindowBounds } from './window.ts';

/** What was spent in one window: the one that holds the latest call or, before the first, the moment the sum was made. */
export interface WindowSum {
  readonly window: CalendarWindow;
  startMs: number;
  /** Excluded; null: never. */
  endMs: number | null;
  spent: NanoDollars;
}

/** A sum for each window. Plain values: it may be copied between threads. */
export type WindowSums = { readonly [W in CalendarWindow]: WindowSum };

const nothing = nanoDollars(0n);

/** Sums of the windows that hold `nowMs`, with nothing spent. */
export function emptySums(nowMs: number): WindowSums {
  return ofEach((window) => ({ window, ...windowAt(window, nowMs), spent: nothing }));
}

/** A copy: computing the windows again takes longer. */
export function copiedSums(sums: WindowSums): WindowSums {
  return ofEach((window) => ({ ...sums[window] }));
}

function ofEach(sumOf: (window: CalendarWindow) => WindowSum): WindowSums {
  return Object.fromEntries(calendarWindows.map((window) => [window, sumOf(window)])) as unknown as WindowSums;
}

/** Adds a call that ended. `cost` null: not known. */
export function addCall(sums: WindowSums, startedAtMs: number, cost: NanoDollars | null): void {
  if (cost === null || cost === nothing) return;
  for (const window of calendarWindows) addTo(sums[window], startedAtMs, cost);
}

/**
 * Sets what the store knows about a window plus the node's own spend. It moves on to that window if it is a later one, never back,
 * and not before it begins, since the window in force would be lost.
 */
export function showSpent(
  sum: WindowSum, { startMs, endMs }: WindowBounds, { spent, nowMs }: { readonly spent: NanoDollars; readonly nowMs: number },
): void {
  if (startMs < sum.startMs || startMs > nowMs) return;
  sum.startMs = startMs;
  sum.endMs = endMs;
  sum.spent = spent;
}

/** What was spent in the window that holds `nowMs`: 0 if the held window is over. */
export function spentAt(sum: WindowSum, nowMs: number): NanoDollars {
  return isOver(sum, nowMs) ? nothing : sum.spent;
}

/** When the window in force at `nowMs` ends; null: never. If the clock stepped back, the held window is in force. */
export function resetsAtMs(sum: WindowSum, nowMs: number): number | null {
  return isOver(sum, nowMs) ? windowAt(sum.window, nowMs).endMs : sum.endMs;
}

function isOver({ endMs }: WindowSum, nowMs: number): boolean {
  return endMs !== null && nowMs >= endMs;
}

function addTo(sum: WindowSum, startedAtMs: number, spent: NanoDollars): void {
  if (startedAtMs < sum.startMs) return;
  if (isOver(sum, startedAtMs)) {
    const { startMs, endMs } = windowAt(sum.window, startedAtMs);
    sum.startMs = startMs;
    sum.endMs = endMs;
    sum.spent = nothing;
  }
  sum.spent = nanoDollars(sum.spent + spent);
}
