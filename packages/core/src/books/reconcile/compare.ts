/**
 * Our records beside a provider's bill → one line for each day and model, item, or request if the bill lists them, with a verdict and the reasons
 * that can be named. Only calls with reported usage count; figures that the bill lacks are not compared. Rules: `reconcile`.
 */
import { nanoDollars } from '../../money.ts';
import type { PricesAtHand } from '../../price/cost-lines.ts';
import type { PriceBook } from '../../price/price-book.ts';
import type { CallRecord } from '../../record/call-record.ts';
import { wires } from '../../wire/wire.ts';
import { billCountsTogether, type Bill, type BillLine } from './bill.ts';
import { isCounted } from './bill-items.ts';
import {
  comparedKinds, differenceOf, ourFigures, theirFigures, verdictOf, type ComparedLine, type Pair, type Reason, type TheirSum, type Verdict,
} from './compared-line.ts';
import { daySums, provesCallsPast, type DaySum } from './day-sums.ts';
import { OurNames, type Meant } from './our-names.ts';
import { addSum, comparingOf, emptySum, OurSums, type Comparing } from './our-sums.ts';
import { wireOfSeller, type BillSeller } from './read-bill.ts';

export { reasons, verdicts, type ComparedKind, type ComparedLine, type ComparedSums, type Reason, type Verdict } from './compared-line.ts';

/** Collects our records beside the lines of a bill, then compares them. A bill without models is compared by days only. */
export class Reconciliation {
  readonly #bill: Bill;
  readonly #comparing: Comparing;
  readonly #ours: OurSums;
  readonly #cachedInInput: boolean;

  /** `prices`: what tells the fees of tools from the cost of a call; null: nothing does. */
  constructor(seller: BillSeller, bill: Bill, prices: PricesAtHand | null = null) {
    this.#bill = bill;
    this.#comparing = comparingOf(bill);
    this.#ours = new OurSums(bill, this.#comparing, prices);
    this.#cachedInInput = wires[wireOfSeller[seller]].cachedInInput;
  }

  /** `own`: the prices that its record names; null: they are gone, or it names none, and those at hand are asked. */
  take(call: CallRecord, own: PriceBook | null = null): void {
    this.#ours.take(call, own);
  }

  /** By day, then model. Days that end after this instant are not over. */
  lines(nowMs: number): ComparedLine[] {
    const pairs = this.#pairs();
    const open = new Set(this.#bill.days.filter(({ toMs }) => toMs > nowMs).map(({ day }) => day));
    const days = daySums(pairs, (rows) => this.#tolerance(rows), { places: this.#bill.places, costsOnly: this.#costsOnly });
    return pairs.flatMap((pair) => this.#compared(pair, days.get(pair.day)!, open) ?? []).toSorted(inOrder);
  }

  /** It has amounts and no counts. */
  get #costsOnly(): boolean {
    const { places, lines } = this.#bill;
    return places !== null && lines.every(({ counts }) => Object.keys(counts).length === 0);
  }

  /** A bill of costs has no line for what it charges nothing for. */
  #oursAlone({ ours }: Pair): Verdict {
    return this.#costsOnly && ours!.unsplit === 0 && ours!.cost <= this.#tolerance(1) ? 'equal' : 'ours_only';
  }

  /** Half of the last place that the bill shows, for each of its rows if each was rounded, and at least half a micro-dollar. */
  #tolerance(rows: number): bigint {
    const { places, roundedRows } = this.#bill;
    if (places === null) return 0n;
    const half = places >= 9 ? 0n : 5n * 10n ** BigInt(8 - places);
    const whole = roundedRows ? half * BigInt(Math.max(rows, 1)) : half;
    return whole > 500n ? whole : 500n;
  }

  #pairs(): Pair[] {
    const { lines } = this.#bill;
    const models = new Set([...this.#ours.all].flatMap(({ model, item }) => (item === null && model !== null ? [model] : [])));
    const names = new OurNames(lines, models);
    const pairs = new Map<string, Pair>();
    for (const line of lines) {
      const pair = this.#pairOf(line, names);
      const key = keyOf(pair);
      const known = pairs.get(key);
      pairs.set(key, known === undefined ? pair : { ...known, theirs: joined(known.theirs!, pair.theirs!) });
    }
    for (const sum of this.#ours.all) {
      const model = sum.model === null ? null : names.modelOf(sum.model);
      const pair: Pair = { day: sum.day, model, item: sum.item, requestId: sum.requestId, matched: true, ours: sum, theirs: null };
      const key = keyOf(pair);
      const known = pairs.get(key);
      const whole = known?.ours ?? emptySum({ ...sum, model });
      addSum(whole, sum);
      pairs.set(key, { ...(known ?? pair), ours: whole });
    }
    return [...pairs.values()];
  }

  #pairOf({ day, name, item, requestId, counts, cost }: BillLine, names: OurNames): Pair {
    const meant: Meant = item !== null || name === null ? { model: null, item } : names.meantBy(name);
    const matched = meant.item !== null ? isCounted(meant.item) : name === null || meant.model !== null;
    return { day, ...meant, requestId, matched, ours: null, theirs: { counts, cost, rows: 1, name } };
  }

  #compared(pair: Pair, day: DaySum, open: ReadonlySet<string>): ComparedLine | null {
    const [ours, theirs] = [ourFigures(pair), theirFigures(pair)];
    if (ours === null && theirs === null) return null;
    const difference = differenceOf(ours, theirs);
    const kinds = ours === null ? comparedKinds({ ours: null, theirs: pair.theirs }) : comparedKinds(pair);
    const tolerance = this.#tolerance(pair.theirs?.rows ?? 1);
    const compared = comparedBetween(pair, kinds);
    const verdict: Verdict = !pair.matched ? 'not_matched' : ours === null ? 'theirs_only' : theirs === null ? this.#oursAlone(pair)
      : verdictOf(compared, difference.cost, tolerance);
    const line = {
      day: pair.day, model: pair.model, item: pair.item, billName: pair.theirs?.name ?? null, requestId: pair.requestId, ours, theirs, difference,
        kinds,
      verdict, dayVerdict: day.verdict,
    };
    return { ...line, reasons: verdict === 'equal' ? [] : this.#reasons(pair, line, day, open) };
  }

  #reasons(pair: Pair, line: Omit<ComparedLine, 'reasons'>, day: DaySum, open: ReadonlySet<string>): Reason[] {
    const { ours, theirs, item } = pair;
    const { verdict, difference, kinds } = line;
    const comparesCost = difference.cost !== null;
    const twice = pair.requestId !== null && ours !== null && (theirs?.rows ?? 0) > 1;
    const past = !twice && provesCallsPast(pair, day, { cachedInInput: this.#cachedInInput, tolerance: this.#tolerance(theirs?.rows ?? 1) });
    const sameCounts = line.ours !== null && line.theirs !== null && kinds.some(({ kind }) => kind === 'inputTokens')
      && kinds.every((each) => each.difference === 0);
    const found: readonly (readonly [Reason, boolean])[] = [
      ['unknown_usage', (ours?.unknown ?? 0) > 0], ['cost_gaps', (ours?.gaps ?? 0) > 0], ['unpriced', (ours?.unpriced ?? 0) > 0],
      ['past_the_gateway', past], ['other_prices', sameCounts && comparesCost && difference.cost !== 0n], ['day_not_over', open.has(line.day)],
      ['tools_not_split', (comparesCost || item !== null) && this.#bill.places !== null && (ours?.unsplit ?? 0) > 0], ['listed_twice', twice],
      ['day_equal', day.verdict === 'equal' && verdict !== 'not_matched'],
      ['lines_not_matched', day.notMatched > 0 && verdict !== 'not_matched' && verdict !== 'theirs_more'],
      ['day_cut', (verdict === 'ours_more' || verdict === 'ours_only') && this.#bill.cutDays.has(line.day)],
    ];
    return found.filter(([, holds]) => holds).map(([reason]) => reason);
  }
}

/** Code runs in sessions, each of which may hold several of the calls that answers count: fewer sessions than calls are no difference. */
function comparedBetween({ item, theirs }: Pair, kinds: ComparedLine['kinds']): ComparedLine['kinds'] {
  return item !== 'code_execution' || (theirs?.counts.calls ?? 0) === 0 ? kinds : kinds.filter(({ kind, difference }) =>
    kind !== 'calls' || difference < 0);
}

function keyOf({ day, model, item, requestId, matched, theirs }: Pair): string {
  if (requestId !== null) return `request ${requestId}`;
  return JSON.stringify([day, model, item, matched ? null : theirs?.name ?? '']);
}

function joined(one: TheirSum, other: TheirSum): TheirSum {
  return {
    counts: billCountsTogether(one.counts, other.counts), rows: one.rows + other.rows, name: one.name === other.name ? one.name : null,
    cost: one.cost === null ? other.cost : other.cost === null ? one.cost : nanoDollars(one.cost + other.cost),
  };
}

function inOrder(one: ComparedLine, other: ComparedLine): number {
  for (const field of ['day', 'model', 'item', 'requestId', 'billName'] as const) {
    const [a, b] = [one[field] ?? '', other[field] ?? ''];
    if (a !== b) return a < b ? -1 : 1;
  }
  return 0;
}
