/**
 * The figures of the dashboard's first page: an organization's calls over time, and totals of the period before. It reads only hourly sums,
 * so it is as fast with ten million calls as with ten. Time ranges are widened to whole steps.
 */
import { formatDollars, nanoDollars, nanoDollarsMax } from '@metergate/core/money.ts';
import { hourMs, percentileOf } from '@metergate/core/report/hour-sum.ts';
import { isoText } from '@metergate/core/time/iso-text.ts';
import { comparedPeriods, type Comparison, type HourSpan } from './compared-periods.ts';
import type { UseCaseContext } from './context.ts';
import { findFigures, goneBefore } from './organizations.ts';
import { isRefusal, refuseInput, type AdministrationRefusal } from './refusal.ts';
import type { ShownFigures } from './usage.ts';

/** Milliseconds; null if no call was old enough to be known, or none succeeded. Within a tenth of the true figure. */
interface ShownLatency {
  readonly p50: number | null;
  readonly p95: number | null;
}

interface OverviewFigures extends Omit<ShownFigures, 'cacheSavings'> {
  /** Calls that the provider did not answer, cut, or answered with a fault (5xx). */
  readonly errorCalls: number;
  /** Calls that the provider answered with 429. */
  readonly throttledCalls: number;
  readonly latencyMs: ShownLatency;
  readonly firstByteMs: ShownLatency;
}

interface Overview {
  readonly since: string;
  readonly until: string;
  readonly step: 'hour' | 'day';
  /** Every step of the period, also those without calls. */
  readonly series: readonly ({ readonly at: string } & OverviewFigures)[];
  readonly total: OverviewFigures;
  /** The period of the same length just before. */
  readonly before: OverviewFigures;
  /** Null: records of the period before were removed for their age. */
  readonly comparison: Comparison<OverviewFigures> | null;
}

const dayMs = 24 * hourMs;
/** Up to this many hours, a step is an hour. */
const hoursMax = 72;
const daysMax = 400;

/** The figures of an overview, and of the period of the same length before it. Refuses `unknown_organization` and an invalid range. */
export async function showOverview(
  context: UseCaseContext,
  { organization: idOrName, sinceMs, untilMs }: { readonly organization: string; readonly sinceMs: number; readonly untilMs: number },
): Promise<Overview | AdministrationRefusal> {
  const widened = stepsOf({ sinceMs, untilMs });
  if (isRefusal(widened)) return widened;
  const { fromMs, toMs, stepMs } = widened;
  const organization = await findFigures(context, idOrName);
  if (isRefusal(organization)) return organization;
  const { hourReports } = context.store;
  const periods = comparedPeriods({ fromMs, toMs }, context.nowMs);
  const stepsIn = async (span: HourSpan): Promise<Steps> =>
    (span.fromMs === span.toMs ? new Map() : hourReports.steps({ organization: organization.id, ...span, stepMs }));
  const [now, running] = [await stepsIn(periods.now.compared), await stepsIn(periods.now.rest)];
  const [before, later] = [await stepsIn(periods.before.compared), await stepsIn(periods.before.rest)];
  const starts = Array.from({ length: (toMs - fromMs) / stepMs }, (_, index) => fromMs + index * stepMs);
  const shownSum = (...parts: readonly Steps[]): OverviewFigures => shownFigures(addedUp(parts.flatMap((steps) => [...steps.values()])));
  return {
    since: isoText(fromMs), until: isoText(toMs), step: stepMs === hourMs ? 'hour' : 'day',
    // The day that is still running is in both parts.
    series: starts.map((start) => ({
      at: isoText(start), ...shownFigures(addedUp([now.get(start) ?? nothing, running.get(start) ?? nothing])),
    })),
    total: shownSum(now, running), before: shownSum(before, later),
    comparison: goneBefore(organization, periods.before.compared.fromMs) !== null ? null
      : { until: isoText(periods.now.compared.toMs), total: shownSum(now), before: shownSum(before) },
  };
}

type Steps = ReadonlyMap<number, ReadonlyMap<string, bigint>>;

/** A period in whole steps of an hour or, if it is long, of a day. Refuses one that is too long or empty. */
export function stepsOf(
  { sinceMs, untilMs }: { readonly sinceMs: number; readonly untilMs: number },
): { readonly fromMs: number; readonly toMs: number; readonly stepMs: number } | AdministrationRefusal {
  const stepMs = untilMs - sinceMs <= hoursMax * hourMs ? hourMs : dayMs;
  const [fromMs, toMs] = [Math.floor(sinceMs / stepMs) * stepMs, Math.ceil(untilMs / stepMs) * stepMs];
  return fromMs < toMs && toMs - fromMs <= daysMax * dayMs ? { fromMs, toMs, stepMs }
    : refuseInput('invalid_input', `The time must be longer than nothing and at most ${daysMax} days.`);
}

const nothing: ReadonlyMap<string, bigint> = new Map();

function addedUp(steps: Iterable<ReadonlyMap<string, bigint>>): ReadonlyMap<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const figures of steps) for (const [figure, amount] of figures) sums.set(figure, (sums.get(figure) ?? 0n) + amount);
  return sums;
}

function shownFigures(figures: ReadonlyMap<string, bigint>): OverviewFigures {
  const amount = (figure: string): number => Number(figures.get(figure) ?? 0n);
  const cost = figures.get('cost') ?? 0n;
  const latency = (kind: 'd' | 'f'): ShownLatency => ({ p50: percentileOf(figures, kind, 0.5), p95: percentileOf(figures, kind, 0.95) });
  return {
    calls: amount('calls'), cost: formatDollars(nanoDollars(cost > nanoDollarsMax ? nanoDollarsMax : cost)),
    inputTokens: amount('input'), cachedTokens: amount('cached'), cacheWriteTokens: amount('written'), outputTokens: amount('output'),
    reasoningTokens: amount('reasoning'), unknownCalls: amount('unknown'), unpricedCalls: amount('unpriced'), gapCalls: amount('gaps'),
    errorCalls: amount('errors'), throttledCalls: amount('throttled'), latencyMs: latency('d'), firstByteMs: latency('f'),
  };
}
