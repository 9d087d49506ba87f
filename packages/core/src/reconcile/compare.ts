/**
 * Our records beside a provider's bill → one line for each day and model, or each request if the bill lists them, with a verdict and the reasons
 * that can be named. Only calls with reported usage count; figures that the bill lacks are not compared. Rules: `reconcile`.
 */
import { nanoDollars, type NanoDollars } from '../money.ts';
import type { CallRecord } from '../record/call-record.ts';
import type { Bill, BillLine } from './bill.ts';
import { dayName } from '../time/utc-day.ts';

export const verdicts = ['equal', 'ours_more', 'theirs_more', 'ours_only', 'theirs_only'] as const;
export type Verdict = (typeof verdicts)[number];

/**
 * `unknown_usage`: our calls whose usage is missing or incomplete. `cost_gaps`: calls whose cost lacks something.
 * `unpriced`: calls without a price. `past_the_gateway`: the provider counts more calls than we forwarded, or some on a day or model that
 * for which we have none. `other_prices`: the same tokens at another cost. `day_not_over`: more may still come.
 */
export const reasons = ['unknown_usage', 'cost_gaps', 'unpriced', 'past_the_gateway', 'other_prices', 'day_not_over'] as const;
export type Reason = (typeof reasons)[number];

export interface Figures {
  readonly calls: number | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly cost: NanoDollars | null;
}

export interface ComparedLine {
  readonly day: string;
  /** Null: the bill says none, or we know none. */
  readonly model: string | null;
  readonly requestId: string | null;
  readonly ours: Figures | null;
  readonly theirs: Figures | null;
  /** Ours less theirs; null if it is not compared. */
  readonly difference: Figures;
  readonly verdict: Verdict;
  readonly reasons: readonly Reason[];
}

/** The parts of a record that are compared. */
export type ReconciledCall = Pick<CallRecord,
  'startedAtMs' | 'model' | 'providerRequestId' | 'usage' | 'inputTokens' | 'outputTokens' | 'cost' | 'costGaps' | 'costSource'>;

interface Side {
  readonly day: string;
  readonly model: string | null;
  readonly requestId: string | null;
  calls: number;
  inputTokens: number;
  outputTokens: number;
  cost: bigint;
  unknown: number;
  gaps: number;
  unpriced: number;
}

/** Collects our records beside the lines of a bill, then compares them. A bill without models is compared by days only. */
export class Reconciliation {
  readonly #byModel: boolean;
  readonly #byRequest: boolean;
  readonly #theirs = new Map<string, { line: BillLine }>();
  readonly #ours = new Map<string, Side>();
  readonly #tolerance: bigint;

  constructor({ lines, places }: Bill) {
    this.#byModel = lines.some(({ model }) => model !== null);
    this.#byRequest = lines.some(({ requestId }) => requestId !== null);
    // Half of the last place that the bill shows, and at least half a micro-dollar: a smaller difference is rounding.
    this.#tolerance = places === null ? 0n : max(500n, places >= 9 ? 0n : 5n * 10n ** BigInt(8 - places));
    for (const line of lines) {
      const key = this.#key(line.day, line.model, line.requestId);
      const known = this.#theirs.get(key);
      this.#theirs.set(key, { line: known === undefined ? line : added(known.line, line) });
    }
  }

  take(call: ReconciledCall): void {
    const day = dayName(call.startedAtMs);
    const requestId = this.#byRequest ? call.providerRequestId : null;
    const model = this.#byModel ? call.model : null;
    const key = this.#key(day, model, requestId);
    let side = this.#ours.get(key);
    if (side === undefined) {
      side = { day, model, requestId, calls: 0, inputTokens: 0, outputTokens: 0, cost: 0n, unknown: 0, gaps: 0, unpriced: 0 };
      this.#ours.set(key, side);
    }
    if (call.usage === 'unknown' || call.usage === 'partial') side.unknown += 1;
    if (call.usage !== 'reported') return;
    side.calls += 1;
    side.inputTokens += call.inputTokens ?? 0;
    side.outputTokens += call.outputTokens ?? 0;
    side.cost += call.cost ?? 0n;
    if (call.costGaps.length > 0) side.gaps += 1;
    if (call.costSource === 'unpriced') side.unpriced += 1;
  }

  /** By day, then model. `today`: the day that is not over. */
  lines(today: string): ComparedLine[] {
    const keys = new Set([...this.#theirs.keys(), ...this.#ours.keys()]);
    return [...keys].flatMap((key) => this.#compared(this.#ours.get(key), this.#theirs.get(key)?.line, today) ?? [])
      .toSorted((one, other) => order(one, other));
  }

  #key(day: string, model: string | null, requestId: string | null): string {
    return requestId === null ? JSON.stringify([day, this.#byModel ? model : null]) : `request ${requestId}`;
  }

  #compared(side: Side | undefined, line: BillLine | undefined, today: string): ComparedLine | null {
    if (line === undefined && (side === undefined || side.calls === 0)) return null;
    const { day, model, requestId } = (line ?? side)!;
    const ours = side === undefined || side.calls === 0 ? null
      : { calls: side.calls, inputTokens: side.inputTokens, outputTokens: side.outputTokens, cost: nanoDollars(side.cost) };
    const theirs = line === undefined ? null
      : { calls: line.calls, inputTokens: line.inputTokens, outputTokens: line.outputTokens, cost: line.cost };
    const difference = differenceOf(ours, theirs);
    const verdict = ours === null ? 'theirs_only' : theirs === null ? 'ours_only' : this.#verdict(difference);
    const reasons = verdict === 'equal' ? [] : reasonsOf({ side, ours, theirs, difference, verdict, open: day >= today });
    return { day, model, requestId, ours, theirs, difference, verdict, reasons };
  }

  #verdict({ cost, outputTokens, inputTokens, calls }: Figures): Verdict {
    if (cost !== null && (cost > this.#tolerance || -cost > this.#tolerance)) return cost > 0n ? 'ours_more' : 'theirs_more';
    const first = [outputTokens, inputTokens, calls].find((each) => each !== null && each !== 0) ?? 0;
    return first === 0 ? 'equal' : first > 0 ? 'ours_more' : 'theirs_more';
  }
}

function added(one: BillLine, other: BillLine): BillLine {
  const sum = (a: number | null, b: number | null): number | null => a === null ? b : b === null ? a : a + b;
  return {
    ...one, calls: sum(one.calls, other.calls), inputTokens: sum(one.inputTokens, other.inputTokens),
    outputTokens: sum(one.outputTokens, other.outputTokens),
    cost: one.cost === null ? other.cost : other.cost === null ? one.cost : nanoDollars(one.cost + other.cost),
  };
}

function differenceOf(ours: Figures | null, theirs: Figures | null): Figures {
  const less = (name: 'calls' | 'inputTokens' | 'outputTokens'): number | null =>
    theirs !== null && theirs[name] === null ? null : (ours?.[name] ?? 0) - (theirs?.[name] ?? 0);
  return {
    calls: less('calls'), inputTokens: less('inputTokens'), outputTokens: less('outputTokens'),
    cost: theirs !== null && theirs.cost === null ? null : (((ours?.cost ?? 0n) as bigint) - ((theirs?.cost ?? 0n) as bigint)) as NanoDollars,
  };
}

interface Compared {
  readonly side: Side | undefined;
  readonly ours: Figures | null;
  readonly theirs: Figures | null;
  readonly difference: Figures;
  readonly verdict: Verdict;
  readonly open: boolean;
}

function reasonsOf({ side, ours, theirs, difference, verdict, open }: Compared): Reason[] {
  const found: Reason[] = [];
  if ((side?.unknown ?? 0) > 0) found.push('unknown_usage');
  if ((side?.gaps ?? 0) > 0) found.push('cost_gaps');
  if ((side?.unpriced ?? 0) > 0) found.push('unpriced');
  const morePassed = difference.calls !== null && -difference.calls > (side?.unknown ?? 0);
  if (morePassed || (verdict === 'theirs_only' && (side?.unknown ?? 0) === 0)) found.push('past_the_gateway');
  const sameTokens = ours !== null && theirs !== null && difference.inputTokens === 0 && difference.outputTokens === 0;
  if (sameTokens && difference.cost !== null && difference.cost !== 0n) found.push('other_prices');
  if (open) found.push('day_not_over');
  return found;
}

function order(one: ComparedLine, other: ComparedLine): number {
  for (const field of ['day', 'model', 'requestId'] as const) {
    const [a, b] = [one[field] ?? '', other[field] ?? ''];
    if (a !== b) return a < b ? -1 : 1;
  }
  return 0;
}

function max(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}
