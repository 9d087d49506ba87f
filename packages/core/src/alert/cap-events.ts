/**
 * A cap's spend and the events already sent for it → the events to send now. Each threshold is sent once a window. `reached` is sent once,
 * until a higher limit puts spend below it again. `reset` is sent when the next window begins after one that was reached.
 */
import type { NanoDollars } from '../money.ts';

/** The events already sent for a cap in the window that began at `windowStartMs`. */
export interface SentEvents {
  readonly windowStartMs: number;
  readonly reached: boolean;
  /** Percent, in no order. */
  readonly thresholds: readonly number[];
}

interface CapMoment {
  readonly windowStartMs: number;
  readonly spent: NanoDollars;
  readonly limit: NanoDollars;
  /** The thresholds, in percent; empty: none. */
  readonly thresholds: readonly number[];
}

export type CapEvent =
  | { readonly type: 'cap.reset' }
  | { readonly type: 'cap.threshold'; readonly threshold: number }
  | { readonly type: 'cap.reached' };

/** `sent`: null if nothing was sent yet. The events in order, and what has been sent after them. */
export function capEvents(sent: SentEvents | null, moment: CapMoment): { readonly events: readonly CapEvent[]; readonly sent: SentEvents } {
  const { windowStartMs, spent, limit } = moment;
  const same = sent !== null && sent.windowStartMs === windowStartMs;
  const before = same ? sent : { windowStartMs, reached: false, thresholds: [] };
  const passed = moment.thresholds.filter((percent) => spent > 0n && spent * 100n >= limit * BigInt(percent)).toSorted((a, b) => a - b);
  const fresh = passed.filter((percent) => !before.thresholds.includes(percent));
  const reached = spent >= limit;
  return {
    events: [
      ...(sent !== null && !same && sent.reached ? [{ type: 'cap.reset' } as const] : []),
      ...fresh.map((threshold) => ({ type: 'cap.threshold', threshold } as const)),
      ...(reached && !before.reached ? [{ type: 'cap.reached' } as const] : []),
    ],
    sent: { windowStartMs, reached, thresholds: [...before.thresholds, ...fresh] },
  };
}
