/**
 * Whether a thread answers. It is asked every half second, and its silence counts only while this thread itself has time: a pause of the whole
 * process does not count. Decision 0107.
 */
export type ThreadName = 'gateway' | 'store' | 'platform';

/** Pause between two looks. Milliseconds. */
export const pulseMs = 500;
/**
 * A thread that is silent for this long does not answer. With the looks beside it, a node says so within five seconds. The store thread may take
 * longer: calls go on meanwhile with what the node holds, and a busy machine must not take all its nodes out at once. Milliseconds.
 */
const silentMsMax: Readonly<Record<ThreadName, number>> = { gateway: 3_000, store: 10_000, platform: 3_000 };

export interface ThreadPulse {
  /** How long it has not answered, in time that this thread had. */
  readonly silentMs: number;
  /** It has not answered for three seconds; the store thread, for ten. */
  readonly isSilent: boolean;
  /** It has answered. */
  answered(): void;
  /** Call this every `pulseMs`: asks again once the last question is answered. */
  look(nowMs: number): void;
}

/** `ask` has the thread call `answered` as soon as it can. */
export function createThreadPulse(name: ThreadName, ask: () => void): ThreadPulse {
  let lookedMs: number | null = null;
  let hasAnswered = true;
  let silentMs = 0;
  return {
    get silentMs() { return silentMs; },
    get isSilent() { return silentMs >= silentMsMax[name]; },
    answered() {
      hasAnswered = true;
      silentMs = 0;
    },
    look(nowMs) {
      const passedMs = lookedMs === null ? 0 : Math.min(nowMs - lookedMs, 2 * pulseMs);
      lookedMs = nowMs;
      if (!hasAnswered) {
        silentMs += passedMs;
        return;
      }
      hasAnswered = false;
      ask();
    },
  };
}

/** The threads of this process that run, each with its pulse. */
export type ThreadPulses = Readonly<Partial<Record<ThreadName, ThreadPulse>>>;

/** Looks at the threads until it is stopped. `running`: those that run at that moment. */
export function watchPulses(running: () => ThreadPulses, monotonicMs: () => number): { stop(): void } {
  const looking = setInterval(() => {
    for (const pulse of Object.values(running())) pulse.look(monotonicMs());
  }, pulseMs).unref();
  return { stop: () => clearInterval(looking) };
}

/** Those that do not answer. */
export function silentThreads(pulses: ThreadPulses): ThreadName[] {
  return (Object.keys(pulses) as ThreadName[]).filter((name) => pulses[name]?.isSilent === true);
}
