/** The chart of the explore page: over days if one dimension is the day; otherwise the largest values, each with its share of all calls. */
import { Progress, Stack, Group, Text } from '@mantine/core';
import type { Filters } from '../../app/page-search.ts';
import { Panel } from '../../parts/page.tsx';
import { shareOf } from '../../parts/share-bar.tsx';
import { UsageCost } from '../../parts/usage-cost.tsx';
import { metricFormat, UsageOverDays } from '../../parts/usage-over-days.tsx';
import { costText } from '../../shown/incomplete-cost.ts';
import type { KeyNames } from '../../shown/key-names.ts';
import { percent } from '../../shown/amounts.ts';
import type { Range } from '../../shown/ranges.ts';
import { metricOf, nameIn, useExplored, type Dimension, type ExploredRow, type Metric } from '../../parts/usage-rows.ts';

interface ExploreChartProps {
  readonly rows: readonly ExploredRow[];
  readonly by: Dimension;
  readonly and: Dimension | null;
  readonly metric: Metric;
  readonly range: Range;
  readonly names: KeyNames;
  readonly filters: Filters;
}

export function ExploreChart(props: ExploreChartProps) {
  const { by, and, metric } = props;
  return (
    <Panel
      title={by === 'day' || and === 'day' ? 'Over time' : 'Largest'}
      about={by === 'day' || and === 'day' ? 'By day, in UTC' : 'The bar and the percentage are the share of all these calls'}>
      {by === 'day' || and === 'day' ? (
        <UsageOverDays {...props} other={by === 'day' ? and : by} />
      ) : (
        <Largest {...props} format={metricFormat(metric)} />
      )}
    </Panel>
  );
}

type Formatting = ExploreChartProps & { readonly format: (value: number) => string };

function Largest({ rows, by, and, metric, names, range, filters, format }: Formatting) {
  // A call with two labels is in two rows, so rows do not add up to the whole. Every call has exactly one provider.
  const all = useExplored({ by: 'wire', and: null, range, filters });
  const whole = all.data?.reduce((sum, row) => sum + metricOf(row, metric), 0);
  const largest = rows.toSorted((one, two) => metricOf(two, metric) - metricOf(one, metric)).slice(0, 10);
  return (
    <Stack gap={8} component="ol" style={{ listStyle: 'none', margin: 0, padding: 0 }}>
      {largest.map((row) => {
        const name = [by, and].flatMap((each) => (each === null ? [] : [nameIn(row, each, names)])).join(' · ');
        const said = metric === 'cost' ? costText(row) : format(metricOf(row, metric));
        return (
          <li key={name}>
            <Group justify="space-between" wrap="nowrap" gap="sm">
              <Text size="sm" className="clip">
                {name}
              </Text>
              <Text size="sm" fw={550} className="figure nowrap">
                {metric === 'cost' ? <UsageCost of={row} /> : said}
                <Text span size="xs" c="dimmed" ml="sm" miw={40} ta="right" display="inline-block">
                  {whole === undefined ? ' ' : percent(metricOf(row, metric), whole)}
                </Text>
              </Text>
            </Group>
            <Progress
              size="md"
              value={shareOf(metricOf(row, metric), whole) * 100}
              aria-label={`${name}: ${said} of ${whole === undefined ? 'all' : format(whole)}`}
            />
          </li>
        );
      })}
    </Stack>
  );
}
