/** Figures of all calls over time, by hour or by day; a bar leads to its calls. */
import { Group } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import { ChartOverTime } from '../../parts/chart-over-time.ts';
import { Panel } from '../../parts/page.tsx';
import { Coming } from '../../parts/states.tsx';
import { shortCount, shortDollars, shortMs } from '../../shown/amounts.ts';
import { shownDay, shownHour } from '../../shown/moments.ts';
import { refusalWords } from '../../shown/refusal-words.ts';
import { GroupPicker, MetricPicker } from './chart-pickers.tsx';
import type { OverviewData, Refusals } from './overview-data.ts';

const route = getRouteApi('/shell/');
type Figures = OverviewData['total'];

interface Drawn {
  readonly value: string;
  readonly label: string;
  readonly kind: 'bars' | 'lines';
  readonly format: (value: number) => string;
  readonly lines: Readonly<Record<string, (figures: Figures) => number | null>>;
}

const metrics: readonly Drawn[] = [
  {
    value: 'spend',
    label: 'Spend',
    kind: 'bars',
    format: (value) => shortDollars(value.toFixed(9)),
    lines: { Spend: ({ cost }) => Number(cost) },
  },
  {
    value: 'calls',
    label: 'Calls',
    kind: 'bars',
    format: shortCount,
    lines: { Calls: ({ calls, errorCalls }) => calls - errorCalls, 'Provider errors': ({ errorCalls }) => errorCalls },
  },
  {
    value: 'tokens',
    label: 'Tokens',
    kind: 'bars',
    format: shortCount,
    lines: {
      Input: ({ inputTokens }) => inputTokens,
      Cached: ({ cachedTokens }) => cachedTokens,
      'Written to the cache': ({ cacheWriteTokens }) => cacheWriteTokens,
      Output: ({ outputTokens }) => outputTokens,
      'Reasoning, in the output': ({ reasoningTokens }) => reasoningTokens,
    },
  },
  {
    value: 'latency',
    label: 'Latency',
    kind: 'lines',
    format: shortMs,
    lines: {
      p50: ({ latencyMs }) => latencyMs.p50,
      p95: ({ latencyMs }) => latencyMs.p95,
      'First byte p50': ({ firstByteMs }) => firstByteMs.p50,
      'First byte p95': ({ firstByteMs }) => firstByteMs.p95,
    },
  },
  {
    value: 'lacks',
    label: 'Not known',
    kind: 'bars',
    format: shortCount,
    lines: {
      'Usage unknown': ({ unknownCalls }) => unknownCalls,
      'Without a price': ({ unpricedCalls }) => unpricedCalls,
      'With gaps': ({ gapCalls }) => gapCalls,
    },
  },
  { value: 'refusals', label: 'Refusals', kind: 'bars', format: shortCount, lines: { Refusals: () => 0 } },
];

/** By code, the most frequent first. */
function refusedLines({ byCode, series }: Refusals): { readonly name: string; readonly values: readonly number[] }[] {
  return byCode.slice(0, 8).map(({ code }) => ({ name: refusalWords({ code }), values: series.map((step) => step.byCode[code] ?? 0) }));
}

interface OverTimeProps {
  readonly overview: OverviewData;
  /** Undefined: not known yet. */
  readonly refusals: Refusals | undefined;
}

export function OverTime({ overview: { series, step }, refusals }: OverTimeProps) {
  const { metric } = route.useSearch();
  const navigate = route.useNavigate();
  const drawn = metrics.find(({ value }) => value === metric) ?? metrics[0]!;
  const { moments, lines } = useMemo(
    () => ({
      moments: series.map(({ at }) => Date.parse(at)),
      lines: drawn.value === 'refusals' && refusals !== undefined && refusals.byCode.length > 0 ? refusedLines(refusals) : Object.entries(drawn.lines)
        .map(([name, figure]) => ({ name, values: series.map(figure) }))
        .filter(({ values }, index) => index === 0 || values.some((value) => value !== 0 && value !== null)),
    }),
    [series, drawn, refusals],
  );
  const stepMs = step === 'hour' ? 3_600_000 : 86_400_000;
  return (
    <Panel
      title="Over time"
      about={step === 'hour' ? 'By hour, in UTC' : 'By day, in UTC'}
      actions={
        <Group gap="xs">
          <GroupPicker />
          <MetricPicker metrics={metrics} value={drawn.value} />
        </Group>
      }>
      <ChartOverTime
        waiting={<Coming height={240} />}
        key={drawn.kind}
        label={`${drawn.label} by ${step}`}
        moments={moments}
        series={lines}
        kind={drawn.kind}
        step={step}
        momentName={step === 'day' ? shownDay : shownHour}
        format={drawn.format}
        onPick={(ms) =>
          void navigate({ to: '/calls', search: { since: new Date(ms).toISOString(), until: new Date(ms + stepMs).toISOString() } })
        }
      />
    </Panel>
  );
}
