/**
 * A month's budget: what calls of the organization, a project, a person's keys or a label are meant to cost in a month. It refuses nothing; events
 * tell when it is spent or likely to be. docs/alerts.md, decision 148.
 */
import { capEvents, type SentEvents } from './cap-events.ts';
import type { NanoDollars } from '../money.ts';
import { dayLengthMs } from '../time/utc-day.ts';

export const budgetScopes = ['organization', 'project', 'person', 'label'] as const;
export type BudgetScope = (typeof budgetScopes)[number];

/** What was sent of a budget in the month that begins at `windowStartMs`. */
export interface SentBudgetEvents extends SentEvents {
  /** That more than the budget is expected. */
  readonly expected: boolean;
}

interface BudgetMoment {
  readonly monthMs: number;
  readonly nowMs: number;
  readonly amount: NanoDollars;
  readonly spent: NanoDollars;
  /** At the month's end; null: nothing is expected of it. */
  readonly expected: NanoDollars | null;
  /** Percent of the amount. */
  readonly thresholds: readonly number[];
}

export type BudgetEvent =
  | { readonly type: 'budget.threshold'; readonly threshold: number }
  | { readonly type: 'budget.reached' }
  | { readonly type: 'budget.expected' };

/** `told`: what was sent; null: nothing yet. The events in order, and what has been sent after them. Nothing is expected on a month's first day. */
export function budgetEvents(
  told: SentBudgetEvents | null, moment: BudgetMoment,
): { readonly events: readonly BudgetEvent[]; readonly told: SentBudgetEvents } {
  const { monthMs, nowMs, amount, spent, expected, thresholds } = moment;
  const { events, sent } = capEvents(told, { windowStartMs: monthMs, spent, limit: amount, thresholds });
  const wasExpected = told !== null && told.windowStartMs === monthMs && told.expected;
  const isExpected = expected !== null && expected > amount && !sent.reached && nowMs - monthMs >= dayLengthMs;
  return {
    events: [
      ...events.flatMap((event): BudgetEvent[] => event.type === 'cap.threshold' ? [{ type: 'budget.threshold', threshold: event.threshold }]
        : event.type === 'cap.reached' ? [{ type: 'budget.reached' }] : []),
      ...(isExpected && !wasExpected ? [{ type: 'budget.expected' } as const] : []),
    ],
    told: { ...sent, expected: wasExpected || isExpected },
  };
}
