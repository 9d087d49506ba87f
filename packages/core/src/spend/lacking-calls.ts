/**
 * Calls whose cost is not known, or not all of it: counted beside the money in every sum, cap, run and report (rules 6b, 7 and 8). One table
 * says which calls these are; what counts them loops over it.
 */
import type { CallRecord } from '../record/call-record.ts';

/** The parts of a record that say what its cost lacks. */
export type LackingRecord = Pick<CallRecord, 'usage' | 'costSource' | 'costGaps'> & Partial<Pick<CallRecord, 'settledBy'>>;

/** Every count, and whether a call is in it. A call whose usage came in part may also be in one of the other two. */
export const lackingCounts = {
  /** Its usage is unknown, in full or in part, and was not settled since. */
  unknownCalls: ({ usage, settledBy = null }: LackingRecord): boolean => (usage === 'unknown' || usage === 'partial') && settledBy === null,
  /** Usage came, but has no price. */
  unpricedCalls: ({ costSource }: LackingRecord): boolean => costSource === 'unpriced',
  /** Its cost lacks something that was reported. */
  gapCalls: ({ costGaps }: LackingRecord): boolean => costGaps.length > 0,
} as const;

export type LackingCount = keyof typeof lackingCounts;
export const lackingCountNames = Object.keys(lackingCounts) as readonly LackingCount[];

/** How many calls of a sum lack a part of their cost, by what they lack: the sum holds nothing of them, or not all that they cost. */
export type LackingCalls = { readonly [Name in LackingCount]: number };

export const noLackingCalls: LackingCalls = Object.freeze({ unknownCalls: 0, unpricedCalls: 0, gapCalls: 0 });

/** The counts with one more call. */
export function withLackingCall(calls: LackingCalls, record: LackingRecord): LackingCalls {
  const one = (name: LackingCount): number => (lackingCounts[name](record) ? 1 : 0);
  return {
    unknownCalls: calls.unknownCalls + one('unknownCalls'), unpricedCalls: calls.unpricedCalls + one('unpricedCalls'),
    gapCalls: calls.gapCalls + one('gapCalls'),
  };
}
