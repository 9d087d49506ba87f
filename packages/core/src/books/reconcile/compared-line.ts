/** A line of the comparison: both sides, their difference, and what it means. */
import { nanoDollars, type NanoDollars } from '../../money.ts';
import type { BillItem } from './bill-items.ts';
import { countKinds, type CountKind, type Counts } from './bill.ts';
import type { OurSum } from './our-sums.ts';

export const verdicts = ['equal', 'ours_more', 'theirs_more', 'ours_only', 'theirs_only', 'not_matched'] as const;
export type Verdict = (typeof verdicts)[number];

/**
 * `unknown_usage`: our calls whose usage is missing or incomplete. `cost_gaps`: calls whose cost lacks something.
 * `unpriced`: calls or fees without a price. `tools_not_split`: fees of tools are in the cost of calls and cannot be separated from it.
 * `listed_twice`: the bill has a request more than once. `past_the_gateway`: the day's sum proves that somebody calls the provider without it.
 * `other_prices`: the same counts at another cost. `day_equal`: the day's sums are equal, so the bill has it under another name.
 * `lines_not_matched`: the day has lines whose names are not known, which may be these calls. `day_not_over`: more may still come. `day_cut`: the
 * file may have a part of the day only.
 */
export const reasons = [
  'unknown_usage', 'cost_gaps', 'unpriced', 'past_the_gateway', 'other_prices', 'day_not_over', 'tools_not_split', 'listed_twice', 'day_equal',
  'lines_not_matched', 'day_cut',
] as const;
export type Reason = (typeof reasons)[number];

export interface ComparedSums {
  readonly calls: number | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly cost: NanoDollars | null;
}

/** One kind of count on both sides; null: that side says nothing. */
export interface ComparedKind {
  readonly kind: CountKind;
  readonly ours: number | null;
  readonly theirs: number | null;
  /** Ours less theirs. */
  readonly difference: number;
}

/** What the bill has: a line, or several of one name joined. */
export interface TheirSum {
  readonly counts: Counts;
  readonly cost: NanoDollars | null;
  /** How many rows of the file it is of. */
  readonly rows: number;
  /** As the bill names it, where all rows say the same. */
  readonly name: string | null;
}

/** Both sides' sums under one name; at least one of them is there. */
export interface Pair {
  readonly day: string;
  readonly model: string | null;
  readonly item: BillItem | null;
  readonly requestId: string | null;
  readonly matched: boolean;
  readonly ours: OurSum | null;
  readonly theirs: TheirSum | null;
}

export interface ComparedLine {
  readonly day: string;
  /** Null: the bill says none, or it is an item, or its name is not known. */
  readonly model: string | null;
  readonly item: BillItem | null;
  /** As the bill names it; null: it does not, or has no such line. */
  readonly billName: string | null;
  readonly requestId: string | null;
  readonly ours: ComparedSums | null;
  readonly theirs: ComparedSums | null;
  /** Ours less theirs; null if it is not compared. */
  readonly difference: ComparedSums;
  /** Each kind that is compared. */
  readonly kinds: readonly ComparedKind[];
  readonly verdict: Verdict;
  readonly dayVerdict: Verdict;
  readonly reasons: readonly Reason[];
}

/** The counts that our side may lack although the work was done: an answer in other units does not say them. */
const reportedOrNot: ReadonlySet<CountKind> = new Set<CountKind>([
  'imageInputTokens', 'imageOutputTokens', 'seconds', 'characters', 'pages', 'images', 'reasoningTokens',
]);

/** Whole figures on our side; null: nothing is reported there. */
export function ourFigures({ ours }: Pair): ComparedSums | null {
  if (ours === null || ours.counts.calls === 0) return null;
  const { calls, inputTokens, outputTokens } = ours.counts;
  // For an item only its uses are counted, and its fees if they can be separated from the cost of calls.
  if (ours.item !== null) return { calls, inputTokens: null, outputTokens: null, cost: ours.unsplit > 0 ? null : nanoDollars(ours.cost) };
  return { calls, inputTokens, outputTokens, cost: nanoDollars(ours.cost) };
}

export function theirFigures({ theirs }: Pair): ComparedSums | null {
  if (theirs === null) return null;
  const { counts: { calls, inputTokens, outputTokens }, cost } = theirs;
  return { calls: calls ?? null, inputTokens: inputTokens ?? null, outputTokens: outputTokens ?? null, cost };
}

export function differenceOf(ours: ComparedSums | null, theirs: ComparedSums | null): ComparedSums {
  const less = (name: 'calls' | 'inputTokens' | 'outputTokens'): number | null =>
    (theirs !== null && theirs[name] === null) || (ours !== null && ours[name] === null) ? null : (ours?.[name] ?? 0) - (theirs?.[name] ?? 0);
  const cost = (theirs !== null && theirs.cost === null) || (ours !== null && ours.cost === null) ? null
    : (((ours?.cost ?? 0n) as bigint) - ((theirs?.cost ?? 0n) as bigint)) as NanoDollars;
  return { calls: less('calls'), inputTokens: less('inputTokens'), outputTokens: less('outputTokens'), cost };
}

/** The kinds that are compared: those that the bill has, or ours if it has no such line. A batch is one settlement here, and many calls there. */
export function comparedKinds({ ours, theirs }: Pick<Pair, 'ours' | 'theirs'>): ComparedKind[] {
  const item = ours?.item ?? null;
  return countKinds.flatMap((kind): ComparedKind[] => {
    if (item !== null && kind !== 'calls') return [];
    const [own, their] = [ours?.counts[kind] ?? 0, theirs?.counts[kind]];
    if (theirs === null) return own === 0 ? [] : [{ kind, ours: own, theirs: null, difference: own }];
    if (kind === 'calls' && (ours?.settlements ?? 0) > 0 && (their ?? 0) >= own) return [];
    if (their === undefined || (own === 0 && ours !== null && ours.counts.calls > 0 && reportedOrNot.has(kind))) return [];
    return [{ kind, ours: ours === null ? null : own, theirs: their, difference: differenceIn(kind, own, their, ours) }];
  });
}

/** Seconds are rounded for each call. */
function differenceIn(kind: CountKind, ours: number, theirs: number, sum: OurSum | null): number {
  const difference = ours - theirs;
  return kind === 'seconds' && Math.abs(difference) <= (sum?.counts.calls ?? 0) ? 0 : difference;
}

/** Which side has more: by cost if that differs by more than `tolerance`, otherwise by the first kind that differs. */
export function verdictOf(kinds: readonly ComparedKind[], cost: bigint | null, tolerance: bigint): 'equal' | 'ours_more' | 'theirs_more' {
  if (cost !== null && (cost > tolerance || -cost > tolerance)) return cost > 0n ? 'ours_more' : 'theirs_more';
  const first = kinds.find(({ difference }) => difference !== 0)?.difference ?? 0;
  return first === 0 ? 'equal' : first > 0 ? 'ours_more' : 'theirs_more';
}
