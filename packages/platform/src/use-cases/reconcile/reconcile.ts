/** Compares the provider's bill with our records. Rules: `reconcile`; forms and verdicts: docs/reconcile.md. It changes nothing. */
import type { OrganizationId } from '@metergate/core/id.ts';
import { upstreamNameOf } from '@metergate/core/call/named-upstream.ts';
import { formatDollars, nanoDollars } from '@metergate/core/money.ts';
import type { PricesAtHand } from '@metergate/core/price/cost-lines.ts';
import { BillFault, type Bill } from '@metergate/core/books/reconcile/bill.ts';
import { Reconciliation, type ComparedLine, type ComparedSums } from '@metergate/core/books/reconcile/compare.ts';
import { billSellers, readBill, wireOfSeller, type BillSeller } from '@metergate/core/books/reconcile/read-bill.ts';
import { wires } from '@metergate/core/wire/wire.ts';
import { othersFirst } from '@metergate/store/threads/others-first.ts';
import { z } from 'zod';
import type { UseCaseContext } from '../context.ts';
import { checkInput } from '../input.ts';
import { findFigures, goneBefore } from '../organizations.ts';
import { priceBook } from '../prices.ts';
import { isRefusal, refuseInput, type AdministrationRefusal } from '../refusal.ts';
import { declaredSellers } from '../repricing/declared-sellers.ts';
import { ownPrices } from '../repricing/own-prices.ts';

/** `cost`: US dollars with nine places. */
export interface ShownSide {
  readonly calls: number | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly cost: string | null;
}

interface ShownComparison extends Omit<ComparedLine, 'ours' | 'theirs' | 'difference'> {
  readonly ours: ShownSide;
  /** Figures missing from the file are null and are not compared. */
  readonly theirs: ShownSide;
  /** Ours minus theirs. */
  readonly difference: ShownSide;
}

export interface ShownReconciliation {
  readonly lines: readonly ShownComparison[];
  readonly totals: { readonly ours: ShownSide; readonly theirs: ShownSide; readonly difference: ShownSide };
  /** Whether every line is equal. */
  readonly equal: boolean;
  /** Some or all records before this instant were removed for their age, and the file begins before it; null: no record is missing. */
  readonly recordsGoneBefore: string | null;
  /** The file's amounts are in this currency and are not compared; null: they are US dollars, or there are none. */
  readonly otherCurrency: string | null;
}

export interface ReconcileInput {
  readonly organization: string;
  readonly provider: string;
  /** The file's text. */
  readonly text: string;
  /** Which of the upstreams that are declared by name; the one without a name if it is left out. Only of sellers behind an upstream. */
  readonly upstream?: string | undefined;
}

const providerField = z.enum(billSellers, { error: `The provider must be one of ${billSellers.join(', ')}.` });
const dayMs = 86_400_000;
/** Longer than any export: a wider range contains a wrong date. */
const daysMax = 3_700;

/** A bill compared with the records, before formatting. */
interface ComparedBill {
  readonly provider: BillSeller;
  readonly lines: readonly ComparedLine[];
  /** The days of the file as it names them. */
  readonly days: { readonly first: string; readonly last: string };
  /** Days that are not over, and when the first of them begins, or the end of the file. */
  readonly openDays: readonly string[];
  readonly openFromMs: number;
  /** Their time, `toMs` excluded. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Decimal places of the finest amount in the file; null: it has no amount. */
  readonly places: number | null;
  readonly recordsGoneBefore: string | null;
  readonly otherCurrency: string | null;
}

/**
 * Each line of a provider's bill beside the records of the same day and model. Refuses `invalid_bill`, `unknown_organization`, and an unknown
 * provider.
 */
export async function compareBill(
  context: UseCaseContext, { organization: idOrName, provider: wanted, text, upstream: named }: ReconcileInput,
): Promise<ComparedBill | AdministrationRefusal> {
  const provider = checkInput(providerField, wanted as BillSeller);
  if (isRefusal(provider)) return provider;
  const wire = wireOfSeller[provider.value];
  const upstream = named ?? null;
  if (upstream !== null && wires[wire].host !== null) {
    return refuseInput('invalid_input', `Calls to ${wires[wire].displayName} go to no upstream: leave the name of one out.`);
  }
  const organization = await findFigures(context, idOrName);
  if (isRefusal(organization)) return organization;
  const bill = billOf(provider.value, text);
  if (isRefusal(bill)) return bill;
  const [fromMs, toMs] = [bill.days[0]!.fromMs, bill.days.at(-1)!.toMs];
  if (toMs - fromMs > daysMax * dayMs) return refuseInput('invalid_bill', 'The days of the file lie more than ten years apart.');
  const prices = await pricesAtHand(context, organization.id, upstream);
  if (isRefusal(prices)) return prices;
  const comparison = new Reconciliation(provider.value, bill, prices);
  const own = ownPrices(context, prices.book);
  let calls = 0;
  for await (const page of context.store.callWalk.walk({ organization: organization.id, fromMs, toMs })) {
    for (const { record } of page) {
      if (record.wire !== wire || upstreamNameOf(record.path) !== upstream) continue;
      calls += 1;
      comparison.take(record, await own.of(record.priceList));
    }
    await othersFirst();
  }
  const mistaken = calls > 0 || wires[wire].host !== null ? null : await mistakenUpstream(context, organization.id, upstream);
  if (mistaken !== null) return mistaken;
  return {
    provider: provider.value, lines: comparison.lines(context.nowMs), fromMs, toMs, places: bill.places,
    days: { first: bill.days[0]!.day, last: bill.days.at(-1)!.day },
    openFromMs: bill.days.find((day) => day.toMs > context.nowMs)?.fromMs ?? toMs,
    openDays: bill.days.filter((day) => day.toMs > context.nowMs).map(({ day }) => day),
    recordsGoneBefore: goneBefore(organization, fromMs), otherCurrency: bill.otherCurrency,
  };
}

/**
 * Where no call went to the upstream: whether there is one at all. Otherwise everything would be the bill's alone, and calls past the gateway. One
 * that was removed may still have calls, and who declares none at all calls past the gateway.
 */
async function mistakenUpstream(
  { store }: UseCaseContext, organization: OrganizationId, upstream: string | null,
): Promise<AdministrationRefusal | null> {
  const names = (await store.namedUpstreams.list(organization)).map(({ name }) => name);
  if (upstream !== null) {
    return names.includes(upstream) ? null
      : refuseInput('invalid_input', 'The organization has declared no upstream of this name, and no call of that time went to one.');
  }
  if (names.length === 0 || await store.upstreams.show(organization) !== null) return null;
  return refuseInput('invalid_input', 'No call of that time went to an upstream without a name, and none is declared. '
    + `Say which upstream the bill is of: ${names.join(', ')}.`);
}

/** What tells the fees of tools from the cost of the calls that used them. */
async function pricesAtHand(
  context: UseCaseContext, organization: OrganizationId, upstream: string | null,
): Promise<PricesAtHand | AdministrationRefusal> {
  const book = await priceBook(context);
  if (isRefusal(book)) return book;
  const fallback = (await context.store.organizations.find(organization))?.fallbackPrice ?? null;
  return { book, fallback, ...(await declaredSellers(context, organization)).named(upstream) };
}

/** As `compareBill`, formatted for people, with the sums of both sides. */
export async function reconcile(context: UseCaseContext, input: ReconcileInput): Promise<ShownReconciliation | AdministrationRefusal> {
  const compared = await compareBill(context, input);
  if (isRefusal(compared)) return compared;
  const { lines, recordsGoneBefore, otherCurrency } = compared;
  const ours = sumOf(lines.map((line) => line.ours ?? noFigures));
  const theirs = sumOf(lines.map((line) => line.theirs ?? noFigures));
  return {
    lines: lines.map(shownLine), equal: lines.every(({ verdict }) => verdict === 'equal'), recordsGoneBefore, otherCurrency,
    totals: { ours: shownSide(ours), theirs: shownSide(theirs), difference: shownSide(sumOf(lines.map(({ difference }) => difference))) },
  };
}

function billOf(provider: BillSeller, text: string): Bill | AdministrationRefusal {
  try {
    return readBill(provider, text);
  } catch (error) {
    if (error instanceof BillFault) return refuseInput('invalid_bill', error.message);
    throw error;
  }
}

const noFigures: ComparedSums = { calls: null, inputTokens: null, outputTokens: null, cost: null };

/** Null if no line has the figure. */
function sumOf(all: readonly ComparedSums[]): ComparedSums {
  const sum = (name: 'calls' | 'inputTokens' | 'outputTokens'): number | null => {
    const known = all.map((each) => each[name]).filter((each) => each !== null);
    return known.length === 0 ? null : known.reduce((total, each) => total + each, 0);
  };
  const costs = all.map(({ cost }) => cost).filter((each) => each !== null);
  return {
    calls: sum('calls'), inputTokens: sum('inputTokens'), outputTokens: sum('outputTokens'),
    cost: costs.length === 0 ? null : nanoDollars(costs.reduce((total, each) => total + each, 0n)),
  };
}

function shownLine({ ours, theirs, difference, ...line }: ComparedLine): ShownComparison {
  return { ...line, ours: shownSide(ours ?? noFigures), theirs: shownSide(theirs ?? noFigures), difference: shownSide(difference) };
}

function shownSide({ calls, inputTokens, outputTokens, cost }: ComparedSums): ShownSide {
  return { calls, inputTokens, outputTokens, cost: cost === null ? null : formatDollars(cost) };
}
