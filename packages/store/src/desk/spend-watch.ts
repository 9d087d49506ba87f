/**
 * The hourly comparison of spend with its records → one sentence for each new difference, and a count for `/metrics`.
 * It runs in slices with pauses, so that questions and shipping on the same thread never wait for more than one slice. Nothing is repaired:
 * an operator must look. If the store is away, the walk ends and starts again later; shipping already reports that fault.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { formatDollars } from '@metergate/core/money.ts';
import { allDaysMs } from '../spend/spend-days.ts';
import { differenceName, type SpendDifference, type SpendReconciler } from '../spend/spend-reconciler.ts';
import { dayName } from '@metergate/core/time/utc-day.ts';

/** From the end of one walk to the next. */
export const spendWatchPauseMs = 3_600_000;
/** Pause between two slices: leaves most of the thread to others. */
const slicePauseMs = 20;
/** At most this many differences are logged one by one; beyond that only their number. */
const loggedMax = 10;

interface SpendWatch {
  /** One walk. @throws StoreFault */
  look(): Promise<void>;
  /** Ends a running walk at its next slice. */
  stop(): void;
}

interface SpendWatchOptions {
  readonly reconciler: SpendReconciler;
  /** Gets a sentence for each difference that the walk before did not find. */
  readonly warn: (sentence: string) => void;
  /** Gets the number of differences after each complete walk. */
  readonly found: (differences: number) => void;
  /** Waits between two slices; 20 ms by default. */
  readonly betweenSlices?: () => Promise<unknown>;
}

export function createSpendWatch({ reconciler, warn, found, betweenSlices = () => pause(slicePauseMs) }: SpendWatchOptions): SpendWatch {
  let stopped = false;
  let known = new Set<string>();
  return {
    async look() {
      const outcome = await reconciler.reconcile(async () => {
        await betweenSlices();
        return !stopped;
      });
      if (outcome === null) return;
      const news = outcome.differences.filter((difference) => !known.has(differenceName(difference)));
      known = new Set(outcome.differences.map(differenceName));
      for (const difference of news.slice(0, loggedMax)) warn(inWords(difference));
      if (news.length > loggedMax) warn(`${news.length - loggedMax} more sums of spend differ from their records.`);
      found(outcome.differences.length);
    },
    stop() {
      stopped = true;
    },
  };
}

function inWords({ organization, scope, subject, dayMs, kept, derived }: SpendDifference): string {
  // A project's name is text of the caller; everything else is ours.
  const whose = scope === 'organization' ? organization : `${scope} ${JSON.stringify(subject)} of ${organization}`;
  const when = dayMs === allDaysMs ? 'over its lifetime' : `on ${dayName(dayMs)}`;
  return `The spend kept of ${whose} ${when} is not that of its records: $${formatDollars(kept.spent)} of ${kept.calls} calls is kept, `
    + `$${formatDollars(derived.spent)} of ${derived.calls} calls is recorded. Caps work with what is kept; restore it, or report this.`;
}
