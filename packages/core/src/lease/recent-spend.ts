/**
 * Costs as they come → what was spent in about the latest ten seconds: two halves of five, the older one dropped whole.
 */
import { nanoDollars, type NanoDollars } from '../money.ts';

/** Changed in place. */
export interface RecentSpend {
  sinceMs: number;
  current: NanoDollars;
  before: NanoDollars;
}

const halfMs = 5_000;
const nothing = nanoDollars(0n);

export function noSpend(): RecentSpend {
  return { sinceMs: -Infinity, current: nothing, before: nothing };
}

/** `nowMs` on a clock that never steps back. */
export function addRecent(recent: RecentSpend, cost: NanoDollars, nowMs: number): void {
  turn(recent, nowMs);
  recent.current = nanoDollars(recent.current + cost);
}

export function recentAt(recent: RecentSpend, nowMs: number): NanoDollars {
  turn(recent, nowMs);
  return nanoDollars(recent.current + recent.before);
}

function turn(recent: RecentSpend, nowMs: number): void {
  const passedMs = nowMs - recent.sinceMs;
  if (passedMs < halfMs) return;
  recent.before = passedMs < 2 * halfMs ? recent.current : nothing;
  recent.current = nothing;
  recent.sinceMs = nowMs;
}
