/**
 * What was spent of a month on what a budget is for, and what is expected at its end. A closed month as it was closed; any other by its records. Rule
 * 24b; decision 148.
 */
import { expectedBy, paceSince, type SpentDay } from '@metergate/core/spend/forecast.ts';
import type { BudgetScope } from '@metergate/core/alert/month-budget.ts';
import type { OrganizationId } from '@metergate/core/id.ts';
import { unformatDollars, type NanoDollars } from '@metergate/core/money.ts';
import { figuresOfTexts } from '@metergate/core/books/month/month-file.ts';
import { sumOfLines } from '@metergate/core/books/month/month-sums.ts';
import type { UsageDimension } from '@metergate/core/report/usage-sum.ts';
import { monthAfter } from '@metergate/core/time/utc-month.ts';
import type { ClosedMonth } from '@metergate/store/receipts/month-versions.ts';
import { othersFirst } from '@metergate/store/threads/others-first.ts';
import type { UseCaseContext } from '../context.ts';
import { eachInTurns } from '../months/in-turns.ts';
import { linesOfMonth, namesOfMonth } from '../months/read-month.ts';
import { isRefusal } from '../refusal.ts';
import { listServiceKeys } from '../service-keys.ts';
import { addedUp, showPart, shownUsage, type ShownFigures, type ShownUsage, type UsageRequest } from '../usage.ts';

interface BudgetSubject {
  readonly scope: BudgetScope;
  readonly subject: string | null;
}

export interface BudgetSpend {
  readonly figures: ShownFigures;
  /** Null: the month has not begun. For a month that is over, what was spent. */
  readonly expected: NanoDollars | null;
}

type SpendOf = (subject: BudgetSubject) => Promise<BudgetSpend>;

/** Looks once at what all budgets of a month share. `budgets`: all that will be asked about. */
export async function budgetSpend(
  context: UseCaseContext, { organization, monthMs, budgets }: BudgetsOfMonth,
): Promise<SpendOf> {
  const owners = await ownersOf(context, organization, budgets);
  const closed = (await context.store.months.list(organization)).find((each) => each.monthMs === monthMs && each.reopenedAtMs === null);
  if (closed !== undefined) return closedSpend(context, closed, owners);
  const { nowMs } = context;
  const endMs = monthAfter(monthMs);
  const ofMonth = usageIn(context, { organization, owners, by: [], sinceMs: monthMs, untilMs: endMs });
  const ofDays = usageIn(context, { organization, owners, by: ['day'], sinceMs: paceSince(nowMs), untilMs: endMs });
  return async (subject) => {
    // Each is a report of its own, and an organization may have hundreds.
    await othersFirst();
    const figures = addedUp(await ofMonth(subject));
    const spent = unformatDollars(figures.cost);
    if (nowMs >= endMs || nowMs < monthMs) return { figures, expected: nowMs < monthMs ? null : spent };
    const days = (await ofDays(subject)).map((row): SpentDay => ({ dayMs: Date.parse(row.day!), spent: unformatDollars(row.cost) }));
    return { figures, expected: expectedBy(days, { spent, endMs, nowMs }) };
  };
}

interface BudgetsOfMonth {
  readonly organization: OrganizationId;
  readonly monthMs: number;
  readonly budgets: readonly BudgetSubject[];
}

/** For each key of somebody who has a budget: their email. */
type Owners = ReadonlyMap<string, string>;

async function ownersOf(context: UseCaseContext, organization: OrganizationId, budgets: readonly BudgetSubject[]): Promise<Owners> {
  const people = new Set(budgets.filter(({ scope }) => scope === 'person').map(({ subject }) => subject));
  const keys = people.size === 0 ? [] : await listServiceKeys(context, organization);
  return new Map(isRefusal(keys) ? [] : keys.filter(({ person }) => people.has(person)).map(({ id, person }) => [id, person!]));
}

interface Asked {
  readonly organization: OrganizationId;
  readonly owners: Owners;
  readonly by: readonly UsageDimension[];
  readonly sinceMs: number;
  readonly untilMs: number;
}

/** One report answers for all people together: one person may have had thousands of keys. */
function usageIn(
  context: UseCaseContext, { organization, owners, by, sinceMs, untilMs }: Asked,
): (subject: BudgetSubject) => Promise<readonly ShownUsage[]> {
  const ask = async (more: Pick<UsageRequest, 'by' | 'filter' | 'keyAs'>): Promise<readonly ShownUsage[]> => {
    const rows = await showPart(context, { organization, sinceMs, untilMs, ...more }, { atOnce: Number.MAX_SAFE_INTEGER });
    // The organization was erased meanwhile.
    return rows === null || isRefusal(rows) ? [] : rows;
  };
  let ofPeople: Promise<Map<string | null | undefined, readonly ShownUsage[]>> | null = null;
  return async ({ scope, subject }) => {
    if (scope !== 'person') return ask({ by, filter: scope === 'organization' ? {} : { [scope]: subject! } });
    ofPeople ??= ask({ by: [...by, 'key'], keyAs: owners }).then((rows) => Map.groupBy(rows, ({ key }) => key));
    return (await ofPeople).get(subject) ?? [];
  };
}

async function closedSpend(context: UseCaseContext, closed: ClosedMonth, owners: Owners): Promise<SpendOf> {
  const names = await namesOfMonth(context.store, closed);
  const lines = await eachInTurns(await linesOfMonth(context.store, closed, ['calls']), ({ figures, ...line }) =>
    ({ ...line, figures: figuresOfTexts(figures) }));
  return async ({ scope, subject }) => {
    await othersFirst();
    const counted = lines.filter(({ key, project, labels }) => scope === 'organization' || (scope === 'person' && owners.get(key) === subject)
      || (scope === 'project' && names.get(project) === subject) || (scope === 'label' && labels.some((label) => names.get(label) === subject)));
    const figures = shownUsage([], { subjects: [], figures: sumOfLines(counted) });
    return { figures, expected: unformatDollars(figures.cost) };
  };
}
