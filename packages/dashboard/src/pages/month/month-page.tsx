/** A month as finance works with it: what it cost, its closing, a provider's bill beside it, what each team pays of it, and its budgets. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { MonthSearch } from '../../app/page-search.ts';
import { MonthPicker } from '../../parts/month-picker.tsx';
import { Page, Panel } from '../../parts/page.tsx';
import { Loaded } from '../../parts/states.tsx';
import { monthBefore, monthTitle } from '../../shown/months.ts';
import { BillPanel } from './bill-panel.tsx';
import { BudgetsPanel } from './budgets-panel.tsx';
import { ClosingPanel } from './closing-panel.tsx';
import { monthShownQuery, shownMonth } from './month-asks.ts';
import { MonthTotal } from './month-total.tsx';
import { TeamsPanel } from './teams-panel.tsx';

const route = getRouteApi('/shell/month');

export function MonthPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const set = (change: Partial<MonthSearch>): void => void navigate({ search: (old) => ({ ...old, ...change }), replace: true });
  const month = shownMonth(search);
  const shown = useQuery(monthShownQuery(month));
  const before = useQuery(monthShownQuery(monthBefore(month)));
  return (
    <Page
      title="Month"
      about={`${monthTitle(month)}, in UTC: its total, its closing, its bills, its teams and its budgets`}
      actions={
        <>
          <Button variant="default" component={Link} to="/statement" search={{ month } as never}>
            Statement
          </Button>
          <MonthPicker month={month} onChange={(chosen) => set({ month: chosen })} />
        </>
      }>
      <Panel>
        <Loaded of={shown} height={120}>
          {(of) => <MonthTotal of={of} before={before.data} />}
        </Loaded>
      </Panel>
      <Loaded of={shown} height={200}>
        {(of) => <ClosingPanel of={of} />}
      </Loaded>
      <BillPanel />
      <TeamsPanel month={month} closed={shown.data?.state === 'closed'} />
      <BudgetsPanel month={month} />
    </Page>
  );
}
