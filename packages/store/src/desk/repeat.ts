/**
 * Repeats one task: with a pause after each run, shorter when nudged, longer after failures. Never twice at once. A failure is reported when
 * it begins and when it is over, and never ends the repetition.
 */

export interface RepeatOptions {
  readonly task: () => Promise<unknown>;
  /** Pause between the end of one run and the next. */
  readonly pauseMs: number;
  /** Pause after a failure; doubles up to `failurePauseMsMax`. */
  readonly failurePauseMsMax: number;
  /** Runs `task` once after `delayMs`; gives back how to cancel it. */
  readonly after: (delayMs: number, task: () => void) => () => void;
  /** The first failure of a row of failures; null when a run succeeds again. */
  readonly report: (failure: Error | null) => void;
}

export interface Repeat {
  /** Runs within `delayMs`, also when nothing is due. Ignored while failures make it pause. */
  nudge(delayMs: number): void;
  /** No further run begins; resolves when the one under way has ended. */
  stop(): Promise<void>;
}

/** Starts at once. */
export function repeat({ task, pauseMs, failurePauseMsMax, after, report }: RepeatOptions): Repeat {
  let stopped = false;
  let failures = 0;
  let nudged: number | null = null;
  let cancel: (() => void) | null = null;
  let dueSoon = false;
  let running: Promise<void> = run();

  async function run(): Promise<void> {
    cancel = null;
    dueSoon = false;
    nudged = null;
    try {
      await task();
      if (failures > 0) report(null);
      failures = 0;
    } catch (error) {
      if (failures === 0) report(error as Error);
      failures += 1;
    }
    if (!stopped) schedule(failures > 0 ? Math.min(pauseMs * 2 ** failures, failurePauseMsMax) : nudged ?? pauseMs);
  }

  function schedule(delayMs: number): void {
    cancel = after(delayMs, () => { running = run(); });
  }

  return {
    nudge(delayMs) {
      if (stopped || failures > 0 || dueSoon) return;
      if (cancel === null) {
        nudged = delayMs;
        return;
      }
      dueSoon = true;
      cancel();
      schedule(delayMs);
    },
    async stop() {
      stopped = true;
      cancel?.();
      await running;
    },
  };
}
