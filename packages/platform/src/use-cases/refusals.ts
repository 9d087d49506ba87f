/**
 * Refused calls of an organization: who was refused, why and how often. Read from counts by hour, so ranges are widened to whole steps. Calls
 * with an unknown key belong to no organization and are not included.
 */
import type { OrganizationId } from '@metergate/core/id.ts';
import { hourMs } from '@metergate/core/report/hour-sum.ts';
import type { RefusalReason } from '@metergate/core/report/refusal-count.ts';
import { isoText } from '@metergate/core/time/iso-text.ts';
import { refusalsKeptMs } from '@metergate/store/usage/refusal-hours.ts';
import { comparedPeriods, type Comparison, type HourSpan } from './compared-periods.ts';
import type { UseCaseContext } from './context.ts';
import { findFigures } from './organizations.ts';
import { stepsOf } from './overview.ts';
import { isRefusal, type AdministrationRefusal } from './refusal.ts';

export interface ShownRefusals extends RefusalReason {
  /** Id of the service key; null: too many keys were refused to be distinguished. */
  readonly key: string | null;
  readonly refusals: number;
  /** First instants of the hours of the first and the last refusal. */
  readonly firstHour: string;
  readonly lastHour: string;
}

interface RefusalsReport {
  /** Its id. */
  readonly organization: OrganizationId;
  readonly since: string;
  readonly until: string;
  readonly step: 'hour' | 'day';
  readonly total: number;
  /** In the period of the same length just before. */
  readonly before: number;
  /** Null: counts of the period before are no longer kept. */
  readonly comparison: Comparison<number> | null;
  /** Most often first. */
  readonly byCode: readonly { readonly code: string; readonly refusals: number }[];
  /** Every step of the period. */
  readonly series: readonly { readonly at: string; readonly byCode: Readonly<Record<string, number>> }[];
  /** Most often refused first; at most `refusalRowsMax`. */
  readonly rows: readonly ShownRefusals[];
}

export const refusalRowsMax = 500;

interface RefusalsInput {
  readonly organization: string;
  readonly sinceMs: number;
  readonly untilMs: number;
}

/** Refused calls by key and reason, and by hour or day. Refuses `unknown_organization` and a range that is not valid. */
export async function showRefusals(context: UseCaseContext, asked: RefusalsInput): Promise<RefusalsReport | AdministrationRefusal> {
  const steps = stepsOf(asked);
  if (isRefusal(steps)) return steps;
  const found = await findFigures(context, asked.organization);
  if (isRefusal(found)) return found;
  const organization = found.id;
  const { fromMs, toMs, stepMs } = steps;
  const { refusalHours } = context.store;
  const periods = comparedPeriods({ fromMs, toMs }, context.nowMs);
  const stepsIn = async (span: HourSpan) => (span.fromMs === span.toMs ? [] : refusalHours.steps({ organization, ...span, stepMs }));
  const [now, running, earlier, later, rows] = await Promise.all([
    stepsIn(periods.now.compared), stepsIn(periods.now.rest), stepsIn(periods.before.compared), stepsIn(periods.before.rest),
    refusalHours.byKey({ organization, fromMs, toMs }, refusalRowsMax),
  ]);
  const sums = [...now, ...running];
  const byCode = new Map<string, number>();
  const series = new Map<number, Record<string, number>>();
  for (let startMs = fromMs; startMs < toMs; startMs += stepMs) series.set(startMs, {});
  for (const { startMs, code, refusals } of sums) {
    byCode.set(code, (byCode.get(code) ?? 0) + refusals);
    const step = series.get(startMs)!;
    step[code] = (step[code] ?? 0) + refusals;
  }
  return {
    organization, since: isoText(fromMs), until: isoText(toMs), step: stepMs === hourMs ? 'hour' : 'day',
    total: summed(sums), before: summed(earlier) + summed(later),
    comparison: periods.before.compared.fromMs < context.nowMs - refusalsKeptMs ? null
      : { until: isoText(periods.now.compared.toMs), total: summed(now), before: summed(earlier) },
    byCode: [...byCode].map(([code, refusals]) => ({ code, refusals })).sort((one, other) => other.refusals - one.refusals),
    series: [...series].map(([startMs, each]) => ({ at: isoText(startMs), byCode: each })),
    rows: rows.map(({ firstHourMs, lastHourMs, ...row }) => ({ ...row, firstHour: isoText(firstHourMs), lastHour: isoText(lastHourMs) })),
  };
}

function summed(steps: readonly { readonly refusals: number }[]): number {
  return steps.reduce((sum, { refusals }) => sum + refusals, 0);
}
