/**
 * Sums of tap events → the Baseline's report: figures in total and by model, provider, tag and day, each with its label.
 * Spec: Figure labels; rule 20. Costs are computed here, at read time, each sum of alike calls rounded once; every
 * breakdown adds up to the total. A part without any listed price has a cost of null and says how many calls are unpriced.
 */
import { nanoDollars, type NanoDollars } from '../money.ts';
import type { PriceBook } from '../price/price-book.ts';
import { tapProviders, tapStopReasons, type TapStopReason } from './event.ts';
import { declared, modeled, reported, type Declared, type Modeled, type Reported } from './figure.ts';
import type { BaselinePeriod } from './baseline.ts';
import { latencyCountsTogether, latencyAtShare, type LatencyCounts } from './latency-bucket.ts';
import { modeledCost } from './modeled-cost.ts';
import {
  addSums, dayAndPart, latencyPart, tapFigures, type TapCell, type TapFigureName, type TapHeadroom, type TapLatency, type TapSums,
} from './rollup.ts';
import { dayName } from '../time/utc-day.ts';
import { isoText } from '../time/iso-text.ts';

/** Figures of one part of the report. */
export interface ReportFigures {
  readonly calls: Reported;
  readonly inputTokens: Reported;
  readonly outputTokens: Reported;
  readonly cachedTokens: Reported;
  readonly cost: Modeled;
  /** Calls whose model has no listed price; the cost is that of the others. */
  readonly unpricedCalls: Reported;
  readonly toolCalls: Reported;
  readonly retries: Reported;
  readonly failures: Reported;
  /** Of the failures: answered 429. */
  readonly rateLimited: Reported;
  /** Of the failures: answered 500 to 598. */
  readonly serverErrors: Reported;
  /** Of the failures: no HTTP response came. */
  readonly noResponse: Reported;
  readonly stopReasons: { readonly [Reason in TapStopReason]: Reported };
  /** Milliseconds; at most an eighth above the exact figure. */
  readonly latencyMs: { readonly p50: Reported<number | null>; readonly p90: Reported<number | null>;
    readonly p95: Reported<number | null>; readonly p99: Reported<number | null> };
}

interface ReportHeadroom {
  readonly provider: string;
  readonly model: string;
  readonly kind: 'requests' | 'tokens';
  /** What was left of which limit when the smallest share was left. */
  readonly remaining: Reported;
  readonly limit: Reported;
  readonly at: string;
}

export interface TapReport {
  /** The frozen list that costs are modeled on. */
  readonly priceList: string;
  /** The seven days, `YYYY-MM-DD`, the end excluded. Null while the count has not begun: the report then covers everything. */
  readonly from: string | null;
  readonly to: string | null;
  readonly total: ReportFigures;
  readonly byModel: readonly ({ readonly provider: string; readonly model: string } & ReportFigures)[];
  readonly byProvider: readonly ({ readonly provider: string } & ReportFigures)[];
  readonly byTag: readonly ({ readonly tag: string } & ReportFigures)[];
  /** Tags beyond the thousand with the most calls: in the total, not in the list. */
  readonly tagsOmitted: number;
  readonly byDay: readonly ({ readonly day: string } & ReportFigures)[];
  /** What was reported for other days than the seven, which is in none of the figures above; null: nothing. */
  readonly outside: ReportFigures | null;
  readonly headroom: readonly ReportHeadroom[];
  readonly declared: readonly { readonly name: string; readonly amount: Declared }[];
}

/** What a report is made from. */
interface ReportSources {
  /** The days that are reported on; null: all. */
  readonly period: BaselinePeriod | null;
  readonly book: PriceBook;
  readonly cells: readonly TapCell[];
  readonly latencies: readonly TapLatency[];
  readonly headroom: readonly TapHeadroom[];
  readonly declared: readonly { readonly name: string; readonly amount: NanoDollars }[];
}

const reportTagsMax = 1_000;

interface Part {
  readonly latency: string;
  readonly sums: TapSums;
  cost: bigint | null;
  unpricedCalls: number;
}

const figureIndex = Object.fromEntries(tapFigures.map((name, index) => [name, index])) as Readonly<Record<TapFigureName, number>>;

/** The report of a Baseline. Figures are those of its seven days; the rest is shown separately. Pure. */
export function tapReport(sources: ReportSources): TapReport {
  const { book, headroom, period } = sources;
  const isInside = (dayMs: number): boolean => period === null || (dayMs >= period.fromMs && dayMs < period.toMs);
  const { total, models, providers, tags, days, outside } = partsOf(book, sources.cells, isInside);
  const counts = latenciesOf(sources.latencies, isInside);
  const figures = (of: Part): ReportFigures => figuresOf(of, counts.get(of.latency) ?? new Map());
  const byTag = [...tags].toSorted(([a, partA], [b, partB]) => callsOf(partB) - callsOf(partA) || (a < b ? -1 : 1));
  return {
    priceList: book.context.listId,
    from: period === null ? null : dayName(period.fromMs), to: period === null ? null : dayName(period.toMs),
    total: figures(total),
    byModel: [...models.values()].toSorted((a, b) => callsOf(b) - callsOf(a) || (a.latency < b.latency ? -1 : 1))
      .map((each) => ({ provider: each.provider, model: each.model, ...figures(each) })),
    byProvider: tapProviders.flatMap((provider) => {
      const found = providers.get(provider);
      return found === undefined ? [] : [{ provider, ...figures(found) }];
    }),
    byTag: byTag.slice(0, reportTagsMax).map(([tag, each]) => ({ tag, ...figures(each) })),
    tagsOmitted: Math.max(0, byTag.length - reportTagsMax),
    byDay: [...days].toSorted(([a], [b]) => a - b).map(([day, each]) => ({ day: dayName(day), ...figures(each) })),
    outside: callsOf(outside) === 0 ? null : figures(outside),
    headroom: headroom.map(({ provider, model, kind, remaining, limit, atMs }) =>
      ({ provider, model, kind, remaining: reported(remaining), limit: reported(limit), at: isoText(atMs) })),
    declared: sources.declared.map(({ name, amount }) => ({ name, amount: declared(amount) })),
  };
}

const dayPart = (dayMs: number): string => `day:${dayMs}`;
const outsidePart = 'outside';

function partsOf(book: PriceBook, cells: readonly TapCell[], isInside: (dayMs: number) => boolean) {
  const total = newPart(latencyPart.all);
  const outside = newPart(outsidePart);
  const models = new Map<string, Part & { readonly provider: string; readonly model: string }>();
  const providers = new Map<string, Part>();
  const tags = new Map<string, Part>();
  const days = new Map<number, Part>();
  for (const cell of cells) {
    const { provider, model, tag, dayMs } = cell;
    const cost = costOf(book, cell);
    if (!isInside(dayMs)) {
      addCell(outside, cell, cost);
      continue;
    }
    addCell(total, cell, cost);
    addCell(part(models, `${provider}:${model}`, () => ({ ...newPart(latencyPart.model(provider, model)), provider, model })), cell, cost);
    addCell(part(providers, provider, () => newPart(latencyPart.provider(provider))), cell, cost);
    addCell(part(tags, tag, () => newPart(latencyPart.tag(tag))), cell, cost);
    addCell(part(days, dayMs, () => newPart(dayPart(dayMs))), cell, cost);
  }
  return { total, models, providers, tags, days, outside };
}

/** Latencies by part of the report, for its days. Latencies stored without a day are included. */
function latenciesOf(latencies: readonly TapLatency[], isInside: (dayMs: number) => boolean): Map<string, LatencyCounts> {
  const counts = new Map<string, LatencyCounts>();
  const add = (name: string, more: LatencyCounts): void => {
    counts.set(name, latencyCountsTogether(counts.get(name) ?? new Map(), more));
  };
  for (const { part: name, counts: more } of latencies) {
    const { dayMs, part: of } = dayAndPart(name);
    if (dayMs === null || isInside(dayMs)) {
      add(of, more);
      if (dayMs !== null && of === latencyPart.all) add(dayPart(dayMs), more);
    } else if (of === latencyPart.all) add(outsidePart, more);
  }
  return counts;
}

function costOf(book: PriceBook, { dayMs, provider, model, band, sums }: TapCell): NanoDollars | null {
  return modeledCost(book, {
    provider, model, dayMs, band, calls: sums[figureIndex.calls]!, freshTokens: sums[figureIndex.fresh_tokens]!,
    cachedTokens: sums[figureIndex.cached_tokens]!, outputTokens: sums[figureIndex.output_tokens]!,
  });
}

function newPart(latency: string): Part {
  return { latency, sums: tapFigures.map(() => 0), cost: null, unpricedCalls: 0 };
}

function part<Key, Of extends Part>(parts: Map<Key, Of>, key: Key, make: () => Of): Of {
  let found = parts.get(key);
  if (found === undefined) parts.set(key, found = make());
  return found;
}

function addCell(to: Part, cell: TapCell, cost: NanoDollars | null): void {
  addSums(to.sums, cell.sums);
  if (cost === null) to.unpricedCalls += cell.sums[figureIndex.calls]!;
  else to.cost = (to.cost ?? 0n) + cost;
}

function callsOf({ sums }: Part): number {
  return sums[figureIndex.calls]!;
}

function figuresOf({ sums, cost, unpricedCalls }: Part, latency: LatencyCounts): ReportFigures {
  const figure = (name: TapFigureName): Reported => reported(sums[figureIndex[name]]!);
  const atShare = (share: number): Reported<number | null> => reported(latencyAtShare(latency, share));
  return {
    calls: figure('calls'),
    inputTokens: figure('input_tokens'), outputTokens: figure('output_tokens'), cachedTokens: figure('cached_tokens'),
    cost: modeled(cost === null ? null : nanoDollars(cost)), unpricedCalls: reported(unpricedCalls),
    toolCalls: figure('tool_calls'), retries: figure('retries'),
    failures: figure('failures'), rateLimited: figure('rate_limited'), serverErrors: figure('server_errors'), noResponse: figure('no_response'),
    stopReasons: Object.fromEntries(tapStopReasons.map((reason) => [reason, figure(`stop_${reason}`)])) as ReportFigures['stopReasons'],
    latencyMs: { p50: atShare(0.5), p90: atShare(0.9), p95: atShare(0.95), p99: atShare(0.99) },
  };
}
