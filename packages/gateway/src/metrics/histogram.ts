/** A histogram: counts measured values by range. It allocates nothing, so calls may use it. */

/** Plain values: it may be copied between threads. */
export interface Histogram {
  /** Upper bounds of the ranges, growing; what lies above the last counts in one range more. */
  readonly bounds: readonly number[];
  readonly counts: Float64Array;
  sum: number;
}

export function createHistogram(bounds: readonly number[]): Histogram {
  return { bounds, counts: new Float64Array(bounds.length + 1), sum: 0 };
}

export function countObserved(histogram: Histogram, value: number): void {
  const { bounds, counts } = histogram;
  let at = 0;
  while (at < bounds.length && value > bounds[at]!) at += 1;
  counts[at]! += 1;
  histogram.sum += value;
}
