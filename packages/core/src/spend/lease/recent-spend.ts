/**
 * What was spent in about the last ten seconds, and the costliest call in it. Kept as two halves of five seconds; the older one is dropped
 * whole.
 */
import { nanoDollars, type NanoDollars } from '../../money.ts';

/** Changed in place. */
export interface RecentSpend {
  sinceMs: number;
  current: NanoDollars;
  before: NanoDollars;
  /** The costliest call of each half. */
  costliest: NanoDollars;
  costliestBefore: NanoDollars;
}

const halfMs = 5_000;
const nothing = nanoDollars(0n);

/** The state before anything was spent. */
export function noRecentSpend(): RecentSpend {
  return { sinceMs: -Infinity, current: nothing, before: nothing, costliest: nothing, costliestBefore: nothing };
}

/** `nowMs` on a clock that never steps back. */
export function addRecent(recent: RecentSpend, cost: NanoDollars, nowMs: number): void {
  turn(recent, nowMs);
  recent.current = nanoDollars(recent.current + cost);
  if (cost > recent.costliest) recent.costliest = cost;
}

/** What was spent in the last five to ten seconds. */
export function recentAt(recent: RecentSpend, nowMs: number): NanoDollars {
  turn(recent, nowMs);
  return nanoDollars(recent.current + recent.before);
}

/** Cost of the costliest call in that time. */
export function costliestAt(recent: RecentSpend, nowMs: number): NanoDollars {
  turn(recent, nowMs);
  return recent.costliest > recent.costliestBefore ? recent.costliest : recent.costliestBefore;
}

function turn(recent: RecentSpend, nowMs: number): void {
  const passedMs = nowMs - recent.sinceMs;
  if (passedMs < halfMs) return;
  const isNext = passedMs < 2 * halfMs;
  recent.before = isNext ? recent.current : nothing;
  recent.costliestBefore = isNext ? recent.costliest : nothing;
  recent.current = nothing;
  recent.costliest = nothing;
  recent.sinceMs = nowMs;
}
