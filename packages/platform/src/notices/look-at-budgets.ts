/** Which events the budgets of the month that runs have raised since they were last looked at. Decision 148. */
import { budgetEvents, type BudgetEvent } from '@metergate/core/alert/month-budget.ts';
import type { OrganizationId } from '@metergate/core/id.ts';
import { unformatDollars } from '@metergate/core/money.ts';
import { monthOf } from '@metergate/core/time/utc-month.ts';
import type { Happening } from '@metergate/store/alerts/raise-notice.ts';
import type { MonthBudget } from '@metergate/store/alerts/month-budgets.ts';
import { budgetSpend } from '../use-cases/budgets/budget-spend.ts';
import { budgetsInForce, shownBudget, type ShownBudget } from '../use-cases/budgets/month-budgets.ts';
import type { UseCaseContext } from '../use-cases/context.ts';

/** Raises each once a month, with what was spent and is expected. */
export async function lookAtBudgets(context: UseCaseContext, organization: OrganizationId): Promise<void> {
  const { store, nowMs } = context;
  const monthMs = monthOf(nowMs);
  const budgets = budgetsInForce(await store.monthBudgets.list(organization), monthMs);
  if (budgets.length === 0) return;
  const spendOf = await budgetSpend(context, { organization, monthMs, budgets });
  for (const budget of budgets) {
    const spend = await spendOf(budget);
    const { events, told } = budgetEvents(budget.told, {
      monthMs, nowMs, amount: budget.amount, spent: unformatDollars(spend.figures.cost), expected: spend.expected, thresholds: budget.at,
    });
    if (JSON.stringify(told) === JSON.stringify(budget.told)) continue;
    const shown = shownBudget(budget, monthMs, spend);
    await store.monthBudgets.tell(budget, told, events.map((event) => happening(event, { budget, shown, atMs: Math.floor(nowMs) })));
  }
}

interface Told {
  readonly budget: MonthBudget;
  readonly shown: ShownBudget;
  readonly atMs: number;
}

function happening(event: BudgetEvent, { budget, shown, atMs }: Told): Happening {
  const { id, scope, subject, month, amount, spent, expected, unknownCalls, unpricedCalls, gapCalls } = shown;
  const threshold = event.type === 'budget.threshold' ? { threshold: event.threshold } : {};
  return {
    organization: budget.organization, type: event.type, atMs,
    // A budget that is raised and spent again in one month gets another notice: the amount is part of the event.
    dedupe: `${event.type}/${id}/${month}/${event.type === 'budget.threshold' ? event.threshold : amount}`,
    data: { budget: id, scope, subject, month, ...threshold, amount, spent, expected, unknownCalls, unpricedCalls, gapCalls },
  };
}
