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
  readonly format: (value: number) => string;
  /** The moment as text. */
  readonly momentName: (ms: number) => string;
  /** Length of each bar. Days and hours are those of UTC. */
  readonly step: 'hour' | 'day';
  readonly height?: number;
  readonly onPick?: (ms: number) => void;
}
