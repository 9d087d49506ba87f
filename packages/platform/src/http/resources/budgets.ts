/** Budgets of months: what calls are meant to cost, what they did, and what is expected. Decision 148; docs/alerts.md. */
import { z } from '@hono/zod-openapi';
import { budgetScopes } from '@metergate/core/alert/month-budget.ts';
import { budgetFields, listBudgets, removeBudget, setBudget } from '../../use-cases/budgets/month-budgets.ts';
import { isRefusal } from '../../use-cases/refusal.ts';
import { operation } from '../operation.ts';
import { pageOf, pageOfShortList, shortListQuery } from '../paging.ts';
import { dollars, fieldsBeforeOrNone, idParams, lackingCalls, monthQuery } from './fields.ts';
import { monthShown } from './months.ts';
import { seesSpendOf } from './whose.ts';

const budgetSchema = z.object({
  id: z.string(), scope: z.enum(budgetScopes),
  subject: z.string().nullable().openapi({
    description: "A project, a person's email or a label; null for the organization. One of a person is listed for admins and the person",
  }),
  month: monthShown, everyMonth: z.boolean().openapi({ description: 'Whether it is the budget of every month, or only of this one' }),
  amount: dollars, at: z.array(z.int()).openapi({ description: 'Percent of the amount at which webhooks are notified' }), spent: dollars,
  left: dollars.openapi({ description: 'Below 0: more was spent' }),
  expected: dollars.nullable().openapi({
    description: 'At the end of the month: spent, and the pace of the last seven days until then. Null: the month has not begun' }),
  state: z.enum(['within', 'over_expected', 'spent']).openapi({ description: 'over_expected: more than the amount is expected' }), ...lackingCalls,
}).openapi('MonthBudget');

export const budgetOperations = [
  operation({
    id: 'listBudgets', method: 'get', path: '/month-budgets', role: 'viewer', tag: 'months', refuses: ['unknown_organization'],
    summary: 'Budgets in force in a month, by default in this one, with what was spent and what is expected at its end',
    query: shortListQuery.extend({ month: monthQuery.optional() }), answer: pageOf(budgetSchema),
    run: ({ context, actor, actor: { organization }, query: { month, ...page } }) => pageOfShortList({ list: 'budgets', organization },
      listBudgets(context, { organization, ...(month === undefined ? {} : { monthMs: month }) }).then((budgets) =>
        (isRefusal(budgets) ? budgets : budgets.filter(({ scope, subject }) => seesSpendOf(actor, { scope, person: subject })))), page),
  }),
  operation({
    id: 'setBudget', method: 'post', path: '/month-budgets', role: 'admin', tag: 'months', status: 201,
    refuses: ['unknown_organization', 'invalid_name', 'invalid_setting', 'changed_meanwhile'], secrets: ['was'],
    summary: 'Set what calls are meant to cost in a month; one of the same scope, subject and month keeps its id. It refuses no call',
    body: budgetFields.extend({ was: fieldsBeforeOrNone({ amount: dollars, at: z.unknown() }) }), answer: budgetSchema,
    run: ({ context, actor, sent }) => setBudget(context, { ...sent, organization: actor.organization }),
  }),
  operation({
    id: 'removeBudget', method: 'delete', path: '/month-budgets/{id}', role: 'admin', tag: 'months', summary: 'Remove a budget',
    refuses: ['unknown_organization', 'unknown_budget'], params: idParams,
    answer: z.object({ id: z.string(), removed: z.literal(true) }).openapi('RemovedBudget'),
    run: ({ context, actor, params }) => removeBudget(context, params.id, actor.organization),
  }),
] as const;
