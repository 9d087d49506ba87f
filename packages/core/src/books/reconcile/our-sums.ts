/** Records → sums by day and model, by request, and by item, beside which a bill is held. */
import type { CallRecord } from '../../record/call-record.ts';
import { costLines, type PricesAtHand } from '../../price/cost-lines.ts';
import type { PriceBook } from '../../price/price-book.ts';
import { lackingCounts } from '../../spend/lacking-calls.ts';
import type { ToolCalls } from '../../usage/reading.ts';
import { cachedInInputOf } from '../../usage/cached-in-input.ts';
import { wires } from '../../wire/wire.ts';
import { modelOfCall } from '../../record/model-of-call.ts';
import { dayAt } from './bill-days.ts';
import { toolOfItem, type BillItem } from './bill-items.ts';
import { countKinds, type Bill, type CountKind, type BilledOperation } from './bill.ts';

/** Sums that are added to; of nothing, until something is. */
export interface OurSum {
  readonly day: string;
  readonly model: string | null;
  readonly item: BillItem | null;
  readonly requestId: string | null;
  readonly counts: { [Kind in CountKind]: number };
  cost: bigint;
  /** Calls whose usage is not known, or not whole, and was not settled. */
  unknown: number;
  /** Settlements: each is one record, of which a bill may count every request. */
  settlements: number;
  gaps: number;
  unpriced: number;
  /** Calls with tools whose fees cannot be separated from the rest of their cost. */
  unsplit: number;
}

export function emptySum(names: Pick<OurSum, 'day' | 'model' | 'item' | 'requestId'>): OurSum {
  const counts = Object.fromEntries(countKinds.map((kind) => [kind, 0])) as OurSum['counts'];
  return { ...names, counts, cost: 0n, unknown: 0, settlements: 0, gaps: 0, unpriced: 0, unsplit: 0 };
}

/** Adds another sum to this one. */
export function addSum(sum: OurSum, other: OurSum): void {
  for (const kind of countKinds) sum.counts[kind] += other.counts[kind];
  sum.cost += other.cost;
  sum.unknown += other.unknown;
  sum.settlements += other.settlements;
  sum.gaps += other.gaps;
  sum.unpriced += other.unpriced;
  sum.unsplit += other.unsplit;
}

/** How a bill is compared. */
export interface Comparing {
  readonly byModel: boolean;
  readonly byRequest: boolean;
  /** Items of the bill that are counted here, and those that it would have lines of. */
  readonly items: ReadonlySet<BillItem>;
  /** The fees of tools are taken out of the cost of their calls. */
  readonly splitsFees: boolean;
}

export function comparingOf({ lines, places, itemsApart }: Bill): Comparing {
  // A file without lines says nothing of its grouping, and a line for each model says most.
  const byModel = lines.length === 0 || lines.some(({ name, item }) => name !== null && item === null);
  const named = lines.flatMap(({ item }) => item ?? []);
  const splitsFees = places !== null && itemsApart && (byModel || named.length > 0);
  const tools = splitsFees ? Object.keys(toolOfItem) as BillItem[] : [];
  return { byModel, byRequest: lines.some(({ requestId }) => requestId !== null), items: new Set([...named, ...tools]), splitsFees };
}

/** Collects records. */
export class OurSums {
  readonly #bill: Bill;
  readonly #comparing: Comparing;
  readonly #prices: PricesAtHand | null;
  readonly #sums = new Map<string, OurSum>();

  /** `prices`: split the fees of tools from the cost of a call; null: they are not split. */
  constructor(bill: Bill, comparing: Comparing, prices: PricesAtHand | null) {
    this.#bill = bill;
    this.#comparing = comparing;
    this.#prices = prices;
  }

  get all(): Iterable<OurSum> {
    return this.#sums.values();
  }

  /** `own`: the prices that its record names; null: they are gone, or it names none. */
  take(call: CallRecord, own: PriceBook | null): void {
    const day = dayAt(this.#bill.days, call.startedAtMs)?.day;
    if (day === undefined) return;
    const { byModel, byRequest, items } = this.#comparing;
    const operation = operationOf(call);
    if (operation === 'moderations') {
      if (items.has('moderation') && call.status === 200) this.#sumOf(day, null, 'moderation', null).counts.calls += 1;
      return;
    }
    const fees = this.#takeTools(day, call, own);
    const { operations } = this.#bill;
    if (operations !== null && !operations.has(operation)) return;
    const sum = this.#sumOf(day, byModel ? modelOfCall(call) : null, null, byRequest ? call.providerRequestId : null);
    if (lackingCounts.unknownCalls(call)) sum.unknown += 1;
    if (call.usage !== 'reported') return;
    addCall(sum, call);
    if (call.kind === 'settlement') sum.settlements += 1;
    sum.cost += (call.cost ?? 0n) - (fees ?? 0n);
    if (fees === null) sum.unsplit += 1;
    if (call.costGaps.length > 0) sum.gaps += 1;
    if (call.costSource === 'unpriced') sum.unpriced += 1;
  }

  /** Counts the call's tools under their items, and gives their fees; null: they are in its cost, and nobody can say how much they are. */
  #takeTools(day: string, call: CallRecord, own: PriceBook | null): bigint | null {
    const { items, splitsFees } = this.#comparing;
    const { toolCalls, usage } = call;
    if (toolCalls === null || usage !== 'reported' || items.size === 0) return 0n;
    const split = splitsFees ? feesOf(call, this.#prices, own) : null;
    let sum: bigint | null = splitsFees ? 0n : null;
    for (const [item, tool] of Object.entries(toolOfItem) as [BillItem, keyof ToolCalls][]) {
      if (toolCalls[tool] === 0 || !items.has(item)) continue;
      const ours = this.#sumOf(day, null, item, null);
      ours.counts.calls += toolCalls[tool];
      // A fee without a price is not in the cost.
      const fee = split?.get(tool) ?? 0n;
      if (split === null) ours.unsplit += 1;
      else if (!split.has(tool)) ours.unpriced += 1;
      ours.cost += fee;
      sum = split === null || sum === null ? null : sum + fee;
    }
    return splitsFees ? sum : 0n;
  }

  #sumOf(day: string, model: string | null, item: BillItem | null, requestId: string | null): OurSum {
    const name = requestId === null ? JSON.stringify([day, model, item]) : `request ${requestId}`;
    let sum = this.#sums.get(name);
    if (sum === undefined) this.#sums.set(name, sum = emptySum({ day, model, item, requestId }));
    return sum;
  }
}

function addCall({ counts }: OurSum, call: CallRecord): void {
  const { units, toolCalls } = call;
  counts.calls += 1;
  counts.inputTokens += (call.inputTokens ?? 0) + onTop(call);
  counts.outputTokens += call.outputTokens ?? 0;
  counts.cachedTokens += call.cachedTokens ?? 0;
  counts.cacheWriteTokens += call.cacheWriteTokens ?? 0;
  counts.reasoningTokens += call.reasoningTokens ?? 0;
  counts.audioInputTokens += call.audioInputTokens ?? 0;
  counts.audioOutputTokens += call.audioOutputTokens ?? 0;
  counts.webSearches += toolCalls?.webSearch ?? 0;
  counts.webFetches += toolCalls?.webFetch ?? 0;
  if (units === null) return;
  for (const kind of ['imageInputTokens', 'imageOutputTokens', 'seconds', 'characters', 'pages', 'images'] as const) {
    counts[kind] += units[kind] ?? 0;
  }
}

/** What an upstream's answer leaves out of its input: bills of upstreams are read with it. */
function onTop(call: CallRecord): number {
  return wires[call.wire].host !== null || cachedInInputOf(call) ? 0 : (call.cachedTokens ?? 0) + (call.cacheWriteTokens ?? 0);
}

const paths: readonly (readonly [string, BilledOperation])[] = [
  ['/moderations', 'moderations'], ['/images/', 'images'], ['/audio/speech', 'speech'], ['/audio/transcriptions', 'transcription'],
  ['/audio/translations', 'transcription'],
];

function operationOf({ endpoint, path }: CallRecord): BilledOperation {
  if (endpoint === 'embeddings') return 'embeddings';
  return endpoint === 'other' ? paths.find(([part]) => path.includes(part))?.[1] ?? 'text' : 'text';
}

const attoPerNano = 1_000_000_000n;

/** Nano-dollars of each tool, where the prices at hand give the recorded cost again; null: they do not. */
function feesOf(call: CallRecord, prices: PricesAtHand | null, own: PriceBook | null): ReadonlyMap<string, bigint> | null {
  const made = prices === null ? 'no_cost' : costLines(call, own === null ? prices : { ...prices, book: own });
  if (typeof made === 'string') return null;
  return new Map(made.lines.flatMap(({ of, amount }) => (amount === null ? [] : [[of, amount / attoPerNano] as const])));
}
