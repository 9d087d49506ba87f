/** The bar of a chart whose time is still running: it is drawn paler and labelled as such, so that nobody reads it as a drop. */
type BarStep = 'hour' | 'day';

const stepMs: Readonly<Record<BarStep, number>> = { hour: 3_600_000, day: 86_400_000 };

/** Index of the moment that holds `nowMs`; null: none does. */
export function runningBar(moments: readonly number[], step: BarStep, nowMs: number): number | null {
  const at = moments.findIndex((ms) => ms <= nowMs && nowMs < ms + stepMs[step]);
  return at === -1 ? null : at;
}

/** Appended to the bar's label. */
export const soFar: Readonly<Record<BarStep, string>> = { day: ', today so far', hour: ', this hour so far' };

/** The sentence below the chart. */
export const runningNote: Readonly<Record<BarStep, string>> = {
  day: 'Today is not over: its part of the chart is paler and shows today so far.',
  hour: 'This hour is not over: its part of the chart is paler and shows the hour so far.',
};
