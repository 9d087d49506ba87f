/**
 * Usage with the cost of the same calls by other prices, beside the recorded cost. Rules: `usage`, with `--prices`. It reads every record of the
 * time range, so it takes as long as an export. Records stay as they are.
 */
import { upstreamNameOf } from '@metergate/core/call/named-upstream.ts';
import { formatDollars, nanoDollars } from '@metergate/core/money.ts';
import { repricedCall, type Repriced } from '@metergate/core/price/reprice.ts';
import type { CallRecord } from '@metergate/core/record/call-record.ts';
import { subjectOf, subjectsOf, type UsageDimension } from '@metergate/core/report/usage-sum.ts';
import { dayOf } from '@metergate/core/time/utc-day.ts';
import { monthOf } from '@metergate/core/time/utc-month.ts';
import type { UsageFilter } from '@metergate/store/usage/usage-query.ts';
import { othersFirst } from '@metergate/store/threads/others-first.ts';
import type { UseCaseContext } from '../context.ts';
import { findFigures } from '../organizations.ts';
import { priceBook } from '../prices.ts';
import { isRefusal, type AdministrationRefusal } from '../refusal.ts';
import { declaredSellers } from './declared-sellers.ts';
import { ownPrices } from './own-prices.ts';
import { bookToTry, type PricesToTry } from './prices-to-try.ts';
import { subjectText, type ShownUsage, type UsageRequest } from '../usage.ts';

/** Money: US dollars with nine places. */
export interface ShownRepricing {
  /** Calls that have a cost at those prices. */
  readonly repricedCalls: number;
  readonly repricedCost: string;
  /** What the same calls cost by their records. */
  readonly repricedFrom: string;
  /** Of `repricedCalls`, those whose new cost lacks something that was reported. */
  readonly repricedGapCalls: number;
  /** Calls with usage that have no cost at those prices. */
  readonly notRepricedCalls: number;
}

interface Sums {
  calls: number;
  cost: bigint;
  from: bigint;
  gaps: number;
  not: number;
}

/** The rows of usage for the query, and the prices to apply to their calls. */
interface Repricing<Row extends ShownUsage> {
  readonly rows: readonly Row[];
  readonly prices: PricesToTry;
}

/** Refuses `invalid_price_file`. */
export async function repriced<Row extends ShownUsage>(
  context: UseCaseContext, query: UsageRequest, { rows, prices }: Repricing<Row>,
): Promise<(Row & ShownRepricing)[] | AdministrationRefusal> {
  const current = await priceBook(context);
  if (isRefusal(current)) return current;
  const own = ownPrices(context, current);
  const book = await bookToTry(context, prices);
  if (isRefusal(book)) return book;
  const organization = await findFigures(context, query.organization);
  if (isRefusal(organization)) return organization;
  const sellers = await declaredSellers(context, organization.id);
  const nameOf = (row: ShownUsage): string => nameOfRow(query.by.map((each) => row[each] ?? null));
  const sums = new Map(rows.map((row): [string, Sums] => [nameOf(row), { calls: 0, cost: 0n, from: 0n, gaps: 0, not: 0 }]));
  const { sinceMs: fromMs = firstMs, untilMs: toMs = lastMs } = query;
  for await (const page of context.store.callWalk.walk({ organization: organization.id, fromMs, toMs })) {
    for (const { record } of page) {
      if (!fits(record, query.filter ?? {})) continue;
      add(sums, query.by, record, repricedCall(record, { book, own: await own.of(record.priceList), ...sellers.ofPath(record.path) }));
    }
    await othersFirst();
  }
  return rows.map((row) => ({ ...row, ...shownSums(sums.get(nameOf(row))!) }));
}

const firstMs = -8_640_000_000_000_000;
const lastMs = 8_640_000_000_000_000;

function fits(record: CallRecord, filter: UsageFilter): boolean {
  return (Object.entries(filter) as [keyof UsageFilter, string | undefined][]).every(([name, value]) => value === undefined
    || (name === 'label' ? record.labels.includes(value)
      : name === 'upstream' ? upstreamNameOf(record.path) === value : subjectOf(record[name]) === subjectOf(value)));
}

function add(sums: ReadonlyMap<string, Sums>, by: readonly UsageDimension[], record: CallRecord, repriced: Repriced): void {
  if (repriced.kind === 'nothing') return;
  const [first = [''], second = ['']] = by.map((dimension) => subjectsIn(dimension, record));
  for (const one of first) {
    for (const other of second) {
      const texts = [one, other].slice(0, by.length).map((subject, index) => subjectText(by[index]!, subject));
      const sum = sums.get(nameOfRow(texts));
      // It belongs to a row that was not asked for, or to a call that was recorded meanwhile.
      if (sum === undefined) continue;
      if (repriced.kind === 'not_repriced') {
        sum.not += 1;
        continue;
      }
      sum.calls += 1;
      sum.cost += repriced.cost;
      sum.from += record.cost ?? 0n;
      if (repriced.gap) sum.gaps += 1;
    }
  }
}

function subjectsIn(dimension: UsageDimension, record: CallRecord): readonly string[] {
  const { startedAtMs } = record;
  switch (dimension) {
    case 'hour': return [String(startedAtMs - (startedAtMs % 3_600_000))];
    case 'day': return [String(dayOf(startedAtMs))];
    case 'month': return [String(monthOf(startedAtMs))];
    case 'upstream': return [upstreamNameOf(record.path) ?? ''];
    default: return subjectsOf(dimension, record);
  }
}

function nameOfRow(texts: readonly (string | null)[]): string {
  return JSON.stringify(texts);
}

function shownSums(sums: Sums): ShownRepricing {
  return {
    repricedCalls: sums.calls, repricedCost: formatDollars(nanoDollars(sums.cost)), repricedFrom: formatDollars(nanoDollars(sums.from)),
    repricedGapCalls: sums.gaps, notRepricedCalls: sums.not,
  };
}
