/**
 * One batch at a time, posted until it is delivered or dropped: at most three posts, 200 and 800 ms between them (spec, Tap client
 * wrapper 4). Clock and transport are passed in.
 */
import type { Answer, Verdict } from './answer.ts';
import type { Cancel } from './runtime.ts';

export const retryWaitsMs: readonly number[] = [200, 800];

/** One post under way. */
export interface Attempt {
  /** Never rejects. */
  readonly answer: Promise<Answer>;
  /** Ends it now; the answer is then `noAnswer`. */
  abandon(): void;
}

/** What a delivery touches. */
export interface DeliveryGround {
  /** A timer that does not keep the process alive. */
  after(delayMs: number, run: () => void): Cancel;
  post(body: string): Attempt;
}

export interface BatchDelivery {
  /** The events of the batch under way; empty where none is. */
  inFlight(): readonly string[];
  /** Resolves with the last verdict, when the batch is delivered or dropped. */
  deliver(events: readonly string[]): Promise<Verdict>;
  /** Drops the batch under way: its answer changes nothing any more. */
  giveUp(): void;
}

/** The body of a batch. */
export function bodyOf(events: readonly string[]): string {
  return `{"events":[${events.join(',')}]}`;
}

/** `settle` is told each answer and says what it means. */
export function createBatchDelivery(ground: DeliveryGround, settle: (answer: Answer) => Verdict): BatchDelivery {
  let inFlight: readonly string[] = [];
  let abandon: Cancel | null = null;
  const wait = (delayMs: number): Promise<void> => new Promise((resolve) => {
    abandon = resolve;
    ground.after(delayMs, resolve);
  });
  return {
    inFlight: () => inFlight,
    async deliver(events) {
      inFlight = events;
      const body = bodyOf(events);
      for (let attempt = 0; ; attempt += 1) {
        const post = ground.post(body);
        abandon = () => post.abandon();
        const answer = await post.answer;
        if (inFlight !== events) return 'retry';
        const verdict = settle(answer);
        const waitMs = retryWaitsMs[attempt];
        if (verdict === 'retry' && waitMs !== undefined) await wait(waitMs);
        if (inFlight !== events) return 'retry';
        if (verdict !== 'retry' || waitMs === undefined) {
          inFlight = [];
          return verdict;
        }
      }
    },
    giveUp() {
      inFlight = [];
      abandon?.();
    },
  };
}
