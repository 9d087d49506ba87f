/** The props of a chart over time. */
export interface ChartSeries {
  readonly name: string;
  /** One value for each moment of the chart; null if nothing is known. */
  readonly values: readonly (number | null)[];
}

export interface TimeChartProps {
  /** What the chart shows, as a sentence. */
  readonly label: string;
  /** Start of each bar, milliseconds since the epoch. */
  readonly moments: readonly number[];
  readonly series: readonly ChartSeries[];
  readonly kind: 'bars' | 'lines';
  /** The last series is everything else: bars may be cut there. */
  readonly endsWithRest?: boolean;
  readonly format: (value: number) => string;
  /** The moment as text. */
  readonly momentName: (ms: number) => string;
  /** Length of each bar. Days and hours are those of UTC. */
  readonly step: 'hour' | 'day';
  readonly height?: number;
  /** `part`: which series of a stacked bar was chosen; null: none, or the space above it. */
  readonly onPick?: (ms: number, part: number | null) => void;
}

/** The part of a stacked bar that holds a value of the axis; null: it is above the bar. */
export function partAt(series: readonly ChartSeries[], at: number, value: number): number | null {
  let below = 0;
  const part = series.findIndex(({ values }) => value < (below += values[at] ?? 0));
  return part === -1 ? null : part;
}
