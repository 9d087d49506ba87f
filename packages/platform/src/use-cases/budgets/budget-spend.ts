/**
 * What was spent of a month on what a budget is for, and what is expected at its end. A closed month as it was closed; any other by its records. Rule
 * 24b; decision 148.
 */
import { expectedBy, paceSince, type SpentDay } from '@metergate/core/spend/forecast.ts';
import type { BudgetScope } from '@metergate/core/alert/month-budget.ts';
import type { OrganizationId } from '@metergate/core/id.ts';
import { nanoDollars, unformatDollars, type NanoDollars } from '@metergate/core/money.ts';
import { figuresOfTexts } from '@metergate/core/books/month/month-file.ts';
import { sumOfLines } from '@metergate/core/books/month/month-sums.ts';
import type { UsageDimension } from '@metergate/core/report/usage-sum.ts';
import { monthAfter } from '@metergate/core/time/utc-month.ts';
import type { ClosedMonth } from '@metergate/store/receipts/closed-months.ts';
import type { UseCaseContext } from '../context.ts';
import { linesOfMonth, namesOfMonth } from '../months/read-month.ts';
import { isRefusal } from '../refusal.ts';
import { listServiceKeys } from '../service-keys.ts';
import { addedUp, showUsage, shownUsage, type ShownFigures, type ShownUsage } from '../usage.ts';

export interface BudgetSubject {
  readonly scope: BudgetScope;
  readonly subject: string | null;
}

export interface BudgetSpend {
  readonly figures: ShownFigures;
  /** Null: the month has not begun. Of one that is over, what was spent. */
  readonly expected: NanoDollars | null;
}

export type SpendOf = (subject: BudgetSubject) => Promise<BudgetSpend>;

/** Looks once at what all budgets of a month share. */
export async function budgetSpend(context: UseCaseContext, organization: OrganizationId, monthMs: number): Promise<SpendOf> {
  let owners: ReturnType<typeof listServiceKeys> | null = null;
  const keysOf = async (person: string): Promise<ReadonlySet<string>> => {
    const keys = await (owners ??= listServiceKeys(context, organization));
    return new Set(isRefusal(keys) ? [] : keys.filter((key) => key.person === person).map(({ id }) => id));
  };
  const closed = (await context.store.months.list(organization)).find((each) => each.monthMs === monthMs && each.reopenedAtMs === null);
  if (closed !== undefined) return closedSpend(context, closed, keysOf);
  const { nowMs } = context;
  const endMs = monthAfter(monthMs);
  const usage = (subject: BudgetSubject, by: readonly UsageDimension[], sinceMs: number) =>
    usageOf(context, { organization, subject, keysOf, by, sinceMs, untilMs: endMs });
  return async (subject) => {
    const figures = addedUp(await usage(subject, [], monthMs));
    const spent = unformatDollars(figures.cost);
    if (nowMs >= endMs || nowMs < monthMs) return { figures, expected: nowMs < monthMs ? null : spent };
    const days = (await usage(subject, ['day'], paceSince(nowMs))).map((row): SpentDay =>
      ({ dayMs: Date.parse(row.day!), spent: unformatDollars(row.cost) }));
    return { figures, expected: expectedBy(merged(days), { spent, endMs, nowMs }) };
  };
}

interface Asked {
  readonly organization: string;
  readonly subject: BudgetSubject;
  readonly keysOf: (person: string) => Promise<ReadonlySet<string>>;
  readonly by: readonly UsageDimension[];
  readonly sinceMs: number;
  readonly untilMs: number;
}

async function usageOf(
  context: UseCaseContext, { organization, subject: { scope, subject }, keysOf, by, sinceMs, untilMs }: Asked,
): Promise<readonly ShownUsage[]> {
  const filters = scope === 'organization' ? [{}]
    : scope === 'person' ? [...await keysOf(subject!)].map((key) => ({ key })) : [{ [scope]: subject! }];
  const found: ShownUsage[] = [];
  for (const filter of filters) {
    const rows = await showUsage(context, { organization, sinceMs, untilMs, by, filter });
    // The organization was erased meanwhile.
    if (isRefusal(rows)) return [];
    found.push(...rows);
  }
  return found;
}

/** One amount a day: each of a person's keys has rows of its days. */
function merged(days: readonly SpentDay[]): SpentDay[] {
  return [...Map.groupBy(days, ({ dayMs }) => dayMs)].map(([dayMs, same]) =>
    ({ dayMs, spent: nanoDollars(same.reduce((sum, { spent }) => sum + spent, 0n)) }));
}

async function closedSpend(context: UseCaseContext, closed: ClosedMonth, keysOf: Asked['keysOf']): Promise<SpendOf> {
  const names = await namesOfMonth(context.store, closed);
  const lines = await linesOfMonth(context.store, closed, ['calls']);
  return async ({ scope, subject }) => {
    const own = scope === 'person' ? await keysOf(subject!) : null;
    const counted = lines.filter(({ key, project, labels }) => scope === 'organization' || own?.has(key) === true
      || (scope === 'project' && names.get(project) === subject) || (scope === 'label' && labels.some((label) => names.get(label) === subject)));
    const figures = shownUsage([], { subjects: [], figures: sumOfLines(counted.map((line) => ({ figures: figuresOfTexts(line.figures) }))) });
    return { figures, expected: unformatDollars(figures.cost) };
  };
}
