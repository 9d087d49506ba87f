/** Usage by day and one other dimension as stacked bars: the largest names have their own colors, all others share one. */
import { useMemo } from 'react';
import { ChartOverTime } from './chart-over-time.ts';
import { shownDay } from '../shown/moments.ts';
import type { KeyNames } from '../shown/key-names.ts';
import type { Range } from '../shown/ranges.ts';
import { shortCount, shortDollars } from '../shown/amounts.ts';
import { Coming } from './states.tsx';
import { metricOf, nameIn, type Dimension, type ExploredRow, type Metric } from './usage-rows.ts';

const dayMs = 86_400_000;

export function metricFormat(metric: Metric): (value: number) => string {
  return metric === 'cost' ? (value) => shortDollars(value.toFixed(9)) : shortCount;
}

interface UsageOverDaysProps {
  /** The largest names, in their order, and everything else. */
  readonly rows: readonly ExploredRow[];
  /** Null: by day alone. */
  readonly other: Dimension | null;
  readonly metric: Metric;
  readonly range: Range;
  readonly names: KeyNames;
  /** A day was chosen; its first instant, and a row of the part of its bar, if one was chosen. */
  readonly onPick?: (ms: number, part: ExploredRow | null) => void;
}

export function UsageOverDays({ rows, other, metric, range, names, onPick }: UsageOverDaysProps) {
  const { moments, series, endsWithRest } = useMemo(() => {
    const first = Math.floor(range.sinceMs / dayMs) * dayMs;
    const moments = Array.from({ length: Math.ceil((range.untilMs - first) / dayMs) }, (_, at) => first + at * dayMs);
    const lines = new Map<string, { readonly name: string; readonly values: number[]; readonly of: ExploredRow }>();
    for (const row of rows) {
      // By what it is: two keys can have one name.
      const of = other === null ? '' : JSON.stringify([row[other as keyof ExploredRow] ?? null, row.everythingElse !== undefined]);
      const name = other === null ? metric : nameIn(row, other, names);
      const line = lines.get(of) ?? { name, values: moments.map(() => 0), of: row };
      lines.set(of, line);
      const at = Math.round((Date.parse(String(row.day)) - first) / dayMs);
      if (line.values[at] !== undefined) line.values[at] += metricOf(row, metric);
    }
    // Everything else stands above what is named.
    const [named, rest] = [false, true].map((isRest) => [...lines.values()].filter(({ of }) => (of.everythingElse !== undefined) === isRest));
    return { moments, series: [...named!, ...rest!], endsWithRest: rest!.length === 1 };
  }, [rows, other, metric, range, names]);
  return (
    <ChartOverTime
      waiting={<Coming height={260} />}
      label={`${metric} a day${other === null ? '' : ` by ${other}`}`}
      moments={moments}
      series={series}
      endsWithRest={endsWithRest}
      kind="bars"
      step="day"
      momentName={shownDay}
      format={metricFormat(metric)}
      height={240}
      onPick={onPick === undefined ? undefined : (ms, part) => onPick(ms, part === null ? null : series[part]!.of)}
    />
  );
}
