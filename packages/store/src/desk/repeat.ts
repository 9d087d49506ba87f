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
  /** Runs `task` once after `delayMs`; returns how to cancel it. */
  readonly after: (delayMs: number, task: () => void) => () => void;
  /** The first of several failures in a row; null when a run succeeds again. */
  readonly report: (failure: Error | null) => void;
  /** Milliseconds on a clock by which runs begin at multiples of the pause: all that pause as long and go by it begin together. */
  readonly inStep?: () => number;
}

export interface Repeat {
  /** Runs within `delayMs`, also when nothing is due. Ignored while failures make it pause. */
  nudge(delayMs: number): void;
  /** No further run begins; resolves when the current one has ended. */
  stop(): Promise<void>;
}

/** A timer may end a moment before the multiple that it was set for. The run belongs to that one, so the next is a whole pause later. */
const earlyMs = 2;

/** Starts at once. */
export function repeat({ task, pauseMs, failurePauseMsMax, after, report, inStep }: RepeatOptions): Repeat {
  let stopped = false;
  let failures = 0;
  let cancel: (() => void) | null = null;
  /** The pause until the next run: shortened by nudges, including those during a run. */
  let soonMs = pauseMs;
  let running: Promise<void> = run();

  async function run(): Promise<void> {
    cancel = null;
    soonMs = pauseMs;
    try {
      await task();
      if (failures > 0) report(null);
      failures = 0;
    } catch (error) {
      if (failures === 0) report(error as Error);
      failures += 1;
    }
    if (!stopped) schedule(failures > 0 ? Math.min(pauseMs * 2 ** failures, failurePauseMsMax) : untilNextMs());
  }

  function untilNextMs(): number {
    if (inStep === undefined || soonMs < pauseMs) return soonMs;
    const leftMs = pauseMs - inStep() % pauseMs;
    return leftMs < earlyMs ? leftMs + pauseMs : leftMs;
  }

  function schedule(delayMs: number): void {
    cancel = after(delayMs, () => { running = run(); });
  }

  return {
    nudge(delayMs) {
      if (stopped || failures > 0 || delayMs >= soonMs) return;
      soonMs = delayMs;
      if (cancel === null) return;
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
