/** The chart of the explore page: over days if one dimension is the day; otherwise the largest values, each with its share of all calls. */
import { Stack, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Fragment } from 'react';
import { useNavigate } from '@tanstack/react-router';
import { Panel } from '../../parts/page.tsx';
import { ShareBar } from '../../parts/share-bar.tsx';
import { Loaded } from '../../parts/states.tsx';
import { UsageCost } from '../../parts/usage-cost.tsx';
import { metricFormat, UsageOverDays } from '../../parts/usage-over-days.tsx';
import type { KeyNames } from '../../shown/key-names.ts';
import { percent, wholeCount } from '../../shown/amounts.ts';
import { isOverDays, largestOf } from './explore-asks.ts';
import { Behind, behind } from './explore-table.tsx';
import { metricOf, nameIn, topUsageQuery, type ExploredRow, type Metric, type UsageQuestion, type UsageTotal } from '../../parts/usage-rows.ts';

/** What the chart is made of. */
export interface Charted {
  readonly rows: readonly ExploredRow[];
  readonly total: UsageTotal;
}

interface ExploreChartProps extends UsageQuestion {
  readonly metric: Metric;
  readonly names: KeyNames;
}

interface Given {
  /** What came with the table's rows. Null: it is asked for alone, as by another figure. */
  readonly given: Charted | 'waits' | null;
  /** The table's rows are not there yet. The chart does not wait for them, and is not there either before it has something to show. */
  readonly alone: boolean;
}

export function ExploreChart({ alone, given, ...props }: ExploreChartProps & Given) {
  const { by, and, metric } = props;
  const overDays = isOverDays(props);
  const asked = useQuery({ ...topUsageQuery(props, largestOf(props, metric)), enabled: given === null });
  const top = given === null || given === 'waits' ? asked : { ...asked, data: given };
  const navigate = useNavigate();
  const toDay = (ms: number, part: ExploredRow | null): void => {
    const day = { ...part, day: new Date(ms).toISOString().slice(0, 10) } as ExploredRow;
    // Without a part, or where it has no name, the whole day.
    const place = (part === null ? null : behind(day, props)) ?? behind(day, { ...props, by: 'day', and: null })!;
    void navigate({ to: place.to, search: place.search as never });
  };
  if (alone && (top.data === undefined || top.data.rows.length === 0)) return null;
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

function Largest({ rows: largest, whole, metric, names, format, ...question }: LargestProps) {
  const { by, and } = question;
  return (
    <Stack gap={2} component="ol" style={{ listStyle: 'none', margin: 0, padding: 0 }}>
      {largest.map((row, at) => {
        const others = row.everythingElse;
        const said = [by, and].flatMap((each) => (each === null ? [] : [nameIn(row, each, names)]));
        return (
          <li key={at} className="share">
            {others === undefined ? <ShareBar part={metricOf(row, metric)} of={whole} /> : null}
            <Group justify="space-between" wrap="nowrap" gap="sm">
              <Text size="sm" className="clip">
                <Behind of={others === undefined ? behind(row, question) : null}>
                  {others !== undefined
                    ? `everything else (${wholeCount(others)})`
                    : said.map((name, part) => <Fragment key={part}>{part === 0 ? '' : ' · '}<bdi>{name}</bdi></Fragment>)}
                </Behind>
              </Text>
              <Text size="sm" fw={550} className="figure nowrap">
                {metric === 'cost' ? <UsageCost of={row} /> : format(metricOf(row, metric))}
                <Text span size="xs" c="dimmed" ml="sm" miw={40} ta="right" display="inline-block">
                  {percent(metricOf(row, metric), whole)}
                </Text>
              </Text>
            </Group>
          </li>
        );
      })}
    </Stack>
  );
}
