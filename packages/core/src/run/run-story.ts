/** How finely a run's story is drawn: in steps of a length that people know, few enough for one line of time. Pure. */

/** At most so many steps from a run's first call to its last. */
export const storyStepsMax = 240;

const secondMs = 1_000;
const lengths = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 21_600, 43_200, 86_400].map((each) => each * secondMs);

/** Milliseconds of one step, for a time of this length. Longer than a day only where a day is too short. */
export function storyStepMs(lengthMs: number): number {
  const least = Math.max(0, lengthMs) / storyStepsMax;
  return lengths.find((each) => each > least) ?? Math.ceil(least / 86_400_000 + 1) * 86_400_000;
}
