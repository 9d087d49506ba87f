/**
 * Stacked bars whose last part is everything else. Where that is far larger than what is named, the named parts would be slivers: the bars
 * are then cut above them, with a mark.
 */
import type { ChartSeries } from './chart-props.ts';

/** From how many times the largest named stack on the bars are cut. */
const cutFrom = 4;
/** Room above the largest named stack, as a factor. */
const room = 1.4;

/** The value at which bars are cut, in the unit of the series; null: they are drawn whole. */
export function cutOf(series: readonly ChartSeries[], endsWithRest: boolean): number | null {
  if (!endsWithRest || series.length < 2) return null;
  const named = highest(series.slice(0, -1));
  return named > 0 && highest(series) > named * cutFrom ? named * room : null;
}

/** The bars that are cut, by their places. */
export function cutBars(series: readonly ChartSeries[], cut: number | null): readonly number[] {
  return cut === null ? [] : stacks(series).flatMap((height, at) => (height > cut ? [at] : []));
}

function highest(series: readonly ChartSeries[]): number {
  return stacks(series).reduce((most, height) => Math.max(most, height), 0);
}

function stacks(series: readonly ChartSeries[]): readonly number[] {
  return (series[0]?.values ?? []).map((_, at) => series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0));
}

/** The sentence below the chart. */
export const cutNote = 'Marked bars are cut: everything else is far larger than what is named.';
