/** How many calls there were when, above the list of them. A bar leads to its calls. */
import { useMemo } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { Filters, RangeSearch } from '../../app/page-search.ts';
import { ChartOverTime } from '../../parts/chart-over-time.ts';
import { Panel } from '../../parts/page.tsx';
import { Coming, Loaded } from '../../parts/states.tsx';
import { shortCount } from '../../shown/amounts.ts';
import { shownDay, shownHour } from '../../shown/moments.ts';
import type { Range } from '../../shown/ranges.ts';
import { callCountsQuery, stepOf } from './calls-asks.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const height = 96;

export function CallsOverTime({ range, filters, onPick }: {
  readonly range: Range; readonly filters: Filters; readonly onPick: (range: RangeSearch) => void;
}) {
  const step = stepOf(range, filters);
  const stepMs = step === 'hour' ? hourMs : dayMs;
  const usage = useQuery({
    ...callCountsQuery(range, filters),
    // Sums of hours are no bars of days: they stay until the answer comes only if the step is the same.
    placeholderData: (former) => (former?.data.every((row) => row[step] !== undefined) ? former : undefined),
  });
  const rows = usage.data?.data;
  const { moments, series } = useMemo(() => {
    const first = Math.floor(range.sinceMs / stepMs) * stepMs;
    const all = Array.from({ length: Math.ceil((range.untilMs - first) / stepMs) }, (_, at) => first + at * stepMs);
    const counted = all.map(() => 0);
    for (const row of rows ?? []) {
      const at = Math.round((Date.parse(String(row[step])) - first) / stepMs);
      if (counted[at] !== undefined) counted[at] += row.calls;
    }
    return { moments: all, series: [{ name: 'Calls', values: counted }] };
  }, [rows, range, step, stepMs]);
  if (moments.length < 2 || (rows !== undefined && rows.length === 0)) return null;
  return (
    <Panel>
      <Loaded of={usage} height={height}>
        {() => (
          <ChartOverTime
            waiting={<Coming height={height} />}
            label={`Calls by ${step}`}
            moments={moments}
            series={series}
            kind="bars"
            step={step}
            momentName={step === 'day' ? shownDay : shownHour}
            format={shortCount}
            height={height}
            onPick={(ms) =>
              onPick({ range: undefined, since: new Date(ms).toISOString(), until: new Date(ms + stepMs).toISOString() })
            }
          />
        )}
      </Loaded>
    </Panel>
  );
}
