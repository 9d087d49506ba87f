/** What the page of a month asks of the platform. */
import { api } from '../../api/client.ts';
import type { MonthSearch } from '../../app/page-search.ts';
import type { Asks } from '../../app/session.ts';
import { lastMonth, monthBefore } from '../../shown/months.ts';

export function shownMonth({ month }: MonthSearch): string {
  return month ?? lastMonth(new Date());
}

export function monthShownQuery(month: string) {
  return api.queryOptions('get', '/platform/v1/months/{month}', { params: { path: { month } } });
}

export const allocationRulesQuery = api.queryOptions('get', '/platform/v1/allocation');

export function budgetsQuery(month: string) {
  return api.queryOptions('get', '/platform/v1/month-budgets', { params: { query: { month, limit: 1_000 } } });
}

/** Only where there are rules, or the month is closed. */
export function allocationQuery(month: string) {
  return api.queryOptions('get', '/platform/v1/months/{month}/allocation', { params: { path: { month } } });
}

export const monthAsks: Asks<MonthSearch> = (search) => {
  const month = shownMonth(search);
  return [monthShownQuery(month), monthShownQuery(monthBefore(month)), allocationRulesQuery, budgetsQuery(month)];
};
