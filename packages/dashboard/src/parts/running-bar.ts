/** The bar of a chart whose time still runs: it is drawn paler and named in words, so that nobody reads it as a fall. */
export type Step = 'hour' | 'day';

const stepMs: Readonly<Record<Step, number>> = { hour: 3_600_000, day: 86_400_000 };

/** Which of the moments holds `nowMs`; null: none does. */
export function runningBar(moments: readonly number[], step: Step, nowMs: number): number | null {
  const at = moments.findIndex((ms) => ms <= nowMs && nowMs < ms + stepMs[step]);
  return at === -1 ? null : at;
}

/** What the bar's name is followed by. */
export const soFar: Readonly<Record<Step, string>> = { day: ', today so far', hour: ', this hour so far' };

/** Below the chart. */
export const runningNote: Readonly<Record<Step, string>> = {
  day: 'Today is not over: its part of the chart is paler and shows today so far.',
  hour: 'This hour is not over: its part of the chart is paler and shows the hour so far.',
};
