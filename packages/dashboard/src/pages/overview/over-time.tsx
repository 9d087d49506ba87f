/** Spend and calls over time. */
import { SegmentedControl } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense, useMemo } from 'react';
import { Panel } from '../../parts/page.tsx';
import { Coming } from '../../parts/states.tsx';
import { shortCount, shortDollars } from '../../shown/amounts.ts';
import { shownDay } from '../../shown/moments.ts';
import type { Range } from '../../shown/ranges.ts';
import type { UsageRow } from './overview-data.ts';

const TimeChart = lazy(async () => ({ default: (await import('../../parts/time-chart.tsx')).TimeChart }));
const route = getRouteApi('/shell/');
const dayMs = 86_400_000;

export function OverTime({ days, range }: { readonly days: readonly UsageRow[]; readonly range: Range }) {
  const { metric = 'spend' } = route.useSearch();
  const navigate = route.useNavigate();
  const { moments, series } = useMemo(() => {
    const byDay = new Map(days.map((row) => [Date.parse(String(row.day)), row]));
    const first = Math.floor(range.sinceMs / dayMs) * dayMs;
    const moments = Array.from({ length: Math.ceil((range.untilMs - first) / dayMs) }, (_, at) => first + at * dayMs);
    const value = (row: UsageRow | undefined): number =>
      row === undefined ? 0 : metric === 'calls' ? row.calls : metric === 'tokens' ? row.inputTokens + row.outputTokens : Number(row.cost);
    return { moments, series: [{ name: metric, values: moments.map((ms) => value(byDay.get(ms))) }] };
  }, [days, range, metric]);
  return (
    <Panel
      title="Over time"
      actions={
        <SegmentedControl
          size="xs"
          aria-label="What is drawn"
          value={metric}
          data={[
            { value: 'spend', label: 'Spend' },
            { value: 'calls', label: 'Calls' },
            { value: 'tokens', label: 'Tokens' },
          ]}
          onChange={(next) => void navigate({ search: (old) => ({ ...old, metric: next }), replace: true, resetScroll: false })}
        />
      }>
      <Suspense fallback={<Coming height={220} />}>
        <TimeChart
          label={`${metric} a day`}
          moments={moments}
          series={series}
          kind="bars"
          utc
          momentName={shownDay}
          format={metric === 'spend' ? dollars : shortCount}
          onPick={(ms) =>
            void navigate({ to: '/calls', search: { since: new Date(ms).toISOString(), until: new Date(ms + dayMs).toISOString() } })
          }
        />
      </Suspense>
    </Panel>
  );
}

function dollars(value: number): string {
  return shortDollars(value.toFixed(9));
}
