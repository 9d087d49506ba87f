/** The chart of the explore page: over days where a dimension is the day, else the largest as bars. */
import { lazy, Suspense, useMemo } from 'react';
import { Progress, Stack, Group, Text } from '@mantine/core';
import { Panel } from '../../parts/page.tsx';
import { Coming } from '../../parts/states.tsx';
import { shortCount, shortDollars } from '../../shown/amounts.ts';
import type { KeyNames } from '../../shown/key-names.ts';
import { shownDay } from '../../shown/moments.ts';
import type { Range } from '../../shown/ranges.ts';
import { metricOf, nameIn, type Dimension, type ExploredRow, type Metric } from './explored.ts';

const TimeChart = lazy(async () => ({ default: (await import('../../parts/time-chart.tsx')).TimeChart }));
const dayMs = 86_400_000;
/** The largest have colors of their own; the rest is one. */
const seriesMax = 7;

interface ExploreChartProps {
  readonly rows: readonly ExploredRow[];
  readonly by: Dimension;
  readonly and: Dimension | null;
  readonly metric: Metric;
  readonly range: Range;
  readonly names: KeyNames;
}

export function ExploreChart(props: ExploreChartProps) {
  const { by, and, metric } = props;
  const format = metric === 'cost' ? (value: number) => shortDollars(value.toFixed(9)) : shortCount;
  return <Panel>{by === 'day' || and === 'day' ? <OverDays {...props} format={format} /> : <Largest {...props} format={format} />}</Panel>;
}

type Formatting = ExploreChartProps & { readonly format: (value: number) => string };

function OverDays({ rows, by, and, metric, range, names, format }: Formatting) {
  const other = by === 'day' ? and : by;
  const { moments, series } = useMemo(() => {
    const first = Math.floor(range.sinceMs / dayMs) * dayMs;
    const moments = Array.from({ length: Math.ceil((range.untilMs - first) / dayMs) }, (_, at) => first + at * dayMs);
    const totals = new Map<string, number>();
    for (const row of rows) {
      const name = other === null ? metric : nameIn(row, other, names);
      totals.set(name, (totals.get(name) ?? 0) + metricOf(row, metric));
    }
    const ranked = [...totals].toSorted((one, two) => two[1] - one[1]).map(([name]) => name);
    const own = ranked.slice(0, ranked.length > seriesMax + 1 ? seriesMax : seriesMax + 1);
    const lines = new Map([...own, ...(ranked.length > own.length ? ['everything else'] : [])].map((name) => [name, moments.map(() => 0)]));
    for (const row of rows) {
      const name = other === null ? metric : nameIn(row, other, names);
      const values = lines.get(name) ?? lines.get('everything else')!;
      const at = Math.round((Date.parse(String(row.day)) - first) / dayMs);
      if (values[at] !== undefined) values[at] += metricOf(row, metric);
    }
    return { moments, series: [...lines].map(([name, values]) => ({ name, values })) };
  }, [rows, other, metric, range, names]);
  return (
    <Suspense fallback={<Coming height={260} />}>
      <TimeChart
        label={`${metric} a day${other === null ? '' : ` by ${other}`}`}
        moments={moments}
        series={series}
        kind="bars"
        utc
        momentName={shownDay}
        format={format}
        height={240}
      />
    </Suspense>
  );
}

function Largest({ rows, by, and, metric, names, format }: Formatting) {
  const largest = rows.toSorted((one, two) => metricOf(two, metric) - metricOf(one, metric)).slice(0, 10);
  const most = metricOf(largest[0]!, metric);
  return (
    <Stack gap={8} component="ol" style={{ listStyle: 'none', margin: 0, padding: 0 }}>
      {largest.map((row) => {
        const name = [by, and].flatMap((each) => (each === null ? [] : [nameIn(row, each, names)])).join(' · ');
        return (
          <li key={name}>
            <Group justify="space-between" wrap="nowrap" gap="sm">
              <Text size="sm" className="clip">
                {name}
              </Text>
              <Text size="sm" fw={550} className="figure nowrap">
                {format(metricOf(row, metric))}
              </Text>
            </Group>
            <Progress
              size="md"
              value={most === 0 ? 0 : (metricOf(row, metric) / most) * 100}
              aria-label={`${name}: ${format(metricOf(row, metric))}`}
            />
          </li>
        );
      })}
    </Stack>
  );
}
