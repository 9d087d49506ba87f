/** The chart of the explore page: over days if one dimension is the day; otherwise the largest values, each with its share of all calls. */
import { Progress, Stack, Group, Text } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { Panel } from '../../parts/page.tsx';
import { barShare } from '../../parts/share-bar.tsx';
import { Loaded } from '../../parts/states.tsx';
import { UsageCost } from '../../parts/usage-cost.tsx';
import { metricFormat, seriesMax, UsageOverDays } from '../../parts/usage-over-days.tsx';
import { costText } from '../../shown/incomplete-cost.ts';
import type { KeyNames } from '../../shown/key-names.ts';
import { percent, wholeCount } from '../../shown/amounts.ts';
import { callsOf } from './explore-table.tsx';
import { metricOf, nameIn, useTopUsage, type ExploredRow, type Metric, type UsageQuestion } from '../../parts/usage-rows.ts';

interface ExploreChartProps extends UsageQuestion {
  readonly metric: Metric;
  readonly names: KeyNames;
}

/** How many of the largest are shown as bars. */
const largestMax = 10;

export function ExploreChart(props: ExploreChartProps) {
  const { by, and, metric } = props;
  const overDays = by === 'day' || and === 'day';
  const top = useTopUsage(props, { metric, top: overDays ? seriesMax : largestMax });
  const navigate = useNavigate();
  const toDay = (ms: number): void => {
    const day = { day: new Date(ms).toISOString().slice(0, 10) } as unknown as ExploredRow;
    void navigate({ to: '/calls', search: callsOf(day, ['day'], props.filters, props.range) });
  };
  return (
    <Panel
      title={overDays ? 'Over time' : 'Largest'}
      about={overDays ? 'By day, in UTC' : 'The bar and the percentage are the share of all these calls'}>
      <Loaded of={top} height={240}>
        {({ rows, total }) =>
          overDays ? (
            <UsageOverDays {...props} rows={rows} other={by === 'day' ? and : by} onPick={toDay} />
          ) : (
            <Largest {...props} rows={rows} whole={metricOf(total, metric)} format={metricFormat(metric)} />
          )
        }
      </Loaded>
    </Panel>
  );
}

interface LargestProps extends ExploreChartProps {
  readonly rows: readonly ExploredRow[];
  /** Of all calls. A call with two labels is in two rows, so rows do not add up to it. */
  readonly whole: number;
  readonly format: (value: number) => string;
}

function Largest({ rows: largest, whole, by, and, range, filters, metric, names, format }: LargestProps) {
  return (
    <Stack gap={8} component="ol" style={{ listStyle: 'none', margin: 0, padding: 0 }}>
      {largest.map((row) => {
        const others = row.everythingElse;
        const name =
          others === undefined
            ? [by, and].flatMap((each) => (each === null ? [] : [nameIn(row, each, names)])).join(' · ')
            : `everything else (${wholeCount(others)})`;
        const said = metric === 'cost' ? costText(row) : format(metricOf(row, metric));
        return (
          <li key={name}>
            <Group justify="space-between" wrap="nowrap" gap="sm">
              <Text size="sm" className="clip">
                {others === undefined ? (
                  <Link to="/calls" search={callsOf(row, and === null ? [by] : [by, and], filters, range) as never} className="plain">
                    {name}
                  </Link>
                ) : (
                  name
                )}
              </Text>
              <Text size="sm" fw={550} className="figure nowrap">
                {metric === 'cost' ? <UsageCost of={row} /> : said}
                <Text span size="xs" c="dimmed" ml="sm" miw={40} ta="right" display="inline-block">
                  {percent(metricOf(row, metric), whole)}
                </Text>
              </Text>
            </Group>
            <Progress
              size="md"
              value={barShare(metricOf(row, metric), whole) * 100}
              color={others === undefined ? undefined : 'gray.5'}
              aria-label={`${name}: ${said} of ${format(whole)}`}
            />
          </li>
        );
      })}
    </Stack>
  );
}
