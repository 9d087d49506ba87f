/** Which labels of a month are kept however many it has: those that rules of allocation and budgets ask for. Decision 325. */
import { labelsAskedBy } from '@metergate/core/books/allocation/asked-labels.ts';
import type { AllocationRules } from '@metergate/core/books/allocation/rules.ts';
import type { OrganizationId } from '@metergate/core/id.ts';
import type { UseCaseContext } from '../context.ts';

export async function labelsAskedFor(
  context: UseCaseContext, organization: OrganizationId, rules: readonly AllocationRules[],
): Promise<(label: string) => boolean> {
  const budgets = await context.store.monthBudgets.list(organization);
  return labelsAskedBy(rules, budgets.flatMap(({ scope, subject }) => (scope === 'label' && subject !== null ? [subject] : [])));
}
