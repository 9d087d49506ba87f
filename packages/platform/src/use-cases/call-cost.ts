/** How the cost of one call was computed, line by line, if the prices that it was recorded by give that cost. Rules 5 to 7. */
import {
  attoDollarsText, costLines, type CostLine, type CostLineKind, type WithoutLines,
} from '@metergate/core/price/cost-lines.ts';
import { wholeFactor } from '@metergate/core/price/rates.ts';
import { callRecordToJson, type CallRecord, type CallRecordJson } from '@metergate/core/record/call-record.ts';
import type { UseCaseContext } from './context.ts';
import { findFigures } from './organizations.ts';
import { priceBook } from './prices.ts';
import { isRefusal, refuseInput, type AdministrationRefusal } from './refusal.ts';
import { declaredSellers } from './repricing/declared-sellers.ts';
import { ownPrices } from './repricing/own-prices.ts';

/** Dollars are exact decimal text, without zeros at the end. */
interface ShownCostLine {
  readonly of: CostLineKind;
  /** Tokens, or calls. */
  readonly count: number;
  /** US dollars for `per` of them, before the factor; null: no price is known. */
  readonly price: string | null;
  readonly per: number;
  /** The kind whose price is used because this one has no price. */
  readonly paidAs: CostLineKind | null;
  /** US dollars, with the factor; null if `price` is. */
  readonly amount: string | null;
}

interface ShownCallCost extends Pick<CallRecordJson, 'cost' | 'costSource' | 'costGaps' | 'priceList'> {
  readonly call: string;
  /** The cost is their sum, rounded once. Null: see `withoutLines`. */
  readonly lines: readonly ShownCostLine[] | null;
  /** Why there are no lines. */
  readonly withoutLines: WithoutLines | null;
  /** The factor of token prices for the service tier; null: none. */
  readonly factor: string | null;
}

/** Refuses `unknown_call`. `organization`: id or name. */
export async function showCallCost(context: UseCaseContext, idOrName: string, id: string): Promise<ShownCallCost | AdministrationRefusal> {
  const organization = await findFigures(context, idOrName);
  if (isRefusal(organization)) return organization;
  const { callPages, organizations } = context.store;
  const record = /^req_[0-9a-f]{32}$/.test(id) ? await callPages.find(organization.id, id) : null;
  if (record === null) return refuseInput('unknown_call', 'There is no such call.');
  const book = await priceBook(context);
  if (isRefusal(book)) return book;
  const fallback = (await organizations.find(organization.id))?.fallbackPrice ?? null;
  const seller = (await declaredSellers(context, organization.id)).ofPath(record.path);
  const own = await ownPrices(context, book).of(record.priceList);
  return shownCost(record, costLines(record, { book: own ?? book, fallback, ...seller }));
}

function shownCost(record: CallRecord, made: ReturnType<typeof costLines>): ShownCallCost {
  const { cost, costSource, costGaps, priceList } = callRecordToJson(record);
  const whole = { call: record.id, cost, costSource, costGaps, priceList };
  if (typeof made === 'string') return { ...whole, lines: null, withoutLines: made, factor: null };
  const { lines, factor } = made;
  return { ...whole, lines: lines.map(shownLine), withoutLines: null, factor: factor === wholeFactor ? null : factorText(factor) };
}

const tools: ReadonlySet<CostLineKind> = new Set(['webSearch', 'webFetch', 'fileSearch', 'codeInterpreter', 'call']);

function shownLine({ of, count, each, paidAs, amount }: CostLine): ShownCostLine {
  const per = tools.has(of) ? 1 : 1_000_000;
  return {
    of, count, per, paidAs, price: each === null ? null : attoDollarsText(each * BigInt(per)),
    amount: amount === null ? null : attoDollarsText(amount),
  };
}

/** Millionths as decimal text. */
function factorText(factor: bigint): string {
  return attoDollarsText(factor * 1_000_000_000_000n);
}
