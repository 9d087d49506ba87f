/** Usage by day, filtered, grouped as the address says; a bar leads to its calls. */
import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { Filters } from '../../app/page-search.ts';
import { Panel } from '../../parts/page.tsx';
import { Loaded } from '../../parts/states.tsx';
import { UsageOverDays } from '../../parts/usage-over-days.tsx';
import { useKeyNames } from '../../shown/key-names.ts';
import type { Range } from '../../shown/ranges.ts';
import { GroupPicker, MetricPicker } from './chart-pickers.tsx';
import { groupedIn, groupedQuery } from './overview-data.ts';

const route = getRouteApi('/shell/');
const dayMs = 86_400_000;
const metrics = [
  { value: 'spend', label: 'Spend' },
  { value: 'calls', label: 'Calls' },
  { value: 'tokens', label: 'Tokens' },
] as const;

export function GroupedOverTime({ range, filters }: { readonly range: Range; readonly filters: Filters }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const names = useKeyNames();
  const { other, drawn, figure } = groupedIn(search);
  const usage = useQuery(groupedQuery(search, range));
  return (
    <Panel
      title="Over time"
      about="By day, in UTC"
      actions={
        <Group gap="xs">
          <GroupPicker />
          <MetricPicker metrics={metrics} value={drawn} />
        </Group>
      }>
      <Loaded of={usage} height={260}>
        {({ rows }) => (
          <UsageOverDays
            {...{ rows, other, range, names }}
            metric={figure}
            onPick={(ms, part) => {
              const named = other === null || typeof part?.[other] !== 'string' ? {} : { [other]: part[other] };
              const day = { since: new Date(ms).toISOString(), until: new Date(ms + dayMs).toISOString() };
              void navigate({ to: '/calls', search: { ...day, ...filters, ...named } });
            }}
          />
        )}
      </Loaded>
    </Panel>
  );
}
