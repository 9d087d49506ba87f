/** Both sides' sums of a day over all models and items: they decide whether somebody calls the provider without the gateway. */
import type { NanoDollars } from '../../money.ts';
import { billCountsTogether, type Counts } from './bill.ts';
import { comparedKinds, verdictOf, type Pair, type Verdict } from './compared-line.ts';
import { addSum, emptySum, type OurSum } from './our-sums.ts';

export interface DaySum {
  readonly day: string;
  /** Of models; of items only their fees. */
  readonly ours: OurSum;
  readonly theirCounts: Counts;
  /** Null: the bill has no amounts on this day. */
  readonly theirCost: NanoDollars | null;
  readonly theirLines: number;
  readonly theirRows: number;
  /** Lines whose names are not known. */
  readonly notMatched: number;
  readonly verdict: Verdict;
}

/** Which figures the bill has. */
interface DayRules {
  /** Null: costs are not compared. */
  readonly places: number | null;
  /** It has no counts: what it has no line of, it says to have cost nothing. */
  readonly costsOnly: boolean;
}

/** By day. `tolerance`: of one row of the bill, in nano-dollars. */
export function daySums(pairs: readonly Pair[], tolerance: (rows: number) => bigint, rules: DayRules): Map<string, DaySum> {
  const days = new Map<string, Omit<DaySum, 'verdict'>>();
  for (const { day, item, ours, theirs, matched } of pairs) {
    const known = days.get(day) ?? {
      day, ours: emptySum({ day, model: null, item: null, requestId: null }), theirCounts: {}, theirCost: null, theirLines: 0, theirRows: 0,
        notMatched: 0,
    };
    if (ours !== null) {
      if (item === null) addSum(known.ours, ours);
      else known.ours.cost += ours.cost;
    }
    days.set(day, theirs === null ? known : {
      ...known, theirCounts: item === null ? billCountsTogether(known.theirCounts, theirs.counts) : known.theirCounts,
      theirCost: theirs.cost === null ? known.theirCost : ((known.theirCost ?? 0n) as bigint + theirs.cost) as NanoDollars,
      theirLines: known.theirLines + 1, theirRows: known.theirRows + theirs.rows, notMatched: known.notMatched + (matched || (item !== null
        && item !== 'other') ? 0 : 1),
    });
  }
  return new Map([...days].map(([day, sum]) => [day, { ...sum, verdict: verdictOfDay(sum, tolerance(sum.theirRows), rules) }]));
}

function verdictOfDay(sum: Omit<DaySum, 'verdict'>, tolerance: bigint, { places, costsOnly }: DayRules): Verdict {
  const { ours, theirCounts, theirCost, theirLines } = sum;
  const none = ours.counts.calls === 0 && ours.cost === 0n;
  if (theirLines === 0) return none || (costsOnly && ours.cost <= tolerance) ? 'equal' : 'ours_only';
  if (none) return 'theirs_only';
  const cost = places === null ? null : ours.cost - (theirCost ?? 0n);
  return verdictOf(comparedKinds({ ours, theirs: { counts: theirCounts, cost: null, rows: 0, name: null } }), cost, tolerance);
}

/** The total of their tokens, each counted once, whether or not input contains cached and written tokens. */
function tokensOf(counts: Counts, cachedInInput: boolean): number {
  const { inputTokens = 0, outputTokens = 0, cachedTokens = 0, cacheWriteTokens = 0 } = counts;
  return inputTokens + outputTokens + (cachedInInput ? 0 : cachedTokens + cacheWriteTokens);
}

/**
 * Whether the bill proves calls past the gateway. By calls, where it counts them: more than were forwarded, of the model and of the whole day,
 * even if all that could not be measured was billed. By tokens: only if nothing went unmeasured that day. By cost alone: only for a model of
 * which there is no call here, since the same calls may have another price.
 */
export function provesCallsPast(pair: Pair, day: DaySum, { cachedInInput,
  tolerance }: { readonly cachedInInput: boolean; readonly tolerance: bigint }): boolean {
  const { ours, theirs, item, matched } = pair;
  if (theirs === null || item !== null || !matched) return false;
  const { counts, cost } = theirs;
  // A batch is one record in the store, and on the bill as many calls as it has requests.
  if (counts.calls !== undefined && day.theirCounts.calls !== undefined && day.ours.settlements === 0) {
    return counts.calls > (ours?.counts.calls ?? 0) + (ours?.unknown ?? 0) && day.theirCounts.calls > day.ours.counts.calls + day.ours.unknown;
  }
  if (day.ours.unknown > 0 || day.notMatched > 0) return false;
  if (counts.inputTokens !== undefined || counts.outputTokens !== undefined) {
    const own = { ...ours?.counts };
    return tokensOf(counts, cachedInInput) > tokensOf(own, cachedInInput)
      && tokensOf(day.theirCounts, cachedInInput) > tokensOf(day.ours.counts, cachedInInput);
  }
  if (cost === null || (ours !== null && ours.counts.calls > 0) || day.ours.gaps > 0 || day.ours.unpriced > 0) return false;
  return cost > tolerance && ((day.theirCost ?? 0n) as bigint) - day.ours.cost > tolerance;
}
