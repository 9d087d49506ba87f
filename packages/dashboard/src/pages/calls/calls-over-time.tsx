/** How many calls there were when, above the list of them. A bar leads to its calls. */
import { lazy, Suspense, useMemo } from 'react';
import { api } from '../../api/client.ts';
import { chosenFilters, type CallsSearch, type Filters, type RangeSearch } from '../../app/page-search.ts';
import { Panel } from '../../parts/page.tsx';
import { Coming, Loaded } from '../../parts/states.tsx';
import { shortCount } from '../../shown/amounts.ts';
import { shownDay, shownHour } from '../../shown/moments.ts';
import { isoOf, type Range } from '../../shown/ranges.ts';

const TimeChart = lazy(async () => ({ default: (await import('../../parts/time-chart.tsx')).TimeChart }));
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const height = 96;

/** How calls ended, and sessions and connections, are in no sum: then only the list tells. */
export function hasCounts({ outcome, status, usage, lacks, session, connection }: CallsSearch): boolean {
  return [outcome, status, usage, lacks, session, connection].every((each) => each === undefined);
}

export function CallsOverTime({ range, filters, onPick }: {
  readonly range: Range; readonly filters: Filters; readonly onPick: (range: RangeSearch) => void;
}) {
  // Runs have sums of days alone.
  const hourly = range.untilMs - range.sinceMs <= 2 * dayMs && filters.run === undefined;
  const [step, stepMs] = hourly ? (['hour', hourMs] as const) : (['day', dayMs] as const);
  // Sums of hours are no bars of days: they stay until the answer comes only if the step is the same.
  const usage = api.useQuery(
    'get',
    '/platform/v1/usage',
    { params: { query: { by: step, limit: 1_000, ...isoOf(range), ...chosenFilters(filters) } } },
    { placeholderData: (former) => (former?.data.every((row) => row[step] !== undefined) ? former : undefined), refetchInterval: 30_000 },
  );
  const rows = usage.data?.data;
  const { moments, values } = useMemo(() => {
    const first = Math.floor(range.sinceMs / stepMs) * stepMs;
    const all = Array.from({ length: Math.ceil((range.untilMs - first) / stepMs) }, (_, at) => first + at * stepMs);
    const counted = all.map(() => 0);
    for (const row of rows ?? []) {
      const at = Math.round((Date.parse(String(row[step])) - first) / stepMs);
      if (counted[at] !== undefined) counted[at] += row.calls;
    }
    return { moments: all, values: counted };
  }, [rows, range, step, stepMs]);
  if (moments.length < 2 || (rows !== undefined && rows.length === 0)) return null;
  return (
    <Panel>
      <Loaded of={usage} height={height}>
        {() => (
          <Suspense fallback={<Coming height={height} />}>
            <TimeChart
              label={`Calls by ${step}`}
              moments={moments}
              series={[{ name: 'Calls', values }]}
              kind="bars"
              step={step}
              momentName={step === 'day' ? shownDay : shownHour}
              format={shortCount}
              height={height}
              onPick={(ms) =>
                onPick({ range: undefined, since: new Date(ms).toISOString(), until: new Date(ms + stepMs).toISOString() })
              }
            />
          </Suspense>
        )}
      </Loaded>
    </Panel>
  );
}
