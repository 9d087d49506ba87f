/** The chart of the explore page: over days where a dimension is the day, else the largest as bars. */
import { Progress, Stack, Group, Text } from '@mantine/core';
import { Panel } from '../../parts/page.tsx';
import { metricFormat, UsageOverDays } from '../../parts/usage-over-days.tsx';
import type { KeyNames } from '../../shown/key-names.ts';
import type { Range } from '../../shown/ranges.ts';
import { metricOf, nameIn, type Dimension, type ExploredRow, type Metric } from '../../parts/usage-rows.ts';


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
  return (
    <Panel>
      {by === 'day' || and === 'day' ? (
        <UsageOverDays {...props} other={by === 'day' ? and : by} />
      ) : (
        <Largest {...props} format={metricFormat(metric)} />
      )}
    </Panel>
  );
}

type Formatting = ExploreChartProps & { readonly format: (value: number) => string };

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
