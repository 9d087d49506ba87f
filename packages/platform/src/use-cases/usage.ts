/**
 * What an organization's calls used, by model, key, project, label, run or day. Design 5, `usage`. Costs are what the records
 * say; calls whose usage is not known, or that nobody has a price for, are counted beside the money and never guessed at.
 */
import { formatDollars } from '@metergate/core/money.ts';
import type { UsageDimension } from '@metergate/core/report/usage-sum.ts';
import type { UsageRow } from '@metergate/store/usage/usage-reports.ts';
import type { UseCaseContext } from './context.ts';
import { findFigures } from './organizations.ts';
import { isRefusal, refuseInput, type AdministrationRefusal } from './refusal.ts';

export interface UsageQuery {
  /** Id or name, of an erased organization its id alone. */
  readonly organization: string;
  readonly by: UsageDimension;
  /** Calls that started from this moment on. */
  readonly sinceMs?: number;
  /** Up to this moment, itself excluded. */
  readonly untilMs?: number;
}

/** `cost`: US dollars with nine places. Tokens as the wires report them. */
export interface ShownFigures {
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost: string;
  /** Of `calls`, those whose usage did not come, or came in part. */
  readonly unknownCalls: number;
  /** Of `calls`, those with usage that has no price. */
  readonly unpricedCalls: number;
  /** Of `calls`, those whose cost lacks something that was reported. */
  readonly gapCalls: number;
}

/** Under the dimension's own name: a model, a key's id, a project, a label, a run, or a day `YYYY-MM-DD`; null where calls have none. */
export type ShownUsage = { readonly [D in UsageDimension]?: string | null } & ShownFigures;

const rowsMax = 100_000;

/** Days in their order; of everything else the costliest first. */
export async function showUsage(context: UseCaseContext, query: UsageQuery): Promise<ShownUsage[] | AdministrationRefusal> {
  const { by, sinceMs, untilMs } = query;
  const organization = await findFigures(context, query.organization);
  if (isRefusal(organization)) return organization;
  const rows = await context.store.usageReports.usage({
    organization: organization.id, by, rowsMax,
    ...(sinceMs === undefined ? {} : { sinceMs }), ...(untilMs === undefined ? {} : { untilMs }),
  });
  if (rows === null) {
    return refuseInput('invalid_input', `There are more than ${rowsMax} different values of ${by} in this time. Ask for a shorter one.`);
  }
  return rows.toSorted(by === 'day' ? byDay : costliestFirst).map((row) => shownUsage(by, row));
}

function byDay(one: UsageRow, other: UsageRow): number {
  return Number(one.subject) - Number(other.subject);
}

function costliestFirst(one: UsageRow, other: UsageRow): number {
  if (one.figures.cost !== other.figures.cost) return one.figures.cost > other.figures.cost ? -1 : 1;
  if (one.figures.calls !== other.figures.calls) return other.figures.calls - one.figures.calls;
  return one.subject < other.subject ? -1 : 1;
}

function shownUsage(by: UsageDimension, { subject, figures }: UsageRow): ShownUsage {
  const { calls, inputTokens, outputTokens, cost, unknownCalls, unpricedCalls, gapCalls } = figures;
  return {
    [by]: by === 'day' ? new Date(Number(subject)).toISOString().slice(0, 10) : subject === '' ? null : subject,
    calls, inputTokens: Number(inputTokens), outputTokens: Number(outputTokens), cost: formatDollars(cost), unknownCalls, unpricedCalls, gapCalls,
  };
}
