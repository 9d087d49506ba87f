/** `metergate budget`: what calls are meant to cost in a month, what they did, and what is expected at its end. Decision 148; docs/alerts.md. */
import { grouped } from '@metergate/core/books/allocation/page-amounts.ts';
import { budgetScopes, type BudgetScope } from '@metergate/core/alert/month-budget.ts';
import { listBudgets, removeBudget, setBudget, type ShownBudget } from '@metergate/platform/use-cases/budgets/month-budgets.ts';
import { isRefusal } from '@metergate/platform/use-cases/refusal.ts';
import { command, commandGroup, UsageFault } from '../command-line/command.ts';
import { orgArgument } from '../command-line/common-arguments.ts';
import { onStore, showing } from '../command-line/on-store.ts';
import { shortDecimal, table } from '../command-line/table.ts';
import { givenDollars, monthMs, percentages } from '../command-line/value-forms.ts';

const set = command({
  description: 'Set what calls are meant to cost in a month, without refusing any',
  args: {
    org: orgArgument,
    scope: { type: 'enum', required: true, options: [...budgetScopes], valueHint: 'SCOPE', description: budgetScopes.join(', ') },
    subject: { type: 'string', valueHint: 'NAME', description: "The project, the person's email or the label; not for the organization" },
    month: { type: 'string', valueHint: 'YYYY-MM', description: 'Only for this month; otherwise for every month without a budget of its own' },
    amount: { type: 'string', required: true, valueHint: 'USD', description: 'What calls are meant to cost' },
    at: { type: 'string', valueHint: 'PERCENT', description: 'Percent of it at which webhooks are notified, such as 50,80,100' },
  },
  run: ({ org, scope, subject, month, amount, at }, tools) => {
    if ((subject !== undefined) !== (scope !== 'organization')) {
      throw new UsageFault('--subject names the project, person or label; it is left out for the organization.');
    }
    if (month !== undefined) monthMs('month', month);
    const wanted = {
      organization: org, scope: scope as BudgetScope, amount: givenDollars('amount', amount), ...(subject === undefined ? {} : { subject }),
      ...(month === undefined ? {} : { month }), ...(at === undefined ? {} : { at: percentages('at', at) }),
    };
    return showing(tools, (context) => setBudget(context, wanted),
      (made) => ({ json: made, text: (width) => budgetsText([made], width) }));
  },
});

const list = command({
  description: 'List the budgets in force in a month, with what was spent and what is expected at its end',
  args: { org: orgArgument, month: { type: 'string', valueHint: 'YYYY-MM', description: 'The month, in UTC; this one by default' } },
  run: ({ org, month }, tools) => {
    const query = { organization: org, ...(month === undefined ? {} : { monthMs: monthMs('month', month) }) };
    return onStore(tools, async (context) => {
      const shown = await listBudgets(context, query);
      return isRefusal(shown) ? shown
        : { json: shown, text: (width) => (shown.length === 0 ? 'There are no budgets in this month.' : budgetsText(shown, width)) };
    });
  },
});

const remove = command({
  description: 'Remove a budget', takesAway: true,
  args: { id: { type: 'positional', required: true, valueHint: 'ID', description: 'The budget, as budget list shows it' } },
  run: ({ id }, tools) => showing(tools, (context) => removeBudget(context, id),
    (removed) => ({ json: removed, text: 'The budget is removed.' })),
});

const stateWords = { within: 'within', over_expected: 'more is expected', spent: 'spent' } as const;

function budgetsText(budgets: readonly ShownBudget[], width: number | null): string {
  const rows = budgets.map(({ id, scope, subject, month, amount, spent, expected, state, ...counts }) => [
    id, scope, subject, month, ...[amount, spent].map(shortDecimal), expected === null ? null : shortDecimal(expected), stateWords[state],
    grouped(counts.unknownCalls + counts.unpricedCalls + counts.gapCalls),
  ]);
  const heads = ['ID', 'SCOPE', 'SUBJECT', 'MONTH', 'BUDGET USD', 'SPENT', 'EXPECTED', 'STATE', 'LACKING'];
  return table(heads, rows, { widthMax: width, shrinks: 'SUBJECT', drops: ['LACKING', 'ID'] });
}

export const budget = commandGroup('Set, list and remove budgets of months', { set, list, remove });
