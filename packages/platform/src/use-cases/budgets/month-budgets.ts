/** Budgets of months as administration sees them: set, listed with what was spent and what is expected, removed. Decision 148; docs/alerts.md. */
import { budgetScopes, type BudgetScope } from '@metergate/core/alert/month-budget.ts';
import { formatDollars, unformatDollars, type NanoDollars } from '@metergate/core/money.ts';
import { parseMonth } from '@metergate/core/time/time-word.ts';
import { monthName, monthOf } from '@metergate/core/time/utc-month.ts';
import type { LackingCalls } from '@metergate/core/spend/lacking-calls.ts';
import type { MonthBudget } from '@metergate/store/alerts/month-budgets.ts';
import { z } from 'zod';
import { atField } from '../alerts/alerts.ts';
import { refuseOtherThan, type ThingBefore } from '../changed-meanwhile.ts';
import type { UseCaseContext } from '../context.ts';
import { checkInput } from '../input.ts';
import { moneyField } from '../money-field.ts';
import { findOrganization } from '../organizations.ts';
import { isRefusal, refuseInput, type AdministrationRefusal } from '../refusal.ts';
import { budgetSpend, type BudgetSpend } from './budget-spend.ts';

/** Money: US dollars with nine places. */
export interface ShownBudget extends LackingCalls {
  readonly id: string;
  readonly scope: BudgetScope;
  /** A project, a person's email or a label; null for the organization. */
  readonly subject: string | null;
  readonly month: string;
  /** Whether it is the budget of every month, or only of this one. */
  readonly everyMonth: boolean;
  readonly amount: string;
  /** Percent of the amount at which webhooks are notified. */
  readonly at: readonly number[];
  readonly spent: string;
  /** What is left; below 0: more was spent. */
  readonly left: string;
  /** At the month's end: spent, and the pace of the last seven days until then. Null: the month has not begun. */
  readonly expected: string | null;
  readonly state: 'within' | 'over_expected' | 'spent';
}

const subjectRule = 'A budget of a project, a person or a label must name it; one of the organization names nothing.';
const monthError = 'The month of a budget must be a month such as 2026-11.';

export const budgetFields = z.strictObject({
  scope: z.enum(budgetScopes, { error: `The scope of a budget must be one of ${budgetScopes.join(', ')}.` }),
  subject: z.string({ error: subjectRule }).min(1, { error: subjectRule }).max(512, { error: subjectRule }).nullable().default(null)
    .meta({ description: "The project, the person's email, or the label; null for the organization" }),
  month: z.string({ error: monthError }).regex(/^\d{4}-\d{2}$/, { error: monthError }).nullable().default(null)
    .meta({ description: 'The month; null: every month that has no budget of its own', example: '2026-11' }),
  amount: moneyField('The amount of a budget'),
  at: atField.optional().meta({ description: 'Percent of the amount at which webhooks are notified' }),
});

const named = { the: 'This budget', a: 'such a budget' };

/**
 * Sets what calls are meant to cost in a month; one of the same scope, subject and month keeps its id. `was`: amount and percentages that the change
 * was made from, null where there was no such budget. Refuses what the fields refuse, `unknown_organization`, `invalid_name`, `invalid_setting`,
 * `changed_meanwhile`.
 */
export async function setBudget(
  context: UseCaseContext,
  { organization: idOrName, was, ...wanted }: z.input<typeof budgetFields> & { readonly organization: string; readonly was?: ThingBefore },
): Promise<ShownBudget | AdministrationRefusal> {
  const checked = checkInput(budgetFields, wanted);
  if (isRefusal(checked)) return checked;
  const { scope, subject, month, amount, at = [] } = checked.value;
  if ((subject !== null) !== (scope !== 'organization')) return refuseInput('invalid_input', subjectRule);
  const monthMs = month === null ? null : parseMonth(month);
  if (month !== null && monthMs === null) return refuseInput('invalid_input', monthError);
  const organization = await findOrganization(context, idOrName);
  if (isRefusal(organization)) return organization;
  const set = await context.store.monthBudgets.set({
    organization: organization.id, scope, subject: scope === 'person' ? subject!.toLowerCase() : subject, monthMs, amount,
    at: [...new Set(at)].toSorted((one, other) => one - other),
  }, refuseOtherThan<MonthBudget>(was, named, (there) => ({ amount: formatDollars(there.amount), at: there.at })));
  if (isRefusal(set)) return set;
  const shownMs = monthMs ?? monthOf(context.nowMs);
  return shownBudget(set, shownMs, await (await budgetSpend(
    context, { organization: organization.id, monthMs: shownMs, budgets: [set] }))(set));
}

/** Those in force in a month, by scope and subject; by default in this one. Refuses `unknown_organization`. */
export async function listBudgets(
  context: UseCaseContext, { organization: idOrName, monthMs = monthOf(context.nowMs) }: { readonly organization: string; readonly monthMs?: number },
): Promise<ShownBudget[] | AdministrationRefusal> {
  const organization = await findOrganization(context, idOrName);
  if (isRefusal(organization)) return organization;
  const budgets = budgetsInForce(await context.store.monthBudgets.list(organization.id), monthMs);
  if (budgets.length === 0) return [];
  const spendOf = await budgetSpend(context, { organization: organization.id, monthMs, budgets });
  const shown: ShownBudget[] = [];
  for (const budget of budgets) shown.push(shownBudget(budget, monthMs, await spendOf(budget)));
  return shown;
}

/** A month's own budget comes before that of every month. */
export function budgetsInForce(budgets: readonly MonthBudget[], monthMs: number): MonthBudget[] {
  const found = new Map<string, MonthBudget>();
  const nameOf = ({ scope, subject }: MonthBudget): string => JSON.stringify([scope, subject]);
  for (const budget of budgets) if (budget.monthMs === null) found.set(nameOf(budget), budget);
  for (const budget of budgets) if (budget.monthMs === monthMs) found.set(nameOf(budget), budget);
  return [...found.values()].toSorted((one, other) => budgetScopes.indexOf(one.scope) - budgetScopes.indexOf(other.scope)
    || ((one.subject ?? '') < (other.subject ?? '') ? -1 : 1));
}

/** `within`: only a budget of this organization, by id or name. Refuses `unknown_budget`. */
export async function removeBudget(
  context: UseCaseContext, id: string, within?: string,
): Promise<{ readonly id: string; readonly removed: true } | AdministrationRefusal> {
  const organization = within === undefined ? undefined : await findOrganization(context, within);
  if (isRefusal(organization)) return organization;
  const removed = await context.store.monthBudgets.remove(id, organization?.id);
  return isRefusal(removed) ? removed : { id: removed.id, removed: true };
}

export function shownBudget(budget: MonthBudget, shownMs: number, { figures, expected }: BudgetSpend): ShownBudget {
  const { id, scope, subject, monthMs, amount, at } = budget;
  const spent = unformatDollars(figures.cost);
  const { unknownCalls, unpricedCalls, gapCalls } = figures;
  return {
    id, scope, subject, month: monthName(shownMs), everyMonth: monthMs === null, amount: formatDollars(amount), at, spent: figures.cost,
    left: formatDollars((amount - spent) as NanoDollars), expected: expected === null ? null : formatDollars(expected),
    state: spent >= amount ? 'spent' : expected !== null && expected > amount ? 'over_expected' : 'within', unknownCalls, unpricedCalls, gapCalls,
  };
}
