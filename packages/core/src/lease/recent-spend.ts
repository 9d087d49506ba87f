/**
 * What was spent in about the last ten seconds, and the dearest call in it. Kept as two halves of five seconds; the older one is dropped
 * whole.
 */
import { nanoDollars, type NanoDollars } from '../money.ts';

/** Changed in place. */
export interface RecentSpend {
  sinceMs: number;
  current: NanoDollars;
  before: NanoDollars;
  /** Of one call, in each half. */
  dearest: NanoDollars;
  dearestBefore: NanoDollars;
}

const halfMs = 5_000;
const nothing = nanoDollars(0n);

/** Before anything was spent. */
export function noSpend(): RecentSpend {
  return { sinceMs: -Infinity, current: nothing, before: nothing, dearest: nothing, dearestBefore: nothing };
}

/** `nowMs` on a clock that never steps back. */
export function addRecent(recent: RecentSpend, cost: NanoDollars, nowMs: number): void {
  turn(recent, nowMs);
  recent.current = nanoDollars(recent.current + cost);
  if (cost > recent.dearest) recent.dearest = cost;
}

/** What was spent in the last five to ten seconds. */
export function recentAt(recent: RecentSpend, nowMs: number): NanoDollars {
  turn(recent, nowMs);
  return nanoDollars(recent.current + recent.before);
}

/** What the dearest call of that time cost. */
export function dearestAt(recent: RecentSpend, nowMs: number): NanoDollars {
  turn(recent, nowMs);
  return recent.dearest > recent.dearestBefore ? recent.dearest : recent.dearestBefore;
}

function turn(recent: RecentSpend, nowMs: number): void {
  const passedMs = nowMs - recent.sinceMs;
  if (passedMs < halfMs) return;
  const isNext = passedMs < 2 * halfMs;
  recent.before = isNext ? recent.current : nothing;
  recent.dearestBefore = isNext ? recent.dearest : nothing;
  recent.current = nothing;
  recent.dearest = nothing;
  recent.sinceMs = nowMs;
}
