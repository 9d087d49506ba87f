/** Usage by day, filtered, grouped as the address says; a bar leads to its calls. */
import { Group } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { Filters } from '../../app/page-search.ts';
import { Panel } from '../../parts/page.tsx';
import { Loaded } from '../../parts/states.tsx';
import { seriesMax, UsageOverDays } from '../../parts/usage-over-days.tsx';
import { useTopUsage, type Metric } from '../../parts/usage-rows.ts';
import { useKeyNames } from '../../shown/key-names.ts';
import type { Range } from '../../shown/ranges.ts';
import { GroupPicker, groupings, MetricPicker } from './chart-pickers.tsx';

const route = getRouteApi('/shell/');
const dayMs = 86_400_000;
const metrics = [
  { value: 'spend', label: 'Spend' },
  { value: 'calls', label: 'Calls' },
  { value: 'tokens', label: 'Tokens' },
] as const;

export function GroupedOverTime({ range, filters }: { readonly range: Range; readonly filters: Filters }) {
  const { metric, by } = route.useSearch();
  const navigate = route.useNavigate();
  const names = useKeyNames();
  const other = groupings.find((each) => each === by) ?? null;
  const drawn = metrics.find(({ value }) => value === metric)?.value ?? 'spend';
  const figure: Metric = drawn === 'spend' ? 'cost' : drawn;
  const usage = useTopUsage({ by: 'day', and: other, range, filters }, { metric: figure, top: seriesMax });
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
